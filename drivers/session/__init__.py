"""One device as a session: its link end run in the event loop, what is kept over losses, its health."""
