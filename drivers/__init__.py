"""Talks to devices: ports, wire protocols, sessions. Knows no rule of the game."""

__distribution__ = "tablewarden"  # asked for at start, because the name of this package is a general word
