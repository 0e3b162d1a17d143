"""No duty outlives what it is about: a hand that is played no more, cards that were collected, a set or a device that is gone."""

import pytest

from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.acts.irregularities import SEEN_BY_PEOPLE, WRONG_COUNTS
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from drivers import events as e
from tests.controller.table.conftest import Table

BOOKS = ("md-uth", "ma-uth", "nj-pikit", "ma-colorado", "fast-action")
WAGERS = {
    "nj-pikit": ("ante", "five_card_bonus"), "ma-colorado": ("ante",), "fast-action": ("original",),
}  # fmt: skip
OF_CARDS = {
    Action.CARD_TO_RACK, Action.USE_AS_NEXT, Action.TURN_FACE_DOWN, Action.DISCARD_EXCESS, Action.COMPLETE_DEALER_HAND,
    Action.ASK_VOID_OR_COMPLETE,
}  # fmt: skip
TOO_FEW = a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1)
TOO_MANY = a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1, too_many=True)


def duties(table):
    return {duty.action for duty in table.state.duties.values()}


def dealt(make_table, name: str, **elect: str) -> Table:
    """A round with two seats, dealt by hand."""
    elect = elect or (
        {"qualifier": "with"}
        if name == "nj-pikit"
        else {"version": "permissible_bet"}
        if name == "ma-colorado"
        else {}
    )
    table = make_table(name, Method.MANUAL_SHOE, elect=elect, offered=("trips",)).ready()
    wagers = WAGERS.get(name, ("ante", "blind"))
    table.bet(*((seat, wager, 1000) for seat in (1, 3) for wager in wagers)).let_out()
    table.act(a.RecordInitialDeal())
    return table


def reports(table):
    """All that people may see here, as often as it may be said otherwise."""
    for trigger in sorted(SEEN_BY_PEOPLE):
        for more in ({}, {"too_many": True}, {"completable": True}):
            if trigger in WRONG_COUNTS or not more:
                yield a.ReportIrregularity(trigger, seat=1, **more)


def lift(table):
    """Holds are answered by going on, and by what else is offered where that is not."""
    while table.state.held:
        hold = next(iter(table.state.holds.values()))
        going_on = a.Resolution.GO_ON in hold.choices
        table.act(a.ResolveHold(hold.id, a.Resolution.GO_ON if going_on else hold.choices[0]))


def void(table):
    if not table.round.void:
        table.put(e.SelfTestFailed(1), "shuffler-1")
        hold = next(h for h in table.state.holds.values() if a.Resolution.VOID in h.choices)
        table.act(a.ResolveHold(hold.id, a.Resolution.VOID))


def take_away(table):
    back = table.round.back
    lift(table)
    for action in (Action.DEAL_COMMUNITY, Action.SETTLE):
        for duty in [d for d in table.state.duties.values() if d.action is action]:
            table.act(a.ConfirmDuty(duty.id))
    table.act(a.CollectCards())
    table.act(a.EndRound())
    table.act(a.TakeSetAway(back))


@pytest.mark.parametrize("name", BOOKS)
def test_after_a_void_no_duty_is_about_its_hands_and_after_its_end_none_about_its_cards_and_set(make_table, name):
    """Whatever people had reported before."""
    ran, opened = dealt(make_table, name), set()
    for report in reports(ran):
        table = Table(ran.setup)
        table.state, table.all = ran.state, []
        before = duties(table)
        table.put(report, actor=Actor("eve", Role.SUPERVISOR))
        opened |= duties(table) - before
        void(table)
        assert not duties(table) & OF_CARDS - {Action.CARD_TO_RACK}, report
        take_away(table)
        assert not duties(table) & OF_CARDS, report
        assert not [d for d in table.state.duties.values() if d.back == "red"], report
    assert opened & OF_CARDS, "else there was nothing to be done"


@pytest.mark.parametrize(("first", "then"), [(TOO_FEW, TOO_MANY), (TOO_MANY, TOO_FEW)], ids=["few", "many"])
def test_a_later_report_of_the_cards_in_a_hand_stands_for_the_earlier(make_table, first, then):
    """A hand has too many or too few. Clauses: fast-action (i)(3), (i)(4)."""
    table = dealt(make_table, "fast-action")
    asks = {TOO_FEW: Action.ASK_VOID_OR_COMPLETE, TOO_MANY: Action.DISCARD_EXCESS}
    table.act(first)
    other = table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=3, too_many=True))
    assert not [event for event in other if isinstance(event, f.DutyClosed)], "of another hand"
    events = table.act(then)
    (closed,) = [event for event in events if isinstance(event, f.DutyClosed)]
    assert (closed.action, closed.by, closed.role) == (asks[first], "fast-action", "rulebook")
    assert {(d.action, d.seat) for d in table.state.duties.values()} == {
        (asks[then], 1),
        (Action.DISCARD_EXCESS, 3),
    }
    assert table.round.seats[1].one_hand is (then is TOO_MANY)


