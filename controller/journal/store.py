"""The journal of one table: one writer, durable commits, and the readers' positions beside the record."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock

from controller.clock import Stamp
from controller.journal.archive.boundary import Mark
from controller.journal.archive.prune import give_back, move_beginning, remove_some
from controller.journal.archive.span import Span
from controller.journal.disk.file import (
    SCHEMA,
    Description,
    connect_writer,
    create_file,
    file_size,
    fold_log,
    prime,
    upgrade,
)
from controller.journal.disk.inserts import NotUsable, commit, write_batch
from controller.journal.disk.lock import WriterLock
from controller.journal.disk.standing import Standing
from controller.journal.errors import (
    JournalDamaged,
    JournalError,
    JournalMissing,
    JournalMoved,
    JournalRepeat,
    JournalWriteFailed,
    why_not_written,
)
from controller.journal.opening import of_one_file, open_view, opened, past_of
from controller.journal.positions import Positions, write_positions
from controller.journal.record import Position, Record, Stream, Transaction
from controller.journal.seal import Batch, Head, seal
from controller.journal.vault.key_rows import keys_written, write_keys
from controller.journal.vault.vault import KeyRow, Use, Vault
from controller.journal.vault.vault_keys import VaultKeys
from controller.journal.view import Brief, JournalView

__all__ = ["Journal", "opened"]

NEWEST = 64
"""Records of each stream that are kept in memory at the least: more than a publisher's window has on its way."""

_NEXT_SESSION = """INSERT INTO counter VALUES ('session', 1)
 ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value"""


