"""Facts folded into the state, and the ruling that a decision writes facts into."""
