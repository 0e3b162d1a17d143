"""From a rulebook file to a `Rulebook`, strictly."""
