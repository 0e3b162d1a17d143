"""The daemon of one table: its parts, and the one path from a device's report to its confirmation."""
