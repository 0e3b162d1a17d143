"""Makes a device's text fit to be shown: no control characters, nothing that moves a cursor or turns the text
direction.

Text that people see may land in a terminal, a log or a page. A device's name with such characters is refused; in a
text that accompanies a report they are replaced.
"""

import json
from typing import Annotated, TypeVar

T = TypeVar("T")
NOTHING = "nothing"
IfAny = Annotated[T, NOTHING]
"""The type of a field in which 0 or an empty text means that there is none: outside of the program it is absent then."""
MARK = "\ufffd"
"""What stands for a character that is not shown."""


def is_plain(text: str) -> bool:
    """Returns True if every character is printable: no Unicode category C, and of Z only the space."""
    return text.isprintable()


def repeated_key(text: bytes) -> str | None:
    """Returns the first key that stands twice in one object of this JSON, or None. Raises `ValueError` for invalid
    JSON."""
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
    """Returns the text with a mark for each character that is not printable."""
    return text if text.isprintable() else "".join(c if c.isprintable() else MARK for c in text)


def plain_json(text: str) -> str:
    """Returns the JSON with an escape for each unprintable character; line breaks between values stay."""
    return text if text.isprintable() else "".join(c if c.isprintable() or c == "\n" else _escape(c) for c in text)


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
