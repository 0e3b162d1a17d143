"""Folds the rounds dealt from a set of cards: seats, wagers and results."""

from collections.abc import Collection, Iterator

import msgspec

from controller.audit.replay import UNFIT, NotReplayable, setup_of
from controller.journal.bodies import fact_of
from controller.journal.day_state import NotCarried, closed_in
from controller.journal.reading import Reading
from controller.journal.record import Stream
from controller.journal.view import Brief
from controller.table.fold.disputes import OF_ALARMS, OF_DISPUTES
from controller.table.fold.fold import evolve
from controller.table.state.table import Round, Setup, State, Wager
from controller.table.words import facts as f
from controller.table.words.codec import WITHHELD
from controller.table.words.inputs import ServiceStarted
from controller.table.words.structs import replace
from drivers.events import LINK_EVENTS, REPORTS

OF_CASES = {event.kind for event in (*OF_DISPUTES, *OF_ALARMS, f.SecurityAlarm)}
SKIPPED = (WITHHELD | {*REPORTS, *LINK_EVENTS, f.LevelWanted.kind, f.DutyOpened.kind} | OF_CASES) - {
    "stack_dispensed"
}
"""Kinds that say nothing of wagers and results: which cards it were, what devices did beside giving cards out, and what people
look into, which may have begun in a round of another set, or in none."""

IN_SERVICE = (f.DeviceTakenOut.kind, f.DeviceReturned.kind)
"""Kinds that say which device gives cards out: with the way of dealing, which a round begins with, all that comes before it."""


class WagerTold(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One wager. Money in cents; an unknown amount is None, and absent in JSON."""

    cents: int
    fate: str
    player: str | None = None
    outcome: str | None = None
    returned: int | None = None
    paid: int | None = None


class SeatTold(msgspec.Struct, frozen=True, gc=False):
    """A seat whose hand was dealt, with its wagers by name."""

    folded: bool
    void: bool
    wagers: dict[str, WagerTold]


class Touched(msgspec.Struct, frozen=True, gc=False):
    """A round dealt from a set, before its end or now. Times: Unix, microseconds; `ended_us` None = in play.

    `begun`: its first record's number in MAIN. `counted`, `read`: its set was found right after the deal. `seats`:
    by number.
    """

    id: str
    number: int
    back: str
    void: bool
    begun: int
    counted: bool
    read: bool
    began_us: int
    ended_us: int | None
    seats: dict[str, SeatTold]


def empty_table(view: Reading) -> State:
    """Returns an empty table of this kind, so that folding starts with no earlier rounds. Raises `NotReplayable`."""
    return State.initial(setup_in_force(view))


def setup_in_force(view: Reading) -> Setup:
    """Returns the table that the last start put on record. Raises `NotReplayable`.

    The newest start says what table it is; one before the last closed day is recorded with that, so that it is not looked for.
    """
    about, newest = view.description, view.closing(lambda brief: True)
    try:
        closed = closed_in(newest) if newest else None
    except NotCarried as exc:
        raise NotReplayable(str(exc)) from exc
    after = closed.boundary.end.heads[Stream.MAIN].sequence if closed else 0
    for brief in view.backwards(Stream.MAIN, (ServiceStarted.kind,), after=after):
        event = fact_of(Stream.MAIN, brief).event
        if isinstance(event, ServiceStarted) and event.setup is not None:
            return setup_of(event, event.setup, about.site, about.table)
    started = closed.told.started if closed else None
    if started is not None and started.setup is not None:
        return setup_of(started, started.setup, about.site, about.table)
    raise NotReplayable("no start in this journal says what table this is")


def touched_in(view: Reading, state: State, backs: Collection[str], after: int, through: int) -> Iterator[Touched]:
    """Returns the rounds of these sets that began after `after` in MAIN, up to `through`. Raises `JournalDamaged`,
    `NotReplayable`.

    Rounds of other sets are not looked into, nor is what devices said: it says nothing of wagers and results.
    """
    begun: Brief | None = None
    for brief in view.briefly(Stream.MAIN, after, through):
        if brief.kind == f.RoundBegun.kind:
            event = fact_of(Stream.MAIN, brief).event
            assert isinstance(event, f.RoundBegun)
            begun = brief if event.back in backs else None
            state = replace(state, method=event.method)
        if begun is None and not (brief.kind in IN_SERVICE and brief.subject in state.devices):
            continue  # of a round that had begun before, or of none, or of another set
        if brief.kind in SKIPPED:
            continue
        before = state.round
        state = _after(state, brief)
        if begun is not None and brief.kind == f.RoundEnded.kind:
            if before is not None and before.played:
                yield _touched(before, begun, brief.time_us)
            begun = None
    if begun is not None and state.round is not None and state.round.played:
        yield _touched(state.round, begun, None)


def _after(state: State, brief: Brief) -> State:
    try:
        return evolve(state, fact_of(Stream.MAIN, brief))
    except UNFIT as exc:
        raise NotReplayable(
            f"main/{brief.sequence} {brief.kind} does not follow on what was recorded before it: {exc!r}"
        ) from exc


def _touched(round_: Round, begun: Brief, ended_us: int | None) -> Touched:
    seats = {
        str(number): SeatTold(seat.folded, seat.void, {name: _wager(wager) for name, wager in seat.wagers.items()})
        for number, seat in round_.in_play.items()
    }
    return Touched(
        round_.id, round_.number, round_.back, round_.void, begun.sequence, round_.count_proven, round_.identities_proven,
        begun.time_us, ended_us, seats,
    )  # fmt: skip


def _wager(wager: Wager) -> WagerTold:
    if wager.outcome is None:
        return WagerTold(wager.cents, wager.fate.value, wager.player or None)
    return WagerTold(
        wager.cents, wager.fate.value, wager.player or None, wager.outcome.value, wager.returned, wager.paid
    )
