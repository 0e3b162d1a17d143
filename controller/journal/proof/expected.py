"""Compares an opened record with the checkpoint beside it and with its segments.

A file without its log, or from an older copy, is sound but lacks published records, and would use their numbers
again. So the newest signed checkpoint is kept beside the record, and segments say by their names how far they go.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Thread

from controller.journal.archive.shelf import Named, all_in, beside, in_place
from controller.journal.disk.side_file import read_beside, write_beside
from controller.journal.proof.beginning import unsigned_beginning
from controller.journal.proof.checkpoint import Statement, proved_statement
from controller.journal.proof.key_change import HEAD, newest_key
from controller.journal.proof.keys import PublicKey
from controller.journal.record import Stream
from controller.journal.seal import Head
from controller.journal.store import Journal

LOOK_S = 2.0
"""How long a start looks at the second place at most."""


def keep_head(path: Path, statement: str, signature: str) -> None:
    """Writes a checkpoint beside the record, in place of the last one, without a sync. Raises `OSError`."""
    write_beside(path, HEAD, f"{statement}\n{signature}\n".encode())


def shortfall(journal: Journal, key: PublicKey | None, copies: Path | None) -> str:
    """Returns what an open record lacks by its checkpoint or a segment; "" = nothing. `copies`: the second place.

    Raises `JournalDamaged` if the record cannot be read.
    """
    head = _head_beside(journal.path, key)
    if head is not None and head.journal == journal.id:
        for stream in Stream:
            told = head.head_of(stream)
            is_here = (
                told is not None and told.sequence >= journal.begins[stream].sequence
            )  # else it was pruned since
            if told is not None and is_here and not stands(journal, stream, told):
                return f"it ends at {journal.order}, and its checkpoint in {journal.path.name}{HEAD} was signed at {head.order}"
    found = _newest_in(beside(journal.path, journal.id))
    if copies is not None:
        found += _within(LOOK_S, lambda: _newest_in(in_place(copies, journal.description)))
    for segment in found:
        if segment.last > journal.order:
            return f"it ends at {journal.order}, and {segment.path} goes to {segment.last}"
    if journal.lacks:
        return journal.lacks
    if key is None or newest_key(journal.view) != key.id:  # another key is told apart by `changed_key`
        return ""
    return unsigned_beginning(journal.path, (key,))


def lost_beside(path: Path, key: PublicKey | None) -> str:
    """Returns which earlier record lies beside a new one and has no file; "" = none."""
    head = _head_beside(path, key)
    if head is not None:
        return f"{path.name}{HEAD} knows journal {head.journal} through {head.order}, and its file is not there"
    folder = path.with_name(path.name + ".segments")
    before = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    return f"segments of journal {before[-1]} lie in {folder.name}, and its file is not there" if before else ""


def _newest_in(folder: Path) -> list[Named]:
    try:
        return all_in(folder)[-1:]
    except OSError:
        return []  # the second place is away, which is said elsewhere


def _within(seconds: float, look: Callable[[], list[Named]]) -> list[Named]:
    """Returns a check's result, or None after a time limit: a dead server must not keep a table from opening."""
    found: list[Named] = []
    looking = Thread(target=lambda: found.extend(look()), name="second-place", daemon=True)
    looking.start()
    looking.join(seconds)
    return list(found)


def stands(journal: Journal, stream: Stream, head: Head) -> bool:
    """Returns True if the record of this head is there unchanged."""
    begin = journal.begins[stream]
    if head.sequence <= begin.sequence:
        return head == begin
    found = journal.read(stream, head.sequence - 1, 1)
    return bool(found and found[0].recordhash == head.recordhash)


def _head_beside(path: Path, key: PublicKey | None) -> Statement | None:
    """Returns the checkpoint beside a record; None if there is none that this key signed."""
    try:
        text, signature, *_ = read_beside(path, HEAD).decode().splitlines()
    except (OSError, ValueError):
        return None  # torn by a power cut: what it knew is gone
    return proved_statement(text, signature, (key,)) if key is not None else None
