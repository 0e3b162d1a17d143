"""Names the known word that is most like an unknown one."""

import difflib
from collections.abc import Collection


def nearest(word: str, known: Collection[str]) -> str:
    """A hint in brackets: the known word most like this one, or all of them if none is."""
    match difflib.get_close_matches(word, list(known), n=1, cutoff=0.5):
        case [close]:
            return f"(nearest: {close})"
        case _:
            return f"(known: {', '.join(sorted(known))})" if known else "(none is known here)"
