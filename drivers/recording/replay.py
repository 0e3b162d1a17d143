"""A recording put to the driver again: the same link end, the same chance, the same instants, the device's own bytes.

`replay` gives what the link end says of them (for comparison with a list that was found right once), and every place where
it sends something else than it sent then.
"""

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from drivers.device import DeviceConfig
from drivers.protocol.host.events import HostEvent
from drivers.protocol.records import dataclass
from drivers.protocol.reports import Level
from drivers.recording.format import HOST, NOTE, Entry, Recording, RecordingInvalid, durable_in
from drivers.session.assembly import link_end
from drivers.session.pump import Link

MOST_DIFFERENCES = 20
"""After the first one everything may differ; more would only hide it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """At this instant the recording has `expected` on the wire, and the driver now sends `sent`. `line`: of all entries.

    `why`: the driver cannot take the recorded call; the connection is not followed further.
    """

    us: int
    line: int
    expected: bytes
    sent: bytes
    why: str = ""


@dataclass(slots=True)
class Replayed:
    """`events`: what the link ends said, with the instant. `sends`: writes that were compared. `gaps`: entries lost then."""

    events: list[tuple[int, HostEvent]] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    connections: int = 0
    sends: int = 0
    gaps: int = 0


class _Chance:
    """The bytes that the link end drew then, in their order."""

    def __init__(self, drawn: bytes) -> None:
        self._left = drawn

    def __call__(self, size: int) -> bytes:
        if len(self._left) < size:
            raise RecordingInvalid("the driver draws more chance now than was drawn then: record anew")
        taken, self._left = self._left[:size], self._left[size:]
        return taken


def replay(recording: Recording, key_file: Path | None = None) -> Replayed:
    """Runs the whole recording. `key_file`: the device's key, which is in no recording.

    Raises `RecordingInvalid` where no link begins in it, or it cannot be followed; `KeyRefused`.
    """
    found = Replayed()
    config = replace(recording.header.config, key_file=key_file)
    kept: tuple[bytes, Link] | None = None
    for start, life in _lives(recording):
        link = kept[1] if kept and life[0].data and life[0].data == kept[0] else _made(config, life)
        kept = life[0].data, link
        _Life(link, start, found).run(life)
    if not found.connections:
        raise RecordingInvalid(
            f"{recording.header.device}: no connection begins in this recording; name its earlier parts before it"
        )
    found.gaps = sum(e.given.get("entries", 0) for e in recording.entries if e.kind == NOTE and e.word == "gap")
    return found


def _lives(recording: Recording) -> Iterator[tuple[int, list[Entry]]]:
    """The entries of each link end, from its begin on, with their place in the recording."""
    entries = recording.entries
    starts = [n for n, entry in enumerate(entries) if (entry.kind, entry.word) == (HOST, "begin")]
    for start, end in pairwise([*starts, len(entries)]):
        yield start, list(entries[start:end])


def _made(config: DeviceConfig, life: list[Entry]) -> Link:
    """The link end that begins here. One that is kept over losses of its port says again what it was made with."""
    drawn = life[0].data + b"".join(e.data for e in life if e.word == "drew")
    try:
        return link_end(config, _Chance(drawn), durable_in(life[0]))
    except (
        ValueError,
        TypeError,
        AttributeError,
    ) as error:  # units of a bus that are none: nothing else is built of the file
        raise RecordingInvalid(
            f"{config.name}: no link end can be made of what its first line says ({error})"
        ) from error


class _Life:
    """One connection, from its begin to the next one's."""

    def __init__(self, link: Link, start: int, found: Replayed) -> None:
        self._link = link
        self._start = start
        self._found = found
        self._is_open = True  # until its port was lost or it said its last
        self._lost_entries = False

    def run(self, life: list[Entry]) -> None:
        self._found.connections += 1
        for place, entry in enumerate(life[1:], self._start + 1):
            try:
                self._entry(self._link, entry, place)
            except ValueError as error:
                self._found.differences.append(Difference(entry.us, place, b"", b"", str(error)))
                return
            if self._lost_entries:
                return  # what was lost then cannot be followed; the next connection can

    def _entry(self, link: Link, entry: Entry, place: int) -> None:
        match (entry.kind, entry.word):
            case ("in", _) if self._is_open:
                self._tell(entry, link.receive(entry.data, entry.seconds))
            case ("out", _):
                self._found.sends += 1
                self._compare(entry, place, entry.data, link.data_to_send())
            case ("host", "tick"):
                self._tell(entry, link.tick(entry.seconds))
            case ("host", word) if word in CALLS:
                CALLS[word](link, entry)
                self._is_open = self._is_open and word != "bye"
            case ("port", "lost"):
                self._is_open = False
            case ("recording", "gap"):
                self._lost_entries = True

    def _tell(self, entry: Entry, events: list[HostEvent]) -> None:
        self._found.events += [(entry.us, event) for event in events]

    def _compare(self, entry: Entry, place: int, expected: bytes, sent: bytes) -> None:
        if expected != sent and len(self._found.differences) < MOST_DIFFERENCES:
            self._found.differences.append(Difference(entry.us, place, expected, sent))


def _connect(link: Link, entry: Entry) -> None:
    link.connect(entry.seconds)


def _acknowledge(link: Link, entry: Entry) -> None:
    link.acknowledge(int(entry.given["boot"], 16), entry.given["counter"], entry.seconds)


def _set_level(link: Link, entry: Entry) -> None:
    given: Any = entry.given
    link.set_level(Level(given["level"]), given["value"], given["operation"], entry.seconds)


CALLS: dict[str, Callable[[Link, Entry], None]] = {
    "connect": _connect,
    "acknowledge": _acknowledge,
    "set_level": _set_level,
    "read_levels": lambda link, entry: link.read_levels(entry.seconds),
    "measure": lambda link, entry: link.measure(entry.seconds),
    "bye": lambda link, entry: link.bye(entry.seconds),
    "paused": lambda link, entry: link.extend_deadlines(entry.given["lag_us"] / 1e6),
}
"""What a session may have told its link end, by the word in the recording."""
