"""Texts of a device, made fit to be shown: no control characters, nothing that moves a cursor or turns the direction.

Whatever is shown to people may land in a terminal, a log or a page. What a device says of itself is refused where it holds
such characters; where a text only accompanies something that must be heard, they are replaced.
"""

import json

__all__ = ["MARK", "is_plain", "plain", "plain_json", "repeated_key"]

MARK = "\ufffd"
"""What stands for a character that is not shown."""


def is_plain(text: str) -> bool:
    """True where every character is printable: of no Unicode category C (control, format, unassigned) or Z but the space."""
    return text.isprintable()


def repeated_key(text: bytes) -> str | None:
    """The first key that stands twice in one object of this JSON; None where none does. Which of its values is meant nobody
    can tell, and each reader takes another one. Raises `ValueError` for what is no JSON."""
    found: list[str] = []

    def note(pairs: list[tuple[str, object]]) -> None:
        keys: set[str] = set()
        for key, _ in pairs:
            if key in keys:
                found.append(key)
            keys.add(key)

    json.loads(text, object_pairs_hook=note)
    return found[0] if found else None


def plain(text: str) -> str:
    """The same text with a mark in the place of each character that is not printable."""
    return text if text.isprintable() else "".join(c if c.isprintable() else MARK for c in text)


def plain_json(text: str) -> str:
    """The same JSON with an escape in the place of each character that is not printable; line breaks between values stay."""
    return text if text.isprintable() else "".join(c if c.isprintable() or c == "\n" else _escape(c) for c in text)


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
