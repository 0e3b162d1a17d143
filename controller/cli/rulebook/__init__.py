"""The commands `rulebook ...`, and how a command takes a rulebook."""
