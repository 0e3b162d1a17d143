"""Strict reading of a parsed TOML document: each key is taken once by its type, and whatever is left over is a fault.

Faults are collected, not raised, so that a person sees all of them at once. Knows no law.
"""

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import StrEnum
from typing import TypeAlias, TypeVar

from controller.rules.citation import Cited

T = TypeVar("T")
Read: TypeAlias = Callable[["Table", str], T | None]
"""Takes a value of type T from a key of a table; None where it could not be read, and then a fault is recorded."""
E = TypeVar("E", bound=StrEnum)

DURATION = re.compile(r"([1-9]\d*)(h|m|s)")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
READING = re.compile(r"R-\d+")
FILE = "file"
"""Where a fault lies that belongs to no table."""
SECONDS = {"h": 3600, "m": 60, "s": 1}


def nearest(word: str, known: Collection[str]) -> str:
    """A hint in brackets: the known word most like this one, or all of them if none is."""
    match difflib.get_close_matches(word, list(known), n=1, cutoff=0.5):
        case [close]:
            return f"(nearest: {close})"
        case _:
            return f"(known: {', '.join(sorted(known))})" if known else "(none is known here)"


class Scope:
    """What all tables of one file share: its clause ids, the faults found so far, and what whole-file checks need."""

    def __init__(self, clauses: frozenset[str]) -> None:
        self.clauses = clauses
        self.faults: list[str] = []
        self.value_readings: list[tuple[str, str]] = []  # (where, reading id): values that rest on a reading
        self.by_choice: list[tuple[str, str, tuple[str, ...]]] = []  # (where, what decides, choices with a value)
        self.half_read: set[str] = set()  # triggers of rows whose conditions could not be read
        self._places: dict[int, tuple[object, str]] = {}

    def place(self, part: object, where: str) -> None:
        """Remembers where in the file a part stands, for checks of the whole."""
        self._places[id(part)] = part, where

    def place_of(self, part: object) -> str:
        return self._places[id(part)][1]

    def fault(self, where: str, what: str) -> None:
        self.faults.append(f"{where}: {what}")

    def check_cite(self, where: str, cite: tuple[str, ...]) -> None:
        for clause in cite:
            if clause not in self.clauses:
                hint = difflib.get_close_matches(clause, self.clauses, cutoff=0.5)
                self.fault(
                    where, f"the document has no clause {clause!r}" + (f" (nearest: {hint[0]})" if hint else "")
                )


