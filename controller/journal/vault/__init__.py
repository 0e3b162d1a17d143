"""Seals card identities round by round, and keeps the keys."""
