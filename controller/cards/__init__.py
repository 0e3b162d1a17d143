"""Cards and the ranking of hands: names, values for any number of decks, three-card hands, house ways."""
