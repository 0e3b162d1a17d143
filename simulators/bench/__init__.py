"""A whole table on a bench: broker, simulated devices, daemon and people as processes of their own, and an observer.

The observer believes nobody: it compares what the devices really did, what the journal holds and what the broker
delivered, and says which of the ten promises it could check and whether they held.
"""
