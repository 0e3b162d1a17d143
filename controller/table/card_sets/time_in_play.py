"""How long a set may stay in play, and what a restart of the PC does to that: pure, and on the monotonic clock alone.

Two things end it: the longest time by the method of dealing, and the gaming day of the house. A deadline lies on the
monotonic clock of one boot, so no step of the wall clock can bring it nearer or put it off. The wall clock is asked only
after a restart of the PC, and where a boot learns its first gaming day; then it counts only where it is
called synced. A gaming day that follows another one on this boot follows on its monotonic clock.
"""

from msgspec import Struct

from controller.rules.vocabulary import Trigger
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import dispose
from controller.table.questions.stub_count_and_turns import of_deck_change
from controller.table.state.card_set import CardSet, GamingDay
from controller.table.state.table import Setup, State
from controller.table.words import facts as f
from controller.table.words.inputs import GamingDayTold, Moment, SetDue

TRUSTED = "synced"
"""What a stamp says of a wall clock that is disciplined now; one that only runs on from there is not enough."""
NS_PER_S = 1_000_000_000
NS_PER_US = 1_000
DAY_NS = 24 * 3600 * NS_PER_S
"""A set that has lain open for so long has seen the gaming day change, whatever nobody could tell of it."""
LONGEST_DAY_US = 26 * 3600 * 1_000_000
"""A day of 25 hours comes once a year; a longer one was reported wrongly."""


class Deadline(Struct, frozen=True):
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


def change_us(setup: Setup, state: State, back: str) -> int | None:
    """When this set is to be changed by the wall clock that stamped its coming, for people to read; None where it never is."""
    since = state.sets[back].since
    deadline = _of_set(setup, state, back, since.boot) if since else None
    return since.wall_us + (deadline.mono_ns - since.mono_ns) // NS_PER_US if since and deadline else None


def _of_set(setup: Setup, state: State, back: str, boot: str) -> Deadline | None:
    card_set = state.sets[back]
    if not _has_limit(setup, state) or not _runs(card_set):
        return None
    assert card_set.since is not None
    since = card_set.since
    if since.boot != boot:
        return Deadline(back, 0)
    longest_ns = _longest_ns(setup, state)
    ends = [] if longest_ns is None else [since.mono_ns + longest_ns]
    if _each_gaming_day(setup):
        ends.append(_gaming_day_ends(state.gaming_day, since))
    return Deadline(back, min(ends))


def _gaming_day_ends(day: GamingDay | None, since: Moment) -> int:
    """End of the gaming day in which a set came, on the clock of this boot; after 24 hours where that day is not known."""
    known = _on_clock_of(since.boot, day)
    if known is None or since.mono_ns >= known.ends_ns:
        return since.mono_ns + DAY_NS
    return known.begins_ns if since.mono_ns < known.begins_ns else known.ends_ns


def _on_clock_of(boot: str, day: GamingDay | None) -> GamingDay | None:
    """The gaming day that is known in this boot of the PC: the bounds of another one lie on a clock that has ended."""
    return day if day is not None and day.boot == boot else None


def _each_gaming_day(setup: Setup) -> bool:
    rule = setup.law.rulebook.deck_change.each_gaming_day
    return rule is not None and rule.value


def _has_limit(setup: Setup, state: State) -> bool:
    return _longest_ns(setup, state) is not None or _each_gaming_day(setup)


def _longest_ns(setup: Setup, state: State) -> int | None:
    interval = setup.law.rulebook.deck_change.interval_s.get(state.method)
    return interval.value * NS_PER_S if interval else None


def _runs(card_set: CardSet) -> bool:
    """True while the time of this set runs: it is at the table, and no demand to change it is on record."""
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
    dispose(draft, Trigger.DECK_CHANGE_DUE, *of_deck_change(draft.state), back=event.back)


def put_in_play(draft: Draft, back: str, who: str) -> None:
    """The time of this set begins now, and a demand that it be changed is met."""
    at = draft.at
    draft.add(f.SetInPlay(back, who, at.wall_us, at.mono_ns, at.boot, at.clock))


