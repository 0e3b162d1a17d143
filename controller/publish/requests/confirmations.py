"""Judges what consumers confirm on `ack/{consumer}`. Pure: no I/O and no clock of its own.

A confirmation is cumulative: `through` is the last number up to which the consumer keeps every event durably, and
`have` are ranges behind the first number that it lacks. `through` only grows. A confirmation that breaks a rule is
refused as a whole, and nothing moves.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from controller.publish.outboxes.ranges import Range, Ranges

ACK_LIMIT = 65_536
"""Bytes of a confirmation at most."""
RANGES_MOST = 1_000
"""Ranges of one stream in one confirmation at most."""
LARGEST = 2**53 - 1


class AckRefusal(StrEnum):
    """Why a confirmation was refused: a stable code."""

    MALFORMED = "ack_malformed"
    FOREIGN = "ack_foreign"  # another consumer's name stands in it
    OTHER_JOURNAL = "ack_other_journal"
    BEYOND = "ack_beyond_sent"
    BACKWARD = "ack_backward"


_Number = Annotated[int, Meta(ge=0, le=LARGEST)]


class Kept(msgspec.Struct, frozen=True):
    """What a consumer keeps of one stream."""

    through: _Number
    have: Annotated[list[tuple[_Number, _Number]], Meta(max_length=RANGES_MOST)] = msgspec.field(
        default_factory=list
    )


class Ack(msgspec.Struct, frozen=True):
    """The body of `ack/{consumer}`, retained, QoS 1."""

    consumer: str
    journal: str
    streams: dict[str, Kept]
    time: str = ""


LATE_NS, LATE_MOST_NS = 60_000_000_000, 3_600_000_000_000
"""How long an event may wait for a consumer before that is reported, and the longest such wait while it goes on."""

_DECODER = msgspec.json.Decoder(Ack)


@dataclass(slots=True)
class Confirmed:
    """What one consumer has confirmed of one stream: 1..`through` and `have`."""

    through: int = 0
    have: Ranges = field(default_factory=Ranges)

    def holds(self, sequence: int) -> bool:
        """Returns True if the consumer has confirmed this number."""
        return sequence <= self.through or self.have.holding(sequence) is not None

    @property
    def last(self) -> int:
        """The highest confirmed number."""
        return max([self.through, *(r.last for r in self.have)])


class Confirmations:
    """The confirmations of all named consumers. `journal`: this table's; `known`: durable `through` of consumer and
    stream, from before this process."""

    def __init__(
        self,
        journal: str,
        consumers: Collection[str],
        streams: Collection[str],
        known: Mapping[tuple[str, str], int],
    ) -> None:
        self._journal = journal
        self.of = {c: {s: Confirmed(known.get((c, s), 0)) for s in streams} for c in consumers}

    def take(self, consumer: str, payload: bytes, sent: Mapping[str, int]) -> AckRefusal | None:
        """Takes a message of `ack/{consumer}`; returns why it is refused, None = taken. `sent`: the highest number of
        each stream that may have left the table."""
        mine = self.of[consumer]
        try:
            ack = _DECODER.decode(payload) if len(payload) <= ACK_LIMIT else None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            ack = None
        if ack is None or ack.streams.keys() - mine.keys():
            return AckRefusal.MALFORMED
        if ack.consumer != consumer:
            return AckRefusal.FOREIGN
        if ack.journal != self._journal:
            return AckRefusal.OTHER_JOURNAL
        fresh = {stream: _confirmed(kept) for stream, kept in ack.streams.items()}
        for stream, new in fresh.items():
            if new is None:
                return AckRefusal.MALFORMED
            if new.last > sent[stream]:
                return AckRefusal.BEYOND
            if new.through < mine[stream].through:
                return AckRefusal.BACKWARD
        mine.update({stream: new for stream, new in fresh.items() if new is not None})
        return None

    def holds(self, stream: str, sequence: int) -> bool:
        """Returns True if every consumer has confirmed this number."""
        return all(streams[stream].holds(sequence) for streams in self.of.values())

    def through(self, stream: str) -> int:
        """Returns the number up to which every consumer has confirmed everything."""
        return min(streams[stream].through for streams in self.of.values())


@dataclass(slots=True)
class _Wait:
    at: int
    since_ns: int
    after_ns: int
    is_told: bool = False


class Lateness:
    """Notices consumers that confirm nothing though something waits for them."""

    def __init__(self) -> None:
        self._waits: dict[str, _Wait] = {}

    def look(self, consumer: str, at: int, *, is_waiting: bool, now_ns: int) -> str | None:
        """Returns `consumer_late` or `consumer_back` when that is news. `at`: grows with each confirmation."""
        wait = self._waits.setdefault(consumer, _Wait(at, now_ns, LATE_NS))
        if not is_waiting or wait.at != at:
            was_told = wait.is_told
            self._waits[consumer] = _Wait(at, now_ns, wait.after_ns if is_waiting else LATE_NS)
            return "consumer_back" if was_told else None
        if now_ns - wait.since_ns < wait.after_ns:
            return None
        wait.since_ns, wait.after_ns, wait.is_told = now_ns, min(2 * wait.after_ns, LATE_MOST_NS), True
        return "consumer_late"

    def late(self) -> list[str]:
        """Returns the consumers that are late."""
        return sorted(consumer for consumer, wait in self._waits.items() if wait.is_told)


def _confirmed(kept: Kept) -> Confirmed | None:
    """Returns the confirmed numbers in their shortest form; None if the ranges are not ascending and apart."""
    through, before, rest = kept.through, kept.through, []
    for first, last in kept.have:
        if first <= before or last < first:
            return None
        before = last
        if first == through + 1:
            through = last
        else:
            rest.append(Range(first, last, ""))
    have = Ranges()
    for one in rest:
        have.add(one)
    return Confirmed(through, have)
