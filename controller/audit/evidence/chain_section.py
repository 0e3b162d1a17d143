"""Cuts stretches of a record between two signed checkpoints, as lines that `docs/verify-record.sh` proves.

A stretch begins after heads that one checkpoint names and ends at heads that another names, so a signature covers
each record in it, and none can be left out. Bodies of other rounds are withheld; their commitments keep the chain.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import msgspec

from controller.audit.evidence.errors import EvidenceError
from controller.journal.bodies import UNREADABLE, fact_of
from controller.journal.chain import data_hash, header_of, record_hash
from controller.journal.proof.checkpoint import StatementUnreadable, read_statement
from controller.journal.proof.export import opening_lines, record_line
from controller.journal.proof.keys import PublicKey
from controller.journal.reading import Reading
from controller.journal.record import Record, Stream
from controller.journal.seal import Head
from controller.journal.vault.vault import is_sealed
from controller.journal.view import Brief
from controller.table.words.inputs import CheckpointSigned

Place = tuple[Stream, int]
"""Stream and sequence of a record."""


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """One checkpoint. `sequence`: in DIAG; `order`, `heads`: what it names; `key`: its signer's id; `data`: its
    body."""

    sequence: int
    order: int
    heads: Mapping[Stream, Head]
    key: str
    data: bytes


class Gap(NamedTuple):
    """The stretch between two checkpoints. `begin` None: from the record's begin; `end` None: to its unsigned end."""

    begin: Checkpoint | None
    end: Checkpoint | None


class Checkpoints:
    """Finds the checkpoints of one record, from its end."""

    def __init__(self, view: Reading) -> None:
        self._coming = view.backwards(Stream.DIAG, (CheckpointSigned.kind,))
        self._seen: list[Checkpoint] = []

    def around(self, place: Place) -> Gap:
        """Returns the last checkpoint before a record, and the first that covers it. Raises `EvidenceError`,
        `JournalDamaged`."""
        stream, sequence = place
        end = None
        for checkpoint in self._backwards():
            if checkpoint.heads[stream].sequence < sequence:
                return Gap(checkpoint, end)
            end = checkpoint
        return Gap(None, end)

    def _backwards(self) -> Iterator[Checkpoint]:
        yield from self._seen
        for brief in self._coming:
            self._seen.append(_read(brief))
            yield self._seen[-1]


def _read(brief: Brief) -> Checkpoint:
    where = f"{Stream.DIAG.value}/{brief.sequence}"
    try:
        told = msgspec.json.decode(brief.data, type=CheckpointSigned)
        statement = read_statement(told.statement)
        heads = {stream: head for stream in Stream if (head := statement.head_of(stream)) is not None}
    except (*UNREADABLE, StatementUnreadable) as exc:
        raise EvidenceError(f"checkpoint {where} cannot be read: {exc}; see `tablewarden journal verify`") from exc
    if len(heads) < len(Stream):
        raise EvidenceError(f"checkpoint {where} does not name all streams; see `tablewarden journal verify`")
    return Checkpoint(brief.sequence, statement.order, heads, statement.key, brief.data)


