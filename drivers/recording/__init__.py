"""Recordings of a wire: made by a tap that never disturbs it, replayed to the driver, exported for others to read."""
