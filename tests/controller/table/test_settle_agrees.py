"""What a row makes of each wager at the table and in `settle`: the same, also of what an answer had settled before."""

from collections.abc import Iterator
from itertools import chain, combinations, product
from typing import Any

import msgspec
import pytest

from controller.games.fates import REACHES_ALL, REACHES_SEAT
from controller.games.settling import round as rounds
from controller.games.settling.settled import Outcome
from controller.games.settling.voids import Fates
from controller.rules.elections import ElectionsInvalid, elect, proposals
from controller.rules.model import Law, Rulebook
from controller.rules.vocabulary import GUARDS_OF, Action, Guard, Method, Trigger
from controller.table import acts as a
from controller.table import facts as f
from controller.table.dispositions import dispose
from controller.table.draft import Draft
from controller.table.inputs import Moment
from controller.table.state import ALL_COLLECTED, Fate, Setup, State

OF_STATE = {Guard.ROUND_LIVE, Guard.INITIAL_DEAL_DONE, Guard.ALL_PLAYERS_ACTED, Guard.TRIPS_PLACED,
            Guard.SHUFFLER_COUNTS, Guard.RESHUFFLING_DEVICE, Guard.TWO_SETS, Guard.BETS_OPEN}  # fmt: skip
"""Guards that the state tells; the others are said by what happened. No wager is settled while bets are open."""
BETS = {
    "ultimate": (("ante", 1000), ("blind", 1000), ("trips", 500)),
    "pikit": (("ante", 1000), ("five_card_bonus", 1000), ("three_card_bonus", 500)),
    "colorado": (("ante", 1000), ("bonus", 100)),
    "fast_action": (("original", 1000),),
}
ANSWERS = {
    "pikit": ((4, "play_3", 1), (3, "play_5", 1), (2, "fold", 0)),
    "colorado": ((1, "declare", 0), (2, "fold", 0), (3, "bet", 1)),
    "fast_action": ((5, "natural", 0), (4, "surrender", 0), (3, "split", 1), (2, "set", 0)),
}
"""Seats with each answer, in the order of the document; one more is still to be asked."""


@pytest.fixture(params=["ma-uth", "md-uth", "nj-pikit", "ma-colorado", "fast-action"])
def table(request, make_table):
    """A round in which each answer was given by somebody, and somebody is still to answer."""
    name = request.param
    elect_ = {"version": "required_bet"} if name == "ma-colorado" else {}
    method = Method.MANUAL_SHOE if name == "fast-action" else Method.DEALING_SHOE
    table = make_table(name, method, elect_, offered=("trips", "bonus", "three_card_bonus"))
    plays = table.setup.law.rulebook.plays
    seats = range(1, 6) if plays == "fast_action" else range(1, 5)
    table.ready().bet(*[(seat, *bet) for seat in seats for bet in BETS[plays]]).let_out()
    table.act(a.RecordInitialDeal()) if name == "fast-action" else table.deal()
    if plays == "ultimate":
        for street in (a.Street.FLOP, a.Street.LAST_TWO):
            for seat in (1, 2, 3, 4):
                if not table.round.seats[seat].decided:
                    table.answer(seat, *(("play", 4) if (seat, street) == (1, a.Street.FLOP) else ("check",)))
            table.act(a.RevealCommunity(street))
        table.answer(2, "play", 1)
        table.answer(3, "fold")
    if plays == "pikit":
        table.decide_all(a.Decision.SHOW)
    for answer in ANSWERS.get(plays, ()):
        table.answer(*answer)
    return table


def laws(book: Rulebook, trigger: Trigger, chosen: dict[str, str]) -> Iterator[Law]:
    """The law under every choice of what the rows of this trigger, and what collected chips become, hang on."""
    steps = chain.from_iterable(row.by_reading for row in book.rows.get(trigger, ()))
    asked = {reading for step in steps for reading, _ in step.condition}
    if (rule := book.play.collected_in_void) is not None and rule.by_choice:
        asked.add(rule.by_choice)
    questions = sorted(asked)
    for choices in product(*([c.id for c in book.questions[q].choices] for q in questions)):
        elected = {**proposals(book), **chosen, **dict(zip(questions, choices, strict=True))}
        try:
            yield elect(book, {q: (choice, "test") for q, choice in elected.items()})
        except ElectionsInvalid:  # one of these choices needs another one
            continue


