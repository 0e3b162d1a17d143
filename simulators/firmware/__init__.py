"""A running simulated device: firmware, boots, clocks, control socket, and its log."""
