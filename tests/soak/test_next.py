"""Days that follow what NEXT says: each act that it names is accepted, and NEXT alone brings every round to its end."""

from collections import Counter
from collections.abc import Sequence

import pytest

from controller.rules.vocabulary import Role
from controller.table.state.table import State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor, Input
from controller.text.next_act import next_act
from tests.soak.day import TABLE, Day, Tally
from tests.soak.invariants import Watch
from tests.soak.plan import seed_of
from tests.soak.tables import RULEBOOKS

ROUNDS, DAYS = 60, 2
ANOTHER = {role: Actor(f"another {role}", role) for role in Role}
"""Nobody verifies an inspection of their own, so those who follow NEXT are others than those who act freely."""
OBEDIENT = 0.7
"""How often people do what NEXT says; else they do what they like, so that tables of many seats and faults come up."""


class Accepts(Watch):
    """Sees whether what the table allowed is done; what else must hold is for `make soak`."""

    def saw(
        self, before: State, given: Input, facts: Sequence[f.Fact], after: State, allowed: bool | None = None
    ) -> None:
        refused = [fact.event for fact in facts if isinstance(fact.event, f.InputRefused | f.DecisionFailed)]
        assert allowed is not True or not refused, refused


class NextDay(Day):
    """A day on which people mostly do what NEXT names, and only that once a round takes long."""

    def __init__(self, rulebook: str, seed: int, rounds: int) -> None:
        super().__init__(rulebook, seed, rounds)
        self.watch = Accepts(self.setup)
        self.named: Counter[str] = Counter()
        self.waited: Counter[str] = Counter()

    def _act(self, calm: bool) -> None:
        if not calm and self.rng.random() > OBEDIENT:
            super()._act(calm)
            return
        following = next_act(self.setup, self.state)
        if following.act is None or following.role is None:
            self.waited[following.says] += 1
            self._since_end += 1
            self._report(self._devices.due(self.state))
            return
        self.named[following.act.kind] += 1
        assert following.act.kind in following.says, following.says
        self.put(TABLE, following.act, ANOTHER[following.role], allowed=True)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_what_next_names_is_accepted_and_ends_every_round(rulebook):
    """No round gets stuck on the way that NEXT shows; `put` fails for an act that the table refuses."""
    named, waited, tally = Counter(), Counter(), Tally()
    for number in range(DAYS):
        day = NextDay(rulebook, seed_of(rulebook, 3, number), ROUNDS)
        tally.add(day.play())
        named += day.named
        waited += day.waited
    print(rulebook, dict(named), dict(waited.most_common(8)))
    assert sum(tally.rounds.values()) == ROUNDS * DAYS
    assert set(named) >= {
        a.BeginRound.kind,
        a.AnnounceNoMoreBets.kind,
        a.SettleRound.kind,
        a.CollectCards.kind,
        a.EndRound.kind,
    }
    assert sum(waited.values()) < sum(named.values())
