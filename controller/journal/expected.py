"""What a record must hold at least when it is opened: whatever outside of its file and log knows of it.

A file without its log, or one out of an older copy, is sound and lacks records that were told. Its numbers would be given
again with other contents. So the newest signed checkpoint is kept beside the record too, and segments say by their names how
far they go.
"""

from pathlib import Path

from controller.journal.checkpoint import Statement, StatementUnreadable, read_statement
from controller.journal.keys import PublicKey
from controller.journal.record import Stream
from controller.journal.seal import Head
from controller.journal.shelf import all_in, beside, in_place
from controller.journal.store import Journal

__all__ = ["keep_head", "lost_beside", "shortfall", "stands"]

HEAD = ".head"
"""Beside a record: the text of its newest checkpoint, and the signature in hex, one a line."""


def keep_head(path: Path, statement: str, signature: str) -> None:
    """Keeps a checkpoint beside the record, in the place of the last one. It is not synced. Raises `OSError`."""
    kept = path.with_name(path.name + HEAD)
    draft = kept.with_name(kept.name + ".new")
    draft.write_text(f"{statement}\n{signature}\n", encoding="utf-8")
    draft.replace(kept)


def shortfall(journal: Journal, key: PublicKey | None, copies: Path | None) -> str:
    """What an open record lacks that somebody outside of it knows; "" = nothing. `copies`: the second place.

    Raises `JournalDamaged` where the record cannot be read there.
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
    folders = [beside(journal.path, journal.id)]
    folders += [in_place(copies, journal.description)] if copies is not None else []
    for folder in folders:
        try:
            segments = all_in(folder)
        except OSError:
            continue  # the second place is away, which is said elsewhere
        if segments and segments[-1].last > journal.order:
            return f"it ends at {journal.order}, and {segments[-1].path} goes to {segments[-1].last}"
    return ""


def lost_beside(path: Path, key: PublicKey | None) -> str:
    """What lies beside a record that has just begun, of one that is not there any more; "" = nothing."""
    head = _head_beside(path, key)
    if head is not None:
        return f"{path.name}{HEAD} knows journal {head.journal} through {head.order}, and its file is not there"
    folder = path.with_name(path.name + ".segments")
    before = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    return f"segments of journal {before[-1]} lie in {folder.name}, and its file is not there" if before else ""


def stands(journal: Journal, stream: Stream, head: Head) -> bool:
    """True where the record of this head is there, unchanged: a restored or cut file has another."""
    begin = journal.begins[stream]
    if head.sequence <= begin.sequence:
        return head == begin
    found = journal.read(stream, head.sequence - 1, 1)
    return bool(found and found[0].recordhash == head.recordhash)


def _head_beside(path: Path, key: PublicKey | None) -> Statement | None:
    """The checkpoint beside a record; None where there is none, or this key has not signed it."""
    try:
        text, signature, *_ = path.with_name(path.name + HEAD).read_text("utf-8").splitlines()
        signed = bytes.fromhex(signature)
        statement = read_statement(text)
    except (OSError, ValueError, StatementUnreadable):
        return None  # torn by a power cut: what it knew is gone
    return statement if key is not None and key.has_signed(signed, text.encode()) else None