def test_a_hand_whose_excess_was_laid_away_is_still_one_of_too_many(make_table):
    """Too few are found in it afterwards: which cards came first is not to be seen any more. That another hand has yet to lay
    cards away is no matter of this one. Clause: fast-action (i)(4)."""
    table = dealt(make_table, "fast-action")
    table.act(TOO_MANY)
    (duty,) = table.state.duties
    table.act(a.ConfirmDuty(duty), Role.PLAYER)
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=3, too_many=True))
    table.act(TOO_FEW)
    assert {(d.action, d.seat) for d in table.state.duties.values()} == {
        (Action.DISCARD_EXCESS, 3),
        (Action.ASK_VOID_OR_COMPLETE, 1),
    }
    assert table.round.seats[1].one_hand


def test_a_dealers_hand_that_cannot_be_completed_after_all_is_not(make_table):
    """Clause: ma-uth 15(d)."""
    table = dealt(make_table, "ma-uth")
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER, completable=True))
    assert duties(table) == {Action.COMPLETE_DEALER_HAND}
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER, too_many=True))
    assert Action.COMPLETE_DEALER_HAND not in duties(table)


@pytest.mark.parametrize("wagers", ["return", "hold"])
def test_nothing_is_asked_of_a_player_whose_hand_is_void(make_table, wagers):
    """The question to the player of a short hand, whatever becomes of the wagers. Clause: fast-action (i)(3), R-22."""
    table = dealt(make_table, "fast-action", **{"R-22": wagers})
    table.act(TOO_FEW)
    table.act(a.ReportIrregularity(Trigger.HAND_DECLARED_VOID, seat=1))
    assert Action.ASK_VOID_OR_COMPLETE not in duties(table)
    table.act(TOO_MANY)
    assert Action.DISCARD_EXCESS not in duties(table), "nor is anything laid away of it"


def test_nothing_is_asked_of_a_player_whose_wager_is_lost(make_table):
    """The player of a short hand has left, and the hand is neither void nor folded. Clause: fast-action (i)(3), R-53."""
    table = dealt(make_table, "fast-action", **{"R-53": "abandoned"})
    table.act(TOO_FEW)
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    assert table.fates()[1, "original"] == "lost"
    assert Action.ASK_VOID_OR_COMPLETE not in duties(table)


def test_a_face_up_card_lies_in_the_rack_with_all_others(make_table):
    """Until they are collected it is still to be put there, also in a void round. Clause: ma-uth 15(b)."""
    table = dealt(make_table, "ma-uth")
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP))
    assert duties(table) == {Action.CARD_TO_RACK}
    void(table)
    assert Action.CARD_TO_RACK in duties(table)
    lift(table)
    table.act(a.CollectCards())
    assert Action.CARD_TO_RACK not in duties(table)
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP))
    assert Action.CARD_TO_RACK not in duties(table)


@pytest.mark.parametrize("gone", [a.BringSet("red"), a.TakeSetAway("red"), None])
def test_what_was_demanded_of_a_set_ends_when_it_leaves(make_table, gone):
    """By a new one in its place, without one, or because the document has it removed."""
    table = make_table("md-uth", elect={"R-35": "remove_set"}).ready()
    table.put(e.ShuffleStopped(e.Back.RED, e.StopReason.STOPPED, 0), "shuffler-1")
    assert Action.RESHUFFLE in duties(table) or Action.RESHUFFLE_IDLE_SET in duties(table)
    if gone is None:
        table.shuffled("red", 51)
        (duty,) = [d.id for d in table.state.duties.values() if d.action is Action.REMOVE_SET]
        table.act(a.ConfirmDuty(duty))
    else:
        table.act(gone)
    assert not [d for d in table.state.duties.values() if d.back == "red"]


@pytest.mark.parametrize("name", ["md-uth", "ma-uth"])
@pytest.mark.parametrize(
    "act",
    [a.TakeDeviceOut("shoe-1", a.OutOfService.REMOVED), a.ChangeMethod(Method.DEALING_SHOE)],
    ids=["out", "back"],
)
def test_a_device_that_went_out_or_deals_again_is_not_to_be_put_away(make_table, name, act):
    """Dealt by hand for once. Clauses: md-uth 13.J, ma-uth 15(g)."""
    table = make_table(name).ready()
    table.act(a.ChangeMethod(Method.HAND))
    assert duties(table) & {Action.REMOVE_DEVICE, Action.COVER_OR_SIGN_DEVICE}
    table.act(act)
    assert not duties(table)


def test_a_device_that_is_covered_is_not_removed(make_table):
    """Where the document wants it away from the table. Clause: ma-uth 15(g)."""
    table = make_table("ma-uth").ready()
    table.act(a.ChangeMethod(Method.HAND))
    table.act(a.TakeDeviceOut("shoe-1", a.OutOfService.COVERED))
    assert duties(table) == {Action.REMOVE_DEVICE}
