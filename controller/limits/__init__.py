"""Limits the use of shared things: requests, and log lines."""
