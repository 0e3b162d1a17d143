"""How much somebody may use of what all share: requests, and lines of the log."""
