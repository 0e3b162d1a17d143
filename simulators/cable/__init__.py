"""A simulated cable and its faults."""
