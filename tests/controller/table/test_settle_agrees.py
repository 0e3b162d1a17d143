"""A row gives each wager one fate, cited alike, at the table and in `settle`, in five books and at each stage of a round.

Two kinds of difference are left, and each is counted and printed: a hold of the whole round, which `settle` says wager by
wager, and wagers paid on record before a void, of which `settle` is not told.
"""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain, combinations, product
from typing import Any

import msgspec
import pytest

from controller.games.fates import reaches
from controller.games.settling import round as rounds
from controller.games.settling.settled import Outcome
from controller.games.settling.voids import Fates
from controller.rules.elections import ElectionsInvalid, elect, proposals
from controller.rules.model import Law, Rulebook
from controller.rules.vocabulary import GUARDS_OF, Action, Guard, Method, Role, Trigger
from controller.table import acts as a
from controller.table import facts as f
from controller.table.decide import fold
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


STAGES = ("dealt", "answered", "paid")
PAID = {"ultimate": (1, "ante"), "pikit": (4, "ante"), "colorado": (3, "ante"), "fast_action": (2, "original")}
"""A wager that is paid on record although no answer has settled it."""
BOOKS = ("ma-uth", "md-uth", "nj-pikit", "ma-colorado", "fast-action")


@pytest.fixture(params=[(book, stage) for book in BOOKS for stage in STAGES], ids="-".join)
def table(request, make_table):
    """A round whose cards are dealt; or in which each answer was given by somebody and somebody is still to answer; or in which
    a wager was paid as well."""
    name, stage = request.param
    elect_ = {"version": "required_bet"} if name == "ma-colorado" else {}
    method = Method.MANUAL_SHOE if name == "fast-action" else Method.DEALING_SHOE
    table = make_table(name, method, elect_, offered=("trips", "bonus", "three_card_bonus"))
    plays = table.setup.law.rulebook.plays
    seats = range(1, 6) if plays == "fast_action" else range(1, 5)
    table.ready().bet(*[(seat, *bet) for seat in seats for bet in BETS[plays]]).let_out()
    table.act(a.RecordInitialDeal()) if name == "fast-action" else table.deal()
    if stage != "dealt":
        _answers(table, plays)
    if stage == "paid":
        _pay(table, *PAID[plays])
    return table


def _answers(table, plays):
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


def _pay(table, seat, wager):
    """As a fact, for in some games nothing is paid before all have answered."""
    cents = table.round.seats[seat].wagers[wager].cents
    paid = f.WagerSettled(
        table.round.id, seat, wager, Outcome.WIN, cents, cents, cents, "USD", "a dealer", Role.DEALER, (), None
    )
    table.state = fold(table.state, [f.Fact("table", paid)])


def laws(book: Rulebook, trigger: Trigger, chosen: dict[str, str], *, each: bool) -> Iterator[Law]:
    """The law under every choice of what the rows of this trigger, and what collected chips become, hang on.

    What was paid before is varied by itself: it bears on no other wager. `each`: else only as proposed.
    """
    steps = chain.from_iterable(row.by_reading for row in book.rows.get(trigger, ()))
    asked = {reading for step in steps for reading, _ in step.condition}
    if (rule := book.play.collected_in_void) is not None and rule.by_choice:
        asked.add(rule.by_choice)
    questions = sorted(asked)
    elected = [dict(zip(questions, c, strict=True)) for c in product(*map(partial(_choices, book), questions))]
    for choices in (*(elected if each else [{}]), {"R-131": "stands"}, {"R-131": "return"}):
        both = {**proposals(book), **chosen, **choices}
        try:
            yield elect(book, {q: (choice, "test") for q, choice in both.items()})
        except ElectionsInvalid:  # one of these choices needs another one
            continue


def _choices(book: Rulebook, question: str) -> list[str]:
    return [choice.id for choice in book.questions[question].choices]


def said(trigger: Trigger) -> Iterator[tuple[Guard, ...]]:
    told = [guard for guard in GUARDS_OF[trigger] if guard not in OF_STATE]
    return chain.from_iterable(combinations(told, n) for n in range(len(told) + 1))


