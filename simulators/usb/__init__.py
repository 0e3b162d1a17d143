"""Simulated USB devices, a bus of them, and USB/IP."""
