"""A simulated device that runs: firmware, boots, clocks, control, the record of what happened."""
