"""The SQLite file: its tables, how it is made, opened and examined. What is in the rows is the store's business.

One table a stream, keyed by sequence, so that a commit touches few pages; bodies apart, keyed by the order over all
streams. Records are append-only by trigger. Positions and counters are not part of the record and may change.
"""

import errno
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote

from controller.journal.chain import genesis_hash
from controller.journal.disk.lock import MODE
from controller.journal.errors import JournalDamaged, JournalForeign, JournalNewer, JournalOlder
from controller.journal.record import Stream
from drivers.protocol.records import dataclass

APPLICATION_ID = 0x54574A31  # "TWJ1": tells a journal from any other SQLite file
SCHEMA = 2
"""`user_version` of the file; a higher one is a later release's. 1: there are no keys of rounds."""
OLDEST_SCHEMA = 1
PRIME_BYTES = 5_000_000
"""Size of the write-ahead log from the start: more than the 1,000 pages of 4 KiB after which it is checkpointed and
overwritten, so that a sync never has a new file size to write down as well. A third off each commit."""
MOST_OVERWRITTEN = 4 * PRIME_BYTES
"""A log that grew beyond this behind a reader that held it is overwritten by use, as ever, and not by a commit that waits."""
CHECKPOINT_PAGES = 1000
QUICK_CHECK_BYTES = 64 * 2**20
"""Up to this size the whole file is checked at open (about 0.1 s); above, its tail here and the rest by `verify`."""
WRITER_BUSY_S = 1.0
"""How long a commit waits for a foreign program that locked the file. Below the limit of a commit."""
READER_BUSY_S = 5.0
LOG = "-wal"
PRIMARY = 0xFF
"""Of an extended error code of SQLite."""
"""Beside a journal: what was committed and has not come into the file itself yet. Only both together are the record."""
READ_ERRORS = (sqlite3.Error, UnicodeError)
"""What reading damaged bytes raises: SQLite's own findings, and text that is no longer text."""

HEADER_MODE, WAL_MODE = 18, b"\x02"
"""Where the header of an SQLite file says how it is written, and its word for a write-ahead log."""
_HAS_LOG = "INSERT INTO counter VALUES ('log', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"

NOT_BESIDE = "its newest records may be in {log}, which cannot be read where nothing may be written; a copy of both elsewhere can"

_COLUMNS = """sequence INTEGER PRIMARY KEY, ord INTEGER NOT NULL, kind TEXT NOT NULL, version INTEGER NOT NULL,
 subject TEXT NOT NULL, round TEXT, cause TEXT, time_us INTEGER NOT NULL, recorded_us INTEGER NOT NULL,
 mono_ns INTEGER NOT NULL, boot TEXT NOT NULL, clock TEXT NOT NULL, datahash BLOB NOT NULL, recordhash BLOB NOT NULL"""
_TABLES = {
    "journal": """id TEXT NOT NULL, site TEXT NOT NULL, tablename TEXT NOT NULL, created_us INTEGER NOT NULL,
 order_before INTEGER NOT NULL""",
    "anchor": "stream TEXT PRIMARY KEY, sequence INTEGER NOT NULL, recordhash BLOB NOT NULL",
    # The counter is a u64; as SQLite's integer it is the signed number of the same 64 bits.
    "input": _COLUMNS + ", serial TEXT, device_boot TEXT, counter INTEGER",
    "main": _COLUMNS,
    "diag": _COLUMNS,
    "body": "ord INTEGER PRIMARY KEY, salt BLOB NOT NULL, data BLOB NOT NULL",
}


_ROUND_KEY = (
    "CREATE TABLE round_key (round TEXT NOT NULL, use TEXT NOT NULL, commitment BLOB NOT NULL, vault TEXT NOT NULL, "
    "made INTEGER NOT NULL, wrapped BLOB, opened BLOB, PRIMARY KEY (round, use, commitment)) STRICT, WITHOUT ROWID",
    "CREATE INDEX round_key_shut ON round_key (round) WHERE wrapped IS NOT NULL AND opened IS NULL",
    "CREATE INDEX round_key_kept ON round_key (made) WHERE wrapped IS NOT NULL OR opened IS NOT NULL",
    "CREATE TRIGGER round_key_no_delete BEFORE DELETE ON round_key "
    "BEGIN SELECT RAISE(ABORT, 'the key of a round is erased, its row stays'); END",
)
"""Since 2. Not part of the record: a key is wrapped, then open, then erased; its commitment stands in what it seals."""


def _schema(version: int) -> tuple[str, ...]:
    out = [f"CREATE TABLE {name} ({columns}) STRICT" for name, columns in _TABLES.items()]
    out.append("CREATE UNIQUE INDEX origin ON input (serial, device_boot, counter) WHERE serial IS NOT NULL")
    for name in _TABLES:
        for act in ("UPDATE", "DELETE"):
            out.append(
                f"CREATE TRIGGER {name}_no_{act.lower()} BEFORE {act} ON {name} "
                f"BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"
            )
    out.append(
        "CREATE TABLE position (reader TEXT NOT NULL, stream TEXT NOT NULL, through INTEGER NOT NULL, "
        "extra BLOB NOT NULL, PRIMARY KEY (reader, stream)) STRICT, WITHOUT ROWID"
    )
    out.append("CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID")
    return (*out, *_ROUND_KEY) if version > 1 else tuple(out)


