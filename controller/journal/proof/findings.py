"""The result of a proof: faults with their place, and the verdict over a journal."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from pathlib import Path

from controller.journal.record import Stream
from controller.journal.seal import Head
from drivers.protocol.records import dataclass


class Cause(StrEnum):
    """What is wrong with a record or with the file."""

    CHANGED = "changed"  # the record, its number, or the one before it is not what was hashed
    BODY_CHANGED = "body_changed"  # the body is not the one committed to
    BODY_MISSING = "body_missing"
    MISSING = "missing"  # a number is skipped
    CUT = "cut"  # the end of a stream is gone that somebody else holds the head of
    ORDER = "order"  # the order over all streams has a hole, a repeat or a step back
    UNREADABLE = "unreadable"  # SQLite cannot read it
    ANCHOR = "anchor"  # the chain does not begin where this journal begins
    CHECKPOINT = "checkpoint"  # what was signed is not what stands here, or was not signed by this key
    KEY = "key"  # the key of a round is gone, or is not the one that was committed to
    SCHEMA = "schema"  # tables or triggers are not those of a journal
    FILE = "file"  # the file itself is damaged


@dataclass(frozen=True, slots=True)
class Fault:
    """One finding. `first`..`last`: numbers in `stream`, or order numbers if `stream` is None; None = the whole
    file."""

    cause: Cause
    stream: Stream | None
    first: int | None
    last: int | None
    detail: str = ""

    def __str__(self) -> str:
        where = f"{self.stream or 'order'}/{self.first}" if self.first is not None else "file"
        if self.last is not None and self.last != self.first:
            where += f"..{self.last}"
        return f"{where}: {self.cause.value.replace('_', ' ')}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True, slots=True)
class Seals:
    """A journal's checkpoints. `found`: how many; `proved`: by a given key; `strange`: by other keys.

    `through`: order covered by the newest proved checkpoint (the newest found, if no key was given).
    """

    found: int = 0
    proved: int = 0
    through: int = 0
    strange: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict. `heads`: last record of each stream as found; `records`: how many were proved or found wrong.

    `order`: of the newest record; `pruned`: the newest day before the first record here, "" = none. `unheld`: records of which
    somebody holds a head, and which are not here to compare with it. `lacks_log`: the name of the log that the file says belongs
    to it, and that is not beside it; "" = none.
    """

    path: Path
    journal: str | None
    faults: tuple[Fault, ...]
    heads: dict[Stream, Head]
    records: int
    order: int = 0
    seals: Seals = field(default_factory=Seals)
    unheld: tuple[str, ...] = ()
    pruned: str = ""
    lacks_log: str = ""

    @property
    def begins(self) -> int:
        """The order number of the first record in this part."""
        return self.order - self.records + 1

    @property
    def ok(self) -> bool:
        """True if the check found no fault."""
        return not self.faults


class Findings:
    """Collects faults in order; neighbours with one cause become one range."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._newest: dict[tuple[Cause, Stream | None], int] = {}

    def add(
        self,
        cause: Cause,
        stream: Stream | None = None,
        first: int | None = None,
        last: int | None = None,
        detail: str = "",
    ) -> None:
        """Notes a fault: its cause, and the stream and sequence numbers where it was found."""
        last = first if last is None else last
        at = self._newest.get((cause, stream))
        if at is not None and first is not None and self._faults[at].last == first - 1:
            before = self._faults[at]
            self._faults[at] = Fault(cause, stream, before.first, last, before.detail)
            return
        self._newest[cause, stream] = len(self._faults)
        self._faults.append(Fault(cause, stream, first, last, detail))

    def all(self) -> tuple[Fault, ...]:
        """Returns all faults in the order in which they were found."""
        return tuple(self._faults)
