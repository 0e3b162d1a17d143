"""What one transaction of the store holds."""

from dataclasses import field
from enum import StrEnum
from typing import NamedTuple, Protocol

from controller.backoffice.row import Row
from drivers.protocol.records import dataclass


class Step(StrEnum):
    """A station in the life of an alarm; the name of its column."""

    OPENED = "opened"
    ASKED = "asked"
    FILLED = "filled"


class Standing(NamedTuple):
    """The key of an alarm that has not ended. `first`: the first number that it is about, 0 for none."""

    source: str
    code: str
    journal: str = ""
    stream: str = ""
    first: int = 0


class AlarmStep(NamedTuple):
    """One step of an alarm. `last` and `detail` count when it opens."""

    standing: Standing
    step: Step
    last: int = 0
    detail: str = ""


class Position(NamedTuple):
    """A row of `stream_position`."""

    source: str
    journal: str
    stream: str
    through: int
    held: str
    head: int
    head_time: str | None


class Seen(NamedTuple):
    """A row of `table_seen`."""

    source: str
    journal: str | None
    created: int | None
    session: int | None
    state: str | None
    reason: str | None
    machine: str | None
    process: str | None
    version: str | None
    heard: str | None
    heartbeat: str | None


class Hole(NamedTuple):
    """Numbers that the table has declared as never to come. `reason`: parked or pruned."""

    source: str
    journal: str
    stream: str
    first: int
    last: int
    reason: str


class Signed(NamedTuple):
    """A checkpoint that a table has published."""

    source: str
    journal: str
    ord: int
    statement: str
    signature: str
    key: str


class Rejected(NamedTuple):
    """A row of `refused`."""

    source: str
    topic: str
    reason: str
    size: int
    sha256: str
    payload: bytes


@dataclass(slots=True)
class Batch:
    """One transaction of the store. `rows`: events that are not stored yet, as far as memory tells."""

    at: str
    rows: list[Row] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    alarms: list[AlarmStep] = field(default_factory=list)
    declared: list[Hole] = field(default_factory=list)
    withdrawn: list[Hole] = field(default_factory=list)
    checkpoints: list[Signed] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__ if name != "at")


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a recorder needs of the store when it begins."""

    positions: list[Position]
    seen: list[Seen]
    holes: list[Hole]
    alarms: list[AlarmStep]


class StoreAway(Exception):
    """The store takes nothing at present. The text says why; the recorder tries again for ever."""


class Occupied(Exception):
    """Another recorder by this name holds the store. The text says which."""


class RowRefused(Exception):
    """The store cannot hold a row of the batch."""


class Store(Protocol):
    """Where the recorder writes. All methods but `close` raise StoreAway."""

    def open(self) -> bool:
        """Connects, takes the lock of this recorder and migrates. Raises Occupied. Returns True if nobody else wrote under
        this lock since this object had it."""
        ...

    def load(self) -> Loaded:
        """Returns what is stored, without events."""
        ...

    def differing(self, rows: list[Row]) -> list[Row]:
        """Returns those of `rows` that are stored with another content, or should be stored and are not."""
        ...

    def write(self, batch: Batch) -> int:
        """Stores a batch, durable on return. Returns how many of its rows were new. Raises RowRefused."""
        ...

    def close(self) -> None:
        """Gives up connection and lock."""
        ...
