"""The cut: in which order players are asked, what is refused with which words and clauses, and shuffles by order."""

from dataclasses import replace

import pytest
from msgspec import structs

from controller.rules.vocabulary import Method, Role
from controller.table.card_sets.cuts import (
    verify_record_cut,
)
from controller.table.words import acts as a
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal

DEALER = Actor("dora", Role.DEALER)
FIRST, ORDERED, NEXT = ("(e)(3)(i)",), ("(e)(3)(iv)",), ("(e)(4)",)


def shuffled(make_table, rulebook="fast-action", seats=()):
    """One set, shuffled by hand and not yet cut; at `seats` the last round was played."""
    table = make_table(rulebook, Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
    table.state = structs.replace(table.state, last_seats=seats)
    table.act(a.RecordShuffle("red"))
    return table


ONCE = "the cut is offered once to each of seats 1 to 6"
LEFT, ALL = "a player who has left declines", "the dealer cuts if every player declines"
CLOCKWISE = "after a refusal the cut is offered on clockwise around the table"


@pytest.mark.parametrize(
    ("seats", "cut", "reason", "cite"),
    [
        ((1, 3, 6), (6, ()), None, ()),
        ((1, 3, 6), (1, (6,)), None, ()),
        ((1, 3, 6), (0, (6, 1, 3)), None, ()),
        ((), (3, ()), None, ()),
        ((), (5, (3, 4)), None, ()),
        ((), (2, (3, 6, 1)), None, ()),
        ((), (3, (3,)), ONCE, NEXT),
        ((), (7, ()), ONCE, NEXT),
        ((), (1, (0,)), ONCE, NEXT),
        ((), (4, (3, 5)), CLOCKWISE, NEXT),
        ((), (2, (3, 1, 6)), CLOCKWISE, NEXT),
        ((1, 3, 6), (0, ()), "the cut is offered to seat 6 first; the dealer cuts if every player declines", ORDERED + NEXT),
        ((), (0, ()), "the cut is offered to the first player at the table first; " + ALL, FIRST + NEXT),
        ((1, 3, 6), (1, ()), "the cut is offered to seat 6 first", ORDERED),
        ((1, 3, 6), (0, (6, 1)), "offer the cut to seat 3 before the dealer cuts; a player who has left declines", NEXT),
        ((1, 2, 3, 4, 5), (3, (5, 2)), "offer the cut to seat 1 before seat 3 cuts; a player who has left declines", NEXT),
        ((1, 2, 3, 4, 5), (4, (5,)), "offer the cut to seat 1, 2, 3 before seat 4 cuts; " + LEFT, NEXT),
        ((1, 2, 3, 4, 5), (4, (5, 1, 2, 3)), None, ()),
        ((1, 3), (4, ()), None, ()),
        ((1, 3), (1, (6, 3)), CLOCKWISE, NEXT),
        ((1, 3), (3, (6, 1)), None, ()),
        ((1, 3), (2, ()), "the cut is offered to seat 3 first", ORDERED),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ordered", [True, False])
def test_a_cut_out_of_its_turn_is_refused(make_table, seats, cut, reason, cite, ordered):
    """By the case of the order that applies; by the clause on who cuts where the document prints no order."""
    table = shuffled(make_table, seats=seats)
    rule = table.setup.law.rulebook.cut
    if not ordered:
        table.with_book(cut=replace(rule, offered_to=()))
    refusal = verify_record_cut(table.setup, table.state, a.RecordCut("red", *cut), DEALER)
    cite = cite if ordered else rule.by.cite
    assert refusal == (Refusal(reason, cite, code="cut_out_of_order") if reason else None)


@pytest.mark.parametrize("cut", [(3, ()), (0, (3,))])
def test_where_the_dealer_cuts_nobody_else_is_offered_it(make_table, cut):
    """Clause: md-uth 5.F."""
    table = shuffled(make_table, "md-uth")
    refusal = verify_record_cut(table.setup, table.state, a.RecordCut("red", *cut), DEALER)
    assert (refusal.code, refusal.cite) == ("cut_not_offered", ("5.F",))
    assert verify_record_cut(table.setup, table.state, a.RecordCut("red"), DEALER) is None
