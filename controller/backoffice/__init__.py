"""Receives what the tables publish: proves it, keeps it and reports on it. The daemon imports nothing of this room."""
