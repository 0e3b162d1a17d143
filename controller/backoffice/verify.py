"""Proves from a store and public keys alone that a span of any number of tables is complete and as it was published.

Table after table, both streams side by side in the table's own order: the memory it takes hangs neither on the span nor on the
number of tables. Every column that a row has beside the event's text is compared with that text.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from heapq import merge
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from controller.backoffice.chains import Verifier
from controller.backoffice.envelope import Event
from controller.backoffice.proof import Code, Finding
from controller.backoffice.store.reading import Reading, Row, journals
from controller.journal.proof.checkpoint import read_statement
from controller.journal.proof.keys import PublicKey
from controller.journal.record import FACTS
from controller.table.words.inputs import CheckpointSigned
from controller.text.codes.findings import FINDINGS
from drivers.protocol.records import dataclass

COLUMNS = (
    "day", "type", "kind", "version", "subject", "round_id", "cause", "time", "recorded", "mono_ns", "boot", "clock", "ord",
    "prevhash", "recordhash", "datahash", "salt", "withheld",
)  # fmt: skip
"""Columns of `event` that say again what stands in `body`."""
MOST_UNSIGNED = 2000
"""Records in a row without a checkpoint: a table signs after 1,000 at most, and at the end of each round."""
MOST_NAMED = 100
"""Findings kept of one table; the rest is counted."""
LAST_DAY = "9999-12-31"
FIRST_DAY = "0001-01-01"
STREAMS = tuple(stream.value for stream in FACTS)


class Grade(StrEnum):
    """How much a finding weighs, the worst first."""

    WRONG = "wrong"  # not as it was published, or missing
    PARTIAL = "partial"  # named by the table itself, or not to be proven with what was given
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Hole:
    """One thing that keeps a span from being proven, in words."""

    grade: Grade
    code: str
    text: str


@dataclass(slots=True)
class Proof:
    """What was found about one journal of one table. `unsigned`: events after the newest checkpoint that proves."""

    source: str
    journal: str
    events: int = 0
    first: str = ""
    last: str = ""
    checkpoints: int = 0
    unsigned: int = 0
    holes: list[Hole] = field(default_factory=list)
    unnamed: int = 0
    wrong: int = 0
    partial: int = 0

    def add(self, grade: Grade, code: str, text: str) -> None:
        """Notes a finding."""
        self.wrong += grade is Grade.WRONG
        self.partial += grade is Grade.PARTIAL
        if len(self.holes) < MOST_NAMED:
            self.holes.append(Hole(grade, code, text.encode("utf-8", "backslashreplace").decode()))
        else:
            self.unnamed += 1


def keys_in(folder: Path) -> dict[str, list[PublicKey]]:
    """Returns the public keys of tables, by source: files `SITE_TABLE.pub`; a second key is `SITE_TABLE.2.pub`.

    Raises `KeyUnusable` for a file that holds no public key.
    """
    found: dict[str, list[PublicKey]] = {}
    for path in sorted(folder.glob("*.pub")):
        site, _, table = path.name.split(".")[0].partition("_")
        found.setdefault(f"urn:tablewarden:{site}:{table}", []).append(PublicKey.load(path))
    return found


def proofs(
    store: Reading,
    keys: Mapping[str, Sequence[PublicKey]],
    tables: Sequence[str] = (),
    since: str = FIRST_DAY,
    until: str = LAST_DAY,
    progress: Callable[[int], object] = lambda _: None,
) -> Iterator[Proof]:
    """Yields one proof a journal. `tables`: sources, none = all; `since`, `until`: days (UTC), both included.

    Raises `StoreUnreachable`.
    """
    seen = set()
    for source, found in groupby(journals(store, tables), key=lambda at: at[0]):
        seen.add(source)
        table = _Table(store, source, keys.get(source, ()), since, until, progress)
        for _, journal in found:
            proof = table.prove(journal)
            if proof.events or proof.wrong:
                yield proof
    for source in sorted({*(tables or keys), *heard(store, tables)} - seen):
        proof = Proof(source, "")
        proof.add(Grade.PARTIAL, "nothing_stored", "no event of this table is stored")
        yield proof


def heard(store: Reading, tables: Sequence[str]) -> set[str]:
    """Returns the tables that were heard, whether anything of them is stored or not."""
    return {source for (source,) in store.rows("SELECT source FROM table_seen") if not tables or source in tables}


class _Table:
    """One table in a store."""

    def __init__(
        self,
        store: Reading,
        source: str,
        keys: Sequence[PublicKey],
        since: str,
        until: str,
        progress: Callable[[int], object],
    ) -> None:
        self._store, self._source, self._keys = store, source, keys
        self._since, self._until, self._progress = since, until, progress
        self._verifier = Verifier({source: keys}, self._known)

    def _known(self, journal: str, stream: str, sequence: int) -> bytes | None:
        at = (self._source, journal, stream, sequence)
        row = self._store.first(_of_stream("recordhash", "AND sequence = ?"), *at)
        return row[0] if row else None

    def prove(self, journal: str) -> Proof:
        """Returns the proof of one journal."""
        proof = Proof(self._source, journal)
        self._newest = self._signed = self._before = 0
        self._top: dict[str, int] = {}
        self._goes_on: set[str] = set()
        begins = {stream: self._begin(proof, journal, stream) for stream in STREAMS}
        newest = self._last_order(journal)
        pending = list(reversed(self._checkpoints(journal)))
        ends_at = next((order for order, *_ in reversed(pending) if order >= newest), 0)
        for row in merge(
            *(self._rows(journal, stream, ends_at) for stream in STREAMS), key=lambda row: row[1] or 0
        ):
            while pending and pending[-1][0] < (row[1] or 0):
                self._checkpoint(proof, *pending.pop())
            self._row(proof, row)
        while pending and (pending[-1][0] <= max(ends_at, self._newest) or not self._goes_on):
            self._checkpoint(proof, *pending.pop())
        self._ends(proof, journal, begins)
        if proof.events:
            self._unsigned(proof)
        return proof

    # -- where it begins and ends ---------------------------------------------------------------------------------------

    def _begin(self, proof: Proof, journal: str, stream: str) -> int:
        """Returns the first number that must be here. The event before it is looked at, too: the chain continues from it."""
        at = (self._source, journal, stream, self._since)
        before = self._store.first(_of_stream(_SELECTED, "AND day < ? ORDER BY sequence DESC LIMIT 1"), *at)
        if before is not None:
            self._before = max(self._before, before[1] or 0)
            self._row(proof, before)
            return int(before[2]) + 1
        pruned = self._store.first("SELECT before FROM retention WHERE class = ?", stream)
        first = self._store.first(_of_stream("sequence, day", "ORDER BY sequence LIMIT 1"), *at[:3])
        if pruned is not None and first is not None and first[0] > 1:
            proof.add(
                Grade.NOTE, "pruned", f"{stream} begins at {first[0]}: days before {pruned[0]} were pruned here"
            )
            return int(first[0])
        return 1

    def _last_order(self, journal: str) -> int:
        """Returns the order of the newest event of the span."""
        newest = 0
        for stream in STREAMS:
            row = self._store.first(
                _of_stream("ord", "AND day <= ? ORDER BY sequence DESC LIMIT 1"),
                self._source, journal, stream, self._until,
            )  # fmt: skip
            newest = max(newest, (row[0] or 0) if row else 0)
        return newest

    def _rows(self, journal: str, stream: str, ends_at: int) -> Iterator[Row]:
        """Yields the events of the span, those behind it that its last checkpoint covers, and one more: so a cut is seen."""
        at = (self._source, journal, stream, self._since)
        for row in self._store.rows(_of_stream(_SELECTED, "AND day >= ? ORDER BY sequence"), *at):
            yield row
            if row[4] > self._until and (row[1] or 0) > ends_at:
                self._goes_on.add(stream)
                return

    def _ends(self, proof: Proof, journal: str, begins: Mapping[str, int]) -> None:
        """Names what is missing at the beginning, between and at the end; a part that the table declares is partial."""
        heads = {stream: head for stream in STREAMS if (head := self._head(journal, stream))}
        if self._until == LAST_DAY and heads:
            self._verifier.hear(self._source, msgspec.json.encode({"journal": journal, "heads": heads}))
        for stream in STREAMS:
            if (chain := self._verifier.chains.get((journal, stream))) is not None:
                chain.seen.begin = begins[stream]
        for hole in self._verifier.missing(self._source):
            is_behind = hole.code is Code.TAIL and hole.stream in self._goes_on
            if hole.journal == journal and not is_behind:
                self._hole(proof, hole, self._declared(journal, hole.stream))

    def _declared(self, journal: str, stream: str) -> list[tuple[int, int, str]]:
        at = (self._source, journal, stream)
        return sorted(self._store.rows(_of_stream("first, last, reason", "AND withdrawn IS NULL", "parked"), *at))

    def _head(self, journal: str, stream: str) -> int:
        """Returns the number that the table named last and that a second message has outlived; 0 = none."""
        at = (self._source, journal, stream)
        row = self._store.first(
            "SELECT p.head FROM stream_position p JOIN table_seen t ON t.source = p.source "
            "WHERE p.source = ? AND p.journal = ? AND p.stream = ? AND p.head_time < t.heard", *at
        )  # fmt: skip
        return int(row[0]) if row else 0

    def _hole(self, proof: Proof, hole: Finding, declared: Sequence[tuple[int, int, str]]) -> None:
        """Names the declared parts of a hole and the rest of it apart."""
        at = hole.first
        for begins, ends, reason in declared:
            first, last = max(begins, at), min(ends, hole.last)
            if first <= last:
                if at < first:
                    self._missing(proof, hole, at, first - 1)
                numbers = f"{hole.stream}/{first}..{last}"
                proof.add(
                    Grade.PARTIAL,
                    "declared",
                    f"{numbers}: the table declares this hole ({reason}); its record has them",
                )
                at = last + 1
        if at <= hole.last:
            self._missing(proof, hole, at, hole.last)

    def _missing(self, proof: Proof, hole: Finding, first: int, last: int) -> None:
        code = "tail" if hole.code is Code.TAIL else "gap"
        what = "the table has named more than is stored" if code == "tail" else "missing"
        proof.add(Grade.WRONG, code, f"{hole.stream}/{first}..{last}: {what}")

    # -- one event, one checkpoint ------------------------------------------------------------------------------------------

    def _row(self, proof: Proof, row: Row) -> None:
        stream, _, sequence, body, *columns = row
        self._progress(1)
        taken = self._verifier.take(body.encode("utf-8", "surrogateescape"), self._source)
        self._found(proof, taken.findings, f"{stream}/{sequence}")
        if taken.event is None:
            return
        e = taken.event.envelope
        if self._since <= e.recordedtime[:10] <= self._until:
            proof.events += 1
            self._newest = max(self._newest, e.order)
            self._top[stream] = max(self._top.get(stream, 0), sequence)
            proof.first = proof.first or e.recordedtime
            proof.last = e.recordedtime
        here = (self._source, proof.journal, stream, sequence, *columns)
        told = (e.source, e.journal, e.stream, taken.event.sequence, *columns_of(taken.event))
        if here != told:
            wrong = [name for name, is_, was in zip(_ALL_COLUMNS, here, told, strict=True) if is_ != was]
            text = f"{stream}/{sequence}: the text of the event says otherwise than the columns {', '.join(wrong)}"
            proof.add(Grade.WRONG, "row_changed", text)
        if taken.is_new and taken.event.kind == CheckpointSigned.kind and not _UNSIGNED & _codes(taken.findings):
            self._signed_through(proof, _order_in(taken.event.data))

    def _found(self, proof: Proof, findings: Sequence[Finding], place: str) -> None:
        """Notes what the verifier found; gaps are named at the end, where it is known which of them were filled."""
        for one in findings:
            is_expected = one.code is Code.GAP or (one.code is Code.KEY_UNKNOWN and not self._keys)
            if not is_expected:
                grade = Grade.NOTE if one.code is Code.NEW_JOURNAL else Grade.WRONG
                proof.add(grade, one.code.value, f"{place}: {FINDINGS[one.code][0]} {one.detail}".rstrip())

    def _checkpoints(self, journal: str) -> list[tuple[int, str, str]]:
        """Returns order, statement and signature of each checkpoint that was received, in order."""
        return list(
            self._store.rows(
                "SELECT ord, statement, signature FROM checkpoint WHERE source = ? AND journal = ? AND ord >= ? ORDER BY ord",
                self._source, journal, self._before,
            )
        )  # fmt: skip

    def _checkpoint(self, proof: Proof, order: int, statement: str, signature: str) -> None:
        """Takes a checkpoint that was received beside the events, as with a birth."""
        body = {"checkpoint": {"statement": statement, "signature": signature}}
        findings = self._verifier.hear(self._source, msgspec.json.encode(body))
        self._found(proof, findings, f"checkpoint at order {order}")
        if not _UNSIGNED & _codes(findings):
            self._signed_through(proof, order)

    def _signed_through(self, proof: Proof, order: int) -> None:
        """Notes a proven checkpoint; names the stretch before it if it is too long for a table that signs."""
        if self._signed and order - self._signed > MOST_UNSIGNED:
            text = f"no checkpoint between order {self._signed} and {order}"
            proof.add(Grade.WRONG, "checkpoint_missing", text)
        if order > self._signed:
            self._signed = order
            proof.checkpoints += 1

    def _unsigned(self, proof: Proof) -> None:
        """Says what no checkpoint covers."""
        chains = self._verifier.chains
        proof.unsigned = sum(
            max(0, top - chain.signed)
            for stream, top in self._top.items()
            if (chain := chains.get((proof.journal, stream)))
        )
        if not self._keys:
            proof.add(
                Grade.PARTIAL,
                "no_key",
                "no public key of this table was given: chained, and signed by nobody known",
            )
        elif not proof.checkpoints:
            proof.add(Grade.WRONG, "checkpoint_missing", "no checkpoint by this table's key covers these events")
        elif self._newest - self._signed > MOST_UNSIGNED:
            proof.add(Grade.WRONG, "checkpoint_missing", f"no checkpoint after order {self._signed}")
        elif proof.unsigned:
            text = f"events after the newest checkpoint, chained and not signed yet: {proof.unsigned}"
            proof.add(Grade.NOTE, "tail_unsigned", text)


def _codes(findings: Sequence[Finding]) -> set[Code]:
    return {one.code for one in findings}


def _order_in(data: bytes | None) -> int:
    """Returns the order that the statement of a checkpoint names."""
    return read_statement(msgspec.json.decode(data or b"", type=CheckpointSigned).statement).order


def _of_stream(columns: str, more: str, table: str = "event") -> str:
    return f"SELECT {columns} FROM {table} WHERE source = ? AND journal = ? AND stream = ? {more}"  # noqa: S608  # literals


def columns_of(event: Event) -> tuple[Any, ...]:
    """Returns what a row says beside the text of the event, in the order of `COLUMNS`."""
    e = event.envelope
    return (
        e.recordedtime[:10], e.type, event.kind, event.version, e.subject, e.roundid or None, e.cause or None, e.time,
        e.recordedtime, e.monons, e.bootid, e.clockstate, e.order, event.prevhash, event.recordhash,
        event.datahash or None, event.salt or None, e.withheld is True,
    )  # fmt: skip


_UNSIGNED = {Code.SIGNATURE, Code.KEY_UNKNOWN, Code.FOREIGN, Code.UNREADABLE, Code.CHANGED}
_SELECTED = f"stream, ord, sequence, body, {', '.join(COLUMNS)}"
_ALL_COLUMNS = ("source", "journal", "stream", "sequence", *COLUMNS)
