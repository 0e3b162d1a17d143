"""Closed days and copies: segments, the second place, backups, damaged files put aside, lost files saved."""
