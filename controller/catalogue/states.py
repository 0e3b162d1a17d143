"""The shape of the retained states, `state/*`, as `controller/daemon/views/state_topics.py` makes them.

Tests hold each state of the golden days, and each that a test's broker receives, against these shapes.
"""

from typing import Literal, NotRequired, TypedDict

from controller.games.model import Decision, Phase, Street
from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Area, Method, Role
from controller.table.state.disputes import Bookmark
from controller.table.state.table import Fate
from controller.table.words.acts import OutOfService, Resolution
from controller.table.words.procedure import Procedure
from drivers.events import Capability, Defect, DeviceKind, Level, Mode


class Stated(TypedDict):
    """What each state has. `sequence`: the event of `evt/main` at which it took this value; `time`: when, UTC."""

    sequence: int
    time: str


class MeterClaim(TypedDict):
    """A wager whose cards win `cents` of the meter at the player's turn. `stage`: seen, validated, or paid."""

    round: str
    seat: int
    cents: int
    stage: Literal["seen", "validated", "paid"]


class MeterState(Stated):
    """A progressive meter, in cents. `rise`: what a wager adds, in hundredths of a per cent; `limit` 0: none; `overflow`: what
    came above it; `hits`, `paid`: prizes since it began, and their sum; `claims`: of this round and the last."""

    meter: str
    cents: int
    currency: str
    generation: int
    base: int
    rise: int
    limit: int
    overflow: int
    hits: int
    paid: int
    claims: list[MeterClaim]


class Levels(TypedDict):
    """The levels of a device as last read. Absent: the device has no such level; null: not known now."""

    lockout: NotRequired[str | None]
    dispensing: NotRequired[str | None]
    mode: NotRequired[Mode | None]
    jammed: bool | None
    door_open: bool | None
    cards_inside: NotRequired[int | None]
    wagers: int | None
    lamps: int | None


class DeviceState(Stated):
    """One device as the table knows it. `wanted`: level -> value that shall hold; `liveness`: of a device that only writes."""

    device: str
    kind: DeviceKind
    online: bool
    awaited: bool
    liveness: NotRequired[str]
    serial: str
    jammed: bool
    out: OutOfService | None
    levels: Levels
    wanted: dict[Level, str]
    capabilities: list[Capability]


class LockoutState(Stated):
    """The lock-out of the progressive unit. `level` null: not known; `wanted` null: nothing was commanded."""

    device: str
    online: bool
    level: str | None
    wanted: str | None


class RulebookName(TypedDict):
    """The rule document in force."""

    id: str
    edition: str
    sha256: str


class Held(TypedDict):
    """A hold: play stands still until a person of `least_role` lifts it. No `seat`: the round. No `hold`: the fail-safe."""

    hold: NotRequired[str]
    reason: str
    least_role: Role
    seat: NotRequired[int]
    wager: NotRequired[str]
    cite: NotRequired[list[str]]
    reading: NotRequired[str]
    choices: NotRequired[list[Resolution]]
    code: NotRequired[str]


class Duty(TypedDict):
    """A duty that blocks the next round. `do`: the instruction for the person."""

    duty: str
    action: str
    least_role: Role
    device: NotRequired[str]
    back: NotRequired[str]
    seat: NotRequired[int]
    cite: list[str]
    reading: NotRequired[str]
    wager: NotRequired[str]
    do: str


class Wager(TypedDict):
    """A wager. The last four keys: once it was settled by itself; sums in cents."""

    cents: NotRequired[int]
    fate: Fate
    outcome: NotRequired[Outcome]
    returned: NotRequired[int]
    paid: NotRequired[int]
    corrected: NotRequired[bool]


class SeatState(Stated):
    """One seat of the round that is played; empty while it is not in play."""

    wagers: dict[str, Wager]
    coupons: dict[str, Wager]
    decided: bool
    folded: bool
    void: bool
    asked: Phase | None


class PlannedStack(TypedDict):
    """Where one stack of the deal goes."""

    to: Area
    seat: NotRequired[int]
    cards: int