def together(gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """Returns the gaps in order, once each, adjacent ones merged."""
    joined: list[Gap] = []
    for gap in sorted(set(gaps), key=lambda g: g.begin.order if g.begin else -1):
        if joined and joined[-1].end is not None and joined[-1].end is gap.begin:
            joined[-1] = Gap(joined[-1].begin, gap.end)
        else:
            joined.append(gap)
    return tuple(joined)


class Wanted(Protocol):
    """The wanted records. `later`: statements about the round after its end; `identity`: which table it was played
    at."""

    @property
    def round_id(self) -> str:
        """The round's id."""

    @property
    def later(self) -> frozenset[Place]:
        """The places of later records about the round."""

    @property
    def identity(self) -> frozenset[Place]:
        """The places of records that identify the table."""


class Stretches:
    """Cuts and proves stretches. `shown`, `withheld`: records with and without bodies.

    `loose`: records not covered by a checkpoint yet; `facts`: those about the round, in order.
    """

    def __init__(self, view: Reading, found: Wanted, keys: Sequence[PublicKey]) -> None:
        self._view, self._round = view, found.round_id
        self._places, self._later = found.later | found.identity, found.later
        self._keys = {key.id: key for key in keys}
        self.shown = self.withheld = self.loose = 0
        self.facts: list[Record] = []

    def count(self, gaps: Sequence[Gap]) -> int:
        """Returns how many records the stretches hold."""
        first, last = self._view.description.order_before, self._view.last()[1]
        return sum((g.end.order if g.end else last) - (g.begin.order if g.begin else first) for g in gaps)

    def lines(self, gaps: Sequence[Gap]) -> Iterator[str]:
        """Yields the lines. Raises `EvidenceError` for altered or wrongly signed records, `JournalDamaged`,
        `BodyUnreadable`."""
        for gap in gaps:
            yield from self._stretch(gap)

    def _stretch(self, gap: Gap) -> Iterator[str]:
        about = self._view.description
        begin = gap.begin.heads if gap.begin else self._view.anchors
        heads = {stream: Head(begin[stream].sequence, begin[stream].recordhash) for stream in Stream}
        yield from opening_lines(about, gap.begin.order if gap.begin else about.order_before, heads)
        for transaction in self._transactions(gap, heads):
            is_shown = self._concerns(transaction)
            for record in transaction:
                self._prove(record, heads)
                self.shown, self.withheld = self.shown + is_shown, self.withheld + (not is_shown)
                self.loose += gap.end is None
                self._note(record)
                yield record_line(about.id, record, is_withheld=not is_shown)
        if gap.end is not None:
            if dict(gap.end.heads) != heads:
                raise self._wrong(f"checkpoint diag/{gap.end.sequence} names other hashes than the record has")
            self._signed(gap.end)
            yield f"checkpoint\t{gap.end.data.decode()}\n"

    def _transactions(self, gap: Gap, heads: Mapping[Stream, Head]) -> Iterator[list[Record]]:
        """Yields each input with the facts decided from it."""
        last = gap.end.order if gap.end else self._view.last()[1]
        gathered: list[Record] = []
        for record in self._view.merged(Stream, {stream: head.sequence for stream, head in heads.items()}):
            if record.order > last:
                break
            if record.stream is Stream.INPUT and gathered:
                yield gathered
                gathered = []
            gathered.append(record)
        if gathered:
            yield gathered

    def _concerns(self, transaction: Sequence[Record]) -> bool:
        """Returns True unless the record belongs to another round and this one does not need it."""
        rounds = {record.round_id for record in transaction}
        return (
            self._round in rounds
            or rounds == {None}
            or transaction[0].kind == CheckpointSigned.kind
            or any((record.stream, record.sequence) in self._places for record in transaction)
        )

    def _note(self, record: Record) -> None:
        is_about = record.round_id == self._round or (record.stream, record.sequence) in self._later
        if record.stream is not Stream.INPUT and is_about:
            if not is_sealed(record):
                fact_of(record.stream, record)  # for what is said of it on the page
            self.facts.append(record)

    def _prove(self, record: Record, heads: dict[Stream, Head]) -> None:
        head, where = heads[record.stream], f"{record.stream.value}/{record.sequence}"
        header = header_of(self._view.description.id, record)
        right = (
            record.sequence == head.sequence + 1
            and data_hash(record.salt, record.data) == record.datahash
            and record_hash(head.recordhash, header, record.datahash) == record.recordhash
        )
        if not right:
            raise self._wrong(f"record {where} is not what was hashed")
        heads[record.stream] = Head(record.sequence, record.recordhash)
        if record.kind == CheckpointSigned.kind and record.stream is Stream.DIAG:
            self._signed(_read(Brief(record.sequence, "", 1, "", None, 0, record.data)))

    def _signed(self, checkpoint: Checkpoint) -> None:
        if not self._keys:
            return
        key, told = self._keys.get(checkpoint.key), msgspec.json.decode(checkpoint.data, type=CheckpointSigned)
        if key is None:
            raise EvidenceError(
                f"checkpoint diag/{checkpoint.sequence} is signed by key {checkpoint.key}; give its public half too "
                f"(--key, may be repeated), beside {', '.join(self._keys)}"
            )
        if not key.has_signed(_bytes(told.signature), told.statement.encode()):
            raise self._wrong(f"the signature of checkpoint diag/{checkpoint.sequence} is wrong")

    def _wrong(self, what: str) -> EvidenceError:
        return EvidenceError(
            f"{what}: `tablewarden journal verify` says what else is wrong; no evidence is taken from it"
        )


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""
