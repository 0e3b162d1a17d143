"""Which cards were told, sealed round by round, and the keys."""
