"""The daemon of one table: the parts that run together, and the one path from a device's report to its confirmation."""
