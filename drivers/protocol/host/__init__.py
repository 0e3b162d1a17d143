"""The host's end of a TDP/1 link, without I/O."""
