"""Texts of a device, made fit to be shown: no control characters, nothing that moves a cursor or turns the direction.

Whatever is shown to people may land in a terminal, a log or a page. What a device says of itself is refused where it holds
such characters; where a text only accompanies something that must be heard, they are replaced.
"""

__all__ = ["MARK", "is_plain", "plain"]

MARK = "\ufffd"
"""What stands for a character that is not shown."""


def is_plain(text: str) -> bool:
    """True where every character is printable: of no Unicode category C (control, format, unassigned) or Z but the space."""
    return text.isprintable()


def plain(text: str) -> str:
    """The same text with a mark in the place of each character that is not printable."""
    return text if text.isprintable() else "".join(c if c.isprintable() else MARK for c in text)
