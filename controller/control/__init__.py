"""The local control socket: how terminals, simulated people and later the panel see and work the table."""
