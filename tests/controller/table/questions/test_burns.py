"""Cards burned for a new shoe and for a new dealer: before which cards, and what may show with them."""

import pytest

from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.state.table import Phase
from controller.table.words import acts as a

OF_THE_SHOE = {
    Trigger.CARD_FACE_UP: "play_on",
    Trigger.CARD_DRAWN_UNEXPOSED: "hold_round",
    Trigger.CARDS_INSUFFICIENT: "void_round",
    Trigger.CUTTING_CARD_REACHED: "reshuffle_after_round",
}


@pytest.fixture
def table(make_table):
    """Fast Action from a manual shoe, one set, shuffled and cut; bets of two players."""
    made = make_table("fast-action", Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
    return made.shuffled_by_hand("red").bet((1, "original", 1000), (3, "original", 1000))


def reported(trigger):
    return a.ReportIrregularity(trigger, at_dealer=trigger is Trigger.CUTTING_CARD_REACHED)


@pytest.mark.parametrize("burned", [False, True])
@pytest.mark.parametrize("trigger", OF_THE_SHOE)
def test_what_shows_with_the_card_to_be_burned_is_reported(table, disposed, trigger, burned):
    """The text speaks of a card found in the shoe, whatever it was taken for. Clause: fast-action (g)(1), (i)(1), (i)(5)."""
    table.act(a.AnnounceNoMoreBets())
    if burned:
        table.act(a.BurnCard())
    made = disposed(table.act(reported(trigger)))
    assert OF_THE_SHOE[trigger] in [demand.action for demand in made.demands]


@pytest.mark.parametrize(
    "trigger", [Trigger.WRONG_COUNT_DEALER, Trigger.PLAYER_CARD_EXPOSED, Trigger.MARKER_NOT_MOVED]
)
def test_what_shows_with_dealt_cards_alone_is_not(table, trigger):
    """Nobody has a hand yet."""
    table.act(a.AnnounceNoMoreBets())
    table.act(a.BurnCard())
    assert table.refused(a.ReportIrregularity(trigger)).reason == "no card of this round has been dealt"


@pytest.mark.parametrize("trigger", OF_THE_SHOE)
def test_nor_does_anything_show_of_a_shoe_from_which_no_card_is_taken(table, trigger):
    """Between two rounds of one shoe, with the same dealer, none is burned."""
    table.let_out().act(a.RecordInitialDeal())
    for seat in (1, 3):
        table.answer(seat, "set")
    community = a.RevealCommunity(a.Street.COMMUNITY)
    for act in (a.RevealDealer(), community, a.SettleRound(), a.CollectCards(), a.EndRound()):
        table.act(act)
    table.bet((1, "original", 1000), (3, "original", 1000)).close_bets()
    assert table.refused(reported(trigger)).reason == "no card of this round has been dealt"


def test_a_dealer_who_comes_in_the_deal_burns_a_card_before_it_is_done(table):
    """That dealer has not dealt a card of the round before. Clause: fast-action (g)(1)."""
    table.let_out()
    table.act(a.NewDealer(), Role.DEALER)
    refused = table.refused(a.RecordInitialDeal())
    assert (refused.reason, refused.cite) == (
        "first burn a card unseen for the new dealer (burn_card)",
        ("(g)(1)",),
    )
    table.act(a.BurnCard(), Role.DEALER)
    table.act(a.RecordInitialDeal())
    assert table.round.phase is Phase.SETTING


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


def test_a_player_who_gives_the_short_hand_up_needs_no_card(table):
    """Clause: fast-action (i)(3)."""
    table.let_out().act(a.RecordInitialDeal())
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, 1))
    table.act(a.NewDealer(), Role.DEALER)
    table.act(a.ReportIrregularity(Trigger.HAND_DECLARED_VOID, 1))
    assert table.round.seats[1].void
