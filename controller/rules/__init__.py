"""The law as data: rulebooks, their strict loader, the closed vocabulary, and the choice of an outcome."""
