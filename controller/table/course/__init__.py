"""The course of play: rounds, device reports, links, holds and duties."""