class Journal:
    """A record that only grows. Records are on disk when `append` returns, each transaction whole.

    A connection of its own reads, also while another thread appends. After a failed write the journal takes no
    more until it is opened again, because nobody knows what the disk holds.

    `lacks`: what a start finds missing by its lock file, "" = nothing. `unread`: unopened keys of another vault.
    """

    def __init__(
        self,
        path: Path,
        view: JournalView,
        writer: sqlite3.Connection | None,
        lock: WriterLock | None,
        vault: VaultKeys | None = None,
        standing: Standing | None = None,
    ) -> None:
        """Use `open` or `open_readonly`."""
        self.path, self.id = path, view.description.id
        self.site, self.table = view.description.site, view.description.table
        self._view, self._writer, self._lock = view, writer, lock
        self._last = view.last()  # replaced as a whole, so that another thread never sees half of a commit
        self.lacks = lock.lacks(self.id, self._last[1]) if lock else ""
        self._failed: str | None = None if writer else "it was opened for reading only"
        self._standing = standing
        self._writing = Lock()  # one commit at a time, whichever thread it comes from
        self._positions = Positions(view.positions() if writer else {})
        self._newest: dict[Stream, list[Record]] = {stream: [] for stream in Stream}
        self._unsealer = view.unsealer(vault)
        shut = view.shut_keys() if writer else []
        self._vault = Vault(self.id, vault, view.round_keys, shut) if vault else None
        self.unread = [
            row for row in shut if row.use == Use.TURNED_UP and (vault is None or row.vault not in vault)
        ]
        self._past: Span | None = None

    @classmethod
    def open(
        cls, path: Path, *, site: str, table: str, create: bool = True, vault: VaultKeys | None = None
    ) -> "Journal":
        """Opens this table's journal for its one writer. Takes about 50 ms; writes nothing before the file is
        proved sound.

        `vault`: seals card identities; without it they are recorded in clear. Raises `JournalLocked`,
        `JournalMissing` (only without `create`), `JournalForeign`, `JournalNewer`, `JournalDamaged`;
        `JournalWriteFailed` if the place cannot be written.
        """
        try:
            lock = WriterLock.take(path.resolve())
        except OSError as exc:
            raise JournalWriteFailed(path, f"cannot be opened for writing: {why_not_written(exc)}") from exc
        view = writer = None
        try:
            path = of_one_file(path)
            if not path.exists():
                if not create:
                    raise JournalMissing(path)
                create_file(path, site, table)
            view = open_view(path, site, table)
            writer = connect_writer(path)
            if view.description.schema < SCHEMA:
                upgrade(writer)
                view.close()
                view = open_view(path, site, table)
            prime(writer, path)
            return cls(path, view, writer, lock, vault, Standing(path))
        except BaseException as exc:
            for opened in (writer, view):  # the view last: the last one to close folds the log, and a view cannot
                if opened:
                    opened.close()
            lock.release()
            if isinstance(exc, (OSError, sqlite3.Error)):
                raise JournalWriteFailed(path, f"cannot be opened for writing: {why_not_written(exc)}") from exc
            raise

    @classmethod
    def open_readonly(cls, path: Path) -> "Journal":
        """Opens any journal, also while its daemon writes: sees each record as soon as it is durable.

        Raises `JournalMissing`, `JournalForeign`, `JournalNewer`, `JournalDamaged`. Its write methods raise.
        """
        path = path.resolve()
        if not path.exists():
            raise JournalMissing(path)
        return cls(path, open_view(path, None, None), None, None)

    def append(self, transactions: Sequence[Transaction], recorded: Stamp) -> list[Record]:
        """Makes the transactions durable in one commit, all or none, and gives their records in order.

        Raises `JournalRepeat` if one is on record already (nothing is written, the journal stays usable) and
        `JournalWriteFailed` if they may not be durable (nothing more is written until the journal is opened again).
        """
        with self._writing:
            writer = self._writable()
            batch = seal(self.id, *self._last, transactions, recorded, self._vault)
            moved = self._positions.due(recorded.mono_ns)

            def write() -> None:
                write_batch(writer, batch)
                if moved:
                    write_positions(writer, moved)
                write_keys(writer, batch, self._vault)

            try:
                self._commit(writer, write)
            except sqlite3.IntegrityError as exc:
                self._positions.give_back(moved)
                raise self._explain(batch, exc) from exc
            keys_written(writer, self.path, batch, self._vault, self._unsealer)
            self._last = batch.heads, batch.order
            self._remember(batch.records)
            self._verify_standing()
            return batch.records

    def refuse(self, reason: str) -> None:
        """Closes the journal to writing: for a caller that found a commit too slow."""
        self._failed = self._failed or reason

    def has(self, serial: str, boot: str, counter: int) -> bool:
        """Returns True if this device report is on record."""
        return self._view.has(serial, boot, counter)

    def last_of(self, serial: str) -> tuple[str, int] | None:
        """Returns boot and counter of a device's newest report on record; None = none."""
        return self._view.last_of(serial)

    def body_of(self, serial: str, boot: str, counter: int) -> bytes | None:
        """Returns a device report's body; None = it is not on record. Raises `JournalDamaged`."""
        return self._view.body_of(serial, boot, counter)

    def input_body(self, sequence: int) -> bytes | None:
        """Returns an input's stored body; None = it is gone. Raises `JournalDamaged`."""
        return self._view.input_body(sequence)

    def heads(self) -> dict[Stream, int]:
        """Returns the number of each stream's newest record; 0 = none."""
        return {stream: head.sequence for stream, head in self.last()[0].items()}

    def last(self) -> tuple[dict[Stream, Head], int]:
        """Returns each stream's head and the newest order number, at one instant."""
        return self._last if self._writer else self._view.last()

    @property
    def order(self) -> int:
        """The order number of the newest record; 0 = none."""
        return self.last()[1]

    @property
    def view(self) -> JournalView:
        """The reading side of the live file."""
        return self._view

    @property
    def description(self) -> Description:
        """The file's present description."""
        return self._view.description

    @property
    def begins(self) -> dict[Stream, Head]:
        """The last record of each stream before the live file; genesis if nothing was pruned."""
        return {stream: Head(anchor.sequence, anchor.recordhash) for stream, anchor in self._view.anchors.items()}

    def oldest(self) -> dict[Stream, int]:
        """Returns the number of each stream's oldest record in the live file; above its head if there is none."""
        return {stream: anchor.sequence + 1 for stream, anchor in self._view.anchors.items()}

    def read(self, stream: Stream, after: int, limit: int) -> list[Record]:
        """At most `limit` records of a stream behind sequence `after`, in sequence. Raises `JournalDamaged`.

        Readers that keep up are served from what was just made durable, without asking the file again. What was pruned is
        looked up in the segments beside the file, which takes a second or two a call; [] where they do not lie there.
        """
        newest = self._newest[stream]
        if newest and after >= newest[0].sequence - 1:
            begin = after - newest[0].sequence + 1
            return newest[begin : begin + limit]
        if after < self._view.anchors[stream].sequence:
            try:
                return self._with_past().read(stream, after, limit)
            except JournalError:
                return []  # a segment that is away or damaged is no damage of this file
        return self._view.read(stream, after, limit)

    def _remember(self, records: Iterable[Record]) -> None:
        """Adds records to the list in memory. A reader may hold the list, so it only grows."""
        for stream, newest in self._newest.items():
            if len(newest) > 2 * NEWEST:
                self._newest[stream] = newest[-NEWEST:]
        for record in records:
            self._newest[record.stream].append(record)

    def clear(self, record: Record) -> Record:
        """Returns the record as it was before it was sealed. Raises `StillSealed`, `JournalDamaged`."""
        return self._unsealer.clear(record)

    def can_open(self, row: KeyRow) -> bool:
        """Returns True if the vault that wrapped this key is here."""
        return self._vault is not None and self._vault.holds(row)

    def shut(self) -> dict[str, list[str]]:
        """Returns round -> commitments (hex) of its keys that the rules have not opened yet."""
        return self._vault.shut if self._vault else {}

    def records(self, streams: Iterable[Stream], after: Mapping[Stream, int]) -> Iterator[Record]:
        """All records of these streams that are there now, in global order, behind a sequence of each stream; from segments where
        they were pruned. Raises `JournalDamaged` where a segment is not there.
        """
        if any(after.get(s, 0) < self._view.anchors[s].sequence for s in streams):
            return self._with_past().merged(streams, after)
        return self._view.merged(streams, after)

    def backwards(self, stream: Stream, kinds: Sequence[str]) -> Iterator[Brief]:
        """Yields records of these kinds in the live file, newest first."""
        return self._view.backwards(stream, kinds)

    def _with_past(self) -> Span:
        self._past = self._past or past_of(self._view)
        if self._past is None:
            what = f"the segments through order {self.description.order_before} do not lie beside it"
            raise JournalDamaged(self.path, what)
        return self._past

    def before_last(self, streams: Iterable[Stream], count: int | None) -> dict[Stream, int]:
        """Returns for each stream the number after which its last `count` records begin; None = all."""
        return self._view.before_last(streams, count)

    def position(self, reader: str) -> dict[Stream, Position]:
        """Returns a reader's position in each stream that it has moved in."""
        known = self._positions if self._writer else Positions(self._view.positions())
        return known.of(reader)

    def move(self, reader: str, stream: Stream, through: int, extra: bytes = b"") -> None:
        """Notes a reader's position without a sync; durable a second later, at `flush` or at `close`."""
        self._positions.move(reader, stream, Position(through, extra))

    def flush(self) -> None:
        """Checks that the file is at its path, and makes positions durable. Raises `JournalWriteFailed`."""
        if not self._failed:
            self._verify_standing()
        if moved := self._positions.take():
            with self._writing:
                writer = self._writable()
                self._commit(writer, lambda: write_positions(writer, moved))

    def next_session(self) -> int:
        """Returns a durable number, from 1, that no earlier call returned. Raises `JournalWriteFailed`."""
        with self._writing:
            writer, given = self._writable(), []
            self._commit(writer, lambda: given.extend(writer.execute(_NEXT_SESSION).fetchall()))
            number: int = given[0][0]
            return number

    def prune(self, mark: Mark) -> None:
        """Lets the live file begin behind `mark`; what lies before it must be in segments. `remove_some` then takes the rows.

        Raises `ValueError` where `mark` is no place in it, with nothing written; `JournalWriteFailed`.
        """
        with self._writing:
            writer = self._writable()
            self._commit(writer, lambda: move_beginning(writer, mark))
            self._view.refresh()
            self._past = None

    def remove_some(self) -> bool:
        """Removes some pruned rows from the file, or frees space; returns False if nothing is left."""
        with self._writing:
            writer, removed = self._writable(), []
            self._commit(writer, lambda: removed.append(remove_some(writer)))
            if removed[0]:
                return True
            try:
                more = give_back(writer)
                if self._standing:
                    self._standing.shrinks_to(file_size(writer))
                return more
            except sqlite3.Error as exc:
                self.refuse(str(exc))
                raise JournalWriteFailed(self.path, str(exc)) from exc

    @property
    def moved(self) -> str:
        """Returns what happened to the file or its log at their paths; "" while they are there."""
        try:
            self._verify_standing()
        except JournalMoved as moved:
            return moved.reason
        return ""

    def hold_lock(self) -> None:
        """Takes the lock again if its file was removed. Raises `JournalLocked`, `OSError`."""
        if self._lock and not self._lock.is_there(self.path):
            self._lock.release()
            self._lock = WriterLock.take(self.path)

    def in_memory(self, stream: Stream) -> list[Record]:
        """Returns a stream's newest records that are held in memory."""
        return self._newest[stream]

    def close(self) -> None:
        """Flushes positions and closes the file; a second call does nothing. Raises `JournalWriteFailed`."""
        try:
            if self._writer and not self._failed:
                self.flush()
                fold_log(self._writer)
                self._view.close()  # before the writer, which then removes the empty log
        finally:
            self._failed = self._failed or "it is closed"
            with self._writing:
                if self._writer:
                    self._writer.close()
                self._view.close()  # last, so that SQLite folds no log that `fold_log` has not
                if self._lock:
                    self._lock.release()

    def _writable(self) -> sqlite3.Connection:
        if self._failed or not self._writer:
            raise JournalWriteFailed(self.path, self._failed or "it is closed")
        return self._writer

    def _verify_standing(self) -> None:
        """Raises `JournalMoved` if the file is not at its path: what was committed there is not on record."""
        if self._standing and self._lock:
            try:
                self._standing.verify()
            except JournalMoved as moved:
                self.refuse(moved.reason)
                raise
            self._lock.note(self.id, self._last[1])

    def _commit(self, writer: sqlite3.Connection, write: Callable[[], None]) -> None:
        """Runs one transaction. `sqlite3.IntegrityError`: nothing was written; otherwise `JournalWriteFailed`."""
        try:
            commit(writer, write)
        except NotUsable as exc:
            reason = why_not_written(exc.cause)
            self.refuse(reason)
            raise JournalWriteFailed(self.path, reason) from exc.cause

    def _explain(self, batch: Batch, exc: sqlite3.IntegrityError) -> JournalError:
        """Explains a failed insert: a repeated device report, or a difference between memory and file."""
        seen = set()
        for record in batch.records:
            if record.origin:
                if record.origin in seen or self.has(*record.origin):
                    return JournalRepeat(*record.origin)
                seen.add(record.origin)
        self.refuse(str(exc))
        return JournalWriteFailed(self.path, str(exc))
