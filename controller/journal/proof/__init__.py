"""How a record is proven: signing keys, checkpoints, the chain, segments, and what others hold against it."""
