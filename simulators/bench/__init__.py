"""A whole table on a bench: broker, simulated devices, daemon and people as processes, and an observer.

The observer compares what the devices did, what the journal holds and what the broker delivered. It says which of
the ten promises (docs/faults.md) it could check, and whether they held.
"""
