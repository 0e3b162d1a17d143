"""Hands and meters that people tell: each refusal in its own words with its clause, and each bound from both sides."""

from collections.abc import Callable

import pytest

from controller.rules.vocabulary import Area, Method
from controller.table.settlement.settle import MOST_PAID
from controller.table.words import acts as a
from tests.controller.table.conftest import MakeTable, Table

BETS = tuple((seat, name, 1000) for seat in (1, 3) for name in ("ante", "blind"))
SIX_CARD = ((1, "trips", 500), (1, "six_card", 500))


def refusal(table: Table, act: a.Act) -> tuple[str | None, tuple[str, ...]]:
    """Code and clauses that an act that must be refused is refused with."""
    refused = table.refused(act)
    return refused.code, refused.cite


def hand(seat: int, cards: str, played: str = "", shown: str = "") -> a.RecordHand:
    return a.RecordHand(Area.PLAYER, cards, seat, played, shown)


def common(area: Area, cards: str, played: str = "", shown: str = "") -> a.RecordHand:
    return a.RecordHand(area, cards, 0, played, shown)


@pytest.fixture
def dealt(make_table: MakeTable) -> Table:
    """Maryland: ante and blind at seats 1 and 3, seat 1 with a six card bonus, whose box got four cards."""
    table = make_table(offered=("trips", "six_card"), method=Method.SHUFFLER)
    return table.ready().bet(*BETS, *SIX_CARD).let_out().deal()


def colorado(make_table: MakeTable) -> Table:
    table = (
        make_table("ma-colorado", offered=()).ready().bet((1, "ante", 1000), (3, "ante", 1000)).let_out().deal()
    )
    table.answer(1, "bet", 1)
    table.answer(3, "fold")
    table.act(a.RevealCommunity(a.Street.COMMUNITY))
    return table


def pikit(make_table: MakeTable) -> Table:
    bets = ((1, "ante", 1000), (1, "five_card_bonus", 1000), (1, "three_card_bonus", 500))
    table = make_table("nj-pikit", offered=("three_card_bonus",)).ready().bet(*bets).let_out().deal()
    table.answer(1, "show")
    table.answer(1, "play_5", 1)
    table.act(a.RevealDealer())
    return table


def fast_action(make_table: MakeTable) -> Table:
    bets = ((1, "original", 1000), (2, "original", 1000))
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready().bet(*bets).let_out()
    table.act(a.RecordInitialDeal())
    for seat in (1, 2):
        table.answer(seat, "set")
    table.act(a.RevealDealer())
    table.act(a.RevealCommunity(a.Street.COMMUNITY))
    return table


BEFORE = [
    hand(1, "As Ks"), common(Area.DEALER, "As Ks"), common(Area.COMMUNITY, "As Ks Qs"), common(Area.SIX_CARD_BOX, "As Ks Qs Js"),
]  # fmt: skip


@pytest.mark.parametrize("act", BEFORE, ids=[act.area for act in BEFORE])
def test_what_is_not_turned_up_yet_is_refused_by_the_clauses_of_the_settlement(
    dealt: Table, act: a.RecordHand
) -> None:
    """Not by that of the progressive wager, which is not offered here. Clauses: md-uth 11.H, 11.I."""
    assert refusal(dealt, act) == ("hand_not_turned_up", ("11.H", "11.I"))


def test_without_a_six_card_bonus_no_card_of_its_box_is_told(make_table: MakeTable) -> None:
    """At the showdown the box is turned up, but only for those who have the wager."""
    table = make_table(offered=("trips", "six_card"), method=Method.SHUFFLER)
    table.ready().bet(*BETS).let_out().deal().to_showdown()
    assert refusal(table, common(Area.SIX_CARD_BOX, "As Ks Qs Js")) == ("hand_not_turned_up", ("11.H", "11.I"))


COUNTS = [
    (hand(1, "As"), ("10.B(3)",)),
    (common(Area.DEALER, "As Ks Qs"), ("10.B(3)",)),
    (common(Area.COMMUNITY, "As Ks"), ("10.B(2)",)),
    (common(Area.SIX_CARD_BOX, "As Ks"), ("7.D", "7.F(4)")),
]


@pytest.mark.parametrize(("act", "cite"), COUNTS, ids=[act.area for act, _ in COUNTS])
def test_a_hand_has_as_many_cards_as_its_clause_says(
    dealt: Table, act: a.RecordHand, cite: tuple[str, ...]
) -> None:
    """Clauses: md-uth 8.D, 9.B, 10.B, 7.D, 7.F(4)."""
    assert refusal(dealt.to_showdown(), act) == ("cards_miscounted", cite)


