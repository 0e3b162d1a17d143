"""One stored event as the report reads it: its keys by name, its body as plain values."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec


class Fact(NamedTuple):
    """`time`: when it happened, `recorded`: when the table had it on disk; RFC 3339, UTC. `data`: empty if withheld.

    `round`: id of the round it belongs to, "" outside of rounds.
    """

    source: str
    journal: str
    stream: str
    sequence: int
    kind: str
    subject: str
    round: str
    time: str
    recorded: str
    data: Mapping[str, Any]

    @property
    def table(self) -> str:
        """The table as people write it: `lv01/uth-017`."""
        return table_of(self.source)

    @property
    def rests_on(self) -> str:
        """Clauses of the event, otherwise its reading; "" where it names neither."""
        return ", ".join(self.data.get("cite") or ()) or self.data.get("reading") or ""


class _Envelope(msgspec.Struct):
    source: str
    journal: str
    stream: str
    sequence: str
    type: str
    subject: str
    time: str
    recordedtime: str
    roundid: str = ""
    data: dict[str, Any] = {}


_decode = msgspec.json.Decoder(_Envelope).decode


def fact_of(body: str | bytes) -> Fact:
    """Returns the fact of an envelope as it came. Raises `msgspec.ValidationError` for what is none."""
    e = _decode(body)
    kind = e.type.rpartition(".v")[0].rpartition(".")[2]
    round_ = e.roundid or e.data.get("round") or ""
    return Fact(
        e.source, e.journal, e.stream, int(e.sequence), kind, e.subject, round_, e.time, e.recordedtime, e.data
    )


def table_of(source: str) -> str:
    """Returns `lv01/uth-017` of `urn:tablewarden:lv01:uth-017`."""
    return "/".join(source.split(":")[2:])