class Table:
    """One table of the file. Each reader returns None after it has recorded why; `close` names the keys left over."""

    def __init__(self, raw: object, where: str, scope: Scope) -> None:
        self.where, self.scope = where, scope
        self.known: list[str] = []
        self._raw: dict[str, object] = {}
        if isinstance(raw, dict):
            self._raw = raw
        else:
            scope.fault(where, "a table is wanted here")

    def __contains__(self, key: str) -> bool:
        return key in self._raw

    def fault(self, what: str) -> None:
        self.scope.fault(self.where, what)

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def close(self) -> None:
        for key in self._raw:
            if key not in self.known:
                self.fault(f"unknown key {key!r} {nearest(key, self.known)}")

    def _take(self, key: str, kind: type[T], name: str, *, optional: bool = False) -> T | None:
        self.known.append(key)
        if key not in self._raw:
            if not optional:
                self.fault(f"{key!r} is missing")
            return None
        value = self._raw[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.fault(f"{key!r} must be {name}, not {value!r}")
            return None
        return value

    def text(self, key: str, *, optional: bool = False) -> str | None:
        return self._take(key, str, "text", optional=optional)

    def said(self, key: str) -> str:
        """Words for people, which must be there: nobody is told anything by an empty text."""
        text = self.text(key)
        if text == "":
            self.fault(f"{key!r} is empty")
        return text or ""

    def whole(self, key: str) -> int | None:
        """A whole number that is not negative."""
        value = self._take(key, int, "a whole number")
        if value is not None and value < 0:
            self.fault(f"{key!r} must not be negative, as {value} is")
            return None
        return value

    def positive(self, key: str) -> int | None:
        """A whole number of at least 1."""
        value = self.whole(key)
        if value == 0:
            self.fault(f"{key!r} must be at least 1")
            return None
        return value

    def day(self, key: str) -> str | None:
        """An optional date as `2026-11-30`, which compares as text."""
        self.known.append(key)
        if key not in self._raw:
            return None
        text = str(self._raw[key])  # a date without quotes is one, too
        if not DAY.fullmatch(text):
            self.fault(f"{key!r} must be a date such as 2026-11-30, not {text}")
            return None
        return text

    def flag(self, key: str) -> bool | None:
        return self._take(key, bool, "true or false")

    def word(self, key: str, words: type[E], *, optional: bool = False) -> E | None:
        """A word of the closed vocabulary."""
        text = self.text(key, optional=optional)
        return None if text is None else self.to_word(text, words, key)

    def one_of(self, key: str, allowed: Collection[str], *, optional: bool = False) -> str | None:
        text = self.text(key, optional=optional)
        if text is not None and text not in allowed:
            self.fault(f"{key!r} is unknown: {text!r} {nearest(text, allowed)}")
            return None
        return text

    def some_of(self, key: str, allowed: Collection[str]) -> tuple[str, ...] | None:
        """A list of these words, at least one."""
        words = self.texts(key)
        if self._raw.get(key) == []:
            self.fault(f"{key!r} is empty")
        unknown = [word for word in words if word not in allowed]
        for word in unknown:
            self.fault(f"{key!r} has an unknown word: {word!r} {nearest(word, allowed)}")
        return words if words and not unknown else None

    def multiples(self, key: str) -> tuple[int, ...] | None:
        """A list of whole numbers of at least 1."""
        raw = self._take(key, list, "a list of whole numbers")
        if raw is None:
            return None
        if not raw or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in raw):
            self.fault(f"{key!r} must hold whole numbers of at least 1, not {raw!r}")
            return None
        return tuple(raw)

    def seconds(self, key: str) -> int | None:
        """A duration such as "4h" in seconds."""
        text = self.text(key)
        if text is None:
            return None
        if not (found := DURATION.fullmatch(text)):
            self.fault(f'{key!r} must be a duration such as "4h", not {text!r}')
            return None
        return int(found[1]) * SECONDS[found[2]]

    def texts(self, key: str, *, optional: bool = False) -> tuple[str, ...]:
        """A list of texts; one text stands for a list of one."""
        self.known.append(key)
        match self._raw.get(key):
            case None:
                if not optional:
                    self.fault(f"{key!r} is missing")
                return ()
            case str(text):
                return (text,)
            case list(items) if all(isinstance(item, str) for item in items):
                return tuple(items)
            case other:
                self.fault(f"{key!r} must be a list of texts, not {other!r}")
                return ()

    def items(self, key: str) -> tuple[object, ...]:
        """A list of whatever its reader takes; one text stands for a list of one."""
        self.known.append(key)
        match self._raw.get(key):
            case str(text):
                return (text,)
            case list(items):
                return tuple(items)
            case None:
                self.fault(f"{key!r} is missing")
            case other:
                self.fault(f"{key!r} must be a list of texts, not {other!r}")
        return ()

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """An optional table of texts, in its order."""
        raw = self._take(key, dict, "a table", optional=True) or {}
        if any(not isinstance(value, str) for value in raw.values()):
            self.fault(f"{key!r} must hold texts")
            return ()
        return tuple(raw.items())

    def cite(self, key: str = "cite") -> tuple[str, ...]:
        """Clause ids, at least one, each known to the document."""
        cite = self.texts(key)
        if not cite and isinstance(self._raw.get(key), list):
            self.fault(f"{key!r} names no clause")
        self.scope.check_cite(self.where, cite)
        return cite

    def to_word(self, text: str, words: type[E], what: str) -> E | None:
        try:
            return words(text)
        except ValueError:
            self.fault(f"unknown {what} {text!r} {nearest(text, [str(word) for word in words])}")
            return None

    def table(self, key: str, *, optional: bool = False) -> "Table | None":
        raw = self._take(key, dict, "a table", optional=optional)
        return None if raw is None else Table(raw, f"[{key}]", self.scope)

    def tables(self, key: str, label: str | None = None, *, optional: bool = False) -> Iterator["Table"]:
        """The tables of an array, each named by its place from 1 and by what its key `label` says."""
        raw = self._take(key, list, "an array of tables", optional=optional) or []
        for place, item in enumerate(raw, 1):
            named = f" ({item[label]})" if isinstance(item, dict) and label in item else ""
            where = f"[[{key}]] {place}{named}" if self.where == FILE else f"{self.where} {key} {place}"
            yield Table(item, where, self.scope)

    def cited(self, key: str, read: Read[T], *, optional: bool = False) -> Cited[T] | None:
        """`{ value, cite }`, with `reading` where the value is not printed; `read` takes the value from its key.

        With `by_choice`, `value` is a table with a value for each choice of that reading or house choice.
        """
        self.known.append(key)
        if key not in self._raw:
            if not optional:
                self.fault(f"{key!r} is missing")
            return None
        raw = self._raw[key]
        if not isinstance(raw, Mapping):
            self.fault(f"{key!r} is uncited: it must be {{ value = {raw!r}, cite = ... }}")
            return None
        inner = Table(dict(raw), f"{self.where} {key}", self.scope)
        if "by_choice" in inner:
            return inner._by_choice(read)
        value, cite, reading = read(inner, "value"), inner.cite(), inner.reading()
        inner.close()
        return None if value is None else Cited(value, cite, reading)

    def _by_choice(self, read: Read[T]) -> Cited[T] | None:
        decided_by, cite = self.text("by_choice"), self.cite()
        raw = self._take("value", dict, "a table with a value for each choice")
        self.close()
        if decided_by is None or raw is None:
            return None
        values = Table(raw, self.where, self.scope)
        options = tuple((key, value) for key in values if (value := read(values, key)) is not None)
        self.scope.by_choice.append((self.where, decided_by, tuple(raw)))
        if not options:
            return None
        reading = decided_by if READING.fullmatch(decided_by) else None
        return Cited(options[0][1], cite, reading, decided_by, options)

    def reading(self) -> str | None:
        """The reading that this table's value rests on, if it is not printed."""
        reading = self.text("reading", optional=True)
        if reading is not None:
            self.scope.value_readings.append((self.where, reading))
        return reading
