"""Strict reading of one TOML file: each key by its type and bounds; every fault is kept, none is raised at once.

A reader always returns a value of the right type. After a fault that value is a placeholder, and the caller uses a part
only where the part `is_sound`. So the reading of a part stays a plain list of its keys.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Protocol, Self, TypeVar

from controller.readers.fault import Fault
from controller.readers.nearest import nearest
from controller.readers.toml import Path, line_of

E = TypeVar("E", bound=StrEnum)
DAY = re.compile(r"\d{4}-\d\d-\d\d")
DURATION = re.compile(r"([1-9]\d*)(h|m|s)")
SECONDS = {"h": 3600, "m": 60, "s": 1}
PLACE = re.compile(r"\[([\w.]+)\](?: (\S+))?")
MANY = 2**63 - 1
"""The largest whole number of TOML."""

CODES: Mapping[str, tuple[str, str]] = {
    "not_readable": ("The file cannot be opened or read.", "Look at its path and its rights."),
    "not_toml": ("The file is not TOML.", "Correct the line that the message names."),
    "key_unknown": ("Nothing reads this key.", "Correct its spelling, or remove the key."),
    "key_missing": ("The key must be there.", "Add the key with a value of the type that is named."),
    "type_wrong": ("The value has another type.", "Write a value of the type that is named."),
    "text_empty": ("The text is empty.", "Write the text, or remove the key if it is optional."),
    "text_unfit": ("The text does not have the form that is named.", "Write the text in that form."),
    "number_out_of_range": ("The number lies outside its bounds.", "Write a number within the bounds that are named."),
    "word_refused": ("The word is known, and is not possible here.", "Write another word, for the reason that is named."),
    "word_unknown": ("The word is not one of those that this key knows.", "Write one of the words that are named."),
    "named_twice": ("The same word or entry is there twice.", "Remove one of the two."),
    "too_few": ("The list is shorter than it must be.", "Name at least as many as the message says."),
}  # fmt: skip
"""Code -> what it means, and what to do. The codes of what any key of any file can have."""


class Folder(Protocol):
    """A folder of the file system, as `pathlib` has it: this room imports nothing that touches a disk."""

    def __truediv__(self, name: str, /) -> Self:
        """The path of this name in the folder."""
        ...


P = TypeVar("P", bound=Folder)


class Scope:
    """What all tables of one file share. `data`: the bytes of the file, from which the lines of faults are found."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = data
        self.faults: list[Fault] = []

    def fault(self, where: str, what: str, code: str, at: Path = ()) -> None:
        """Keeps one fault. `where`: the place in words; `at`: the way to it, for the line."""
        self.faults.append(Fault(where, what, code, line_of(self.data, at) if at else None))

    def add(self, faults: Iterable[Fault]) -> None:
        """Keeps faults that were found elsewhere; one whose place is `[table] key` gets the line of that key."""
        for fault in faults:
            if fault.line is None and self.data and (found := PLACE.fullmatch(fault.place)):
                fault.line = line_of(self.data, (*found[1].split("."), *([found[2]] if found[2] else [])))
            self.faults.append(fault)


