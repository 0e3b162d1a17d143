"""The daemon's work for its record: checkpoints, closed days, background proofs, loss, sealed cards."""
