"""The cut: in which order players are asked, what is refused with which words and clauses, and shuffles by order."""

from dataclasses import replace

import pytest
from msgspec import structs

from controller.rules.citation import Cited
from controller.rules.vocabulary import Action, Method, Role, ShuffleAt, Trigger
from controller.table.card_sets.cuts import (
    before_deal,
    offered_to,
    verify_direct_shuffle,
    verify_record_cut,
    verify_recut,
)
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal

DEALER = Actor("dora", Role.DEALER)
AFTER = ("(e)(2)(ii)",)
ORDER = ("(e)(3)(i)", "(e)(3)(ii)", "(e)(3)(iii)", "(e)(3)(iv)", "(e)(4)")
SAY_WHERE = (
    "say where the cutting card showed, for the next cut: seat 1, 3, or at_dealer for the dealer's hand and the "
    "community cards"
)


def shuffled(make_table, rulebook="fast-action", seats=()):
    """One set, shuffled by hand and not yet cut; at `seats` the last round was played."""
    table = make_table(rulebook, Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
    table.state = structs.replace(table.state, last_seats=seats)
    table.act(a.RecordShuffle("red"))
    return table


@pytest.mark.parametrize(
    ("seats", "cutting_card", "order"),
    [
        ((), None, ()),
        ((1, 3, 6), None, (6, 1, 3)),
        ((1, 3, 6), 0, (6, 1, 3)),
        ((1, 3, 6), 3, (3, 6, 1)),
        ((1, 2, 3, 4, 5, 6), 4, (4, 5, 6, 1, 2, 3)),
        ((1, 6), 3, (3, 6, 1)),
    ],
)
def test_the_cut_is_offered_clockwise_from_the_first_who_may(make_table, seats, cutting_card, order):
    """From where the cutting card showed, else from the seat farthest to the dealer's right, and around the table once."""
    table = shuffled(make_table, seats=seats)
    state = structs.replace(table.state, cutting_card=cutting_card)
    assert offered_to(table.setup, state) == order


ONCE = "the cut is offered once to each of seats 1 to 6"
CLOCKWISE = "after a refusal the cut is offered on clockwise around the table"


@pytest.mark.parametrize(
    ("seats", "cut", "reason"),
    [
        ((1, 3, 6), (6, ()), None),
        ((1, 3, 6), (1, (6,)), None),
        ((1, 3, 6), (0, (6, 1, 3)), None),
        ((), (3, ()), None),
        ((), (5, (3, 4)), None),
        ((), (2, (3, 6, 1)), None),
        ((), (3, (3,)), ONCE),
        ((), (7, ()), ONCE),
        ((), (1, (0,)), ONCE),
        ((), (4, (3, 5)), CLOCKWISE),
        ((), (2, (3, 1, 6)), CLOCKWISE),
        ((1, 3, 6), (0, ()), "the cut is offered to seat 6 first; the dealer cuts if every player declines"),
        ((), (0, ()), "the cut is offered to the first player at the table first; the dealer cuts if every player declines"),
        ((1, 3, 6), (1, ()), "the cut is offered to seat 6 first"),
        ((1, 3, 6), (0, (6, 1)), "offer the cut to seat 3 before the dealer cuts; a player who has left declines"),
        ((1, 2, 3, 4, 5), (3, (5, 2)), "offer the cut to seat 1 before seat 3 cuts; a player who has left declines"),
        ((1, 2, 3, 4, 5), (4, (5,)), "offer the cut to seat 1, 2, 3 before seat 4 cuts; a player who has left declines"),
        ((1, 2, 3, 4, 5), (4, (5, 1, 2, 3)), None),
        ((1, 3), (4, ()), None),
        ((1, 3), (1, (6, 3)), CLOCKWISE),
        ((1, 3), (3, (6, 1)), None),
        ((1, 3), (2, ()), "the cut is offered to seat 3 first"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ordered", [True, False])
def test_a_cut_out_of_its_turn_is_refused(make_table, seats, cut, reason, ordered):
    """By the clause on the order; by the one on who cuts where the document prints no order."""
    table = shuffled(make_table, seats=seats)
    rule = table.setup.law.rulebook.cut
    if not ordered:
        table.with_book(cut=replace(rule, offered_to=None))
    refusal = verify_record_cut(table.setup, table.state, a.RecordCut("red", *cut), DEALER)
    cite = ORDER if ordered else rule.by.cite
    assert refusal == (Refusal(reason, cite, code="cut_out_of_order") if reason else None)


@pytest.mark.parametrize(
    ("rulebook", "cards", "code"),
    [
        ("fast-action", 9, "cut_too_deep"),
        ("fast-action", 10, None),
        ("fast-action", 302, None),
        ("fast-action", 303, "cut_too_deep"),
        ("md-uth", 9, "cut_too_deep"),
        ("md-uth", 51, None),
        ("md-uth", 52, "cut_too_deep"),
    ],
)
def test_a_cut_is_as_deep_as_the_document_wants(make_table, rulebook, cards, code):
    """From the top, or from either end where that is printed: on each bound and beside it."""
    table = shuffled(make_table, rulebook)
    rule = table.setup.law.rulebook.cut
    seat = 3 if rule.by.value == "players" else 0
    refusal = verify_record_cut(table.setup, table.state, a.RecordCut("red", seat, (), cards), DEALER)
    assert (refusal and (refusal.code, refusal.cite)) == ((code, rule.least_cards.cite) if code else None)


@pytest.mark.parametrize("cut", [(3, ()), (0, (3,))])
def test_where_the_dealer_cuts_nobody_else_is_offered_it(make_table, cut):
    """Clause: md-uth 5.F."""
    table = shuffled(make_table, "md-uth")
    refusal = verify_record_cut(table.setup, table.state, a.RecordCut("red", *cut), DEALER)
    assert (refusal.code, refusal.cite) == ("cut_not_offered", ("5.F",))
    assert verify_record_cut(table.setup, table.state, a.RecordCut("red"), DEALER) is None


def test_a_set_of_which_cards_came_out_too_early_is_cut_all_the_same_before_it_is_dealt(make_table):
    """They were not let out, and lie there: the rest is not dealt uncut. Clause: md-uth 5.D(2)."""
    table = make_table("md-uth", devices=("shoe-1",), backs=("red",), offered=())
    table.online("shoe-1")
    table.open().act(a.RecordShuffle("red"))
    table.begin(trips=()).act(a.AnnounceNoMoreBets())
    table.stack(1)
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.GO_ON))
    assert table.round.on_layout
    refused = table.refused(a.StartDealing())
    assert refused.reason.startswith("first cut the red set")
    assert refused.cite == ("5.D(2)",)
    table.act(a.RecordCut("red"))
    table.act(a.StartDealing())


def test_a_set_that_waits_for_no_cut_is_not_cut(make_table):
    """It was cut already; a set that is not here is cut by nobody; a cut is asked for before the deal and once more."""
    table = shuffled(make_table)
    first = before_deal(table.setup, table.state, "red")
    assert (first.code, first.cite) == ("cut_first", AFTER)
    again = verify_recut(table.setup, table.state, a.Recut("red"), DEALER)
    assert again.code == "recut_not_known"
    assert verify_record_cut(table.setup, table.state, a.RecordCut("green", 3), DEALER).code == "no_such_set"
    table.act(a.RecordCut("red", 3))
    assert table.state.sets["red"].mark_due
    assert before_deal(table.setup, table.state, "red") is None
    refusal = verify_record_cut(table.setup, table.state, a.RecordCut("red", 3), DEALER)
    assert (refusal.code, refusal.cite) == ("cut_not_due", AFTER)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"seat": 1}, False),
        ({"at_dealer": True}, False),
        ({}, True),
        ({"seat": 2}, True),
        ({"seat": 1, "at_dealer": True}, True),
    ],
)
@pytest.mark.parametrize("ordered", [True, False])
def test_whoever_sees_the_cutting_card_says_at_whose_hand(make_table, said, wrong, ordered):
    """One place, a hand in play or the dealer's; refused by the clause on the order, else by the one on who cuts."""
    table = shuffled(make_table)
    rule = table.setup.law.rulebook.cut
    table.act(a.RecordCut("red", 3))
    table.marked("red").bet((1, "original", 1000), (3, "original", 1000)).let_out()
    if not ordered:
        table.with_book(cut=replace(rule, offered_to=None))
    report = a.ReportIrregularity(Trigger.CUTTING_CARD_REACHED, **said)
    if not wrong:
        table.act(report)
        return
    refused = table.refused(report)
    assert (refused.reason, refused.cite) == (SAY_WHERE, ORDER if ordered else rule.by.cite)


