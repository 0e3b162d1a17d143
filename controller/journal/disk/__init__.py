"""The files of a record: the SQLite file, its lock, and whether it is still the file at its path."""
