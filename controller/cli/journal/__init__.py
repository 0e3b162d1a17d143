"""The commands `journal ...` and those that read a record."""
