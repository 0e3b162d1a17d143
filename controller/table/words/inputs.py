"""What enters the core: a device's report, a finding of a session, a person's act, or news of the service itself."""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct, field

from controller.games.settling.meters import MeterTerms
from controller.rules.vocabulary import Role
from controller.table.words.acts import Act
from controller.table.words.back_office_news import BackOfficeNews
from controller.table.words.link_news import LinkNews
from drivers.events import IfAny, LinkEvent, Origin, Report


class Moment(Struct, frozen=True):
    """When an input came in. `wall_us`: Unix time, microseconds; `mono_ns` orders within one `boot` of the PC."""

    wall_us: int
    mono_ns: int
    boot: str
    clock: str = "unsynced"


class Actor(Struct, frozen=True, omit_defaults=True):
    """Who acts, in which role. `via`: name of the voucher that answers for the person, "" = the person's own login;
    `session`: of that person there."""

    who: str
    role: Role
    via: str = ""
    session: str = ""


class Seen(Struct, frozen=True):
    """The view that a person acted on. `order`: its newest record; `marks`: of its parts, as `acts/seen.py` makes them."""

    order: int
    marks: Mapping[str, str] = field(default_factory=dict)


class TableSetup(Struct, frozen=True):
    """The table by which it is decided from a start on, as configured. `devices`: name -> kind; `elections`: what was left
    open -> (choice, who elected it); money in cents, `limits` by wager as (least, most). `meters`: progressive meters that this
    table computes."""

    seats: int
    backs: tuple[str, ...]
    method: str
    devices: Mapping[str, str]
    elections: Mapping[str, tuple[str, str]]
    offered: tuple[str, ...] = ()
    currency: str = "USD"
    progressive_cents: int | None = None
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    payout_limit: int | None = None
    unit: int = 1
    meters: Mapping[str, MeterTerms] | None = None


class ServiceStarted(Struct, frozen=True):
    """The daemon took up a journal. `version` of the software; `sha256` of the rulebook in force; `setup` of the table."""

    kind: ClassVar[str] = "service_started"
    version: str
    rulebook: str
    edition: str
    sha256: str
    setup: TableSetup | None = None


class ServiceStopping(Struct, frozen=True):
    """The daemon ends in order; `reason`: why."""

    kind: ClassVar[str] = "service_stopping"
    reason: str


class SetDue(Struct, frozen=True):
    """The clock says that a set has been in play for its longest time. `because`: why, where not for its time alone."""

    kind: ClassVar[str] = "set_due"
    back: str
    because: IfAny[str] = ""


class GamingDayTold(Struct, frozen=True):
    """The calendar of the house says in which gaming day it is now: its date, and when it begins and ends (Unix time,
    microseconds)."""

    kind: ClassVar[str] = "gaming_day_told"
    day: str
    begins_us: int
    ends_us: int


class CheckpointSigned(Struct, frozen=True):
    """The heads of the record were signed. `statement`: the very text; `signature`: hex digits; what both are stands in
    docs/record.md."""

    kind: ClassVar[str] = "checkpoint_signed"
    statement: str
    signature: str


class SigningKeyChanged(Struct, frozen=True):
    """Another key signs the record from the next start on, or since this start. `before`, `key`: ids of the key of the newest
    checkpoint and of the next one, "" = none. `statement`, `signature`: what the key before has signed about it (docs/record.md);
    "" = it has not named the next one. `by`, `role`: the supervisor who said so; `reason`: why.
    """

    kind: ClassVar[str] = "signing_key_changed"
    before: IfAny[str] = ""
    key: IfAny[str] = ""
    statement: IfAny[str] = ""
    signature: IfAny[str] = ""
    reason: IfAny[str] = ""
    by: IfAny[str] = ""
    role: IfAny[str] = ""


class RecordChecked(Struct, frozen=True):
    """The whole record was proved in the background. `records`: how many; `faults`: how many were found, `first_fault`: what the
    first of them is."""

    kind: ClassVar[str] = "record_checked"
    records: int
    faults: int = 0
    first_fault: IfAny[str] = ""


