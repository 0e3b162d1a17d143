"""Scenario files and faults by name."""
