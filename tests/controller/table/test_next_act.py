"""What a duty says, and what NEXT asks for: instructions that begin with a verb, and only acts that would be accepted."""

import pytest

from controller.daemon.views.status import table_document
from controller.rules.named_wagers import ABOUT_ONE
from controller.rules.vocabulary import Action, Role, Trigger
from controller.table.acts.permissions import can, verify
from controller.table.state.table import Duty
from controller.table.words import acts as a
from controller.table.words.inputs import Actor
from controller.text.instructions import instruction
from controller.text.next_act import next_act
from drivers import events as e


def _do(table, action):
    (duty,) = [d for d in table.state.duties.values() if d.action is action]
    return instruction(table.state, duty)


def _says(table):
    return next_act(table.setup, table.state).says


def test_a_return_names_wagers_and_seats_and_what_stays(make_table):
    """Clause: md-uth 13.G: ante, blind and play go back, Trips is settled; "return all wagers" would be wrong."""
    table = make_table("md-uth").ready().begin(seats=(1, 3), trips=(1, 3)).let_out().deal()
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    assert (
        _do(table, Action.RETURN_ALL_WAGERS)
        == "Return Ante and Blind at seats 1 and 3. Leave Trips at seats 1 and 3."
    )
    assert _do(table, Action.SETTLE) == "Settle Trips at seats 1 and 3 by the cards."
    (shown,) = [
        d for d in table_document(table.setup, table.state)["duties"] if d["action"] == "return_all_wagers"
    ]
    assert shown["do"].startswith("Return Ante and Blind")


def test_what_was_handed_back_is_not_asked_for_again(make_table):
    """A chip that went back earlier in the round is no part of what goes back with a later void."""
    table = make_table("md-uth").ready().begin(seats=(1, 3), trips=(1,))
    table.let_out().deal(1)
    table.put(e.Jammed(e.Back.RED, e.Activity.DEALING, e.JamPlace.OUTPUT, 2, 40), "shoe-1")
    asked = _do(table, Action.RETURN_ALL_WAGERS)
    assert asked.startswith("Return Ante, Blind")
    (duty,) = [d for d in table.state.duties.values() if d.action is Action.RETURN_ALL_WAGERS]
    table.act(a.ConfirmDuty(duty.id))
    again = Duty("D99", Action.RETURN_ALL_WAGERS, Role.DEALER, "", "", 0, (), None)
    assert instruction(table.state, again) == "Return the wagers that go back."


@pytest.mark.parametrize("action", list(Action))
def test_every_duty_is_an_instruction(make_table, action):
    """It begins with a capital, ends with a full stop, and holds no word of the code; also where nothing is named."""
    state = make_table("md-uth").state
    for back, device, seat in (("red", "shoe-1", 3), ("", "", 0)):
        wager = "six_card_bonus" if action in ABOUT_ONE else None
        says = instruction(state, Duty("D1", action, Role.DEALER, device, back, seat, (), None, wager))
        assert says[0].isupper()
        assert says.endswith(".")
        assert "_" not in says
        assert "{" not in says


def test_next_goes_from_opening_to_the_end_of_a_round(make_table):
    """Each sentence names its act, the act is accepted for the role that is named, and nothing is asked for twice."""
    table = make_table("ma-uth").ready()
    asked = []
    for _ in range(60):
        following = next_act(table.setup, table.state)
        if following.act is None:
            assert following.says.startswith(("Wait: ", "Shuffle the "))
            break
        assert can(table.setup, table.state, following.act, Actor("x", following.role))
        assert f"({following.act.kind})" in following.says
        asked.append(following.act.kind)
        table.act(following.act, following.role)
    assert asked[0] == a.BeginRound.kind
    assert asked[-1] == a.StartDealing.kind, "the shoe deals"
    assert asked.count(a.StartDealing.kind) == 1


def test_next_after_a_void_is_chips_then_cards_then_the_end(make_table):
    """No burn and no reveal in a void round, and the cards are collected once."""
    table = make_table("ma-uth").ready().begin(trips=()).let_out().deal(1)
    table.put(e.Jammed(e.Back.RED, e.Activity.DEALING, e.JamPlace.OUTPUT, 2, 40), "shoe-1")
    asked = []
    while table.state.round is not None:
        following = next_act(table.setup, table.state)
        asked.append(following.act.kind)
        table.act(following.act, following.role)
        assert len(asked) < 20
    assert not {a.BurnCard.kind, a.RevealCommunity.kind, a.RevealDealer.kind} & set(asked)
    assert asked.count(a.CollectCards.kind) == 1
    assert asked[0] == a.ConfirmDuty.kind
    assert asked[-1] == a.EndRound.kind


def test_next_never_opens_betting_where_that_would_be_refused(make_table):
    """A closed table is opened first; an open duty is done first."""
    table = make_table("ma-uth").ready()
    table.act(a.CloseTable())
    assert _says(table) == "Open the table (open_table)."
    assert verify(table.setup, table.state, a.BeginRound("red"), Actor("x", Role.SUPERVISOR)) is not None