class Answer(TypedDict):
    """An answer that a player may give. `places`: the wager that it places; `multiples`: of its base."""

    decision: Decision
    places: str | None
    multiples: list[int]


class Ending(TypedDict):
    """The act that ends the stage."""

    act: str
    street: NotRequired[Street]
    cards: NotRequired[int]
    from_deck: NotRequired[int]
    asks: NotRequired[list[str]]


class Stage(TypedDict):
    """Who is asked now, in order, and what ends the stage."""

    waiting: list[int]
    answers: list[Answer]
    ends: Ending | None


class RoundState(Stated):
    """The round that is played; empty between rounds. `accepted`: pairs of seat and sensor."""

    round: str
    number: int
    back: str
    phase: Phase
    void: bool
    accepted: list[list[int]]
    burn_due: str | None
    progressive_counted: bool
    stacks_out: int
    plan: list[PlannedStack]
    cards_out: int
    drawn: int | None
    in_play: list[int]
    stage: Stage | None
    streets: int
    collected: bool
    stub_counted: bool
    unchecked: list[str]


class OfferedWager(TypedDict):
    """A wager that may be placed before the deal. `limits`: least and most in cents."""

    wager: str
    optional: bool
    sensed: bool
    equals: str | None
    cents: int | None
    requires: list[str]
    device_mode: Mode | None
    limits: list[int] | None


class Step(TypedDict):
    """A step that is due with a set, and who takes it."""

    step: str
    by: str
    cite: list[str]


class CardSet(TypedDict):
    """One set of cards. Null: this table cannot know, or there is none. `since_us`: Unix time, microseconds."""

    present: bool
    armed: bool
    cycle_complete: bool
    mode_shuffle: bool
    count_right: bool | None
    identities_complete: bool | None
    defects: list[Defect]
    in_turn: bool | None
    out_of_turn: str | None
    by_hand: bool
    since_us: int | None
    due: bool
    cut_due: bool
    mark_due: bool
    cut_by: str
    cut_offered_to: list[int]
    gone: int
    procedure: Procedure | None
    steps: list[Step]


class Stub(TypedDict):
    """The count of the stub: rounds since the last one, and how many may lie between two."""

    since: int
    every: int | None
    waived: bool
    full_set: int


class Dispute(TypedDict):
    """A disputed round that is still open."""

    dispute: str
    round: str
    seat: NotRequired[int]
    reason: str
    by: str
    keeps: bool
    hold: NotRequired[str]
    bookmark: NotRequired[Bookmark]
    cleared: list[str]


class Alarm(TypedDict):
    """An alarm that nobody has cleared. `times`: how often it came; `seen`: by whom since it came last."""

    alarm: str
    device: str
    reason: str
    detail: NotRequired[str]
    times: int
    seen: list[str]


class LastRoundState(Stated):
    """The wagers of the round that ended last, or empty: number of the seat -> wager -> its settlement."""

    round: str
    seats: dict[str, dict[str, Wager]]


class RulesState(Stated):
    """The rules in force: rule document, wagers before the deal, and whether a set is dealt on from round to round."""

    rulebook: RulebookName
    wagers: list[OfferedWager]
    keeps_set: bool


class SetsState(Stated):
    """The sets of cards by the colour of their back, and the count of the stub."""

    sets: dict[str, CardSet]
    stub: Stub
    last_back: NotRequired[str]


class TableState(Stated):
    """The table: what is next, holds, duties, disputes, alarms, possible acts. `next`: one sentence for the dealer."""

    site: str
    table: str
    open: bool
    method: Method
    held: list[Held]
    duties: list[Duty]
    rounds: int
    disputes: list[Dispute]
    alarms: list[Alarm]
    allowed: list[str]
    next: str


class Api(TypedDict):
    """The contract in force, retained on `api`. `sha256`: of the AsyncAPI document of this version, in hex."""

    name: str
    version: str
    sha256: str
