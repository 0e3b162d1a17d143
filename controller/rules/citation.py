"""Clause ids as printed, and values that carry them."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Generic, TypeVar

from drivers.protocol.records import dataclass

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

READING = re.compile(r"R-\d+")
_CHAPTER = re.compile(r"(?:E-)?\d+\.\d+[A-Z]?|\d+[a-z]?|\(\w+\)")


@dataclass(frozen=True, slots=True)
class Cited(Generic[T_co]):
    """A value and where it stands. `cite`: clause ids; `reading`: id where the value is a reading and not printed.

    `by_choice`: the reading or house choice that decides between `options` (choice id, value); until it is elected
    `value` is that of the first option.
    """

    value: T_co
    cite: tuple[str, ...]
    reading: str | None = None
    by_choice: str | None = None
    options: tuple[tuple[str, T_co], ...] = ()

    def under(self, elected: Mapping[str, str]) -> T_co:
        """The value under these elections (reading or house choice -> choice); `value` where none of them decides it."""
        decided = (value for choice, value in self.options if (self.by_choice, choice) in elected.items())
        return next(decided, self.value)


@cache
def chapter(clause: str) -> str:
    """The section or chapter a clause stands in: `13.I(1)` in 13, `15(f)` in 15, `39.7(e)2` in 39.7, `(g)(3)` in (g)."""
    found = _CHAPTER.match(clause)
    return found[0] if found else clause


def within(clause: str, part: str) -> bool:
    """True if the clause is `part` or stands in it: `13.I(2)` in 13.I, `39.7(e)2` in 39.7(e), not `39.10` in 39.1."""
    if clause == part or not clause.startswith(part):
        return clause == part
    following = clause[len(part)]
    if following in "(.":
        return True
    # Items under a bracketed one are printed without brackets: 13(h)a in 13(h), 39.6(c)1ii in 39.6(c)1.
    last = part[-1]
    runs_on = (last.isdigit() and following.isdigit()) or (last.isalpha() and following.isalpha())
    return ")" in part and following.isalnum() and not runs_on
