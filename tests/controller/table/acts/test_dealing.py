"""What stands in the way of an act: each refusal in its own words with its clause, and each bound from both sides."""

import dataclasses

import pytest

from controller.rules.elections import elect
from controller.rules.vocabulary import Method
from controller.table.questions.stub_count_and_turns import full_set
from controller.table.state.table import DeviceSetup
from controller.table.words import acts as a
from controller.table.words.refusal import Refusal
from controller.table.words.structs import replace
from drivers import events as e
from tests.controller.table.conftest import MakeTable, Table


def refusal(table: Table, act: a.Act) -> Refusal:
    """What an act that must be refused is refused with."""
    refused = table.refused(act)
    return Refusal(refused.reason, refused.cite)


def test_no_round_is_begun_of_a_game_that_cannot_be_played_to_its_end(make_table: MakeTable) -> None:
    """The table may have been opened under another configuration."""
    table = make_table("md-uth").ready()
    law = table.setup.law
    wagers = {name: rule for name, rule in law.rulebook.wagers.items() if name != "play"}
    other = dataclasses.replace(law, rulebook=dataclasses.replace(law.rulebook, wagers=wagers))
    table.setup = replace(table.setup, law=other)
    assert refusal(table, a.BeginRound("red")) == Refusal(
        "md-uth does not fit its game ultimate: it knows no wager play"
    )


def test_what_an_optional_wager_asks_may_stay_open_where_it_is_not_offered(make_table: MakeTable) -> None:
    """Nobody can place it, so nothing hangs on the answer; where it is offered the table does not open."""
    law = make_table("ma-uth").setup.law
    asked = law.rulebook.questions
    made = {q: (e.choice, e.by) for q, e in law.elections.items() if asked[q].wager != "cover_all"}
    assert len(made) < len(law.elections)
    without = make_table("ma-uth", offered=("trips", "progressive"))
    without.setup = replace(without.setup, law=elect(law.rulebook, made))
    without.act(a.OpenTable())
    offered = make_table("ma-uth", offered=("trips", "cover_all"))
    offered.setup = replace(offered.setup, law=without.setup.law)
    assert "nobody has elected them" in offered.refused(a.OpenTable()).reason


def test_a_set_that_is_to_be_removed_is_not_dealt_however_it_was_shuffled_since(make_table: MakeTable) -> None:
    """Clause: md-uth 5.E: its count was wrong; that it is right after another shuffle answers nothing."""
    table = make_table("md-uth").ready().begin("red").close_bets()
    table.shuffled("red", 51)
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    table.shuffled("red")
    (duty,) = table.state.duties
    assert refusal(table, a.StartDealing()) == Refusal(f"first {duty}: remove_set (red)", ("5.E(1)", "5.E(2)"))


def test_a_shuffler_that_is_to_be_cleared_deals_nothing(make_table: MakeTable) -> None:
    """Clause: md-uth 13.H(3): the other set is stuck in it."""
    table = make_table("md-uth", Method.SHUFFLER).ready().begin("red").close_bets()
    table.put(e.Jammed(e.Back.BLUE, e.Activity.SHUFFLING, e.JamPlace.RACK, 0, 20), "shuffler-1")
    clear = next(iter(table.state.duties))
    assert refusal(table, a.StartDealing()) == Refusal(f"first {clear}: clear_device (shuffler-1)", ("13.H(3)",))


def test_a_lock_out_is_waited_for_where_the_document_has_none(make_table: MakeTable) -> None:
    """A progressive device may stand at a table whose document knows no progressive: no clause is cited."""
    table = make_table("nj-pikit", Method.MANUAL_SHOE)
    devices = {**table.setup.devices, "progressive-1": DeviceSetup("progressive-1", e.DeviceKind.PROGRESSIVE)}
    table = Table(replace(table.setup, devices=devices)).ready()
    table.bet((1, "ante", 1000), (1, "five_card_bonus", 1000))
    table.close_bets()
    table.put(e.LevelsRead(e.Levels()), "progressive-1")
    assert refusal(table, a.StartDealing()) == Refusal("progressive-1 has not confirmed its lock-out")


def test_a_stub_may_be_empty_and_no_less(make_table: MakeTable) -> None:
    """None left is a number of cards; fewer than none is a slip."""
    table = make_table("md-uth").ready().begin().let_out().deal().to_showdown()
    assert refusal(table, a.RecordStubCount(-1)) == Refusal("a stub has no fewer than 0 cards")
    table.act(a.RecordStubCount(0))


@pytest.mark.parametrize("most", [True, False])
def test_chips_counted_are_no_fewer_than_none_and_no_more_than_there_are_cards(
    make_table: MakeTable, most: bool
) -> None:
    """A count that cannot be is a slip, and none is recorded."""
    table = make_table("md-uth").ready().begin().close_bets()
    limit = full_set(table.setup)
    counted, wrong = (limit, limit + 1) if most else (0, -1)
    assert refusal(table, a.RecordProgressiveCount(wrong)) == Refusal(f"{wrong} chips cannot be; 0 to {limit}")
    assert not table.round.progressive_counted
    table.act(a.RecordProgressiveCount(counted))
