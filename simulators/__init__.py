"""The other end of the wire, and the people at the table. The daemon starts without this package."""

__distribution__ = "tablewarden"  # asked for at start, because the name of this package is a general word
