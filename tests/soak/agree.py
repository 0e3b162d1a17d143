"""The table and `settle` make the same of each finished round: one fate, one amount and one ground for each wager."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from controller.filters.settle import SettleFilter
from controller.games.fates import holds_round
from controller.games.settling.round import Terms
from controller.games.settling.settled import Line, Outcome
from controller.rules.vocabulary import Trigger
from controller.table.decide import fold
from controller.table.settlement.offer import PROGRESSIVE, Offer, offer
from controller.table.state.table import Fate, Round, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Input
from controller.table.words.structs import replace as replace_line
from tests.soak.telling import Story, line_of, untold
from tests.soak.verdicts import (
    APART,
    BY_CARDS,
    OF_OUTCOME,
    PAID_BEFORE,
    ROUND_HELD,
    WHOLE_HELD,
    WORDS,
    Happened,
    Verdict,
    difference,
    of_fate,
    of_line,
)

SAME = "the same"
UNREAD = "held by both, as a card was not told"
TOLD_LATER = "not compared, as its cards were told, or told otherwise, after it was settled"
BY_HAND = "not compared, as a person corrected it before the cards settled it"
NOTHING = Verdict("nothing", open=True)
"""The table offered nothing for a wager that a person settled."""
HANGS = Verdict(ROUND_HELD)
"""A bonus of a progressive wager that is held: `settle` says none."""
CORRECTED = Verdict("corrected")
"""A person corrected a wager that an answer had settled, before its cards were asked."""

FOLLOWED = frozenset({
    f.RoundBegun, f.WagerPlaced, f.DecisionRecorded, f.DealerRevealed, f.DispositionMade, f.HoldPlaced, f.RoundVoided,
    f.WagerDecided, f.WagerSettled, f.SettlementCorrected, f.RoundSettled, f.RoundEnded,
})  # fmt: skip
"""Facts of which a round's story is made; most facts are others."""

Key = tuple[int, str, bool, int]
"""Seat, wager, whether its coupon is meant, and the seat whose hand earns envy."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the table made of a wager by its cards when it was settled, and what was known of the round then."""

    verdict: Verdict
    known: tuple[Any, ...]


@dataclass(slots=True)
class Compared:
    """`rounds`: that were told, by what happened in them; `untold`: those that were not, by reason; `wagers`: of the former."""

    rounds: Counter[str] = field(default_factory=Counter)
    untold: Counter[str] = field(default_factory=Counter)
    wagers: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Compared") -> None:
        for name in ("rounds", "untold", "wagers"):
            getattr(self, name).update(getattr(other, name))


