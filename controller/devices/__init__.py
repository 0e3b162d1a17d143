"""Looks at devices from a terminal: what stands where, what answers there, and how well. Knows no rule."""
