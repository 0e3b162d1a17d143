"""No act does what another act refuses: over all acts, in states that random days lead to."""

from collections import defaultdict
from random import Random

import pytest

from controller.rules.vocabulary import Role
from controller.table.acts.registry import REGISTRY
from controller.table.decide import decided
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor, Body, Input, Moment
from tests.soak.day import WHO, Day
from tests.soak.effects import APART, EXCUSED, SAME, reached, way_round
from tests.soak.tables import RULEBOOKS
from tests.soak.together import one_by_one

ROUNDS, EVERY = 25, 6
"""Rounds of a day, and one input in so many after which every act is tried in the state that it led to."""

MANY = {kind for kind, row in REGISTRY.items() if row.parts} - {a.SettleOffered.kind}
"""Acts of several parts. Chance seldom tells all cards that `settle_offered` needs; test_validation.py tries it."""


class Probing(Day):
    """A day in which every act is tried, too, and looked at, without being done. `found`: act kinds by the effect they had.

    `many`: acts of several parts that were accepted, and looked at part by part.
    """

    def __init__(self, rulebook: str, seed: str) -> None:
        super().__init__(rulebook, seed, ROUNDS)
        self.found: dict[str, set[str]] = defaultdict(set)
        self.many: set[str] = set()
        self.tried = 0
        self._drawn = Random(seed)

    def put(self, subject: str, body: Body, actor: Actor | None = None, *, allowed: bool | None = None) -> None:
        super().put(subject, body, actor, allowed=allowed)
        if self.tally.inputs % EVERY == 0:
            for kind in a.ACTS:
                self._try(kind)

    def _try(self, kind: str) -> None:
        act = self._builder.record(a.ACTS[kind], self.state)
        if self._drawn.random() < 0.7:
            act = self._thought_of(kind) or act
        actor = WHO[self._drawn.choice((Role.DEALER, Role.FLOORPERSON, Role.SUPERVISOR))]
        given = Input(Moment(1, 1, "b"), "table", act, None, actor)
        draft = decided(self.setup, self.state, given)
        if any(isinstance(fact.event, f.InputRefused | f.DecisionFailed) for fact in draft.facts):
            return
        self.tried += 1
        if REGISTRY[kind].parts:
            self.many.add(kind)
        for state, alone, facts in one_by_one(self.setup, self.state, given):
            part: a.Act = alone.body  # type: ignore[assignment]  # a part of an act is one
            for effect in reached(self.setup, state, part, facts):
                self.found[effect.kind].add(part.kind)
            way = way_round(self.setup, state, part, actor, facts)
            assert way is None, way

    def _thought_of(self, kind: str) -> a.Act | None:
        """What people would do, where such an act belongs to this state at all."""
        try:
            return self._people.propose(kind, self.state)
        except (AssertionError, ValueError, IndexError, StopIteration):
            return None  # they think of it in a round alone, or where something lies there


@pytest.mark.timeout(300)
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_no_act_does_what_another_act_refuses(rulebook):
    """Each effect that two acts have is done under the same guards, or stands in the list with the reason why it may be."""
    day = Probing(rulebook, f"g/{rulebook}")
    day.play()
    assert day.tried > 200
    assert day.many >= MANY - ({a.CountAndDeal.kind} if rulebook != "md-uth" else set())
    shared = {kind: acts for kind, acts in day.found.items() if len(acts) > 1}
    unlooked = {kind: sorted(acts) for kind, acts in shared.items() if kind not in SAME and kind not in APART}
    assert unlooked == {}, "say in SAME how each is done, or in APART why these are not the same"


def test_each_reason_is_said():
    assert all(len(why) > 20 for why in (*APART.values(), *EXCUSED.values()))
