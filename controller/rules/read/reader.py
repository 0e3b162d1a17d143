"""Strict reading of a rulebook: values with their citations, and whole sections by the types of their dataclasses."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from controller.readers.table import Scope, Table
from controller.readers.toml import Path
from controller.rules.citation import READING, Cited

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")
Read = Callable[["RuleTable", str], T]
"""Reads the value of one key of a table; after a fault what it returns is not used."""


class LawScope(Scope):
    """What all tables of a rulebook share. `clauses`: the ids of its document."""

    def __init__(self, clauses: frozenset[str], data: bytes = b"") -> None:
        super().__init__(data)
        self.clauses = clauses
        self.value_readings: list[tuple[str, str]] = []  # (where, reading id): values that rest on a reading
        self.by_choice: list[tuple[str, str, tuple[str, ...]]] = []  # (where, what decides, choices with a value)
        self.half_read: set[str] = set()  # triggers of rows whose conditions could not be read
        self._places: dict[int, tuple[object, str]] = {}

    def place(self, part: object, where: str) -> None:
        """Remembers where in the file a part stands, for checks of the whole."""
        self._places[id(part)] = part, where

    def place_of(self, part: object) -> str:
        """Where in the file this part stands."""
        return self._places[id(part)][1]

    def check_cite(self, where: str, cite: tuple[str, ...], at: Path = ()) -> None:
        """Keeps a fault for each clause that the document does not have."""
        for clause in cite:
            if clause not in self.clauses:
                hint = difflib.get_close_matches(clause, self.clauses, cutoff=0.5)
                nearest = f" (nearest: {hint[0]})" if hint else ""
                self.fault(where, f"the document has no clause {clause!r}{nearest}", "clause_unknown", at)


class RuleTable(Table):
    """One table of a rulebook."""

    scope: LawScope

    def __init__(self, raw: object, where: str, scope: LawScope, at: Path = ()) -> None:
        super().__init__(raw, where, scope, at)

    def part(self, key: str, *, optional: bool = False) -> "RuleTable | None":
        """An inner table; None where there is none, which is a fault unless it is optional."""
        if optional and not self.has(key):
            return None
        raw = self.take(key, dict, "a table")
        return None if raw is None else self.inner(key, raw, self._name(f"[{key}]"))

    def names(self, key: str, *, optional: bool = False) -> tuple[str, ...]:
        """A list of different texts; one text stands for a list of one."""
        return () if optional and not self.has(key) else self.texts(key, single=True)

    def items(self, key: str) -> tuple[object, ...]:
        """A list whose items the caller reads; one text stands for a list of one."""
        if isinstance(self._raw.get(key), str):
            return (self.text(key),)
        return tuple(self.take(key, list, "a list") or ())

    def cite(self, key: str = "cite") -> tuple[str, ...]:
        """Clause ids, at least one, each known to the document."""
        cite = self.texts(key, least=1, single=True)
        self.scope.check_cite(self.where, cite, self.at)
        return cite

    def cited(self, key: str, read: Read[T], *, optional: bool = False) -> Cited[T] | None:
        """`{ value, cite }`, with `reading` where the value is not printed; `read` takes the value from its key.

        With `by_choice`, `value` is a table with a value for each choice of that reading or house choice.
        """
        if optional and not self.has(key):
            return None
        raw = self._raw.get(key)
        if key in self and not isinstance(raw, Mapping):
            self.has(key)
            self.fault(key, f"is uncited; write {{ value = {raw!r}, cite = ... }}", "cite_missing")
            return None
        raw = self.take(key, dict, "a table with value and cite")
        if raw is None:
            return None
        inner = self.inner(key, raw, f"{self.where} {key}")
        if "by_choice" in inner:
            return inner._by_choice(read)
        before = len(self.scope.faults)
        value = read(inner, "value")
        is_sound = len(self.scope.faults) == before
        cite, reading = inner.cite(), inner.reading()
        inner.close()
        return Cited(value, cite, reading) if is_sound else None

    def _by_choice(self, read: Read[T]) -> Cited[T] | None:
        decided_by, cite = self.text("by_choice"), self.cite()
        raw = self.take("value", dict, "a table with a value for each choice")
        self.close()
        if not decided_by or raw is None:
            return None
        values, options = self.inner("value", raw, self.where), []
        for key in values:
            before = len(self.scope.faults)
            value = read(values, key)
            if len(self.scope.faults) == before:
                options.append((key, value))
        self.scope.by_choice.append((self.where, decided_by, tuple(raw)))
        if not options:
            return None
        reading = decided_by if READING.fullmatch(decided_by) else None
        return Cited(options[0][1], cite, reading, decided_by, tuple(options))

    def reading(self) -> str | None:
        """The reading that this table's value rests on, if it is not printed."""
        reading = self.maybe_text("reading")
        if reading is not None:
            self.scope.value_readings.append((self.where, reading))
        return reading

    def by_word(self, words: type[E], read: Read[T]) -> dict[E, Cited[T]]:
        """The cited value of every key that nothing has read yet; each such key is a word of this vocabulary."""
        found: dict[E, Cited[T]] = {}
        for key in [key for key in self if key not in self.known]:
            word, value = self.to_word(key, key, words), self.cited(key, read)
            if word is not None and value is not None:
                found[word] = value
        return found


