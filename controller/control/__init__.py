"""The local control socket: how people at a terminal, simulated people and later the panel see and work the table."""
