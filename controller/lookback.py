"""What was dealt from a set of cards since it was last found to be right: rounds, seats, wagers and what became of them.

When a set turns out wrong, these are the rounds that are touched. The last good verdict is looked for from the newest record
backwards, and the rounds since are folded from their own facts, so the age of the journal costs nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from controller.carried import NotCarried, closed_in
from controller.journal.bodies import body_of, fact_of
from controller.journal.reading import Reading
from controller.journal.record import Stream
from controller.journal.view import Brief
from controller.replay import UNFIT, NotReplayable, setup_of
from controller.table import facts as f
from controller.table.codec import WITHHELD
from controller.table.evolve import evolve
from controller.table.inputs import ServiceStarted
from controller.table.state import Round, State, Wager

__all__ = ["Evidence", "Lookback", "Touched", "lookback"]

VERDICTS = (f.SetChecked.kind, f.StubCounted.kind, f.SetBrought.kind, f.SetRemoved.kind)
"""Kinds that may say that nothing is to be laid to the set: it was found right, or other cards came in its place."""
DEALT = (f.DealingAllowed.kind, "stack_dispensed", f.InitialDealCompleted.kind)
"""Kinds after which cards of the round's set are, or may be, on the layout."""


class Evidence(StrEnum):
    """What makes a verdict a good one: a right number of cards says nothing of which cards they are."""

    COUNT = "count"
    READING = "reading"


@dataclass(frozen=True, slots=True)
class Touched:
    """A round dealt from the set, as it was before it ended, or is now. Times: Unix, microseconds; `ended_us` None = in play."""

    round: Round
    began_us: int
    ended_us: int | None


@dataclass(frozen=True, slots=True)
class Lookback:
    """`since`: the last good verdict; None = there is none in this journal. `rounds`: oldest first."""

    back: str
    since: Brief | None
    rounds: tuple[Touched, ...]


def lookback(view: Reading, back: str, by: Evidence = Evidence.COUNT) -> Lookback:
    """The rounds that were dealt from this set since. Raises `JournalDamaged`, `NotReplayable`."""
    state = _beginning(view)
    if back not in state.sets:
        raise NotReplayable(f"no set {back} is at this table; there are: {', '.join(state.sets)}")
    verdict = next((v for v in view.backwards(Stream.MAIN, VERDICTS) if _is_good(v, back, by)), None)
    if verdict is None and view.description.order_before:
        raise NotReplayable(
            f"the last good verdict on set {back} came before order {view.description.order_before}, which was pruned, and the "
            "segment with it does not lie beside this record; bring it from the second place"
        )
    after = _begin(view, verdict)
    return Lookback(back, verdict, tuple(_rounds(view, state, back, after)))


def _beginning(view: Reading) -> State:
    """An empty table of this kind: what is folded from here knows its rounds and nothing before them.

    The newest start says what table it is; one before the last closed day is told with that, so that it is not looked for.
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
            return State.initial(setup_of(event, event.setup, about.site, about.table))
    started = closed.told.started if closed else None
    if started is not None and started.setup is not None:
        return State.initial(setup_of(started, started.setup, about.site, about.table))
    raise NotReplayable("no start in this journal says what table this is")


def _is_good(verdict: Brief, back: str, by: Evidence) -> bool:
    told = body_of(Stream.MAIN, verdict, dict[str, Any])
    if told.get("back") != back:
        return False
    if verdict.kind in (f.SetBrought.kind, f.SetRemoved.kind):
        return True
    if verdict.kind == f.StubCounted.kind:
        return by is Evidence.COUNT and bool(told.get("right"))
    count, read = told.get("count_right"), told.get("identities_complete")
    is_read = read is True and count is not False
    return is_read or (by is Evidence.COUNT and count is True)


def _begin(view: Reading, verdict: Brief | None) -> int:
    """Behind which sequence the rounds since begin: a round that had begun by then and was dealt later is one of them."""
    if verdict is None:
        return view.anchors[Stream.MAIN].sequence
    if verdict.round_id is None:
        return verdict.sequence
    earlier = view.backwards(Stream.MAIN, (f.RoundBegun.kind, *DEALT), before=verdict.sequence)
    newest = next(earlier, None)
    if newest is not None and newest.kind == f.RoundBegun.kind and newest.round_id == verdict.round_id:
        return newest.sequence - 1
    return verdict.sequence


def _rounds(view: Reading, state: State, back: str, after: int) -> Iterator[Touched]:
    began_us, through = 0, view.last()[0][Stream.MAIN].sequence
    for brief in view.briefly(Stream.MAIN, after, through):
        is_begun = brief.kind == f.RoundBegun.kind
        if state.round is None and not is_begun:
            continue  # of a round that had begun before, or of none
        if is_begun:
            began_us = brief.time_us
        if brief.kind in WITHHELD:
            continue  # which cards it were says nothing of wagers and results
        before = state.round
        try:
            state = evolve(state, fact_of(Stream.MAIN, brief))
        except UNFIT as exc:
            raise NotReplayable(
                f"main/{brief.sequence} {brief.kind} does not follow on what was recorded before it: {exc!r}"
            ) from exc
        if brief.kind == f.RoundEnded.kind and before is not None and before.back == back and before.played:
            yield Touched(before, began_us, brief.time_us)
    if state.round is not None and state.round.back == back and state.round.played:
        yield Touched(state.round, began_us, None)


def wager_document(wager: Wager) -> dict[str, Any]:
    """Money in cents; what nobody knows is absent."""
    told = {
        "cents": wager.cents, "fate": wager.fate.value, "player": wager.player or None,
        "outcome": wager.outcome.value if wager.outcome else None,
        "returned": wager.returned if wager.outcome else None, "paid": wager.paid if wager.outcome else None,
    }  # fmt: skip
    return {key: value for key, value in told.items() if value is not None}
