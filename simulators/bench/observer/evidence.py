"""Everything that the observer judges by, collected while the run goes on."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

from drivers.protocol.records import dataclass
from simulators.bench.observer.record import Row
from simulators.bench.subscriber import Delivered


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a device's log. `at_ns`: CLOCK_MONOTONIC; `what`: its first word; `data`: the other fields."""

    device: str
    at_ns: int
    what: str
    data: Mapping[str, Any]


class State:
    """The three states of a promise."""

    HELD, BROKEN, NOT_CHECKED = "held", "broken", "not_checked"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one promise. `checked`: how many things were compared; `problems`: the first ones found."""

    name: str
    state: str
    reason: str = ""
    checked: int = 0
    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, checked: int, problems: list[str], idle: str = "") -> "Verdict":
        """Returns broken if there are problems; not checked if nothing was compared (`idle` says what was
        missing)."""
        if problems:
            return cls(name, State.BROKEN, f"{len(problems)} found", checked, tuple(problems[:20]))
        if not checked and idle:
            return cls(name, State.NOT_CHECKED, idle)
        return cls(name, State.HELD, "", checked)


@dataclass
class Evidence:
    """One finished run. `serials`: serial number -> device. `began`: order of the last record before it.

    `at_once`: faults seen at their instant, by promise; `looked_at_once`: how many instants were checked.
    `stop_ns`: when the daemon received the stop signal, 0 = never; `stopped_heads`: each stream's last number then.
    `delivered` None = there was no broker.
    """

    rulebook: str
    method: str
    elections: Mapping[str, str]
    serials: Mapping[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    began: int = 0
    lines: list[Line] = field(default_factory=list)
    delivered: list[Delivered] | None = None
    at_once: dict[str, list[str]] = field(default_factory=dict)
    looked_at_once: dict[str, int] = field(default_factory=dict)
    stop_ns: int = 0
    stopped_heads: Mapping[str, int] = field(default_factory=dict)
    restarts: int = 0
    journal_id: str = ""

    @property
    def facts(self) -> Iterator[Row]:
        """All recorded facts, in the order of the record."""
        return (row for row in self.rows if row.stream != "input")

    @property
    def inputs(self) -> Iterator[Row]:
        """All recorded inputs, in the order of the record."""
        return (row for row in self.rows if row.stream == "input")

    def of(self, kind: str) -> Iterator[Row]:
        """Returns the facts of one kind in this run, in order."""
        return (row for row in self.facts if row.kind == kind and row.order > self.began)

    @cached_property
    def input_of(self) -> Mapping[str, Row]:
        """Returns the inputs by id, as a fact's `cause` names them."""
        return {f"{self.journal_id}-input-{row.sequence}": row for row in self.inputs}

    @cached_property
    def by_cause(self) -> Mapping[str, list[Row]]:
        """Returns each input's facts, in order."""
        found: dict[str, list[Row]] = {}
        for row in self.facts:
            found.setdefault(row.cause, []).append(row)
        return found

    def method_at(self, row: Row) -> str:
        """Returns how cards were dealt when this record was written."""
        changed = [
            one.data["method"] for one in self.facts if one.kind == "method_changed" and one.order <= row.order
        ]
        return changed[-1] if changed else self.method

    def device_lines(self, *what: str) -> Iterator[Line]:
        """Yields the lines of the simulators' logs with one of these words."""
        return (line for line in self.lines if line.what in what)
