"""The table daemon: the law, the one path, the record, and publishing."""

__distribution__ = "tablewarden"  # asked for at start, because the name of this package is a general word
