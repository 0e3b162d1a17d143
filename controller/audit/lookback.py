"""Lists what was dealt from a set since its last good check: rounds, seats, wagers, results.

If a set turns out wrong, these rounds are affected. The search runs backwards from the newest record, and folds
the rounds since from their own facts. Worked-out days are used if present (`controller/audit/day_rounds.py`).
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple

from controller.audit.day_rounds import VERDICTS, DayRounds
from controller.audit.replay import NotReplayable
from controller.audit.rounds_of_set import Touched, empty_table, touched_in
from controller.journal.bodies import body_of
from controller.journal.reading import Reading
from controller.journal.record import Stream
from controller.journal.view import Brief
from controller.table.words import facts as f
from drivers.protocol.records import dataclass


class Evidence(StrEnum):
    """Which kind of verdict counts as good: a right count says nothing about which cards they are."""

    COUNT = "count"
    READING = "reading"


@dataclass(frozen=True, slots=True)
class Lookback:
    """The result. `since`: the last good verdict, None = none here. `rounds`: oldest first. `days`: how many
    worked-out days were used."""

    back: str
    since: Brief | None
    rounds: tuple[Touched, ...]
    days: int = 0


class _Piece(NamedTuple):
    """A stretch of MAIN. `day` None: it must be read from the record itself."""

    after: int
    through: int
    day: DayRounds | None


def lookback(view: Reading, back: str, by: Evidence = Evidence.COUNT, days: Iterable[DayRounds] = ()) -> Lookback:
    """Returns the rounds dealt from this set since its last good verdict. Raises `JournalDamaged`,
    `NotReplayable`.

    `days`: worked-out days of this record, newest first; those that do not fit without a gap are ignored.
    """
    state = empty_table(view)
    if back not in state.sets:
        raise NotReplayable(f"no set {back} is at this table; there are: {', '.join(state.sets)}")
    verdict: Brief | None = None
    seen: list[_Piece] = []
    for piece in _pieces(view, days):
        seen.append(piece)
        verdict = next((v for v in _verdicts(view, piece) if _is_good(v, back, by)), None)
        if verdict is not None:
            break
    first = seen[-1].after if seen else view.anchors[Stream.MAIN].sequence
    if verdict is None and first:
        raise NotReplayable(
            f"the last good verdict on set {back} came before order {view.description.order_before}, which was pruned, and the "
            "segment with it does not lie beside this record; bring it from the second place"
        )
    after = _begin(view, back, seen[-1].day if seen else None, verdict, first)
    rounds: list[Touched] = []
    for piece in reversed(seen):
        if piece.day is not None:
            rounds += [r for r in piece.day.of(back) if r.begun > after]
        else:
            rounds += touched_in(view, state, (back,), max(after, piece.after), piece.through)
    rounds = [r for r in rounds if _is_touched(r, verdict, by)]
    return Lookback(back, verdict, tuple(rounds), sum(piece.day is not None for piece in seen))


def _pieces(view: Reading, days: Iterable[DayRounds]) -> Iterator[_Piece]:
    """Yields MAIN from its end backwards: worked-out days, and the stretches between and after them."""
    least, upper = view.anchors[Stream.MAIN].sequence, view.last()[0][Stream.MAIN].sequence
    for day in days:
        if day.through > upper or (day.through < upper <= least):
            continue
        if day.through < least < upper:
            yield _Piece(least, upper, None)
            upper = least
            if day.through < least:
                continue
        elif day.through < upper:
            yield _Piece(day.through, upper, None)
        yield _Piece(day.after, day.through, day)
        upper = day.after
    if upper > least:
        yield _Piece(least, upper, None)


def _verdicts(view: Reading, piece: _Piece) -> Iterator[Brief]:
    """Yields verdicts on the set, newest first."""
    if piece.day is not None:
        return piece.day.verdicts
    return view.backwards(Stream.MAIN, VERDICTS, before=piece.through + 1, after=piece.after)


def _is_good(verdict: Brief, back: str, by: Evidence) -> bool:
    told = body_of(Stream.MAIN, verdict, dict[str, Any])
    if told.get("back") != back:
        return False
    if verdict.kind == f.SetBrought.kind:
        return True
    if verdict.kind == f.StubCounted.kind:
        return by is Evidence.COUNT and bool(told.get("right"))
    count, read = told.get("count_right"), told.get("identities_complete")
    is_read = read is True and count is not False
    return is_read or (by is Evidence.COUNT and count is True)


def _begin(view: Reading, back: str, day: DayRounds | None, verdict: Brief | None, first: int) -> int:
    """Returns the number after which affected rounds begin; the verdict's own round is one of them."""
    if verdict is None:
        return first
    if verdict.round_id is None:
        return verdict.sequence
    if day is not None:
        own = next((r for r in day.of(back) if r.id == verdict.round_id), None)
        return own.begun - 1 if own is not None else verdict.sequence
    begun = next(view.backwards(Stream.MAIN, (f.RoundBegun.kind,), before=verdict.sequence), None)
    return begun.sequence - 1 if begun is not None and begun.round_id == verdict.round_id else verdict.sequence


def _is_touched(round_: Touched, verdict: Brief | None, by: Evidence) -> bool:
    """Returns True for a round in play then, if its cards had not been gathered by that time."""
    if verdict is None or round_.begun > verdict.sequence:
        return True
    return not (round_.read if by is Evidence.READING else round_.counted)
