"""Every change of a phase or of a cut in a record, held against the transition tables."""

from collections.abc import Iterable, Iterator

from controller.games.model import Phase
from controller.table.fold.card_sets import CUTS
from controller.table.fold.fold import evolve
from controller.table.fold.rounds import TRANSITIONS, Move, To, place
from controller.table.state.table import Round, State
from controller.table.words.facts import Fact
from controller.table.words.structs import replace


def unlisted(state: State, facts: Iterable[Fact]) -> Iterator[str]:
    """Each change that no row has, as words; of facts that follow on this state."""
    for fact in facts:
        after = evolve(state, fact)
        was, now = state.round, after.round
        if was is not None and now is not None and now.phase not in {was.phase, *_reached(was)}:
            yield f"{fact.event.kind}: {was.phase} -> {now.phase}"
        if fact.event.kind != "set_brought":  # another set comes
            for back, card_set in state.sets.items():
                cut = after.sets[back].cut
                if cut not in {card_set.cut, *CUTS[card_set.cut].values()}:
                    yield f"{fact.event.kind}: {card_set.cut} -> {cut}"
        state = after


def _reached(round_: Round) -> set[Phase]:
    """Phases that a row leads to, and those after stages which are passed over because nobody is asked."""
    found = {_phase(round_, to) for to in TRANSITIONS[place(round_)].values()} - {None}
    for stage in round_.game.stages:
        if stage.phase in found and stage.ends is None:
            found.add(_phase(replace(round_, phase=stage.phase), TRANSITIONS[_STAGE][Move.ALL_HAVE_ANSWERED]))
    return found


def _phase(round_: Round, to: Phase | To) -> Phase | None:
    """What the target is in this game; read here a second time, from the order of its stages."""
    stages = [stage.phase for stage in round_.game.stages]
    match to:
        case To.FIRST_STAGE:
            return stages[0]
        case To.NEXT_STAGE:
            return stages[stages.index(round_.phase) + 1]
        case To.AFTER_DEALER:
            return next((stage.phase for stage in round_.game.dealer_up), None)
        case To.LAST_STAGE:
            return stages[-1]
    return to


_STAGE = place(Round("r", 1, "red", "hand", phase=Phase.PRE_FLOP))  # type: ignore[arg-type]
