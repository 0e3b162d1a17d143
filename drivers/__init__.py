"""Everything that talks to a device. Knows no rule."""

__distribution__ = "tablewarden"  # asked for at start, because the name of this package is a general word
