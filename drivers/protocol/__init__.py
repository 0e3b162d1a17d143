"""TDP/1, the Table Device Protocol: sans-I/O codec and both link ends. Standard library only.

`docs/protocol.md` is the definition; nothing here opens a port, reads a clock or logs.
"""
