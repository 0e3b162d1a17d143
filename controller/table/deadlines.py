"""How long a set may stay in play, and what a restart of the PC does to that: pure, and on the monotonic clock alone.

A deadline lies on the monotonic clock of one boot, so no step of the wall clock can bring it nearer or put it off. The
wall clock is asked once only: after a restart of the PC, and then it counts only where both stamps call it synced.
"""

from dataclasses import dataclass

from controller.rules.vocabulary import Action, Trigger
from controller.table import facts as f
from controller.table.card_set import CardSet
from controller.table.dispositions import dispose
from controller.table.draft import Draft
from controller.table.inputs import Moment, SetDue
from controller.table.state import Setup, State

TRUSTED = "synced"
"""What a stamp says of a wall clock that is disciplined now; one that only runs on from there is not enough."""
NS_PER_S = 1_000_000_000
NS_PER_US = 1_000


@dataclass(frozen=True, slots=True)
class Deadline:
    """A set is due for change at `mono_ns` of the present boot; at or before now means at once."""

    back: str
    mono_ns: int


def due(setup: Setup, state: State, boot: str) -> Deadline | None:
    """The next deck change, None where none is coming. Clause: `[deck_change]`, by the method of dealing in use.

    `boot`: of the PC, as it runs now. A set whose time began in another boot, and could not be carried over at the
    start, is due at once.
    """
    found = [deadline for back in state.sets if (deadline := _of_set(setup, state, back, boot))]
    return min(found, key=lambda deadline: deadline.mono_ns, default=None)


def _of_set(setup: Setup, state: State, back: str, boot: str) -> Deadline | None:
    card_set = state.sets[back]
    longest_ns = _longest_ns(setup, state)
    if longest_ns is None or not _runs(card_set):
        return None
    assert card_set.since is not None
    return Deadline(back, card_set.since.mono_ns + longest_ns if card_set.since.boot == boot else 0)


def _longest_ns(setup: Setup, state: State) -> int | None:
    interval = setup.law.rulebook.deck_change.interval_s.get(state.method)
    return interval.value * NS_PER_S if interval else None


def _runs(card_set: CardSet) -> bool:
    """True while the time of this set runs: it is at the table, and nobody was told yet that it must be changed."""
    return card_set.present and not card_set.due and card_set.since is not None


def set_due(draft: Draft, event: SetDue) -> None:
    """The clock says that a set is due. The core looks for itself: what is early, or late for its set, is refused."""
    back, now = event.back, draft.at
    deadline = _of_set(draft.setup, draft.state, back, now.boot) if back in draft.state.sets else None
    if deadline is None or deadline.mono_ns > now.mono_ns:
        left = f"in {(deadline.mono_ns - now.mono_ns) / NS_PER_S:.0f} s" if deadline else "not at all"
        draft.add(f.InputRefused(event.kind, f"the {back} set is not due for change now; it is {left}"))
        return
    _demand_change(draft, event)


def _demand_change(draft: Draft, event: SetDue) -> None:
    """The round in play goes on with its set; the duty that follows stands before the next one."""
    draft.add(event)
    dispose(draft, Trigger.DECK_CHANGE_DUE, back=event.back)


def put_in_play(draft: Draft, back: str, who: str) -> None:
    """The time of this set begins now, and a demand that it be changed is met."""
    at = draft.at
    draft.add(f.SetInPlay(back, who, at.wall_us, at.mono_ns, at.boot, at.clock))


def table_opened(draft: Draft, who: str) -> None:
    """Sets that come to the table with its opening; one that was never taken away keeps its time. Clause: opening."""
    for card_set in list(draft.state.sets.values()):
        if card_set.present and card_set.since is None:
            put_in_play(draft, card_set.back, who)


def changed(draft: Draft, back: str, who: str, role: str) -> None:
    """A new set came in the place of one that was due for change: what demanded it is done."""
    for duty in list(draft.state.duties.values()):
        if duty.action is Action.CHANGE_SET and duty.back == back:
            draft.add(f.DutyClosed(duty.id, duty.action, who, role))


def carry_over(draft: Draft) -> None:
    """After a restart of the PC: takes each set's time over onto the clock of this boot, or calls the set due."""
    now = draft.at
    for card_set in list(draft.state.sets.values()):
        since = card_set.since
        if since is None or since.boot == now.boot or not _runs(card_set):
            continue
        elapsed = trusted_elapsed_ns(since, now)
        if elapsed is not None:
            started = now.mono_ns - elapsed
            draft.add(f.SetTimeCarried(card_set.back, since.wall_us, started, now.boot, now.clock))
        elif _longest_ns(draft.setup, draft.state) is not None:
            because = (
                "the PC was restarted and its clock cannot be trusted to say for how long the set was in play"
            )
            _demand_change(draft, SetDue(card_set.back, because))


def trusted_elapsed_ns(since: Moment, now: Moment) -> int | None:
    """Time between two moments, None where no clock can say: over two boots only two synced wall clocks can."""
    if since.boot == now.boot:
        return now.mono_ns - since.mono_ns
    elapsed_us = now.wall_us - since.wall_us
    trusted = since.clock == now.clock == TRUSTED and elapsed_us >= 0
    return elapsed_us * NS_PER_US if trusted else None