def record(table: RuleTable | None, cls: type[T], **given: Any) -> T | None:
    """A dataclass from the keys of a table, each read by the type of its field; None where a needed one has a fault.

    `given`: fields that the caller has read. A table that is None is none here either.
    """
    if table is None:
        return None
    values, is_whole = dict(given), True
    for name, read, is_needed in _shape(cls):  # type: ignore[arg-type]
        if name in given or (not is_needed and not table.has(name)):
            continue
        before = len(table.scope.faults)
        value = read(table, name)
        if len(table.scope.faults) == before or isinstance(value, tuple):  # what of a list could be read is kept
            values[name] = value
        elif is_needed:
            is_whole = False
    table.close()
    return cls(**values) if is_whole else None


@cache
def _shape(cls: Any) -> tuple[tuple[str, Read[Any], bool], ...]:
    """Name, reader and whether it is needed of each field whose type this reader knows."""
    types = get_type_hints(cls)
    found = []
    for field in fields(cls):
        declared = [part for part in get_args(types[field.name]) if part is not NoneType]
        is_optional = NoneType in get_args(types[field.name])
        typed = declared[0] if is_optional else types[field.name]
        is_needed = not is_optional and field.default is MISSING and field.default_factory is MISSING
        is_needed |= field.name == "cite"  # what is read from a file is never without one
        if (read := _by_name(field.name, is_optional) or _reader(typed)) is not None:
            found.append((field.name, read, is_needed))
    return tuple(found)


def _by_name(name: str, is_optional: bool) -> Read[Any] | None:
    match name:
        case "cite" | "clauses":
            return RuleTable.cite
        case "reading" if is_optional:
            return lambda table, _: table.reading()
        case "since":
            return RuleTable.maybe_day
        case _:
            return None


def _reader(typed: Any) -> Read[Any] | None:
    """How a value of this type is read: the type is the declaration."""
    origin, inner = get_origin(typed), get_args(typed)
    if origin is Cited:
        value = _reader(inner[0])
        return None if value is None else lambda table, key: table.cited(key, value)
    if origin is Literal:
        return lambda table, key: table.one_of(key, inner)
    if origin is tuple:
        return _list_reader(inner[0])
    if isinstance(typed, type) and issubclass(typed, StrEnum):
        return lambda table, key: table.word(key, typed)
    plain: dict[Any, Read[Any]] = {str: RuleTable.text, int: positive, bool: RuleTable.flag}
    return plain.get(typed)


def _list_reader(item: Any) -> Read[Any] | None:
    if get_origin(item) is Literal:
        return lambda table, key: table.some_of(key, get_args(item))
    if isinstance(item, type) and is_dataclass(item):

        def records(table: RuleTable, key: str) -> tuple[Any, ...]:
            read = (record(inner, item) for inner in table.tables(key, "", optional=False))
            return tuple(one for one in read if one is not None)

        return records
    if isinstance(item, type) and issubclass(item, StrEnum):
        return lambda table, key: tuple(
            word for text in table.names(key) if (word := table.to_word(key, text, item)) is not None
        )
    plain: dict[Any, Read[Any]] = {int: RuleTable.multiples, str: RuleTable.names}
    return plain.get(item)


def positive(table: RuleTable, key: str) -> int:
    """A whole number from 1."""
    return table.whole(key, 1)


def from_nothing(table: RuleTable, key: str) -> int:
    """A whole number from 0."""
    return table.whole(key)


def one_of(words: tuple[str, ...]) -> Read[str]:
    """A reader of one of these words."""
    return lambda table, key: table.one_of(key, words)
