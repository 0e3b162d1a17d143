"""The pure core alone: inputs decided a second on one core, and whether an input costs more late in the day than early.

A day is played that is longer than any: round after round with all seats taken, a progressive chip at each, and a shoe jam
in every tenth round. No device, no journal and no network take part.

    python -m tests.bench.core_rate [--rounds 1000]
"""

import argparse
import gc
import statistics
import time
from collections.abc import Iterator

from controller.cli_decide import example_setup
from controller.rules import vocabulary
from controller.rules.elections import proposals
from controller.rules.library import find
from controller.rules.vocabulary import Action, Role
from controller.table import acts as a
from controller.table.decide import decided
from controller.table.facts import InputRefused
from controller.table.inputs import Actor, Body, Input, Moment
from controller.table.state import Setup, State, deal_plan
from drivers import events as e

RULEBOOK = "md-uth"
SHUFFLER, SHOE, PROGRESSIVE, TABLE = "shuffler-1", "shoe-1", "progressive-1", "table"
JAM_EVERY, COUNT_EVERY = 10, 4
SHARE = 10
"""The first and the last tenth of the day are compared."""
LEVELS = {
    SHUFFLER: e.Levels(mode=e.Mode.SHUFFLE, cards_inside=0),
    SHOE: e.Levels(dispensing=e.INHIBITED, cards_inside=0),
    PROGRESSIVE: e.Levels(lockout=e.ENGAGED),
}
WHO = Actor("ada", Role.SUPERVISOR)
FLOOR = Actor("sam", Role.FLOORPERSON)
Step = tuple[str, Body]


class Day:
    """Plays rounds and keeps what each input has cost. `costs_ns`: one for each input, in order."""

    def __init__(self, setup: Setup) -> None:
        self.setup, self.state = setup, State.initial(setup)
        self.costs_ns: list[int] = []
        self._now_us = 0

    def put(self, subject: str, body: Body) -> None:
        """Raises `SystemExit` where the core refuses: then this is no measure of a day's work."""
        self._now_us += 500_000
        at = Moment(self._now_us, self._now_us * 1000, "boot", "synced")
        given = Input(at, subject, body, None, _actor(subject, body))
        begin = time.thread_time_ns()  # of this thread alone: other work on the machine is not the core's
        draft = decided(self.setup, self.state, given)
        self.costs_ns.append(time.thread_time_ns() - begin)
        self.state = draft.state
        for fact in draft.facts:
            if isinstance(fact.event, InputRefused):
                raise SystemExit(f"{body.kind} was refused: {fact.event.reason}")

    def play(self, rounds: int) -> None:
        for subject, body in self._opening():
            self.put(subject, body)
        for number in range(1, rounds + 1):
            for subject, body in self._round(number, ("red", "blue")[number % 2]):
                self.put(subject, body)

    def _opening(self) -> Iterator[Step]:
        for name, setup in self.setup.devices.items():
            online = e.DeviceOnline(setup.kind, "bench", name, "1", "0" * 16, False, True, (), LEVELS[name])
            yield name, online
        yield TABLE, a.OpenTable()
        for card_set in self.state.sets.values():
            while (step := self.state.sets[card_set.back].waits) is not None:
                yield TABLE, a.ConfirmStep(card_set.back, step.step)
        yield from (_shuffled(back) for back in self.setup.backs)

    def _round(self, number: int, back: str) -> Iterator[Step]:
        yield TABLE, a.BeginRound(back)
        yield PROGRESSIVE, e.LockoutReleased(e.Cause.COMMAND, 1)
        for seat in range(1, self.setup.seats + 1):
            for wager, cents in (("ante", 1000), ("blind", 1000), ("trips", 500)):
                yield TABLE, a.PlaceWager(seat, wager, cents)
            yield PROGRESSIVE, e.WagerSensed(seat, 1, False)
        yield TABLE, a.AnnounceNoMoreBets()
        yield PROGRESSIVE, e.LockoutEngaged(e.Cause.COMMAND, 2)
        yield TABLE, a.RecordProgressiveCount(self.setup.seats)
        yield TABLE, a.StartDealing()
        yield SHOE, e.DispensingAllowed(e.Cause.COMMAND, 3)
        if number % JAM_EVERY == 0:
            yield from self._jam(back)
        else:
            yield from self._to_the_end(back, number % COUNT_EVERY == 1)
        yield TABLE, a.CollectCards()
        yield TABLE, a.EndRound()
        yield _shuffled(back)

    def _jam(self, back: str) -> Iterator[Step]:
        yield SHOE, e.Jammed(e.Back(back), e.Activity.DEALING, e.JamPlace.OUTPUT, 1, 52)
        yield SHOE, e.JamCleared(False, 1)
        yield SHOE, e.CardsRemoved(0)
        duties = [d.id for d in self.state.duties.values() if d.action is Action.RETURN_ALL_WAGERS]
        yield from ((TABLE, a.ConfirmDuty(duty)) for duty in duties)

    def _to_the_end(self, back: str, is_counted: bool) -> Iterator[Step]:
        assert self.state.round is not None
        seats = range(1, self.setup.seats + 1)
        stacks = deal_plan(self.setup, self.state.round)
        for number, stack in enumerate(stacks, 1):
            yield SHOE, e.StackDispensed(e.Back(back), number, stack.cards)
        yield SHOE, e.DealCompleted(e.Back(back), len(stacks), 0)
        yield from ((TABLE, a.RecordDecision(seat, a.Decision.CHECK)) for seat in seats)
        yield TABLE, a.RevealCommunity(a.Street.FLOP)
        yield from ((TABLE, a.RecordDecision(seat, a.Decision.CHECK)) for seat in seats)
        yield TABLE, a.RevealCommunity(a.Street.LAST_TWO)
        yield from ((TABLE, a.RecordDecision(seat, a.Decision.PLAY, 1)) for seat in seats)
        yield TABLE, a.RevealDealer()
        yield TABLE, a.SettleRound()
        if is_counted:
            yield TABLE, a.RecordStubCount(52 - sum(stack.cards for stack in stacks))


