"""What waits for the end of a round, a shuffle above all: the round is played out from its set, and no other one is."""

import pytest

from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.words import acts as a

ALL = a.RevealCommunity(a.Street.COMMUNITY)
CUTTING_CARD = a.ReportIrregularity(Trigger.CUTTING_CARD_REACHED, at_dealer=True)


@pytest.fixture
def table(make_table):
    """Fast Action from a manual shoe, one set, shuffled and cut."""
    made = make_table("fast-action", Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
    return made.shuffled_by_hand("red")


def play(table, *in_the_round):
    """A round in which these acts come once the cards are let out."""
    table.bet((1, "original", 1000), (3, "original", 1000)).let_out()
    for act in in_the_round:
        table.act(act)
    table.act(a.RecordInitialDeal())
    for seat in (1, 3):
        table.answer(seat, "set")
    for act in (a.RevealDealer(), ALL, a.SettleRound(), a.CollectCards(), a.EndRound()):
        table.act(act)


@pytest.mark.parametrize("why", [a.DirectShuffle("red"), CUTTING_CARD])
def test_the_shuffle_that_a_round_was_to_end_with_is_made_and_not_only_said(table, why):
    """By order or by the cutting card: without it no card of the next round goes out. Clause: fast-action (e)(1), (e)(7)."""
    play(table, why)
    (duty,) = table.state.duties.values()
    assert duty.action is Action.RESHUFFLE_AFTER_ROUND
    assert not table.state.sets["red"].armed
    assert not table.state.sets["red"].in_shoe
    table.act(a.ConfirmDuty(duty.id), Role.DEALER)
    table.bet((1, "original", 1000)).close_bets()
    assert "the red set is not armed" in table.refused(a.StartDealing()).reason
    table.act(a.RecordShuffle("red"))
    assert "first cut the red set" in table.refused(a.StartDealing()).reason


@pytest.mark.parametrize("why", [a.DirectShuffle("red"), CUTTING_CARD])
def test_until_then_the_round_is_dealt_on_from_its_set(table, why):
    """Also where the deal was interrupted and the cards are let out again. Clause: fast-action (g)(4)."""
    play(table, why, a.StartDealing())


def test_a_shuffle_made_before_the_round_is_ended_counts(table):
    """Its cards are collected by then; the demand is met, and the next round is dealt."""
    table.bet((1, "original", 1000), (3, "original", 1000)).let_out()
    table.act(a.DirectShuffle("red"))
    table.act(a.RecordInitialDeal())
    for seat in (1, 3):
        table.answer(seat, "set")
    for act in (a.RevealDealer(), ALL, a.SettleRound(), a.CollectCards(), a.RecordShuffle("red"), a.EndRound()):
        table.act(act)
    assert not table.state.duties
    assert table.state.sets["red"].armed
