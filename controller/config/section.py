"""Strict reading of one configuration file: each key by its type and bounds, every fault kept, none raised at once.

A reader always returns a value of the right type; after a fault it is a placeholder, and whoever reads a part uses it
only where the part had no fault. That keeps the reading of a part a plain list of its keys.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from controller.rules.read.reader import DAY, nearest

E = TypeVar("E", bound=StrEnum)
LEVEL = re.compile(r"[a-z0-9-]{1,32}")
"""Names that become levels of MQTT topics; the same pattern as in `controller.publish.topics`."""


class Section:
    """One table of the file. `where`: its name for people, "" = the file itself; `faults`: shared by all sections."""

    def __init__(self, raw: Mapping[str, Any], where: str, faults: list[str]) -> None:
        self._raw, self._where, self.faults = raw, where, faults
        self._known: list[str] = []
        self._faults_before = len(faults)

    @property
    def is_sound(self) -> bool:
        """No fault was found since this section was begun."""
        return len(self.faults) == self._faults_before

    def __contains__(self, key: str) -> bool:
        return key in self._raw

    def fault(self, key: str, what: str) -> None:
        place = " ".join(part for part in (self._where, key) if part)
        self.faults.append(f"{place}: {what}" if place else what)

    def close(self) -> None:
        """Names every key that nothing has read, with the nearest that would have been."""
        for key in self._raw:
            if key not in self._known:
                self.fault(key, f"unknown key {nearest(key, list(dict.fromkeys(self._known)))}")

    def text(self, key: str, default: str | None = None, pattern: re.Pattern[str] | None = None) -> str:
        """A text that is not empty; `pattern`: what the whole of it must match."""
        value: str | None = self._take(key, str, "text", default)
        if value is None:
            return ""
        if "\0" in value:  # no path and no name has one, and the system takes none
            self.fault(key, "must not hold the character NUL")
            return ""
        if not value.strip() or (pattern is not None and not pattern.fullmatch(value)):
            allowed = f"must match {pattern.pattern}" if pattern else "must not be empty"
            self.fault(key, f"{allowed}, and is {value!r}")
        return value

    def maybe_text(self, key: str, pattern: re.Pattern[str] | None = None) -> str | None:
        return self.text(key, pattern=pattern) if self._has(key) else None

    def level(self, key: str, default: str | None = None) -> str:
        """A name that can stand in a topic: 1 to 32 of a-z, 0-9 and '-'."""
        return self.text(key, default, LEVEL)

    def whole(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number from `low` to `high`."""
        value: int | None = self._take(key, int, "a whole number", default)
        if value is None:
            return low
        if not low <= value <= high:
            self.fault(key, f"must be from {low} to {high}, and is {value}")
        return value

    def maybe_whole(self, key: str, low: int, high: int) -> int | None:
        return self.whole(key, low, high) if self._has(key) else None

    def flag(self, key: str, default: bool) -> bool:
        value = self._take(key, bool, "true or false", default)
        return default if value is None else value

    def maybe_day(self, key: str) -> str | None:
        """A date as `2026-11-30`, with quotes or without."""
        if not self._has(key):
            return None
        text = str(self._raw[key])
        if not DAY.fullmatch(text):
            self.fault(key, f"must be a date such as 2026-11-30, and is {text}")
            return None
        return text

    def word(
        self, key: str, words: type[E], default: E | None = None, refused: Mapping[str, str] | None = None
    ) -> E:
        """One word of a closed vocabulary. `refused`: what is said of words that are none for a reason of their own."""
        text = self.text(key, default)
        first = next(iter(words))
        if refused and text in refused:
            self.fault(key, refused[text])
            return first
        return self._to_word(key, text, words) or first if text else first

    def words(self, key: str, words: type[E], default: tuple[E, ...] | None = None) -> tuple[E, ...]:
        """Different words of a closed vocabulary, at least one."""
        found = (self._to_word(key, text, words) for text in self.texts(key, default, least=1))
        return tuple(word for word in found if word is not None)

    def texts(self, key: str, default: tuple[str, ...] | None = None, *, least: int = 0) -> tuple[str, ...]:
        """A list of different texts, at least so many."""
        value = self._take(key, list, "a list", None if default is None else [*default])
        if value is None:
            return ()
        texts = [item for item in value if isinstance(item, str)]
        if len(texts) < len(value):
            self.fault(key, f"must hold texts, and holds {next(v for v in value if not isinstance(v, str))!r}")
        elif len(texts) < least:
            self.fault(key, f"must name at least {least}")
        elif len(set(texts)) < len(texts):
            self.fault(key, f"names {next(t for t in texts if texts.count(t) > 1)!r} twice")
        return tuple(texts)

    def path(self, key: str, base: Path, default: str | None = None) -> Path:
        """A path; one that is not absolute is meant from `base`, the folder of the file."""
        return base / self.text(key, default)

    def maybe_path(self, key: str, base: Path) -> Path | None:
        return self.path(key, base) if self._has(key) else None

    def section(self, key: str) -> "Section":
        """A table; an empty one where it is missing, whose needed keys then say so."""
        return Section(self._take(key, dict, "a table", {}) or {}, self._name(f"[{key}]"), self.faults)

    def sections(self, key: str, label: str) -> Iterator["Section"]:
        """The tables of an array one by one, each named by its place and by what its key `label` says."""
        for place, item in enumerate(self._take(key, list, "an array of tables", []) or [], 1):
            if not isinstance(item, dict):
                self.fault(key, f"must be an array of tables, and holds {item!r}")
                continue
            named = f" ({item[label]})" if isinstance(item.get(label), str) else ""
            yield Section(item, f"{self._name(f'[[{key}]]')} {place}{named}", self.faults)

    def entries(self, like: str = '{ choice = "...", by = "..." }') -> Iterator[tuple[str, "Section"]]:
        """Every key of a table whose keys are free and that nobody has read yet, each with its inner table.

        A key without one is a fault. `like`: such an inner table, for whoever wrote something else.
        """
        for key in [key for key in self._raw if key not in self._known]:
            raw = self._take(key, dict, f"a table, as {like}", None)
            if raw is not None:
                yield key, Section(raw, f"{self._where} {key}", self.faults)

    def one_of(self, key: str, allowed: Collection[str], default: str) -> str:
        text = self.text(key, default)
        if text and text not in allowed:
            self.fault(key, f"must be one of {', '.join(allowed)}, and is {text!r}")
        return text

    def _name(self, inner: str) -> str:
        """`[[people]]` inside `[control]` is `[[control.people]]`, as it is written in the file.

        Inside one of an array, as `[[device]] 2 (shoe-1)`, it is a word behind that.
        """
        if " " in self._where:
            return f"{self._where} {inner.strip('[]')}"
        outer = self._where.strip("[]")
        opening = "[[" if inner.startswith("[[") else "["
        return f"{opening}{outer}.{inner.removeprefix(opening)}" if outer else inner

    def _has(self, key: str) -> bool:
        self._known.append(key)
        return key in self._raw

    def _take(self, key: str, kind: type[Any], what: str, default: Any) -> Any:
        """The value; None after a fault."""
        if not self._has(key):
            if default is None:
                self.fault(key, f"is missing; {what} is needed")
            return default
        value = self._raw[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.fault(key, f"must be {what}, and is {value!r}")
            return None
        return value

    def _to_word(self, key: str, text: str, words: type[E]) -> E | None:
        try:
            return words(text)
        except ValueError:
            self.fault(key, f"is {text!r} {nearest(text, [word.value for word in words])}")
            return None
