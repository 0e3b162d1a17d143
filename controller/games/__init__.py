"""The games: how a round of each goes from the deal to its settlement, one frozen value a game, no code of its own."""
