"""Whether an act may be done now, by whom, and why not."""
