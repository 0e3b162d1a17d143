"""The commands `sim ...`."""
