"""A progressive made of remote I/O on one RS-485 bus: Modbus RTU, from the bytes to a link end like any other."""