class Agreement:
    """Follows the rounds of one table, and tells each to `settle` once it is over. `saw` raises `AssertionError`."""

    def __init__(self, setup: Setup) -> None:
        self.setup, self.compared = setup, Compared()
        self._settle = SettleFilter(setup.law, Terms(setup.currency))
        self._begin()

    def _begin(self) -> None:
        self._story = Story()
        self._said: dict[Key, Said] = {}
        self._announced: dict[tuple[int, str], Verdict] = {}
        self._hands: dict[int, Verdict] = {}

    def saw(self, before: State, given: Input, facts: Sequence[f.Fact]) -> None:
        """One input, the state that it met and what followed."""
        story, act = self._story, given.body
        for n, fact in enumerate(facts):
            if type(fact.event) not in FOLLOWED:
                continue
            match fact.event:
                case f.RoundBegun():
                    self._begin()
                    story = self._story
                case f.WagerPlaced(seat=seat, wager=wager):
                    story.wagered(seat, wager)
                case f.DecisionRecorded() as x:
                    assert before.round is not None
                    story.answered(before.round, x)
                case f.DealerRevealed() as x:
                    story.said.append(x)
                case f.DispositionMade() as made if _took_effect(before, made, facts[n:]):
                    story.happened.append(Happened(fold(before, facts[:n]), tuple(facts[n:]), made))
                case f.HoldPlaced(seat=seat, wager=wager) if isinstance(act, a.AnnounceNoMoreBets):
                    story.placed.discard((seat, wager))  # a chip that may not stand alone, and goes back
                case f.HoldPlaced(seat=seat) as x if seat and story.sets_one_hand(seat) == x.cite:
                    self._hands[seat] = Verdict("held", cite=x.cite, reading=x.reading)
                case f.RoundVoided() if isinstance(act, a.ResolveHold):
                    story.by_a_person = True
                case f.WagerDecided() as x if (
                    isinstance(act, a.RecordDecision | a.RevealDealer) and x.fate in WORDS
                ):
                    self._announced[x.seat, x.wager] = of_fate(x)
                case f.WagerSettled() as x if isinstance(act, a.RecordDecision):
                    said = Verdict(OF_OUTCOME[x.outcome], x.returned, x.paid, x.cite, x.reading)
                    self._announced[x.seat, x.wager] = said
                case f.WagerDecided(seat=seat, wager=wager) if _came_late(facts[:n]) and wager == PROGRESSIVE:
                    story.placed.discard((seat, wager))  # another chip, after one that is no wager any more
                case f.SettlementCorrected() as x if before.round is not None and x.round == before.round.id:
                    key = (x.seat, x.wager, x.coupon > 0, x.holder)
                    self._said.setdefault(key, Said(CORRECTED, ()))
                case f.WagerSettled() as x if isinstance(act, a.SettleWager):
                    self._settled(before, x)
                case f.RoundSettled():
                    assert before.round is not None
                    for key, verdict in self._offered(before.round).items():
                        self._said[key] = Said(verdict, _known(before.round))
                case f.RoundEnded():
                    assert before.round is not None
                    self._compare(before.round)

    def _offered(self, round_: Round) -> dict[Key, Verdict]:
        found = offer(self.setup, round_) or Offer()
        return self._verdicts(round_, found.lines)

    def _verdicts(self, round_: Round, lines: Iterable[Line]) -> dict[Key, Verdict]:
        law = self.setup.law
        return {_key(x): of_line(law, x, round_.method) for x in lines if x.outcome != Outcome.NOT_PLACED}

    def _settled(self, before: State, x: f.WagerSettled) -> None:
        """What the cards made of it is on record as what was handed back, less the difference."""
        round_ = before.round
        assert round_ is not None
        key = (x.seat, x.wager, x.coupon > 0, x.holder)
        offered = self._offered(round_).get(key, NOTHING)
        if x.offered is not None and x.difference is not None:
            made_of_it = (OF_OUTCOME[x.offered], x.returned + x.paid - x.difference)
            assert made_of_it == (offered.word, offered.returned + offered.paid), x
        self._said[key] = Said(offered, _known(round_))

    def _compare(self, round_: Round) -> None:
        story, setup = self._story, self.setup
        if (why := untold(setup, round_, story)) is not None:
            self.compared.untold[why] += 1
            return
        line = line_of(setup, round_, story)
        answer = json.loads(self._settle.feed(json.dumps(line).encode()))
        told = f"it was told {json.dumps(line)}"
        assert "settlement" in answer, f"settle refuses {round_.id}: {answer['error']}; {told}"
        lines = [Line(**{**x, "cite": tuple(x.get("cite", ()))}) for x in answer["settlement"]["lines"]]
        here = self._verdicts(round_, less_cuts(lines, answer["settlement"].get("cuts", ())))
        there = self._there(round_)
        kinds: Counter[str] = Counter()
        for key in (*here, *(key for key in there if key not in here)):
            said = there.get(key)
            chips = there.get((key[0], PROGRESSIVE, False, 0), BY_CARDS)
            if key[3] and key not in here and chips.word == "held" and not chips.open:
                said = HANGS
            kind = self._one(round_, key, said, here.get(key))
            assert kind != APART, f"{round_.id} {key}: the table {there.get(key)}, settle {here.get(key)}; {told}"
            kinds[kind] += 1
        self.compared.wagers.update(kinds)
        what = "with" if story.touching else "beside" if story.told else "without"
        self.compared.rounds[f"{what}{', unread' if kinds[UNREAD] else ''}"] += 1

    def _one(self, round_: Round, key: Key, there: Verdict | None, here: Verdict | None) -> str:
        """What one wager, coupon or envy comes to on both sides: a kind of `Compared`, or "apart"."""
        said = self._said.get(key)
        if there is not None and here is not None:
            kind = difference(there, here, on_record=self._on_record(key))
            if kind != APART:
                return kind or (UNREAD if here.open else SAME)
            if there is CORRECTED:
                return BY_HAND
        # Nobody asks for the coupon of chips that stay as they were paid; a wager that goes back earns no bonus in `settle`.
        if self._on_record(key) and ((there is None and key[2]) or (here is None and key[3])):
            return PAID_BEFORE
        if here is None and there is not None and key[3] and there.word == ROUND_HELD:
            return WHOLE_HELD
        unread = [x for x in (said.verdict if said else None, here) if x is not None and x.open]
        if said is None or not unread:
            return APART
        if said.known != _known(round_):
            return TOLD_LATER
        return UNREAD if said.verdict is NOTHING and here is not None and here.open else APART

    def _on_record(self, key: Key) -> bool:
        """Whether the wager, its coupon or the bonus was paid or given back, on record, before what happened."""
        (number, name, coupon, holder), told = key, self._story.told
        seat = told.before.round.seats.get(number) if told and told.before.round else None
        if seat is None:
            return False
        lay = (
            [seat.envy.get(holder)]
            if holder
            else [seat.wagers.get(name), seat.coupons.get(name) if coupon else None]
        )
        return any(
            wager is not None and (wager.outcome is not None or wager.fate is Fate.RETURNED) for wager in lay
        )

    def _there(self, round_: Round) -> dict[Key, Verdict]:
        """What the table has made of each wager, its coupon and its envy."""
        found: dict[Key, Verdict] = {}
        for number, seat in round_.in_play.items():
            for wager in self._story.wagers(self._story.as_then(number) or round_, number):
                verdict = self._of_wager(number, wager)
                if verdict is BY_CARDS:
                    continue
                found[number, wager, False, 0] = verdict
                if wager in seat.coupons:  # it goes the way of the chips, unless it had gone another one before
                    said = self._said.get((number, wager, True, 0))
                    before = said is not None and self._on_record((number, wager, True, 0))
                    of_chips = replace(verdict, returned=0)
                    found[number, wager, True, 0] = said.verdict if said is not None and before else of_chips
        by_cards = {key: said.verdict for key, said in self._said.items()}
        by_cards = {**self._offered(round_), **by_cards}  # what an answer settled, and nobody has told the sums
        for key, verdict in by_cards.items():
            then = self._story.as_then(key[0])
            if then is None or key[3] or key[1] in then.seats[key[0]].wagers:
                chips = found.get((key[0], PROGRESSIVE, False, 0), BY_CARDS)
                hangs = key[3] > 0 and chips.word == ROUND_HELD  # of a wager that is held `settle` says no bonus
                found.setdefault(key, chips if hangs else verdict)
        return found

    def _of_wager(self, seat: int, wager: str) -> Verdict:
        """By a hold of its hand, the row that took effect, the player's answer or what was said of the dealer; else the cards."""
        told, verdict = self._story.told, self._hands.get(seat, BY_CARDS)
        if verdict is not BY_CARDS:
            return verdict
        if told is not None:
            assert told.before.round is not None
            lay = told.before.round.seats.get(seat)
            whole = holds_round(told.made.demands)
            if lay is not None and wager in lay.wagers:
                verdict = told.at_once(seat, wager)
            elif whole is not None:  # it was placed when play went on
                verdict = Verdict(ROUND_HELD, cite=whole.cite, reading=whole.reading)
        return self._announced.get((seat, wager), BY_CARDS) if verdict is BY_CARDS else verdict


