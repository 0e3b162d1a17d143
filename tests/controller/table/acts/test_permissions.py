"""What stands before any check of an act: the game, what devices have not told yet, a dealer's hand that is short."""

from dataclasses import replace

import msgspec
import pytest

from controller.rules.vocabulary import Method, Role, Trigger
from controller.table.acts.permissions import verify
from controller.table.words import acts as a
from controller.table.words.inputs import Actor


@pytest.fixture
def unknown_game():
    """The setup of a table whose rulebook, since its last start, plays a game that this version does not know."""

    def make(table):
        law = table.setup.law
        changed = replace(law, rulebook=replace(law.rulebook, plays="baccarat"))
        return msgspec.structs.replace(table.setup, law=changed)

    return make


def test_nothing_is_done_at_a_table_whose_game_is_not_known(make_table, unknown_game):
    """The refusal says which it is, and which are."""
    table = make_table("ma-uth")
    for act in (a.OpenTable(), a.RaiseDispute("?")):
        refused = verify(unknown_game(table), table.state, act, Actor("sam", Role.SUPERVISOR))
        assert (refused.code, "plays baccarat" in refused.reason) == ("game_not_played", True)


def test_a_round_is_played_out_by_the_game_in_which_it_was_begun(make_table, unknown_game):
    """Its wagers lie on the layout: another rulebook after a restart must not keep them there."""
    table = make_table("ma-uth").ready().begin()
    setup, sam = unknown_game(table), Actor("sam", Role.SUPERVISOR)
    assert verify(setup, table.state, a.WithdrawWager(1, "ante"), sam) is None


def test_cards_wait_for_each_device_that_was_not_heard_since_the_start_but_for_the_progressive(make_table):
    """What it did meanwhile is not known. No card comes out of the progressive."""
    table = make_table("ma-uth").ready().begin().close_bets()
    table.reboot(5)
    refused = table.refused(a.StartDealing())
    assert (refused.reason, refused.cite) == (
        "waiting for shuffler-1, shoe-1 to be heard again; or take the device out of service", ()
    )  # fmt: skip
    table.online("shuffler-1")
    table.online("shoe-1")
    assert table.state.devices["progressive-1"].awaited
    table.act(a.StartDealing())


def test_while_the_dealers_hand_is_short_nothing_is_played_on(make_table):
    """First its cards in sequence, whatever comes next; what plays nothing on goes on. Clause: ma-uth 15(d)."""
    table = make_table("ma-uth", Method.HAND).ready().begin().let_out()
    table.act(a.RecordInitialDeal())
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER, completable=True))
    (duty,) = table.state.duties
    for act in (a.RecordDecision(1, a.Decision.CHECK), a.RevealCommunity(a.Street.FLOP)):
        refused = table.refused(act)
        assert (refused.reason, refused.cite) == (f"first {duty}: complete_dealer_hand", ("15(d)",))
    table.act(a.RaiseDispute("the dealer has one card"))
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    table.act(a.ConfirmDuty(duty))
    table.answer(1, "check")
