"""Reads the journal file as anybody can: SQLite, read-only, decoded from its published layout.

It uses none of the daemon's reading code, so that a mistake there cannot hide itself.
"""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from drivers.protocol.records import dataclass
from simulators.bench.observer.opened import opened

STREAMS = ("input", "main", "diag")
_COMMON = (
    "sequence, s.ord, kind, version, subject, round, cause, time_us, recorded_us, mono_ns, boot, clock, datahash, "
    "recordhash"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One record. `origin`: serial, boot and counter of a device's report. `data`: its body, opened if its key is
    open; `raw`: as stored; `fault`: what is wrong with its seal."""

    stream: str
    sequence: int
    order: int
    kind: str
    subject: str
    round: str
    cause: str
    time_us: int
    mono_ns: int
    header: tuple[Any, ...]
    datahash: bytes
    recordhash: bytes
    salt: bytes
    raw: bytes
    data: dict[str, Any]
    origin: tuple[str, str, int] | None
    fault: str = ""


class RecordReader:
    """Reads the file while the daemon writes it; a missing file reads as empty.

    If another file takes its path, that file is opened: a daemon puts its record back after somebody took it away.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._inode = 0

    def close(self) -> None:
        """Closes the connection to the record."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> sqlite3.Connection | None:
        inode = self._path.stat().st_ino if self._path.exists() else self._inode
        if inode != self._inode:
            self.close()
            self._inode = inode
            uri = f"file:{quote(str(self._path))}?mode=ro"
            self._db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=5.0)
        return self._db

    def about(self) -> tuple[str, str, str, int]:
        """Returns the journal's id, site, table and time of making; the id is "" without a journal."""
        db = self._open()
        found = db.execute("SELECT id, site, tablename, created_us FROM journal").fetchone() if db else None
        return tuple(found) if found else ("", "", "", 0)

    def heads(self) -> dict[str, int]:
        """Returns each stream's last number; 0 for an empty stream."""
        db = self._open()
        if db is None:
            return dict.fromkeys(STREAMS, 0)
        return {s: db.execute(f"SELECT ifnull(max(sequence), 0) FROM {s}").fetchone()[0] for s in STREAMS}  # noqa: S608

    def last_order(self) -> int:
        """Returns the order number of the last record; 0 if there is no record yet."""
        db = self._open()
        return int(db.execute("SELECT ifnull(max(ord), 0) FROM body").fetchone()[0]) if db else 0

    def last_counter(self, serial: str, boot: str) -> int:
        """Returns the highest recorded counter of one boot of a device; 0 if there is none."""
        db = self._open()
        if db is None:
            return 0
        query = "SELECT ifnull(max(counter), 0) FROM input WHERE serial = ? AND device_boot = ?"
        return int(db.execute(query, (serial, boot)).fetchone()[0])

    def wanted(self, operation: int, newest: int = 200) -> Mapping[str, Any] | None:
        """Returns the recorded command with this operation among the newest; None if it is not on record."""
        db = self._open()
        if db is None:
            return None
        query = "SELECT data FROM main JOIN body USING (ord) WHERE kind = 'level_wanted' ORDER BY sequence DESC LIMIT ?"
        for (data,) in db.execute(query, (newest,)):
            wish: Mapping[str, Any] = json.loads(data)
            if wish.get("operation") == operation:
                return wish
        return None

    def rows(self, after: int = 0) -> list[Row]:
        """Returns all records after this order number."""
        db = self._open()
        if db is None:
            return []
        found = [row for stream in STREAMS for row in self._rows(db, stream, after)]
        journal, keys = self.about()[0], self._open_keys(db)
        for n, row in enumerate(found):
            if "sealed" in row.data:
                data, fault = opened(row.data, journal, row.kind, keys)
                found[n] = replace(row, data=data, fault=fault)
        return sorted(found, key=lambda row: row.order)

    def _open_keys(self, db: sqlite3.Connection) -> dict[str, bytes]:
        """Returns the open round keys by their commitment in hex."""
        there = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'round_key'").fetchone()
        rows = db.execute("SELECT commitment, opened FROM round_key WHERE opened IS NOT NULL") if there else ()
        return {commitment.hex(): key for commitment, key in rows}

    def _rows(self, db: sqlite3.Connection, stream: str, after: int) -> list[Row]:
        origin = ", serial, device_boot, counter" if stream == "input" else ", NULL, NULL, NULL"
        query = (
            f"SELECT {_COMMON}{origin}, salt, data FROM {stream} s JOIN body b ON b.ord = s.ord WHERE s.ord > ? "  # noqa: S608
            "ORDER BY sequence"
        )
        return [_row(stream, columns) for columns in db.execute(query, (after,))]

    def anchors(self) -> dict[str, tuple[int, bytes]]:
        """Returns each stream's number and hash before its first record."""
        db = self._open()
        if db is None:
            return {}
        return {s: (n, h) for s, n, h in db.execute("SELECT stream, sequence, recordhash FROM anchor")}


def _row(stream: str, columns: tuple[Any, ...]) -> Row:
    (sequence, order, kind, version, subject, round_id, cause, time_us, recorded_us, mono_ns, boot, clock) = (
        columns[:12]
    )
    datahash, recordhash, serial, device_boot, counter, salt, raw = columns[12:]
    unsigned = counter & (1 << 64) - 1 if counter is not None else 0
    origin = (serial, device_boot, unsigned) if serial is not None else None
    header = (
        stream, sequence, order, kind, version, subject, round_id, cause, time_us, recorded_us, mono_ns, boot, clock,
        list(origin) if origin else None,
    )  # fmt: skip
    return Row(
        stream, sequence, order, kind, subject, round_id or "", cause or "", time_us, mono_ns, header, datahash,
        recordhash, salt, raw, json.loads(raw), origin,
    )  # fmt: skip


def broken_links(journal: str, rows: list[Row], before: Mapping[str, tuple[int, bytes]]) -> list[str]:
    """Returns where the hash chain breaks, computed anew from the rows. `before`: what each stream follows."""
    faults: list[str] = []
    last = dict(before)
    for row in rows:
        sequence, previous = last[row.stream]
        if row.sequence != sequence + 1:
            faults.append(f"{row.stream} {row.sequence} follows {sequence}")
        header = json.dumps([1, journal, *row.header], separators=(",", ":"), ensure_ascii=False).encode()
        datahash = sha256(_len(row.salt) + row.salt + _len(row.raw) + row.raw).digest()
        link = _len(previous) + previous + _len(header) + header + _len(datahash) + datahash
        if datahash != row.datahash or sha256(link).digest() != row.recordhash:
            faults.append(f"{row.stream} {row.sequence} does not match its hash")
        last[row.stream] = (row.sequence, row.recordhash)
    return faults


def _len(data: bytes) -> bytes:
    return len(data).to_bytes(8, "big")
