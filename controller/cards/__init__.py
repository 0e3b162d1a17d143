"""Cards and what they are worth: names, the ranking of hands of any number of decks, three-card hands, house ways."""
