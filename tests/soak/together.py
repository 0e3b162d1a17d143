"""Acts that say many things at once: how people come to say them, and what each of their parts does alone."""

from collections.abc import Iterator, Sequence
from random import Random

from controller.rules.vocabulary import Moment as When
from controller.table.acts.registry import REGISTRY
from controller.table.decide import decide, fold
from controller.table.questions.stub_count_and_turns import asking_order
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Input
from controller.table.words.structs import replace
from tests.soak.tellers import Teller

Done = tuple[State, Input, tuple[f.Fact, ...]]


def one_by_one(setup: Setup, state: State, given: Input) -> Iterator[Done]:
    """Each part of this accepted act, done alone: state before, input, facts. Any other act is its own part."""
    act: a.Act = given.body  # type: ignore[assignment]  # the caller gives an act
    parts = REGISTRY[act.kind].parts
    for part in parts(setup, state, act) if parts else (act,):
        alone = replace(given, body=part, seen=None) if parts else given  # type: ignore[arg-type]  # an act is a body
        facts = decide(setup, state, alone)
        yield state, alone, facts
        state = fold(state, facts)


def line(rng: Random, setup: Setup, state: State, teller: Teller) -> a.RecordDecisions | None:
    """An answer for each player who waits, or for some, the last ones sometimes as the rest."""
    assert state.round is not None
    stage, (waiting, _) = state.round.game.stage(state.round.phase), asking_order(setup, state.round)
    if stage is None or not waiting:
        return None
    version = setup.law.rulebook.play.version
    fits = [x for x in stage.answers if x.version is None or (version is not None and x.version == version.value)]
    said = []
    for seat in waiting[: rng.randint(1, len(waiting))]:
        answer = rng.choice(teller.answers(seat, fits))
        times = _times(setup, answer.places, stage.moment)
        said.append(f"{seat} {answer.decision} {rng.choice(times) if times else ''}".strip())
    if len(said) == len(waiting) and rng.random() < 0.5:
        said[-1] = f"rest {said[-1].partition(' ')[2]}"
    return a.RecordDecisions(", ".join(said), rng.random() < 0.5)


def _times(setup: Setup, places: str | None, moment: When | None) -> Sequence[int]:
    rule = setup.law.rulebook.wagers.get(places or "")
    return rule.multiples(moment) if rule is not None and moment is not None else ()