def less_cuts(lines: Sequence[Line], cuts: Sequence[Mapping[str, Any]]) -> list[Line]:
    """The lines less what limits take off: what is paid last goes beyond a limit. One left to a person cuts nothing."""
    left = [0 if cut.get("held") else cut["cut"] for cut in cuts]
    found: list[Line] = []
    for line in reversed(lines):
        paid = line.paid
        for n, cut in enumerate(cuts):
            if line.seat == cut["seat"] and line.wager in cut["wagers"] and not line.holder:
                taken = min(left[n], paid)
                left[n], paid = left[n] - taken, paid - taken
        found.append(replace_line(line, paid=paid))
    return found[::-1]


def _took_effect(before: State, made: f.DispositionMade, then: Sequence[f.Fact]) -> bool:
    """In a live round; in one that is void, where it reached a wager that the void had spared."""
    if before.round is None or not made.round:
        return False
    return before.round.live or any(isinstance(fact.event, f.WagerDecided) for fact in then)


def _came_late(facts: Sequence[f.Fact]) -> bool:
    made = (fact.event for fact in facts if isinstance(fact.event, f.DispositionMade))
    return any(event.trigger is Trigger.PROGRESSIVE_LATE for event in made)


def _key(line: Line) -> Key:
    return line.seat, line.wager, line.coupon > 0, line.holder


def _known(round_: Round) -> tuple[Any, ...]:
    return round_.seen, round_.meters