def _actor(subject: str, body: Body) -> Actor | None:
    """Who acts: the dealer's inspection is verified by another person."""
    verifies = isinstance(body, a.ConfirmStep) and body.step is vocabulary.Step.VERIFY_INSPECTION
    return None if subject != TABLE else FLOOR if verifies else WHO


def _shuffled(back: str) -> Step:
    return SHUFFLER, e.ShuffleCompleted(e.Back(back), e.Mode.SHUFFLE, 52, e.Identities.NOT_READ)


def core_rate(rounds: int = 1000) -> dict[str, float]:
    """`per_s`: inputs a second over the whole day; `late_by_early`: cost of an input in its last tenth by the first."""
    book = find(RULEBOOK)
    elections = {question: (choice, "bench") for question, choice in proposals(book).items()}
    day = Day(example_setup(book, elections))
    gc.collect()
    day.play(rounds)
    costs, share = day.costs_ns, len(day.costs_ns) // SHARE
    early, late = statistics.fmean(costs[:share]), statistics.fmean(costs[-share:])
    return {
        "inputs": len(costs),
        "per_s": 1e9 / statistics.fmean(costs),
        "p50_us": statistics.median(costs) / 1000,
        "p99_us": sorted(costs)[len(costs) * 99 // 100] / 1000,
        "late_by_early": late / early,
    }


def report(rate: dict[str, float]) -> str:
    return (
        f"the pure core: {rate['per_s']:.0f} inputs a second on one core over {rate['inputs']:.0f} inputs, "
        f"p50 {rate['p50_us']:.0f} us, p99 {rate['p99_us']:.0f} us; the last tenth costs {rate['late_by_early']:.2f} "
        "times the first"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1000)
    print(report(core_rate(parser.parse_args().rounds)))
