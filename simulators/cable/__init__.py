"""A cable and what a bad one does."""