def test_the_box_is_told_once_it_is_turned_up(dealt: Table) -> None:
    """Four cards, and the wager lies there."""
    dealt.to_showdown().act(common(Area.SIX_CARD_BOX, "As Ks Qs Js"))
    assert (Area.SIX_CARD_BOX, 0) in dealt.round.seen


def test_a_card_is_told_as_often_as_the_set_holds_it(dealt: Table) -> None:
    """Where it lies already is said by seat or by place, with the clause. Clause: md-uth 3.A(1)."""
    dealt.to_showdown().act(hand(1, "As Ks"))
    assert refusal(dealt, hand(3, "As Kd")) == ("card_too_often", ("3.A(1)",))
    dealt.act(common(Area.SIX_CARD_BOX, "Ad Kc Qs Js"))
    twice = common(Area.DEALER, "As Kc")
    assert refusal(dealt, twice) == ("card_too_often", ("3.A(1)",))
    assert "seat 1, six_card_box" in dealt.refused(twice).reason
    assert refusal(dealt, hand(3, "Ac Ac")) == ("card_too_often", ("3.A(1)",))


def test_of_six_decks_a_card_is_told_six_times_and_not_seven(make_table: MakeTable) -> None:
    """Clause: fast-action (b)(1), (b)(4)(ii)."""
    table = fast_action(make_table)
    table.act(hand(1, "As As As As", played="As As"))
    seven = common(Area.DEALER, "As As As Kd", played="As Kd")
    assert refusal(table, seven) == ("card_too_often", ("(b)(1)", "(b)(4)(ii)"))
    table.act(common(Area.DEALER, "As As Kd Kc", played="As As"))


@pytest.mark.parametrize(
    ("turned_up", "act", "code"),
    [
        (colorado, common(Area.COMMUNITY, "As Kh 7d", played="As Kh"), "choice_not_asked"),
        (colorado, common(Area.COMMUNITY, "As Kh 7d", played="As"), "choice_not_asked"),
        (colorado, hand(1, "As Kh 7d", played="As"), "choice_unfit"),
        (colorado, common(Area.DEALER, "As Kh 7d"), "no_hand"),
        (fast_action, common(Area.DEALER, "As Kh 7d 2c", played="As"), "choice_unfit"),
        (pikit, hand(1, "As Kh 7d 5c 3s", played="As Kh"), "choice_not_asked"),
        (pikit, hand(1, "As Kh 7d 5c 3s", shown="As Kh"), "choice_unfit"),
        (pikit, common(Area.DEALER, "As Kh 7d 5c 3s", shown="As Kh 7d"), "choice_not_asked"),
        (pikit, common(Area.DEALER, "As Kh 7d 5c 3s", shown="As"), "choice_not_asked"),
    ],
)  # fmt: skip
def test_cards_are_chosen_only_by_whom_the_game_lets_choose_and_as_many_as_it_says(
    make_table: MakeTable, turned_up: Callable[[MakeTable], Table], act: a.RecordHand, code: str
) -> None:
    """Whose hand it is, which part of it, and how many: no clause speaks of it, and none is cited."""
    assert refusal(turned_up(make_table), act) == (code, ())


def with_progressive(make_table: MakeTable, *chips: int) -> Table:
    table = make_table().ready().begin()
    for seat in chips:
        table.chip(seat)
    return table.let_out().deal().to_showdown()


def test_without_a_progressive_wager_no_meter_is_told(make_table: MakeTable) -> None:
    """Nothing of this round is paid from it."""
    refused = refusal(with_progressive(make_table), a.RecordMeter("meter", 90_000_000, 80_000_000))
    assert refused == ("no_such_wager", ())


LEAST = 1_000_000


@pytest.mark.parametrize(("cents", "reset"), [(LEAST, LEAST - 1), (LEAST, 0), (LEAST, MOST_PAID + 1)])
def test_a_meter_that_starts_again_below_its_least_is_refused_by_the_clause(
    make_table: MakeTable, cents: int, reset: int
) -> None:
    """It starts again with the least of the document or more. Clause: md-uth 12.D(3)(b)(i)."""
    refused = refusal(with_progressive(make_table, 1), a.RecordMeter("meter", cents, reset))
    assert refused == ("meter_reset_out_of_bounds", ("12.D(3)(b)(i)",))


@pytest.mark.parametrize("cents", [-1, MOST_PAID + 1])
def test_a_meter_outside_all_that_is_ever_paid_is_a_mistake(make_table: MakeTable, cents: int) -> None:
    """Most likely a zero too many; the refusal says what was given."""
    refused = refusal(with_progressive(make_table, 1), a.RecordMeter("meter", cents, LEAST))
    assert refused == ("meter_out_of_bounds", ())
