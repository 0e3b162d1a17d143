"""`decide` and `settle` as filters: one JSON line in, one JSON line out, and their schemas."""
