"""The commands that read cases from standard input: `decide`, `settle` and `rank`."""
