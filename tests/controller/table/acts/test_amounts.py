"""Amounts that a document prints, or a house sets, hold against every source: the table file, chips on the felt and on a sensor,
answers, coupons, corrections, the input of `settle`. Each wager of each document, on both sides of each bound.
"""

from random import Random

import pytest

from controller.games.settling.engine import Settler
from controller.games.settling.round import RoundRefused, Terms
from controller.games.settling.settled import Outcome
from controller.rules.amounts import has_limits
from controller.rules.elections import elect, proposals
from controller.rules.parts import WagerRule
from controller.rules.read.library import available, find
from controller.rules.vocabulary import Method, Role
from controller.table.acts.betting import MOST_CENTS
from controller.table.acts.permissions import verify
from controller.table.questions.coupons_and_envy import MOST_FACE
from controller.table.state.table import Fate
from controller.table.words import acts as a
from controller.table.words import structs
from controller.table.words.inputs import Actor
from drivers import events as e
from tests.support.dealt import Dealer

COVER_ALL = e.Levels(dispensing=e.INHIBITED, mode=e.Mode.COVER_ALL, cards_inside=0)
FLOOR = Actor("a supervisor", Role.SUPERVISOR)
LEAST, MOST = 500, 2000
BOOKS = {name: find(name) for name in available()}
ELECTED = {name: {q: (choice, "test") for q, choice in proposals(book).items()} for name, book in BOOKS.items()}
LAWS = {name: elect(book, ELECTED[name]) for name, book in BOOKS.items()}
WAGERS = [(name, wager) for name, book in BOOKS.items() for wager in book.wagers]
BEFORE_DEAL = [(n, w) for n, w in WAGERS if BOOKS[n].wagers[w].placed == "before_deal"]
BY_HAND = [(n, w) for n, w in BEFORE_DEAL if not BOOKS[n].wagers[w].sensed]


def method_of(rulebook):
    return Method.MANUAL_SHOE if rulebook == "fast-action" else Method.DEALING_SHOE


def offered(rulebook):
    return tuple(
        name for name, rule in BOOKS[rulebook].wagers.items() if rule.optional and rule.placed == "before_deal"
    )


def amount_of(rulebook, wager):
    """An amount that can be, of a wager that is placed before the deal."""
    exact = BOOKS[rulebook].wagers[wager].exact_cents
    return exact.value if exact else 1000


@pytest.fixture
def betting(make_table):
    """Betting is open, and what this wager requires lies at seat 1. `limits`: posted ones of the table."""

    def make(rulebook, wager, limits=None):
        table = make_table(rulebook, method=method_of(rulebook), offered=offered(rulebook), limits=limits).ready()
        if "shuffler-1" in table.setup.devices and BOOKS[rulebook].wagers[wager].device_mode is not None:
            table.online("shuffler-1", levels=COVER_ALL)
        table.act(a.BeginRound("red"))
        for name in BOOKS[rulebook].wagers[wager].requires.value:
            needed = BOOKS[rulebook].wagers[name].requires.value
            if wager not in needed or name == (BOOKS[rulebook].wagers[wager].of or ""):
                table.act(a.PlaceWager(1, name, amount_of(rulebook, name)))
        return table

    return make


def bounds(rule: WagerRule, limits: dict[str, tuple[int, int]]) -> dict[int, bool]:
    """Amounts on both sides of each bound of this wager before the deal, and which of them can be."""
    if rule.exact_cents is not None:
        exact = rule.exact_cents.value
        return {exact - 1: False, exact: True, exact + 1: False, 0: False, -1: False}
    if rule.name in limits:
        least, most = limits[rule.name]
        return {least - 1: False, least: True, most: True, most + 1: False, 0: True, -1: False}
    return {-1: False, 0: True, 1: True, MOST_CENTS: True, MOST_CENTS + 1: False}


