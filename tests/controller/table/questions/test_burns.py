"""Cards burned for a new shoe and for a new dealer: before which cards, and what may show with them."""

import pytest

from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.words import acts as a


@pytest.fixture
def table(make_table):
    """Fast Action from a manual shoe, one set, shuffled and cut; bets of two players."""
    made = make_table("fast-action", Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
    return made.shuffled_by_hand("red").bet((1, "original", 1000), (3, "original", 1000))


def test_and_before_a_short_hand_is_completed(table):
    """The missing card is one that this dealer deals. Clause: fast-action (g)(1), (i)(3)."""
    table.let_out().act(a.RecordInitialDeal())
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, 1))
    table.act(a.NewDealer(), Role.DEALER)
    (duty,) = table.state.duties.values()
    assert duty.action is Action.ASK_VOID_OR_COMPLETE
    assert "first burn a card" in table.refused(a.ConfirmDuty(duty.id)).reason
    table.act(a.BurnCard(), Role.DEALER)
    table.act(a.ConfirmDuty(duty.id), Role.DEALER)