class Table:
    """One table of the file. `where`: its name for people, "" = the file itself; `at`: the way to it."""

    def __init__(self, raw: object, where: str, scope: Scope, at: Path = ()) -> None:
        self.where, self.scope, self.at = where, scope, at
        self.known: list[str] = []
        self._raw: Mapping[str, Any] = {}
        self._faults_before = len(scope.faults)
        if isinstance(raw, Mapping):
            self._raw = raw
        else:
            self.fault("", f"must be a table, not {raw!r}", "type_wrong")

    @property
    def is_sound(self) -> bool:
        """No fault was found since the reading of this table was begun."""
        return len(self.scope.faults) == self._faults_before

    def __contains__(self, key: str) -> bool:
        return key in self._raw

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def fault(self, key: str, what: str, code: str) -> None:
        """Keeps a fault of `key`; "" = of the table as a whole."""
        at = (*self.at, key) if key else self.at
        self.scope.fault(" ".join(part for part in (self.where, key) if part) or "file", what, code, at)

    def close(self) -> None:
        """Names every key that nothing has read, with the nearest that would have been."""
        for key in self._raw:
            if key not in self.known:
                self.fault(key, f"unknown key {nearest(key, list(dict.fromkeys(self.known)))}", "key_unknown")

    def text(self, key: str, default: str | None = None, pattern: re.Pattern[str] | None = None) -> str:
        """A text that is not empty; `pattern`: what the whole of it must match."""
        value: str | None = self.take(key, str, "text", default)
        if value is None:
            return ""
        if "\0" in value:  # no path and no name has one, and the system takes none
            self.fault(key, "must not hold the character NUL", "text_unfit")
            return ""
        if pattern is not None and not pattern.fullmatch(value):
            self.fault(key, f"must match {pattern.pattern}, not {value!r}", "text_unfit")
        elif not value.strip():
            self.fault(key, "must not be empty", "text_empty")
        return value

    def maybe_text(self, key: str, pattern: re.Pattern[str] | None = None) -> str | None:
        """The text, None where the key is not there."""
        return self.text(key, pattern=pattern) if self.has(key) else None

    def whole(self, key: str, low: int = 0, high: int = MANY, default: int | None = None) -> int:
        """A whole number from `low` to `high`."""
        value: int | None = self.take(key, int, "a whole number", default)
        if value is None:
            return low
        if not low <= value <= high:
            bounds = f"from {low} to {high}" if high < MANY else f"at least {low}"
            self.fault(key, f"must be {bounds}, not {value}", "number_out_of_range")
        return value

    def maybe_whole(self, key: str, low: int, high: int = MANY) -> int | None:
        """The number, None where the key is not there."""
        return self.whole(key, low, high) if self.has(key) else None

    def maybe_seconds(self, key: str, high: float) -> float | None:
        """Seconds from 0 to `high`, with or without a fraction; None where the key is not there, or after a fault."""
        value = self._raw[key] if self.has(key) else None
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fault(key, f"must be a number of seconds, not {value!r}", "type_wrong")
        elif not 0 <= value <= high:
            self.fault(key, f"must be from 0 to {high} seconds, not {value!r}", "number_out_of_range")
        else:
            return float(value)
        return None

    def free(self, key: str) -> dict[str, Any]:
        """An optional inner table whose keys are free."""
        return self.take(key, dict, "a table", {}) or {}

    def raw(self, key: str) -> object:
        """The value as it is written, None where the key is not there."""
        return self._raw[key] if self.has(key) else None

    def flag(self, key: str, default: bool | None = None) -> bool:
        """True or false."""
        return bool(self.take(key, bool, "true or false", default))

    def maybe_day(self, key: str) -> str | None:
        """A date as `2026-11-30`, with quotes or without; None where the key is not there."""
        if not self.has(key):
            return None
        text = str(self._raw[key])
        if not DAY.fullmatch(text):
            self.fault(key, f"must be a date such as 2026-11-30, not {text}", "text_unfit")
            return None
        return text

    def seconds(self, key: str) -> int:
        """A duration such as "4h", in seconds."""
        text = self.text(key)
        if found := DURATION.fullmatch(text):
            return int(found[1]) * SECONDS[found[2]]
        if text:
            self.fault(key, f'must be a duration such as "4h", not {text!r}', "text_unfit")
        return 0

    def word(
        self, key: str, words: type[E], default: E | None = None, refused: Mapping[str, str] | None = None
    ) -> E:
        """One word of a closed vocabulary. `refused`: word -> why exactly this one is not possible."""
        text = self.text(key, default)
        first = next(iter(words))
        if refused and text in refused:
            self.fault(key, refused[text], "word_refused")
            return first
        return self.to_word(key, text, words) or first if text else first

    def words(self, key: str, words: type[E], default: tuple[E, ...] | None = None) -> tuple[E, ...]:
        """Different words of a closed vocabulary, at least one."""
        found = (self.to_word(key, text, words) for text in self.texts(key, default, least=1))
        return tuple(word for word in found if word is not None)

    def one_of(self, key: str, allowed: Collection[str], default: str | None = None) -> str:
        """One of these texts."""
        text = self.text(key, default)
        if text and text not in allowed:
            self.fault(key, f"unknown word {text!r} {nearest(text, allowed)}", "word_unknown")
        return text

    def some_of(self, key: str, allowed: Collection[str]) -> tuple[str, ...]:
        """Different ones of these texts, at least one; a single text stands for a list of one."""
        words = self.texts(key, least=1, single=True)
        for word in words:
            if word not in allowed:
                self.fault(key, f"unknown word {word!r} {nearest(word, allowed)}", "word_unknown")
        return words

    def texts(
        self, key: str, default: tuple[str, ...] | None = None, *, least: int = 0, single: bool = False
    ) -> tuple[str, ...]:
        """A list of different texts. `least`: how many at the fewest; `single`: one text stands for a list of one."""
        if single and isinstance(self._raw.get(key), str):
            return (self.text(key),)
        value = self.take(key, list, "a list of texts", None if default is None else [*default])
        if value is None:
            return ()
        texts = [item for item in value if isinstance(item, str)]
        if len(texts) < len(value):
            other = next(v for v in value if not isinstance(v, str))
            self.fault(key, f"must be a list of texts, not of {other!r}", "type_wrong")
        elif len(texts) < least:
            self.fault(key, f"must name at least {least}", "too_few")
        elif len(set(texts)) < len(texts):
            self.fault(key, f"names {next(t for t in texts if texts.count(t) > 1)!r} twice", "named_twice")
        return tuple(texts)

    def multiples(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers of at least 1."""
        raw = self.take(key, list, "a list of whole numbers")
        if raw is None:
            return ()
        if not raw or any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in raw):
            self.fault(key, f"must hold whole numbers of at least 1, not {raw!r}", "type_wrong")
            return ()
        return tuple(raw)

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """An optional table of texts, in its order."""
        raw = self.take(key, dict, "a table", {}) or {}
        if any(not isinstance(value, str) for value in raw.values()):
            self.fault(key, "must be a table of texts", "type_wrong")
            return ()
        return tuple(raw.items())

    def path(self, key: str, base: P, default: str | None = None) -> P:
        """A path; one that is not absolute is meant from `base`, the folder of the file."""
        return base / self.text(key, default)

    def maybe_path(self, key: str, base: P) -> P | None:
        """The path, None where the key is not there."""
        return self.path(key, base) if self.has(key) else None

    def table(self, key: str) -> Self:
        """An inner table; an empty one where it is missing, whose needed keys then are missing."""
        return self.inner(key, self.take(key, dict, "a table", {}) or {}, self._name(f"[{key}]"))

    def tables(self, key: str, label: str, *, optional: bool = True) -> Iterator[Self]:
        """The tables of an array one by one, each named by its place and by the text of its key `label`."""
        for place, item in enumerate(
            self.take(key, list, "an array of tables", [] if optional else None) or [], 1
        ):
            if not isinstance(item, dict):
                self.fault(key, f"must be an array of tables, not of {item!r}", "type_wrong")
                continue
            named = f" ({item[label]})" if isinstance(item.get(label), str) else ""
            yield self.inner(key, item, f"{self._name(f'[[{key}]]')} {place}{named}", place - 1)

    def entries(self, like: str = '{ choice = "...", by = "..." }') -> Iterator[tuple[str, Self]]:
        """Every key that nothing has read yet, each with its inner table. `like`: an example of such a table."""
        for key in [key for key in self._raw if key not in self.known]:
            raw = self.take(key, dict, f"a table such as {like}")
            if raw is not None:
                yield key, self.inner(key, raw, f"{self.where} {key}")

    def inner(self, key: str, raw: object, where: str, *place: int) -> Self:
        """The table `raw`, which is written under `key`; `place`: in its array, from 0."""
        return type(self)(raw, where, self.scope, (*self.at, key, *place))

    def has(self, key: str) -> bool:
        """Whether the key is there; from now on it is known."""
        self.known.append(key)
        return key in self._raw

    def take(self, key: str, kind: type[Any], what: str, default: Any = None) -> Any:
        """The value, `default` where the key is not there; None after a fault."""
        if not self.has(key):
            if default is None:
                is_header = not self.where and kind in (dict, list)
                shown = self._name(f"[{key}]" if kind is dict else f"[[{key}]]") if is_header else key
                self.fault(shown, f"is missing; {what} is needed", "key_missing")
            return default
        value = self._raw[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.fault(key, f"must be {what}, not {value!r}", "type_wrong")
            return None
        return value

    def to_word(self, key: str, text: str, words: type[E]) -> E | None:
        """The word of this text; None and a fault where it is unknown."""
        try:
            return words(text)
        except ValueError:
            self.fault(
                key, f"unknown word {text!r} {nearest(text, [word.value for word in words])}", "word_unknown"
            )
            return None

    def _name(self, inner: str) -> str:
        """`[[people]]` inside `[control]` is `[[control.people]]`, as it is written in the file.

        Inside one of an array, as `[[device]] 2 (shoe-1)`, it is a word behind that.
        """
        if " " in self.where:
            return f"{self.where} {inner.strip('[]')}"
        outer = self.where.strip("[]")
        opening = "[[" if inner.startswith("[[") else "["
        return f"{opening}{outer}.{inner.removeprefix(opening)}" if outer else inner
