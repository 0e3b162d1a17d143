"""Questions about law and state that more than one room asks. They change nothing."""
