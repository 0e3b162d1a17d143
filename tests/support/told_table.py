"""A table as the back office sees it: its events, chained and wrapped by the product, without a daemon."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import msgspec

from controller.journal.chain import data_hash, genesis_hash, header_of, record_hash
from controller.journal.record import Record, Stream
from controller.publish.envelope import Wrapper
from controller.publish.topics import Topics

CREATED_US = 1_767_225_600_000_000
"""1 January 2026."""


@dataclass
class ToldTable:
    """Grows records and gives their envelopes. `spacing_us`: between two events."""

    name: str = "bj-017"
    site: str = "lv01"
    journal: str = "0123456789abcdef"
    spacing_us: int = 1_000_000
    records: dict[Stream, list[Record]] = field(default_factory=lambda: {Stream.MAIN: [], Stream.DIAG: []})
    session: int = 1
    parked: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.topics = Topics(self.site, self.name)
        self._wrapper = Wrapper(self.topics, self.journal)
        self._orders = 0

    @property
    def source(self) -> str:
        return self.topics.source

    def grow(
        self, count: int = 1, stream: str = "main", body: bytes = b'{"cards":3}', **changes: object
    ) -> list[bytes]:
        """Appends records; returns their envelopes."""
        rows, made = self.records[Stream(stream)], []
        for _ in range(count):
            self._orders += 1
            sequence, salt = len(rows) + 1, hashlib.sha256(b"%d" % self._orders).digest()[:16]
            created = genesis_hash(self.journal, self.site, self.name, CREATED_US, Stream(stream))
            at = CREATED_US + self._orders * self.spacing_us
            given: dict[str, Any] = {
                "stream": Stream(stream), "sequence": sequence, "kind": "cards_counted", "version": 1,
                "subject": "shuffler-1", "round_id": "r-1", "cause": f"{self.journal}-input-{self._orders}",
                "time_us": at, "recorded_us": at + 400, "mono_ns": self._orders * 1_000, "boot": "00000000000000b1",
                "clock": "synced", "data": body, "prevhash": rows[-1].recordhash if rows else created,
                "recordhash": b"", "datahash": data_hash(salt, body), "salt": salt, "order": self._orders, **changes,
            }  # fmt: skip
            record = Record(**given)
            header = header_of(self.journal, record)
            record = record._replace(recordhash=record_hash(record.prevhash, header, record.datahash))
            rows.append(record)
            made.append(self._wrapper.wrap(record).payload)
        return made

    def event(self, sequence: int, stream: str = "main") -> bytes:
        return self._wrapper.wrap(self.records[Stream(stream)][sequence - 1]).payload

    def heads(self) -> dict[str, int]:
        return {str(stream): len(rows) for stream, rows in self.records.items()}

    def birth(self, **changes: object) -> bytes:
        said = {
            "state": "online", "session": self.session, "bootid": "b1", "version": "1", "journal": self.journal,
            "heads": self.heads(), "oldest": {"main": 1, "diag": 1}, "machine": "m1", "process": "p1", **changes,
        }  # fmt: skip
        return msgspec.json.encode(said)

    def heartbeat(self, **changes: object) -> bytes:
        said = {
            "time": "2026-01-01T00:00:30.000000Z", "session": self.session, "journal": self.journal,
            "heads": self.heads(), "parked": {"main": [], "diag": [], **self.parked}, **changes,
        }  # fmt: skip
        return msgspec.json.encode(said)
