"""The keys of the rounds of a closed day, as a file beside the copy of its segment: every one wrapped under the vault's key.

    tablewarden keys 1
    {statement: the journal, and the segment that it belongs to}
    [round, use, commitment in hex, id of the vault's key, made, wrapped in hex]     one line a key; wrapped null = erased
    SHA-256 in hex of all bytes before

So the medium alone shows no card; with the vault's key it shows all, without the table. Unlike a
segment such a file is derived, and is made anew where keys were erased.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.journal.archive.boundary import Boundary
from controller.journal.archive.segment import SUM_BYTES
from controller.journal.errors import JournalDamaged, JournalForeign, JournalNewer
from controller.journal.record import Record
from controller.journal.vault.sealing import SealBroken, key_of
from controller.journal.vault.vault import KeyRow, is_sealed

FIRST_WORDS = b"tablewarden keys "
FORMAT = 1
WHAT = "tablewarden round keys"
SUFFIX = ".keys"


class DayKeys(NamedTuple):
    """The content of a key file. `segment`: its segment's name; `rows`: by commitment, all wrapped."""

    journal: str
    segment: str
    rows: Mapping[bytes, KeyRow]


class _Statement(msgspec.Struct):
    what: str
    format: int
    journal: str
    segment: str


def key_file_of(segment: Path) -> Path:
    """Returns the path of the key file of a segment."""
    return segment.with_suffix(SUFFIX)


def key_text(journal: str, segment: str, rows: Iterable[KeyRow]) -> bytes:
    """Returns a key file's bytes. Raises `ValueError` for an open key: wrap it first."""
    statement = msgspec.json.encode(_Statement(WHAT, FORMAT, journal, segment))
    lines = [FIRST_WORDS + b"%d" % FORMAT, statement, *map(_line, rows), b""]
    text = b"\n".join(lines)
    return text + sha256(text).hexdigest().encode() + b"\n"


def _line(row: KeyRow) -> bytes:
    if row.opened is not None:
        raise ValueError(f"the key of round {row.round_id} lies open")
    wrapped = None if row.wrapped is None else row.wrapped.hex()
    return msgspec.json.encode((row.round_id, row.use, row.commitment.hex(), row.vault, row.made, wrapped))


def read_keys(path: Path, journal: str, segment: str) -> DayKeys:
    """Returns a key file's keys, if it belongs to this segment. Raises `FileNotFoundError`, `JournalDamaged`,
    `JournalForeign`, `JournalNewer`."""
    try:
        whole = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as exc:
        raise JournalDamaged(path, f"cannot be read: {exc.strerror}") from exc
    first, _, rest = whole[:-SUM_BYTES].partition(b"\n")
    version = first[len(FIRST_WORDS) :]
    if first.startswith(FIRST_WORDS) and version.isdigit() and int(version) > FORMAT:
        raise JournalNewer(path, int(version), FORMAT)
    if whole[-SUM_BYTES:] != sha256(whole[:-SUM_BYTES]).hexdigest().encode() + b"\n":
        raise JournalDamaged(
            path,
            "these are not the keys that were copied; take the file away: the table that has them copies them anew",
        )
    try:
        text, *lines = rest.splitlines()
        statement = msgspec.json.decode(text, type=_Statement)
        rows = [_row(line) for line in lines]
    except (msgspec.MsgspecError, ValueError, RecursionError) as exc:
        raise JournalDamaged(path, f"holds no keys of rounds: {exc}") from exc
    if (statement.what, statement.journal, statement.segment) != (WHAT, journal, segment):
        raise JournalForeign(path, f"{statement.what!r} of {statement.segment}", f"of {segment}")
    return DayKeys(journal, segment, {row.commitment: row for row in rows})


def _row(line: bytes) -> KeyRow:
    round_id, use, commitment, vault, made, wrapped = msgspec.json.decode(
        line, type=tuple[str, str, str, str, int, str | None]
    )
    return KeyRow(
        round_id,
        use,
        bytes.fromhex(commitment),
        vault,
        made,
        None if wrapped is None else bytes.fromhex(wrapped),
        None,
    )


class Listed:
    """Checks that each sealed body of a segment has its key, or its erasure, in the file beside the segment."""

    def __init__(self, segment: Path, about: Boundary) -> None:
        """Reads the key file; without one nothing is checked. Raises as `read_keys` does."""
        try:
            self._rows = read_keys(key_file_of(segment), about.journal, segment.name).rows
            self._is_there = True
        except FileNotFoundError:
            self._rows, self._is_there = {}, False

    def look(self, record: Record) -> str:
        """Returns what is wrong with a record's key, "" = nothing."""
        if not self._is_there or not is_sealed(record):
            return ""
        try:
            commitment = key_of(record.data)
        except SealBroken as exc:
            return str(exc)
        if commitment in self._rows:
            return ""
        return f"the key {commitment.hex()[:16]} of round {record.round_id or 'none'} is not in the file of keys beside it"


class KeysOfDays:
    """Finds the rows of a record's keys beside its segment; keeps one day in memory."""

    def __init__(self, days: Sequence[tuple[Path, Boundary]]) -> None:
        self._days = days
        self._of: Boundary | None = None
        self._rows: Sequence[KeyRow] | None = None

    def rows(self, record: Record) -> Sequence[KeyRow] | None:
        """Returns a round's key rows; None if its day has no key file. Raises as `read_keys` does."""
        if self._of is None or not _holds(self._of, record):
            path, about = next((path, about) for path, about in self._days if _holds(about, record))
            try:
                self._rows = list(read_keys(key_file_of(path), about.journal, path.name).rows.values())
            except FileNotFoundError:
                self._rows = None
            self._of = about
        return self._rows


def _holds(about: Boundary, record: Record) -> bool:
    return about.order_before < record.order <= about.order