SCHEMA_SQL = {version: _schema(version) for version in range(OLDEST_SCHEMA, SCHEMA + 1)}
"""Every statement that makes an empty journal; `sqlite_schema` of a sound file of that version holds exactly these."""

SEEN = "seen"
SEEN_SQL = (
    f"CREATE TABLE {SEEN} (serial TEXT NOT NULL, boot TEXT NOT NULL, counter INTEGER NOT NULL, "
    "sequence INTEGER NOT NULL, PRIMARY KEY (serial, boot)) STRICT, WITHOUT ROWID"
)
"""There once records were pruned: of each boot of a device, the newest report that was among them. No part of the record."""


@dataclass(frozen=True, slots=True)
class Description:
    """The journal's description of itself. `order_before`: order of the last record before this file, 0 in a first
    file.

    `schema`: the version of its tables.
    """

    id: str
    site: str
    table: str
    created_us: int
    order_before: int
    schema: int = SCHEMA


@dataclass(frozen=True, slots=True)
class Anchor:
    """The record before a stream's first one in this file: genesis, or the last one of an earlier file."""

    sequence: int
    recordhash: bytes


def create_file(path: Path, site: str, table: str) -> None:
    """Makes an empty journal, whole or not at all. Raises `JournalDamaged` if another journal's log is in its
    place."""
    log = path.with_name(path.name + LOG)
    if log.exists() and log.stat().st_size:
        raise JournalDamaged(path, f"there is no journal, but its write-ahead log {log.name} is there")
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)  # left by a start that was cut off here; no record was ever in it
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE))
    journal, created_us = token_hex(8), time.time_ns() // 1000
    with closing(sqlite3.connect(draft, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = EXTRA")
        db.execute(
            "PRAGMA auto_vacuum = INCREMENTAL"
        )  # only so can the file give space back, once records are pruned
        db.execute("BEGIN")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {SCHEMA}")
        for statement in SCHEMA_SQL[SCHEMA]:
            db.execute(statement)
        db.execute("INSERT INTO journal VALUES (?, ?, ?, ?, 0)", (journal, site, table, created_us))
        for stream in Stream:
            genesis = genesis_hash(journal, site, table, created_us, stream)
            db.execute("INSERT INTO anchor VALUES (?, 0, ?)", (stream.value, genesis))
        db.execute("COMMIT")
        db.execute("PRAGMA journal_mode = WAL")
    draft.replace(path)
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def connect_writer(path: Path) -> sqlite3.Connection:
    """Opens the only writing connection, with explicit transactions; usable from any thread, one at a time."""
    db = sqlite3.connect(path, isolation_level=None, timeout=WRITER_BUSY_S, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    db.execute(
        "PRAGMA secure_delete = ON"
    )  # the key of a round that is erased must not stay in a free place of a page
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    return db


def upgrade(db: sqlite3.Connection) -> None:
    """Gives an earlier release's file the present tables; its records stay unchanged."""
    db.execute("BEGIN IMMEDIATE")
    (version,) = db.execute("PRAGMA user_version").fetchone()
    for statement in SCHEMA_SQL[SCHEMA][len(SCHEMA_SQL[version]) :]:
        db.execute(statement)
    db.execute(f"PRAGMA user_version = {SCHEMA}")
    db.execute("COMMIT")


def prime(db: sqlite3.Connection, path: Path) -> None:
    """Prepares a file for its writer. Raises `JournalDamaged` if the pages it writes are damaged."""
    try:
        _prime(db, path)
    except sqlite3.DatabaseError as exc:
        if getattr(exc, "sqlite_errorcode", 0) & PRIMARY in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise JournalDamaged(path, str(exc)) from exc
        raise


def _prime(db: sqlite3.Connection, path: Path) -> None:
    """Gives the write-ahead log its full size once, if it has not got it. It must never be truncated afterwards.

    Something is written in any case: a disk that takes nothing is found by an open, and not by the first report that comes in.
    """
    log = path.with_name(path.name + LOG)
    db.execute("DROP TABLE IF EXISTS prime")  # left by a start that was cut off between the statements below
    if not log.exists() or log.stat().st_size < PRIME_BYTES:
        _fill_log(db, PRIME_BYTES)
    db.execute("INSERT INTO counter VALUES ('opened', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1")
    db.execute(_HAS_LOG, (1,))
    db.execute(
        "PRAGMA wal_checkpoint(PASSIVE)"
    ).fetchall()  # so that the file itself says that a log belongs to it


def fold_log(db: sqlite3.Connection) -> None:
    """Brings the whole log into the file before it is closed, so that a copy of this one file is whole.

    A reader that holds the log keeps it beside the file, which then goes on to say that it belongs to it.
    """
    db.execute(_HAS_LOG, (0,))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def lacks_log(db: sqlite3.Connection, path: Path) -> bool:
    """Returns True if the file says that it has a log, and none is there. Raises `READ_ERRORS`, `OSError`."""
    with path.open("rb") as file:
        is_in_wal_mode = (
            file.read(HEADER_MODE + 1)[HEADER_MODE:] == WAL_MODE
        )  # `VACUUM INTO` gives a file that needs no log
    row = db.execute("SELECT value FROM counter WHERE name = 'log'").fetchone()
    return is_in_wal_mode and row == (1,) and not has_log(path)


def overwrite_log(db: sqlite3.Connection, path: Path) -> None:
    """Writes zeros over the whole write-ahead log, so that nothing that lay in it can be read any more.

    A reader that holds the log at that instant keeps it from being overwritten.
    """
    db.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()  # so that the next write begins where the log does
    _fill_log(db, min(path.with_name(path.name + LOG).stat().st_size, MOST_OVERWRITTEN))


def _fill_log(db: sqlite3.Connection, size: int) -> None:
    db.execute("BEGIN IMMEDIATE")
    db.execute("CREATE TABLE prime (room BLOB)")
    db.execute("INSERT INTO prime VALUES (zeroblob(?))", (size,))
    db.execute("COMMIT")
    db.execute("DROP TABLE prime")
    db.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()


def file_size(db: sqlite3.Connection) -> int:
    """Returns the file's size in bytes, the log included."""
    (pages,), (size,) = db.execute("PRAGMA page_count").fetchone(), db.execute("PRAGMA page_size").fetchone()
    return int(pages * size)


def has_log(path: Path) -> bool:
    """Returns True if a write-ahead log beside the journal may hold its newest records."""
    log = path.with_name(path.name + LOG)
    return log.exists() and log.stat().st_size > 0


def connect_readonly(path: Path) -> sqlite3.Connection:
    """A connection that can neither write nor checkpoint; sees a live journal's commits as they come.

    Where the medium allows no files beside the journal (a sealed copy), it is read as unchanging. Raises `OSError` where it
    may not be read, and where such a medium holds a log that could then not be read with it; `JournalDamaged` where it is
    empty; `sqlite3.Error`.
    """
    with path.open("rb") as file:  # SQLite does not tell no permission from no database
        if not os.fstat(file.fileno()).st_size:
            raise JournalDamaged(path, "the file is empty")  # SQLite would remove the log beside it
    name = quote(str(path))
    db = _open_uri(f"file:{name}?mode=ro")
    try:
        db.execute("PRAGMA schema_version").fetchall()
    except sqlite3.OperationalError as exc:
        db.close()
        if exc.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        if has_log(path):  # SQLite would pass it over, and the record would prove without its end
            raise OSError(errno.EROFS, NOT_BESIDE.format(log=path.name + LOG), str(path)) from exc
        return _open_uri(f"file:{name}?mode=ro&immutable=1")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _open_uri(uri: str) -> sqlite3.Connection:
    db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=READER_BUSY_S, check_same_thread=False)
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    return db


def examine(db: sqlite3.Connection, path: Path) -> Description:
    """Returns the file's description. Raises `JournalForeign`, `JournalNewer`, `JournalOlder`, `JournalDamaged`."""
    try:
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            raise JournalForeign(path, "a database of another program", "a journal")
        if version > SCHEMA:
            raise JournalNewer(path, version, SCHEMA)
        if version < OLDEST_SCHEMA:
            raise JournalOlder(path, version, OLDEST_SCHEMA)
        rows = db.execute("SELECT id, site, tablename, created_us, order_before FROM journal").fetchall()
    except READ_ERRORS as exc:
        raise JournalDamaged(path, str(exc)) from exc
    if len(rows) != 1:
        raise JournalDamaged(path, f"{len(rows)} descriptions of the journal instead of one")
    kinds = (str, str, str, int, int)
    if not all(isinstance(value, kind) for value, kind in zip(rows[0], kinds, strict=True)):
        raise JournalDamaged(path, "its description of itself cannot be read")
    journal, site, table, created_us, order_before = rows[0]
    return Description(journal, site, table, created_us, order_before, version)


def quick_check(db: sqlite3.Connection) -> list[str]:
    """Returns what SQLite finds wrong with the file's pages; empty = nothing. Raises `READ_ERRORS`."""
    found = [str(row[0]) for row in db.execute("PRAGMA quick_check(20)")]
    return [] if found == ["ok"] else found


def read_anchors(db: sqlite3.Connection) -> dict[Stream, Anchor]:
    """Returns where each stream begins in this file. Raises `READ_ERRORS`; `ValueError` for an invalid beginning."""
    rows = db.execute("SELECT stream, sequence, recordhash FROM anchor").fetchall()
    if not all(isinstance(sequence, int) and isinstance(recordhash, bytes) for _, sequence, recordhash in rows):
        raise ValueError("a number or a hash is none")
    return {Stream(stream): Anchor(sequence, recordhash) for stream, sequence, recordhash in rows}