def table_opened(draft: Draft, who: str) -> None:
    """Sets that come to the table with its opening; one that was never taken away keeps its time. Clause: opening."""
    for card_set in list(draft.state.sets.values()):
        if card_set.present and card_set.since is None:
            put_in_play(draft, card_set.back, who)


def carry_over(draft: Draft) -> None:
    """After a restart of the PC: takes each set's time over onto the clock of this boot, or calls the set due."""
    now = draft.at
    for card_set in list(draft.state.sets.values()):
        since = card_set.since
        if since is None or since.boot == now.boot or not _runs(card_set):
            continue
        elapsed = _elapsed_over_restart_ns(since, now)
        if elapsed is not None:
            started = now.mono_ns - elapsed
            draft.add(f.SetTimeCarried(card_set.back, since.wall_us, started, now.boot, now.clock))
        elif _has_limit(draft.setup, draft.state):
            because = (
                "the PC was restarted and its clock cannot be trusted to say for how long the set was in play"
            )
            _demand_change(draft, SetDue(card_set.back, because))


def gaming_day_told(draft: Draft, event: GamingDayTold) -> None:
    """The calendar says which gaming day it is. The core holds that against its own clock and refuses what cannot be.

    Clause: `[deck_change] each_gaming_day`. Sets that came in an earlier one are due from then on.
    """
    wrong = _wrong_day(draft, event)
    if wrong:
        draft.add(f.InputRefused(event.kind, wrong))
        return
    now_us = _wall_us(_on_clock_of(draft.at.boot, draft.state.gaming_day), draft.at)
    begins_ns = draft.at.mono_ns - (now_us - event.begins_us) * NS_PER_US
    ends_ns = begins_ns + (event.ends_us - event.begins_us) * NS_PER_US
    draft.add(f.GamingDayBegan(event.day, event.begins_us, event.ends_us, begins_ns, ends_ns, draft.at.boot))


def _wrong_day(draft: Draft, event: GamingDayTold) -> str:
    """Why this cannot be the gaming day now; "" where it can."""
    now = draft.at
    day = _on_clock_of(now.boot, draft.state.gaming_day)
    if not _each_gaming_day(draft.setup):
        return f"{draft.setup.law.rulebook.id} knows no change of sets by the gaming day"
    if not 0 < event.ends_us - event.begins_us <= LONGEST_DAY_US:
        return f"a gaming day from {event.begins_us} to {event.ends_us} cannot be"
    if day is not None and now.mono_ns < day.ends_ns:
        return f"the gaming day {day.day} lasts for another {(day.ends_ns - now.mono_ns) / NS_PER_S:.0f} s"
    if day is None and now.clock != TRUSTED:
        return f"the wall clock is {now.clock}; the gaming day is taken from a synced one only"
    if not event.begins_us <= _wall_us(day, now) < event.ends_us:
        return f"it is not in the gaming day {event.day} now"
    return ""


def _wall_us(day: GamingDay | None, now: Moment) -> int:
    """Returns the wall time that decides the gaming day: it runs on from the first one of this boot, so no step moves it."""
    if day is None:
        return now.wall_us
    return day.begins_us + (now.mono_ns - day.begins_ns) // NS_PER_US


def next_gaming_day(setup: Setup, state: State, now: Moment) -> int | None:
    """Wall time (microseconds) whose gaming day is to be told now; None where none is needed, or no clock can be trusted."""
    day = _on_clock_of(now.boot, state.gaming_day)
    if not _each_gaming_day(setup) or (day is not None and now.mono_ns < day.ends_ns):
        return None
    return _wall_us(day, now) if day is not None or now.clock == TRUSTED else None


def _elapsed_over_restart_ns(since: Moment, now: Moment) -> int | None:
    """Time between moments of two boots, None where no clock can say: only two synced wall clocks can."""
    elapsed_us = now.wall_us - since.wall_us
    trusted = since.clock == now.clock == TRUSTED and elapsed_us >= 0
    return elapsed_us * NS_PER_US if trusted else None
