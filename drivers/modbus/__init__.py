"""A progressive unit made of remote I/O on one RS-485 bus: Modbus RTU, from bytes to a link end."""
