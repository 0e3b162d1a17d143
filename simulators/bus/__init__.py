"""Remote I/O on a Modbus line."""
