"""`decide` and `settle` as filters: a JSON line in, JSON lines out, and their schemas."""