class RecordReplaced(Struct, frozen=True):
    """The record was lost, or found damaged and put aside; this one begins after it. `file`: its name now; `size` in bytes;
    `sha256` of the file as it was found, "" where only its log was left; `found`: what was wrong with it."""

    kind: ClassVar[str] = "record_replaced"
    file: str
    size: int
    sha256: IfAny[str]
    found: str


class RoundOpened(Struct, frozen=True):
    """The recorded cards of a round may be read from now on. `keys`: the commitments (hex) of the keys that are open now;
    `reason`: why; `by`, `role`: who opened them, "" = the rules."""

    kind: ClassVar[str] = "round_opened"
    round: str
    keys: tuple[str, ...]
    reason: str
    by: IfAny[str] = ""
    role: IfAny[str] = ""


class CardsErased(Struct, frozen=True):
    """The keys of rounds whose first cards stand in the record up to order `through` were erased: nobody can read them any
    more. `by`, `role`: who decided it; `reason`: why."""

    kind: ClassVar[str] = "cards_erased"
    through: int
    reason: str
    by: IfAny[str] = ""
    role: IfAny[str] = ""


class CardsUnread(Struct, frozen=True):
    """At a start: the recorded cards of these `rounds` are sealed under the vault's key `vault`, which is not in its file."""

    kind: ClassVar[str] = "cards_unread"
    vault: str
    rounds: tuple[str, ...]


class RecordDayClosed(Struct, frozen=True):
    """A gaming day of the record is over, between two rounds: what it holds can be sealed by itself (docs/record.md).

    `statement`, `signature`: where the day begins and ends in the record, as signed; "" = the table has no key. `started`: the
    start by which it is decided since; `folded`: the state at its end, JSON text in parts that a body takes.
    """

    kind: ClassVar[str] = "record_day_closed"
    day: str
    started: ServiceStarted
    folded: tuple[str, ...]
    statement: IfAny[str] = ""
    signature: IfAny[str] = ""


class SegmentCopied(Struct, frozen=True):
    """The file of a sealed day was copied to the second place and read back. `through`: the newest order in it."""

    kind: ClassVar[str] = "segment_copied"
    segment: str
    sha256: str
    place: str
    through: int


class RecordPruned(Struct, frozen=True):
    """Records through this order are about to leave the live file; from now on they are in segments only."""

    kind: ClassVar[str] = "record_pruned"
    through: int
    segment: str


class RecordRoom(Struct, frozen=True):
    """The disk of the record began to run out of room (`low`), or has room again. `free_mib`: what was left; `reserve_mib`: below
    it room is low."""

    kind: ClassVar[str] = "record_room"
    low: bool
    free_mib: int
    reserve_mib: int


class ClockStepped(Struct, frozen=True):
    """The wall clock was set. `by_us`: by how much, forward; seen within a second. Order and spans do not hang on it."""

    kind: ClassVar[str] = "clock_stepped"
    by_us: int


class ClockJudged(Struct, frozen=True):
    """How far the wall clock can be trusted, each hour and when that changes. `state` as in every record; `offset_us`: what is
    still to be corrected, `error_us`: bound of its error, as what disciplines it says; None = that cannot be read."""

    kind: ClassVar[str] = "clock_judged"
    state: str
    offset_us: int | None = None
    error_us: int | None = None


ServiceEvent = (
    ServiceStarted
    | ServiceStopping
    | LinkNews
    | SetDue
    | GamingDayTold
    | CheckpointSigned
    | SigningKeyChanged
    | RecordChecked
    | RecordReplaced
    | RoundOpened
    | CardsErased
    | CardsUnread
    | RecordDayClosed
    | SegmentCopied
    | RecordPruned
    | RecordRoom
    | ClockStepped
    | ClockJudged
    | BackOfficeNews
)
SERVICE_EVENTS: dict[str, type[ServiceEvent]] = {cls.kind: cls for cls in ServiceEvent.__args__}

Body = Report | LinkEvent | Act | ServiceEvent


class Input(Struct, frozen=True):
    """`subject`: the device's name for reports and link events, `table` otherwise. `actor`: for acts only.

    `seen`: what the person was looking at, None = not said; an act of which that has changed is refused.
    """

    at: Moment
    subject: str
    body: Body
    origin: Origin | None = None
    actor: Actor | None = None
    seen: Seen | None = None
