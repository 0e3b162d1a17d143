"""The commands `device ...`."""