@pytest.mark.parametrize("role", [Role.SUPERVISOR, None])
def test_a_shuffle_by_order_is_confirmed_by_whom_the_document_names(make_table, role):
    """By the dealer where it names nobody; under the clause on the order."""
    table = shuffled(make_table)
    roles = {x: y for x, y in table.setup.law.rulebook.duty_roles.items() if x is not Action.RESHUFFLE}
    named = {Action.RESHUFFLE: Cited(role, ("x",))} if role else {}
    table.with_book(duty_roles=roles | named)
    opened = [event for event in table.act(a.DirectShuffle("red")) if isinstance(event, f.DutyOpened)]
    cite = ("(e)(1)", "(e)(7)")
    assert [(x.action, x.least_role, x.back, x.cite) for x in opened] == [
        (Action.RESHUFFLE, role or Role.DEALER, "red", cite)
    ]
    again = [event for event in table.act(a.DirectShuffle("red")) if isinstance(event, f.DutyOpened)]
    assert again == [], "it is demanded once"


@pytest.mark.parametrize("after_round", [True, False])
def test_a_document_that_names_no_shuffle_by_order_says_when_a_set_is_shuffled(make_table, after_round):
    """By the clause on the shuffle after a round, where it has one."""
    table = make_table("ma-uth").ready()
    rule = table.setup.law.rulebook.shuffle
    if not after_round:
        at = {when: cited for when, cited in rule.at.items() if when is not ShuffleAt.AFTER_ROUND}
        table.with_book(shuffle=replace(rule, at=at))
    refusal = verify_direct_shuffle(table.setup, table.state, a.DirectShuffle("red"), DEALER)
    assert (refusal.code, refusal.cite) == ("shuffle_not_ordered", ("4(a)",) if after_round else ())
