"""Does a device keep docs/protocol.md? Tried from outside, clause by clause, on a bench. For makers and for test labs."""
