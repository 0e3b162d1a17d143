"""The state of a table as frozen values."""
