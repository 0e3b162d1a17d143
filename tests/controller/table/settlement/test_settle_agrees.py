"""A row gives each wager one fate, cited alike, at the table and in `settle`: each row, under each condition and each choice.

Random rounds are told to `settle` by the soak (`tests/soak/agree.py`), which finds what cards, amounts, answers and the course of
a round make of it. Only here each row is met under every choice that it hangs on, in every set of conditions that people can
say, and while wagers lie there that were paid on record: of many of these a soak of a million rounds has none.

In how much both may differ is the same for the two (`tests/soak/verdicts.py`), and printed.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations
from typing import Any

import msgspec
import pytest

from controller.games.settling import round as rounds
from controller.games.settling.settled import Outcome
from controller.games.settling.voids import Fates
from controller.rules.elections import ElectionsInvalid, elect, proposals
from controller.rules.model import Law, Rulebook
from controller.rules.named_wagers import belongs
from controller.rules.vocabulary import GUARDS_OF, Action, Guard, Method, Role, Trigger
from controller.table.decide import fold
from controller.table.fold.ruling import Draft
from controller.table.irregularities.dispositions import OF_A_SEAT, dispose
from controller.table.state.table import Fate, Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Moment
from tests.soak.tables import book as printed
from tests.soak.verdicts import APART, BY_CARDS, Happened, Verdict, difference, of_line

OF_STATE = {Guard.ROUND_LIVE, Guard.INITIAL_DEAL_DONE, Guard.ALL_PLAYERS_ACTED,
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


STAGES = ("let_out", "dealt", "answered", "paid")
PAID = {"ultimate": (1, "ante"), "pikit": (4, "ante"), "colorado": (3, "ante"), "fast_action": (2, "original")}
"""A wager that is paid on record although no answer has settled it."""
BOOKS = ("ma-uth", "md-uth", "nj-pikit", "ma-colorado", "fast-action")


@pytest.fixture(params=[(book, stage) for book in BOOKS for stage in STAGES], ids="-".join)
def table(request, make_table):
    """A round whose cards are let out, or are dealt; or in which each answer was given by somebody and somebody is still to
    answer; or in which a wager was paid as well."""
    name, stage = request.param
    elect_ = {"version": "required_bet"} if name == "ma-colorado" else {}
    method = Method.MANUAL_SHOE if name == "fast-action" else Method.DEALING_SHOE
    table = make_table(name, method, elect_, offered=("trips", "bonus", "three_card_bonus"))
    plays = table.setup.law.rulebook.plays
    seats = range(1, 6) if plays == "fast_action" else range(1, 5)
    table.ready().bet(*[(seat, *bet) for seat in seats for bet in BETS[plays]]).let_out()
    if stage == "let_out":
        return table
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


def laws(book: Rulebook, trigger: Trigger, chosen: dict[str, str]) -> Iterator[Law]:
    """The law as proposed, then with each other choice of a question on which the rows of this trigger hang, or what becomes of
    chips that a void reaches: one choice at a time, as each step of a row asks for its own."""
    steps = chain.from_iterable(row.by_reading for row in book.rows.get(trigger, ()))
    asked = {reading for step in steps for reading, _ in step.condition}
    asked |= {
        by for rule in (book.play.collected_in_void, book.play.settled_in_void) if rule and (by := rule.by_choice)
    }
    usual = {**proposals(book), **chosen}
    yield elected(book.id, tuple(sorted(usual.items())))  # type: ignore[misc]
    for question in sorted(asked):
        for choice in book.questions[question].choices:
            law = elected(book.id, tuple(sorted({**usual, question: choice.id}.items())))
            if choice.id != usual.get(question) and law is not None:
                yield law


@cache
def elected(name: str, choices: tuple[tuple[str, str], ...]) -> Law | None:
    """None where one of these choices needs another one."""
    try:
        return elect(printed(name), {question: (choice, "test") for question, choice in choices})
    except ElectionsInvalid:
        return None


def said(trigger: Trigger) -> Iterator[tuple[Guard, ...]]:
    told = [guard for guard in GUARDS_OF[trigger] if guard not in OF_STATE]
    return chain.from_iterable(combinations(told, n) for n in range(len(told) + 1))


def happenings(
    state: State, book: Rulebook, chosen: dict[str, str]
) -> Iterator[tuple[Law, Trigger, tuple[Guard, ...], int]]:
    """What is tried: as proposed at each seat that it may concern, under another choice at the seats in turn."""
    assert state.round is not None
    turn = 0
    for trigger in book.rows:
        if book.absent(trigger) is not None:
            continue
        seats = [*state.round.seats] if trigger in OF_A_SEAT else [0]
        if trigger is Trigger.FALSE_DECLARATION:  # both refuse it of who has folded: who has, has declared nothing
            seats = [seat for seat in seats if not state.round.seats[seat].folded]
        for n, law in enumerate(laws(book, trigger, chosen)):
            for guards in said(trigger):
                turn += 1
                for seat in seats if n == 0 else [seats[turn % len(seats)]]:
                    yield law, trigger, guards, seat


def in_settle(law: Law, before: State, made: f.DispositionMade) -> dict[tuple[int, str], Verdict]:
    """What `settle` makes of each wager of the round that no card decides."""
    assert before.round is not None
    hands = tuple(
        rounds.Hand(n, {w: lies.cents for w, lies in s.wagers.items()}, (), s.answers)
        for n, s in before.round.seats.items()
    )
    happened = tuple(condition for condition in made.guards if belongs(made.trigger, condition))
    fates = Fates(law, rounds.Round(hands, irregularity=rounds.Irregularity(made.trigger, happened, made.seat)))
    return {(x.seat, x.wager): of_line(law, x, before.method) for hand in hands for x in fates.lines(hand)}


def disposed(setup: Setup, state: State, trigger: Trigger, guards: tuple[Guard, ...], seat: int) -> Happened:
    draft = Draft(setup, state, Moment(0, 0, ""))
    dispose(draft, trigger, *guards, seat=seat)
    (made,) = [x.event for x in draft.facts if isinstance(x.event, f.DispositionMade)]
    return Happened(state, tuple(draft.facts), made)


def test_table_and_settle_agree_on_each_wager(table, request) -> None:
    """Each row in each state: one fate, cited alike, in both."""
    book, state = printed(table.setup.law.rulebook.id), table.state
    chosen = {q: e.choice for q, e in table.setup.law.elections.items()}
    apart: dict[Any, Happened] = {}
    kinds: Counter[str] = Counter()
    for law, trigger, guards, seat in happenings(state, book, chosen):
        happened = disposed(msgspec.structs.replace(table.setup, law=law), state, trigger, guards, seat)
        one_hand = any(demand.action is Action.DISCARD_EXCESS for demand in happened.made.demands)
        settled = in_settle(law, state, happened.made)
        for at, wager, lies in state.round.wagers(*Fate):
            if one_hand and at == seat:
                continue  # by the game, not by the row: test_settle_agrees_at_random.py, fast-action (i)(4)
            there, here = happened.at_once(at, wager), settled.get((at, wager), BY_CARDS)
            kind = difference(there, here, on_record=lies.outcome is not None)
            kinds[kind or "the same"] += 1
            if kind == APART:
                apart.setdefault(
                    (trigger.value, guards, wager, state.round.seats[at].answers, there, here), happened
                )
    print(f"{book.id} {request.node.callspec.params['table'][1]}: {dict(kinds)}")
    assert kinds["the same"] > 100
    assert not apart, "\n".join(f"{key}: {found.made.demands}" for key, found in apart.items())
