"""The front display of a hand-forming shuffler in Cover All mode: how many hands, and their payout."""

HAND = 2
"""Cards of a hand of the game that the mode is for; larger packets are for the board or a box."""
PAID = ("royal flush", "straight flush", "quads", "full house")
ODDS = {
    7: (70, 30, 20, 4), 6: (80, 40, 30, 4), 5: (100, 40, 35, 5), 4: (125, 70, 40, 6), 3: (150, 80, 50, 8),
    2: (200, 100, 70, 12),
}  # fmt: skip
"""To 1, by the number of hands with the dealer's: the matrix that the maker has put into the machine."""


def cover_all(hands: int) -> str:
    """Returns the front display's text; without a matrix for this number of hands it says so."""
    odds = ODDS.get(hands)
    if odds is None:
        return f"{hands} hands: no payouts"
    return f"{hands} hands: " + ", ".join(f"{name} {to_one} to 1" for name, to_one in zip(PAID, odds, strict=True))
