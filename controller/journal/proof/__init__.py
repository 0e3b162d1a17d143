"""Proves a record: signing keys, checkpoints, the chain, segments, and heads that others hold."""
