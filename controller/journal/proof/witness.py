"""Compares a journal with what others hold: its signed checkpoints, and heads kept outside.

A head is a stream's number and hash at some time. Every published event carries one, and so does the verdict of a
proof. A cut or rewritten record contradicts them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from controller.journal.disk.file import Description
from controller.journal.errors import JournalForeign
from controller.journal.proof.checkpoint import Statement, StatementUnreadable, read_statement
from controller.journal.proof.findings import Cause, Findings, Seals
from controller.journal.proof.keys import ALGORITHM, PublicKey
from controller.journal.record import Stream
from controller.journal.seal import Head
from controller.table.words.inputs import CheckpointSigned
from drivers.protocol.records import dataclass

HASH_BYTES = 32
MAX_SEQUENCE = (1 << 63) - 1
MOST_SHOWN = 80
"""Characters of what was given and is no head: it may be a whole file."""
HashAt = Callable[[Stream, int], bytes | None]
"""The stored hash of a record, or of what a stream begins with; None where it is not there or cannot be read."""


class Checkpoint(NamedTuple):
    """A checkpoint found on record: number in DIAG, order, and recorded body (None = missing)."""

    sequence: int
    order: int
    data: bytes | None


class HeadUnreadable(Exception):
    """The given text contains no head."""


@dataclass(frozen=True, slots=True)
class HeadKept:
    """A head that somebody outside holds. `journal` "" = the journal is not named."""

    journal: str
    stream: Stream
    sequence: int
    recordhash: bytes


def prove_checkpoints(
    found: Iterable[Checkpoint],
    about: Description,
    keys: Sequence[PublicKey],
    begins: Mapping[Stream, Head],
    hash_at: HashAt,
    findings: Findings,
) -> Seals:
    """Compares each checkpoint with the records that it names, and its signature with the keys, if given.

    `begins`: the last record of each stream before this file; earlier records are not compared.
    """
    known = {key.id: key for key in keys}
    strange: Counter[str] = Counter()
    count = proved = through = 0
    for checkpoint in found:
        count += 1
        try:
            body = msgspec.json.decode(checkpoint.data or b"", type=CheckpointSigned)
            statement = read_statement(body.statement)
            wrong = _contradiction(statement, about, checkpoint, begins, hash_at)
            signature = bytes.fromhex(body.signature)
        except (msgspec.MsgspecError, StatementUnreadable, ValueError, RecursionError) as exc:
            wrong, statement, signature = f"cannot be read: {exc}", None, b""
        if statement is None or wrong:
            findings.add(Cause.CHECKPOINT, Stream.DIAG, checkpoint.sequence, detail=wrong)
            continue
        if not keys:
            through = statement.order
        elif statement.key not in known:
            strange[statement.key] += 1
        elif known[statement.key].has_signed(signature, body.statement.encode()):
            proved, through = proved + 1, statement.order
        else:
            detail = f"key {statement.key} has not signed it"
            findings.add(Cause.CHECKPOINT, Stream.DIAG, checkpoint.sequence, detail=detail)
    return Seals(count, proved, through, strange)


def _contradiction(
    statement: Statement,
    about: Description,
    checkpoint: Checkpoint,
    begins: Mapping[Stream, Head],
    hash_at: HashAt,
) -> str:
    """Returns what in the statement is wrong; "" = nothing."""
    if (statement.journal, statement.site, statement.table) != (about.id, about.site, about.table):
        return f"is of journal {statement.journal} of {statement.site}/{statement.table}"
    if statement.algorithm != ALGORITHM:
        return f"is signed by {statement.algorithm!r}, and this release knows {ALGORITHM}"
    if statement.order >= checkpoint.order:
        return "speaks of records that came after it"
    for stream in Stream:
        head = statement.head_of(stream)
        if head is None:
            return f"does not say where {stream} stood"
        if head.sequence < begins[stream].sequence:
            continue  # it is of what came before this file begins
        if hash_at(stream, head.sequence) != head.recordhash:
            return f"{stream}/{head.sequence} had another hash when it was signed"
    return ""


def prove_heads(
    kept: Iterable[HeadKept],
    path: Path,
    about: Description,
    heads: Mapping[Stream, Head],
    hash_at: HashAt,
    findings: Findings,
) -> tuple[str, ...]:
    """Compares the journal with heads from outside; names those whose records are not here. Raises
    `JournalForeign` for another journal's head.

    Raises `JournalForeign` for a head of another journal.
    """
    unheld: list[str] = []
    for head in kept:
        if head.journal and head.journal != about.id:
            raise JournalForeign(
                path, f"journal {about.id}", f"journal {head.journal}, of which the head was kept"
            )
        newest = heads[head.stream].sequence
        stored = hash_at(head.stream, head.sequence)
        if head.sequence > newest:
            findings.add(Cause.CUT, head.stream, newest + 1, head.sequence, "somebody holds a later head")
        elif stored is None:  # before this file begins, or on a page that cannot be read
            unheld.append(f"{head.stream}/{head.sequence}")
        elif stored != head.recordhash:
            detail = "this number had another hash when the head was kept"
            findings.add(Cause.CHANGED, head.stream, head.sequence, detail=detail)
    return tuple(unheld)


def heads_in(text: str) -> list[HeadKept]:
    """The heads in a text: `STREAM:SEQUENCE:HASH`, or JSON (one document, or one a line) of published events, checkpoint
    statements, or verdicts of `journal verify --json`. Raises `HeadUnreadable`.
    """
    if not text.lstrip().startswith("{"):
        return [_plain(text.strip())]
    found: list[HeadKept] = []
    try:
        for document in _documents(text):
            found += _heads_of(document)
    except (msgspec.DecodeError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
        raise HeadUnreadable(f"is no event, checkpoint or verdict: {exc}") from exc
    if not found:
        raise HeadUnreadable("holds no head: no event with its recordhash, no checkpoint, no verdict")
    return found


def _plain(text: str) -> HeadKept:
    stream, _, rest = text.partition(":")
    sequence, _, digits = rest.partition(":")
    try:
        return HeadKept("", Stream(stream), _sequence(int(sequence)), _hash(digits))
    except ValueError as exc:
        shown = text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"
        raise HeadUnreadable(f"{shown!r} is not STREAM:SEQUENCE:HASH, as in main:17:0f3a…, nor JSON") from exc


def _documents(text: str) -> list[dict[str, Any]]:
    try:
        return [msgspec.json.decode(text, type=dict[str, Any])]
    except msgspec.DecodeError:
        return [msgspec.json.decode(line, type=dict[str, Any]) for line in text.splitlines() if line.strip()]


def _heads_of(document: dict[str, Any]) -> list[HeadKept]:
    journal = document.get("journal", "")
    if "recordhash" in document:
        stream, sequence = Stream(document["stream"]), _sequence(document["sequence"])
        found = [HeadKept(journal, stream, sequence, _hash(document["recordhash"]))]
        data = document.get("data")
        if isinstance(data, dict) and "statement" in data:
            found += _heads_of(msgspec.json.decode(data["statement"], type=dict[str, Any]))
        return found
    if "statement" in document:
        return _heads_of(msgspec.json.decode(document["statement"], type=dict[str, Any]))
    return [
        HeadKept(journal, Stream(name), _sequence(told["sequence"]), _hash(told["hash"]))
        for name, told in document.get("heads", {}).items()
    ]


def _sequence(number: object) -> int:
    """Returns a number that events carry as text."""
    if isinstance(number, (int, str)) and 0 <= int(number) <= MAX_SEQUENCE:
        return int(number)
    raise ValueError(f"{number!r} is no number of a record")


def _hash(digits: str) -> bytes:
    value = bytes.fromhex(digits)
    if len(value) != HASH_BYTES:
        raise ValueError(f"{digits!r} is no SHA-256 in hex")
    return value