def said(trigger: Trigger) -> Iterator[tuple[Guard, ...]]:
    told = [guard for guard in GUARDS_OF[trigger] if guard not in OF_STATE]
    return chain.from_iterable(combinations(told, n) for n in range(len(told) + 1))


def at_table(draft: Draft, before: State, seat: int, wager: str) -> str:
    """back, lost, held or cards: what became of a wager of the round as it was before."""
    events = [fact.event for fact in draft.facts]
    holds = [event for event in events if isinstance(event, f.HoldPlaced)]
    (made,) = [event for event in events if isinstance(event, f.DispositionMade)]
    round_ = draft.state.round
    assert round_ is not None
    fate = round_.seats[seat].wagers[wager].fate
    demands = {demand.action for demand in made.demands}
    whole = Action.HOLD_ROUND in demands
    reached = demands & {*REACHES_ALL} or (seat == made.seat and demands & {*REACHES_SEAT})
    match fate:
        case Fate.RETURNED:
            return "back"
        case Fate.HELD:
            return "held"
        case Fate.LOST:
            return "lost"
        case Fate.TO_SETTLE:
            return "cards"
        case Fate.COLLECTED:
            asked = any(hold.wager == ALL_COLLECTED and hold.seat in (0, seat) for hold in holds)
            return "held" if asked or (whole and not reached) else "lost"
        case Fate.SETTLED if reached and Action.COLLECT_ANTE not in demands:
            assert holds, "what was settled before is asked about"
            return "held"
    return "held" if whole else "cards"


def in_settle(law: Law, before: State, made: f.DispositionMade, seat: int, wager: str) -> str:
    assert before.round is not None
    hands = tuple(
        rounds.Hand(n, {w: lies.cents for w, lies in s.wagers.items()}, (), s.answers)
        for n, s in before.round.seats.items()
    )
    happened = tuple(guard for guard in made.guards if guard in GUARDS_OF[made.trigger])
    round_ = rounds.Round(hands, irregularity=rounds.Irregularity(made.trigger, happened, made.seat))
    hand = next(hand for hand in hands if hand.seat == seat)
    line = Fates(law, round_).line(hand, wager, hand.wagers[wager])
    if line is None:
        folded = before.round.seats[seat].wagers[wager].fate is Fate.COLLECTED
        return "lost" if folded else "cards"
    return {Outcome.VOID: "back", Outcome.RETURN: "back", Outcome.LOSE: "lost", Outcome.HELD: "held"}[line.outcome]


def disposed(setup: Setup, state: State, trigger: Trigger, guards: tuple[Guard, ...], seat: int) -> Draft:
    draft = Draft(setup, state, Moment(0, 0, ""))
    dispose(draft, trigger, *guards, seat=seat)
    return draft


def test_table_and_settle_agree_on_each_wager(table) -> None:
    """Each irregularity in each state, under every election that it hangs on, at each seat: one fate in both."""
    book, state = table.setup.law.rulebook, table.state
    chosen = {q: e.choice for q, e in table.setup.law.elections.items()}
    placed = [(seat, wager) for seat, s in state.round.seats.items() for wager in s.wagers]
    apart: dict[Any, list[Any]] = {}
    compared = 0
    for trigger in GUARDS_OF:
        if book.absent(trigger) is not None:
            continue
        for law in laws(book, trigger, chosen):
            setup = msgspec.structs.replace(table.setup, law=law)
            for guards, seat in product(said(trigger), state.round.seats):
                if trigger is Trigger.FALSE_DECLARATION and state.round.seats[seat].folded:
                    continue  # both refuse it: who has folded has declared nothing
                draft = disposed(setup, state, trigger, guards, seat)
                (made,) = [x.event for x in draft.facts if isinstance(x.event, f.DispositionMade)]
                one_hand = any(demand.action is Action.DISCARD_EXCESS for demand in made.demands)
                for at, wager in placed:
                    if one_hand and at == seat:
                        continue  # by the game, not by the row: test_settle_agrees_at_random.py, fast-action (i)(4)
                    there, here = at_table(draft, state, at, wager), in_settle(law, state, made, at, wager)
                    compared += 1
                    if there != here:
                        key = (trigger.value, guards, wager, state.round.seats[at].answers, there, here)
                        apart.setdefault(key, []).append((seat == at, made.demands))
    assert compared > 100
    assert not apart, "\n".join(f"{key}: {found[0]}" for key, found in apart.items())
