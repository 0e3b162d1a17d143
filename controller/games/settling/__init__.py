"""Settlement: from the cards and wagers of a round to what each wager is paid, one file a game. Pure."""
