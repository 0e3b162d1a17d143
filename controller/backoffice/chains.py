"""Follows the chains of many tables, and names each gap, fork, cut tail, foreign message and wrong signature.

Pure: the caller brings the messages and the tables' public keys, and knows the time. It keeps the hashes of the newest
events of each chain; `known` finds older ones in a store.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

import msgspec
from msgspec import Struct

from controller.backoffice.envelope import EnvelopeUnreadable, Event, read
from controller.backoffice.numbers import Numbers
from controller.backoffice.proof import FATAL, Code, Finding, look_at
from controller.clock import microseconds
from controller.journal.chain import FORMAT, genesis_hash
from controller.journal.proof.checkpoint import StatementUnreadable, read_statement
from controller.journal.proof.keys import PublicKey
from controller.journal.record import FACTS
from controller.table.words.inputs import CheckpointSigned, SigningKeyChanged
from drivers.protocol.records import dataclass

KEPT = 20_000
"""Hashes kept of each chain at the least: more than a table sends again after a reconnect."""

Known = Callable[[str, str, int], bytes | None]
"""`known(journal, stream, sequence)`: the recordhash of an event that was stored earlier, or None."""


@dataclass(slots=True)
class Chain:
    """One stream of one journal. `told`: the newest number that any message named; `signed`: that a signature named.

    `hashes`: recordhash by number, of events and of what other events and signatures say of their neighbours.
    """

    seen: Numbers = field(default_factory=Numbers)
    hashes: dict[int, bytes] = field(default_factory=dict)
    told: int = 0
    signed: int = 0
    declared: Numbers = field(default_factory=Numbers)

    @property
    def proven(self) -> int:
        """The number through which, without a gap, a signature covers all events that came; 0 = none."""
        return min(self.seen.through, self.signed)

    def keep(self, sequence: int, recordhash: bytes) -> None:
        """Notes a hash, and forgets the oldest ones now and then."""
        self.hashes[sequence] = recordhash
        if len(self.hashes) > 2 * KEPT:
            for old in sorted(self.hashes)[:-KEPT]:
                del self.hashes[old]


@dataclass(slots=True)
class Table:
    """One table. `keys`: by id, those that may sign; `journals`: oldest first; `vendor`: front of its event types."""

    keys: dict[str, PublicKey]
    journals: list[str] = field(default_factory=list)
    vendor: str = ""


@dataclass(frozen=True, slots=True)
class Taken:
    """The answer to one message. `event`: None if unreadable; `is_new`: to be stored, as its number came first now."""

    event: Event | None
    is_new: bool
    findings: tuple[Finding, ...] = ()


class _Checkpoint(Struct, frozen=True):
    statement: str
    signature: str


class _Said(Struct, frozen=True):
    """The part of a message on `conn` or `tele/heartbeat` that proves something."""

    journal: str = ""
    created: str = ""
    heads: dict[str, int] = {}
    parked: dict[str, list[tuple[int, int]]] = {}
    checkpoint: _Checkpoint | None = None


class _Naming(Struct, frozen=True):
    """The statement by which a key names the next one (docs/record.md)."""

    what: str
    format: int
    journal: str
    site: str
    table: str
    key: str
    next: str
    next_public: str


class Verifier:
    """Follows every table whose messages it is given. `keys`: by source, the public keys of the table."""

    def __init__(self, keys: Mapping[str, Iterable[PublicKey]], known: Known = lambda *_: None) -> None:
        self.tables = {source: Table({key.id: key for key in own}) for source, own in keys.items()}
        self.chains: dict[tuple[str, str], Chain] = {}
        self._known = known
        self._owner: dict[str, str] = {}  # journal -> source

    def expect(self, source: str, journal: str, stream: str, begin: int) -> None:
        """Says from which number on events of this stream must come; otherwise from the first that comes or is named."""
        self._belongs(source, journal)
        self._chain(journal, stream).seen.begin = begin

    def resume(self, source: str, journal: str, stream: str, have: Sequence[tuple[int, int]], head: bytes) -> None:
        """Goes on where a store ends. `have`: ranges of stored numbers, both ends included; `head`: newest recordhash."""
        self._belongs(source, journal)
        chain = self._chain(journal, stream)
        for first, last in have:
            chain.seen.add(first, last)
        chain.told = max(chain.told, chain.seen.top)
        if chain.seen.top:
            chain.keep(chain.seen.top, head)

    def take(self, text: bytes, source: str = "") -> Taken:
        """Takes the payload of an event. `source`: the table whose topic it came on, "" = not known."""
        try:
            event = read(text)
        except EnvelopeUnreadable as exc:
            return Taken(None, False, (Finding(code=Code.UNREADABLE, detail=str(exc), source=source),))
        e = event.envelope
        findings = [*look_at(event)]
        findings += self._origin(event, source)
        if any(finding.code in FATAL for finding in findings):
            return Taken(event, False, tuple(findings))
        chain = self._chain(e.journal, e.stream)
        if (fork := self._contradicts(chain, event)) is not None:
            return Taken(event, False, (*findings, fork))
        is_new = event.sequence not in chain.seen
        if is_new:
            findings += self._note(chain, event)
            findings += self._statements(event)
        return Taken(event, is_new, tuple(findings))

    def hear(self, source: str, text: bytes) -> tuple[Finding, ...]:
        """Takes a message on `conn` or `tele/heartbeat` of a table."""
        try:
            said = msgspec.json.decode(text, type=_Said)
            created_us = microseconds(said.created) if said.created else None
        except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError) as exc:
            return (Finding(code=Code.UNREADABLE, detail=str(exc), source=source),)
        findings = [*self._belongs(source, said.journal)] if said.journal else []
        if not any(finding.code in FATAL for finding in findings):
            for stream in FACTS if said.journal else ():
                chain = self._chain(said.journal, stream)
                self._hear_head(chain, said.heads.get(stream, 0))
                if stream in said.parked:
                    chain.declared = Numbers(one for one in said.parked[stream] if 0 < one[0] <= one[1])
                if created_us is not None:
                    site, table = _place(source)
                    first = genesis_hash(said.journal, site, table, created_us, stream)
                    findings += self._claim(source, said.journal, stream, 0, first, "the birth of the table")
        if said.checkpoint is not None:
            findings += self._checkpoint(source, "", said.checkpoint.statement, said.checkpoint.signature)
        return tuple(findings)

    def missing(self, source: str = "") -> Iterator[Finding]:
        """Yields what is missing now: holes, and what is behind the newest event. The caller gives it its time.

        `detail` says where a hole was declared by a heartbeat; a heartbeat is not signed.
        """
        for (journal, stream), chain in self.chains.items():
            owner = self._owner.get(journal, "")
            if source in ("", owner):
                for first, last in chain.seen.missing(max(chain.told, chain.signed)):
                    yield Finding(
                        code=Code.GAP if last < chain.seen.top else Code.TAIL,
                        detail="declared in the heartbeat" if chain.declared.has(first, last) else "",
                        source=owner, journal=journal, stream=stream, first=first, last=last,
                    )  # fmt: skip

    # -- one event --------------------------------------------------------------------------------------------------

    def _origin(self, event: Event, source: str) -> list[Finding]:
        """Returns what is wrong with the table, the journal or the vendor that an event names."""
        e = event.envelope
        if source and e.source != source:
            detail = f"it came on the topic of {source}"
            return [Finding(code=Code.FOREIGN, detail=detail, source=e.source, journal=e.journal, stream=e.stream)]
        findings = self._belongs(e.source, e.journal)
        if (table := self.tables.get(e.source)) is not None:
            table.vendor = table.vendor or event.vendor
            if table.vendor != event.vendor:
                detail = f"its type begins with {event.vendor!r} instead of {table.vendor!r}"
                findings.append(
                    Finding(code=Code.CHANGED, detail=detail, source=e.source, journal=e.journal, stream=e.stream)
                )
        return findings

    def _belongs(self, source: str, journal: str) -> list[Finding]:
        """Returns a finding where this journal is not known as one of this table."""
        table = self.tables.get(source)
        owner = self._owner.get(journal, source)
        if table is None or owner != source:
            detail = "no table of this name is expected" if table is None else f"this journal is one of {owner}"
            return [Finding(code=Code.FOREIGN, detail=detail, source=source, journal=journal)]
        self._owner[journal] = source
        if journal in table.journals:
            return []
        table.journals.append(journal)
        if len(table.journals) == 1:
            return []
        detail = f"before it wrote {table.journals[-2]}"
        return [Finding(code=Code.NEW_JOURNAL, detail=detail, source=source, journal=journal)]

    def _contradicts(self, chain: Chain, event: Event) -> Finding | None:
        """Returns the fork where a neighbour, a signature or an earlier copy says otherwise."""
        e, number = event.envelope, event.sequence
        if (
            number == chain.seen.top + 1
            and number not in chain.hashes
            and chain.hashes.get(number - 1) == event.prevhash
        ):
            return None  # nearly always
        for at, recordhash, what in (
            (number, event.recordhash, "recordhash"),
            (number - 1, event.prevhash, "prevhash"),
        ):
            before = self._hash(chain, e.journal, e.stream, at)
            if before not in (None, recordhash):
                return Finding(
                    code=Code.FORK, detail=f"its {what} is not that of {e.stream}/{at}", source=e.source,
                    journal=e.journal, stream=e.stream, first=number, last=number,
                )  # fmt: skip
        return None

    def _hash(self, chain: Chain, journal: str, stream: str, sequence: int) -> bytes | None:
        found = chain.hashes.get(sequence)
        return found if found is not None or sequence not in chain.seen else self._known(journal, stream, sequence)

    def _note(self, chain: Chain, event: Event) -> list[Finding]:
        """Keeps a new event's hashes; returns the gap that it opens."""
        e, number, top = event.envelope, event.sequence, chain.seen.top
        chain.keep(number, event.recordhash)
        chain.hashes.setdefault(number - 1, event.prevhash)
        chain.told = max(chain.told, number)
        chain.seen.add(number, number)
        if not top or number <= top + 1:
            return []
        return [
            Finding(
                code=Code.GAP, source=e.source, journal=e.journal, stream=e.stream, first=top + 1, last=number - 1
            )
        ]

    # -- signatures -------------------------------------------------------------------------------------------------

    def _statements(self, event: Event) -> list[Finding]:
        """Takes what an event says under a signature: a checkpoint, or the name of the next key."""
        e = event.envelope
        if not event.data or event.kind not in (CheckpointSigned.kind, SigningKeyChanged.kind):
            return []
        try:
            told = msgspec.json.decode(event.data, type=_Checkpoint)
        except (
            msgspec.MsgspecError
        ) as exc:  # a start with another key that nobody has named says so in no statement
            return [] if event.kind == SigningKeyChanged.kind else [_unsigned(e.source, e.journal, str(exc))]
        if event.kind == SigningKeyChanged.kind:
            return self._next_key(e.source, told) if told.statement else []
        return self._checkpoint(e.source, e.journal, told.statement, told.signature)

    def _checkpoint(self, source: str, journal: str, text: str, signature: str) -> list[Finding]:
        """Takes a signed statement of heads. `journal`: the one in which it is recorded, "" = none."""
        try:
            statement = read_statement(text)
            signed = bytes.fromhex(signature)
        except (StatementUnreadable, ValueError) as exc:
            return [_unsigned(source, journal, str(exc))]
        table = self.tables.get(source)
        key = table.keys.get(statement.key) if table else None
        if table is None or key is None:
            return [Finding(code=Code.KEY_UNKNOWN, detail=f"key {statement.key}", source=source, journal=journal)]
        if not key.has_signed(signed, text.encode()):
            return [_unsigned(source, journal, f"key {statement.key}")]
        if (statement.site, statement.table) != _place(source) or journal not in ("", statement.journal):
            detail = f"its checkpoint is of {statement.site} {statement.table}, journal {statement.journal}"
            return [Finding(code=Code.FOREIGN, detail=detail, source=source, journal=journal)]
        findings = self._belongs(source, statement.journal)
        for stream in FACTS if not any(finding.code in FATAL for finding in findings) else ():
            if (head := statement.head_of(stream)) is not None:
                by = f"the checkpoint at order {statement.order}"
                findings += self._claim(source, statement.journal, stream, head.sequence, head.recordhash, by)
                chain = self._chain(statement.journal, stream)
                chain.signed = max(chain.signed, head.sequence)
                self._hear_head(chain, head.sequence)
        return findings

    def _claim(
        self, source: str, journal: str, stream: str, sequence: int, recordhash: bytes, by: str
    ) -> list[Finding]:
        """Compares a hash that was named with the event of this number; keeps it for an event that is still to come."""
        chain = self._chain(journal, stream)
        before = self._hash(chain, journal, stream, sequence)
        if before is None:
            chain.keep(sequence, recordhash)
        if before in (None, recordhash):
            return []
        detail = f"{by} names another hash of {stream}/{sequence}"
        return [
            Finding(
                code=Code.FORK, detail=detail, source=source, journal=journal, stream=stream, first=sequence,
                last=sequence,
            )
        ]  # fmt: skip

    def _next_key(self, source: str, told: _Checkpoint) -> list[Finding]:
        """Trusts a key that a trusted key of the table has named."""
        table = self.tables[source]
        try:
            naming = msgspec.json.decode(told.statement, type=_Naming)
            key, following = table.keys.get(naming.key), PublicKey.of(bytes.fromhex(naming.next_public))
            is_signed = key is not None and key.has_signed(bytes.fromhex(told.signature), told.statement.encode())
        except (msgspec.MsgspecError, ValueError) as exc:
            return [_unsigned(source, "", str(exc))]
        is_ours = (naming.what, naming.format) == ("tablewarden key", FORMAT)
        if not is_signed or not is_ours or (naming.site, naming.table) != _place(source):
            return [_unsigned(source, naming.journal, f"key {naming.key} names key {naming.next}")]
        table.keys[following.id] = following
        return []

    def _hear_head(self, chain: Chain, head: int) -> None:
        """Notes the newest number that somebody named. The first one, before any event, is where this side begins."""
        if not chain.seen.begin:
            chain.seen.begin = head + 1
        chain.told = max(chain.told, head)

    def _chain(self, journal: str, stream: str) -> Chain:
        return self.chains.setdefault((journal, stream), Chain())


def _unsigned(source: str, journal: str, detail: str) -> Finding:
    return Finding(code=Code.SIGNATURE, detail=detail, source=source, journal=journal)


def _place(source: str) -> tuple[str, str]:
    """Returns site and table of a source."""
    parts = source.split(":")
    return (parts[2], parts[3]) if len(parts) == 4 else ("", "")
