"""Finds card names in a device's text, so that no kept text names a card."""

import re

from drivers.protocol.constants import MAX_LINE

WITHHELD = "**"
_RANK = r"(?:10|[2-9TJQKA])"
CARD = re.compile(rf"{_RANK}[CDHS]|[CDHS]{_RANK}", re.IGNORECASE)
"""One card: rank and suit in either order."""
_SPOKEN_RANK = "ace|king|queen|jack|ten|nine|eight|seven|six|five|four|three|two|deuce|10|[2-9]"
_LOOKS_LIKE_CARDS = (
    re.compile(r"(?<=card:)[^>]+", re.IGNORECASE),
    re.compile(rf"(?<![A-Za-z0-9])(?:(?:{CARD.pattern})[\s,;]*)+(?![A-Za-z0-9])", re.IGNORECASE),
    re.compile(rf"(?:{_SPOKEN_RANK})\s*of\s*(?:spade|heart|diamond|club)s?", re.IGNORECASE),
)


def withheld(text: str) -> str:
    """Returns the text with everything removed that could be a card."""
    for looks in _LOOKS_LIKE_CARDS:
        text = looks.sub(WITHHELD, text)
    return text[:MAX_LINE]
