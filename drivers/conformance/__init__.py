"""Tries on a bench whether a device keeps docs/protocol.md, clause by clause. For makers and test labs."""
