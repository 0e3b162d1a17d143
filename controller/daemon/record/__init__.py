"""What the daemon does for its record: checkpoints, closed days, proofs in the background, loss, cards under seal."""