@pytest.mark.parametrize(("rulebook", "wager"), BY_HAND)
def test_a_wager_is_put_down_within_its_bounds(betting, rulebook, wager):
    """0 is chips that nobody counted: no bound of a house speaks of them, and of one printed chip the amount is known."""
    rule = BOOKS[rulebook].wagers[wager]
    for limits in ({}, {wager: (LEAST, MOST)} if has_limits(rule) else {}):
        table = betting(rulebook, wager, limits)
        for cents, can_be in bounds(rule, limits).items():
            refused = verify(table.setup, table.state, a.PlaceWager(1, wager, cents), FLOOR)
            assert (refused is None) is can_be, (cents, refused)
            if refused is not None and rule.exact_cents is not None and cents >= 0:
                assert refused.cite == rule.exact_cents.cite


def refused_of(law, round_, wager):
    """Whether `settle` refuses this round because of this wager."""
    try:
        Settler(law).settle(round_)
    except RoundRefused as refused:
        return refused.wager == wager
    return False


@pytest.mark.parametrize(("rulebook", "wager"), WAGERS)
def test_settle_takes_amounts_that_can_be(rulebook, wager):
    """One wager of a round is a cent more or less; the round is refused where the document or the house wants another amount."""
    law = LAWS[rulebook]
    rule, rounds = law.rulebook.wagers[wager], 0
    for seed in range(12):
        round_ = Dealer(law, Random(seed), every=seed % 2 == 0).round(1)
        (hand,) = round_.hands
        lies = hand.wagers.get(wager, 0)
        if not lies or refused_of(law, round_, wager):
            continue
        rounds += 1
        bound = rule.exact_cents is not None or rule.of is not None
        for cents in (lies - 1, lies + 1):
            other = structs.replace(hand, wagers={**hand.wagers, wager: cents})
            assert refused_of(law, structs.replace(round_, hands=(other,)), wager) is bound, cents
        for least, most, can_be in ((lies, lies, True), (lies + 1, None, False), (None, lies - 1, False)):
            terms = Terms("USD", {} if least is None else {wager: least}, {} if most is None else {wager: most})
            assert refused_of(law, structs.replace(round_, terms=terms), wager) is not can_be
    assert rounds, "no round had such a wager"


@pytest.mark.parametrize(("rulebook", "wager"), BY_HAND)
def test_a_coupon_has_a_face_and_lies_beside_no_single_chip(betting, rulebook, wager):
    """Where the document knows coupons at all; a wager of one printed chip is that chip. Clauses: ma-colorado 6(a), 6a(b)."""
    rule, table = BOOKS[rulebook].wagers[wager], betting(rulebook, wager)
    known = rulebook in ("ma-uth", "nj-pikit", "ma-colorado") and rule.exact_cents is None
    for face, can_be in ((-1, False), (0, True), (1, known), (MOST_FACE, known), (MOST_FACE + 1, False)):
        act = a.PlaceWager(1, wager, amount_of(rulebook, wager), coupon=face)
        refused = verify(table.setup, table.state, act, FLOOR)
        assert (refused is None) is can_be, (face, refused)
    law = table.setup.law
    round_ = Dealer(law, Random(3), every=True).round(1)
    (hand,) = round_.hands
    if hand.wagers.get(wager):
        with_coupon = structs.replace(hand, coupons={wager: 500})
        assert refused_of(law, structs.replace(round_, hands=(with_coupon,)), wager) is not known


@pytest.mark.parametrize("rulebook", ["ma-uth", "md-uth"])
def test_a_correction_hands_back_no_more_than_the_stake(make_table, rulebook):
    """Of each wager that was settled, and none of its amounts becomes another one."""
    table = make_table(rulebook).ready().begin().let_out().deal().to_showdown()
    table.act(a.SettleRound())
    for seat, wager, lies in table.round.wagers(Fate.SETTLED):
        for returned, can_be in ((-1, False), (0, True), (lies.cents, True), (lies.cents + 1, False)):
            act = a.CorrectSettlement(seat, wager, Outcome.WIN, "looked at again", 500, returned)
            assert (verify(table.setup, table.state, act, FLOOR) is None) is can_be, (wager, returned)
