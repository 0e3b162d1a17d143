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


def test_a_dealers_hand_that_cannot_be_completed_after_all_is_not(make_table):
    """Clause: ma-uth 15(d)."""
    table = dealt(make_table, "ma-uth")
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER, completable=True))
    assert duties(table) == {Action.COMPLETE_DEALER_HAND}
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER, too_many=True))
    assert Action.COMPLETE_DEALER_HAND not in duties(table)
