"""What is on its way to the broker: sent, acknowledged, settled, refused and parked, by stream."""
