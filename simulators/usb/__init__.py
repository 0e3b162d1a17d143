"""USB devices, a bus of them, USB/IP."""