Answer = tuple[str, tuple[str, ...], str | None]
"""back, lost, held or cards; with the clauses or the reading that decide it."""
WORDS = {"returned": "back", "held": "held", "lost": "lost", "collected": "lost"}
CARDS: Answer = ("cards", (), None)


def at_table(draft: Draft, before: State, seat: int, wager: str) -> Answer:
    """The fate of a wager of the round as it was before."""
    events = [fact.event for fact in draft.facts]
    decided = [x for x in events if isinstance(x, f.WagerDecided) and (x.seat, x.wager) == (seat, wager)]
    if decided and decided[-1].fate != "to_settle":
        return WORDS[decided[-1].fate], decided[-1].cite, decided[-1].reading
    assert before.round is not None
    lies = before.round.seats[seat].wagers[wager].fate
    holds = [x for x in events if isinstance(x, f.HoldPlaced)]
    for hold in holds:
        collected = hold.wager == ALL_COLLECTED and hold.seat in (0, seat) and lies is Fate.COLLECTED
        settled = hold.code == "settled_before_void" and f"seat {seat} {wager}: " in hold.reason
        if collected or settled:
            return "held", hold.cite, hold.reading
    (made,) = [x for x in events if isinstance(x, f.DispositionMade)]
    whole = next((d for d in made.demands if d.action is Action.HOLD_ROUND), None)
    stands = lies in (Fate.COLLECTED, Fate.SETTLED) and reaches(made.demands, seat, made.seat)
    if whole is not None and not decided and not stands:
        return "round held", whole.cite, whole.reading
    return ("lost", (), None) if lies is Fate.COLLECTED else CARDS


def in_settle(law: Law, before: State, made: f.DispositionMade, seat: int, wager: str) -> Answer:
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
        return ("lost", (), None) if folded else CARDS
    words = {Outcome.VOID: "back", Outcome.RETURN: "back", Outcome.LOSE: "lost", Outcome.HELD: "held"}
    # `settle` is not told how cards were dealt, and cites each way of dealing.
    return words[line.outcome], law.rulebook.cite_for(line.cite, before.method), line.reading


def equal(there: Answer, here: Answer, *, on_record: bool) -> str:
    """ "" where both say the same, else the kind of the difference."""
    if there == here:
        return ""
    if there[0] == "round held" and here == ("held", *there[1:]):
        return "a hold of the whole round"
    return "paid on record before" if on_record else "apart"


def disposed(setup: Setup, state: State, trigger: Trigger, guards: tuple[Guard, ...], seat: int) -> Draft:
    draft = Draft(setup, state, Moment(0, 0, ""))
    dispose(draft, trigger, *guards, seat=seat)
    return draft


def test_table_and_settle_agree_on_each_wager(table, request) -> None:
    """Each irregularity in each state, under every election that it hangs on, at each seat: one fate, cited alike, in both."""
    book, state = table.setup.law.rulebook, table.state
    chosen = {q: e.choice for q, e in table.setup.law.elections.items()}
    placed = [(seat, wager) for seat, s in state.round.seats.items() for wager in s.wagers]
    stage = request.node.callspec.params["table"][1]
    apart: dict[Any, list[Any]] = {}
    kinds: Counter[str] = Counter()
    for trigger in book.rows:
        if book.absent(trigger) is not None:
            continue
        for law in laws(book, trigger, chosen, each=stage == "answered"):
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
                    lies = state.round.seats[at].wagers[wager]
                    kind = equal(there, here, on_record=lies.outcome is not None)
                    kinds[kind or "the same"] += 1
                    if kind == "apart":
                        key = (trigger.value, guards, wager, state.round.seats[at].answers, there, here)
                        apart.setdefault(key, []).append((seat == at, made.demands))
    print(f"{book.id} {stage}: {dict(kinds)}")
    assert kinds["the same"] > 100
    assert not apart, "\n".join(f"{key}: {found[0]}" for key, found in apart.items())
