"""Recomputes the hashes of one event from what came, by the rules of docs/record.md, and names what does not fit.

Pure. `chains.py` follows the events of many tables with it.
"""

from enum import StrEnum
from hashlib import sha256

import msgspec

from controller.backoffice.envelope import Event
from controller.journal.chain import data_hash, header_bytes, record_hash
from controller.table.words.codec import WITHHELD
from controller.table.words.inputs import RoundOpened
from controller.text.codes.findings import FINDINGS
from drivers.protocol.records import dataclass


class Code(StrEnum):
    """The stable words of what a back office finds; `controller/text/codes/findings.py` says what to do."""

    UNREADABLE = "message_unreadable"
    CHANGED = "event_changed"
    BODY_MISSING = "body_missing"
    OPEN_KEY = "open_key_wrong"
    FOREIGN = "table_foreign"
    NEW_JOURNAL = "journal_new"
    FORK = "chain_forked"
    GAP = "numbers_missing"
    TAIL = "tail_missing"
    SIGNATURE = "signature_wrong"
    KEY_UNKNOWN = "key_unknown"


FATAL = frozenset({Code.UNREADABLE, Code.CHANGED, Code.FOREIGN, Code.FORK})
"""What keeps an event from being taken for one of this table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is not as the table published it. Empty or 0: not known. `first`, `last`: numbers of events."""

    code: Code
    detail: str = ""
    source: str = ""
    journal: str = ""
    stream: str = ""
    first: int = 0
    last: int = 0

    @property
    def says(self) -> str:
        """The finding in words, with what to do."""
        meaning, remedy = FINDINGS[self.code]
        numbers = f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"
        place = f"{self.stream}/{numbers}" if self.first else self.stream
        where = " ".join(part for part in (self.source, self.journal, place) if part)
        return f"{where}: {meaning.removesuffix('.')}{f' ({self.detail})' if self.detail else ''}. {remedy}"


@dataclass(frozen=True, slots=True)
class Hashes:
    """What an event's own content hashes to."""

    header: bytes
    datahash: bytes
    recordhash: bytes


def header_of(event: Event) -> bytes:
    """Returns the header bytes of the event's record; a published record has no `origin`."""
    e = event.envelope
    columns = (
        event.kind, event.version, e.subject, None if e.roundid is msgspec.UNSET else e.roundid,
        None if e.cause is msgspec.UNSET else e.cause, event.time_us, event.recorded_us, e.monons, e.bootid, e.clockstate,
    )  # fmt: skip
    return header_bytes(e.journal, e.stream, event.sequence, e.order, columns, None)


def recomputed(event: Event) -> Hashes:
    """Returns the hashes by the event's content; a withheld body is represented by the `datahash` that came."""
    datahash = data_hash(event.salt, event.data) if event.data else event.datahash
    header = header_of(event)
    return Hashes(header, datahash, record_hash(event.prevhash, header, datahash))


def look_at(event: Event) -> tuple[Finding, ...]:
    """Returns what is wrong with one event by itself; nothing for one whose content hashes to its `recordhash`."""

    def found(code: Code, detail: str) -> Finding:
        e = event.envelope
        return Finding(
            code=code, detail=detail, source=e.source, journal=e.journal, stream=e.stream, first=event.sequence,
            last=event.sequence,
        )  # fmt: skip

    if recomputed(event).recordhash != event.recordhash:
        return (found(Code.CHANGED, "its content does not hash to its recordhash"),)
    findings = []
    if not event.data and event.kind not in WITHHELD:
        findings.append(found(Code.BODY_MISSING, f"tables publish the body of {event.kind}"))
    if event.envelope.openkeys and (wrong := _wrong_key(event, event.envelope.openkeys)):
        findings.append(found(Code.OPEN_KEY, wrong))
    return tuple(findings)


def _wrong_key(event: Event, keys: dict[str, str]) -> str:
    """Returns why a key is not one that this `round_opened` opened; "" if each is."""
    try:
        told = msgspec.json.decode(event.data, type=RoundOpened).keys if event.kind == RoundOpened.kind else ()
        for name, key in keys.items():
            if name not in told or sha256(b"tablewarden round key" + bytes.fromhex(key)).hexdigest() != name:
                return f"{name[:16]} was not opened by this event, or has another key"
    except (msgspec.MsgspecError, ValueError) as exc:
        return str(exc)
    return ""
