"""Finds a round's records: its own, later ones about it, and those that identify its table."""

from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

import msgspec

from controller.audit.evidence.chain_section import Checkpoint, Checkpoints, Gap, Place, together
from controller.audit.evidence.errors import EvidenceError
from controller.journal.bodies import body_of, fact_of
from controller.journal.day_state import NotCarried, closed_in
from controller.journal.reading import Reading
from controller.journal.record import Record, Stream
from controller.journal.view import Brief
from controller.readers.nearest import nearest
from controller.table.words import facts as f
from controller.table.words.codec import BODIES
from controller.table.words.facts import FACTS as KINDS
from controller.table.words.inputs import RecordDayClosed, ServiceStarted
from drivers.events import DeviceOnline, FirmwareMeasured
from drivers.protocol.records import dataclass

LATER = (f.ClearingAllowed.kind, f.AlarmSeen.kind, f.AlarmCleared.kind)
"""Kinds that name a dispute or an alarm and not the round that it is about."""
IDENTITY = (DeviceOnline.kind, FirmwareMeasured.kind)
NEWEST = 200
"""Rounds among which one is looked for that was meant by a name that is none."""


class Told(NamedTuple):
    """A record that describes the table. `id`: of the record; `body`: its JSON."""

    id: str
    kind: str
    subject: str
    body: msgspec.Raw


@dataclass(frozen=True, slots=True)
class Concern:
    """The records about a round. `started`: the start that decided it; `devices`: the newest identity of each
    device before it.

    `identity`: where both are; `later`: records that name its dispute or alarm; `gaps`: where all these lie.
    """

    round_id: str
    started: tuple[ServiceStarted, Told]
    devices: tuple[Told, ...]
    later: frozenset[Place]
    identity: frozenset[Place]
    gaps: tuple[Gap, ...]


def named(view: Reading, given: str) -> str:
    """Returns a round's id from its id or number."""
    is_number = given.isascii() and given.isdecimal()
    return f"{view.description.table}-{int(given)}" if is_number and len(given) < 16 else given


def begun(view: Reading, given: str) -> Record:
    """Returns a round's first record, by its id or number. Raises `EvidenceError` if there is none."""
    name = named(view, given)
    record = next(view.of_round(Stream.MAIN, name, (f.RoundBegun.kind,)), None)
    if record is None:
        raise EvidenceError(_unknown(view, name))
    return record


def concern(view: Reading, began: Record, alarms: Collection[str]) -> Concern:
    """Returns the records about a round. `alarms`: ids that stood in it. Raises `EvidenceError`, `JournalDamaged`."""
    name = began.round_id or ""
    own = {s: list(view.of_round(s, name, kinds)) for s, kinds in _KINDS.items()}
    checkpoints = Checkpoints(view)
    diag_before = _diag_before(view, checkpoints.around((Stream.MAIN, began.sequence)).begin, began)
    started, start_place = _started(view, began, diag_before)
    devices = list(_devices(view, diag_before, set(started.setup.devices) if started.setup else None))
    disputes = [r for r in own[Stream.MAIN] if r.kind == f.DisputeRaised.kind]
    about = {str(body_of(Stream.MAIN, r, dict[str, object])["dispute"]) for r in disputes}.union(alarms)
    later = frozenset((Stream.MAIN, sequence) for sequence in _later(view, about, began))
    identity = frozenset([start_place, *((Stream.DIAG, brief.sequence) for brief in devices)])
    everywhere = [*later, *identity, *((r.stream, r.sequence) for records in own.values() for r in records)]
    journal = view.description.id
    return Concern(
        name,
        (started, _told(journal, start_place, ServiceStarted.kind, "table", msgspec.json.encode(started))),
        tuple(_told(journal, (Stream.DIAG, b.sequence), b.kind, b.subject, b.data) for b in reversed(devices)),
        later,
        identity,
        together(checkpoints.around(place) for place in everywhere),
    )


_KINDS = {Stream.MAIN: tuple(KINDS), Stream.DIAG: tuple(KINDS), Stream.INPUT: tuple(BODIES)}


def _told(journal: str, place: Place, kind: str, subject: str, data: bytes) -> Told:
    return Told(f"{journal}-{place[0].value}-{place[1]}", kind, subject, msgspec.Raw(data))


def _unknown(view: Reading, name: str) -> str:
    newest = [b.round_id or "" for b in islice(view.backwards(Stream.MAIN, (f.RoundBegun.kind,)), NEWEST)]
    known = (
        f"the newest are {', '.join(newest[:3])}; {nearest(name, tuple(newest))}" if newest else "it holds none"
    )
    past = view.description.order_before
    pruned = (
        f"; what came before order {past} was pruned: bring its segments from the second place" if past else ""
    )
    return f"no round {name} began in this record: {known}{pruned}"


def _diag_before(view: Reading, begin: Checkpoint | None, began: Record) -> int:
    """Returns the last record of DIAG before the round."""
    heads = begin.heads if begin else view.anchors
    last = heads[Stream.DIAG].sequence
    for record in view.merged((Stream.DIAG,), {Stream.DIAG: last}):
        if record.order > began.order:
            break
        last = record.sequence
    return last


def _started(view: Reading, began: Record, diag_before: int) -> tuple[ServiceStarted, Place]:
    """Returns the last start before the round; if it was pruned, as the day's closing before names it."""
    closing = view.closing(lambda brief: brief.sequence <= diag_before)
    try:
        after = closed_in(closing).boundary.end.heads[Stream.MAIN].sequence if closing else 0
    except NotCarried as exc:
        raise EvidenceError(f"{exc}; `tablewarden journal verify` says more") from exc
    starts = view.backwards(Stream.MAIN, (ServiceStarted.kind,), before=began.sequence, after=after)
    start = next(starts, None)
    if start is not None:
        event = fact_of(Stream.MAIN, start).event
        assert isinstance(event, ServiceStarted)
        return event, (Stream.MAIN, start.sequence)
    if closing is not None:
        return body_of(Stream.DIAG, closing, RecordDayClosed).started, (Stream.DIAG, closing.sequence)
    raise EvidenceError("no start before this round is in this record, so nothing says which table it was")


def _devices(view: Reading, diag_before: int, names: set[str] | None) -> list[Brief]:
    """Returns the newest record of each device and kind."""
    found: dict[tuple[str, str], Brief] = {}
    for brief in view.backwards(Stream.DIAG, IDENTITY, before=diag_before + 1):
        body_of(Stream.DIAG, brief, dict[str, object])  # it is told as it stands there
        found.setdefault((brief.subject, brief.kind), brief)
        heard = {subject for subject, kind in found if kind == DeviceOnline.kind}
        if names is not None and heard >= names:
            break
    return list(found.values())


def _later(view: Reading, names: Collection[str], began: Record) -> Iterator[int]:
    """Returns later records about these disputes and alarms."""
    if not names:
        return
    for brief in view.backwards(Stream.MAIN, LATER, after=began.sequence):
        body = body_of(Stream.MAIN, brief, dict[str, object])
        if (body.get("dispute") or body.get("alarm")) in names:
            yield brief.sequence
