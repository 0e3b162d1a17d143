"""What people report, confirm and decide: whose set and device a duty is, and what is put on record of the person."""

import dataclasses

import pytest

from controller.rules.citation import Cited
from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.state.table import DeviceSetup, Duty
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.structs import replace
from drivers.events import Activity, Back, DeviceKind, FaceUpCard
from tests.controller.table.conftest import MakeTable, Table

BY = "a supervisor", Role.SUPERVISOR


def opened(events: list[f.Event]) -> dict[Action, f.DutyOpened]:
    return {event.action: event for event in events if isinstance(event, f.DutyOpened)}


def demanding(table: Table, trigger: Trigger, *more: Demand) -> Table:
    """The same table under a document that demands this as well."""
    law = table.setup.law
    rows = tuple(dataclasses.replace(row, do=(*row.do, *more)) for row in law.rulebook.rows[trigger])
    book = dataclasses.replace(law.rulebook, rows={**law.rulebook.rows, trigger: rows})
    table.setup = replace(table.setup, law=dataclasses.replace(law, rulebook=book))
    return table


@pytest.mark.parametrize(("method", "device"), [(Method.DEALING_SHOE, "shoe-1"), (Method.HAND, "")])
def test_what_a_report_demands_of_a_device_is_demanded_of_the_one_that_deals(
    make_table: MakeTable, method: Method, device: str
) -> None:
    """Where a hand deals there is none; the set is that of the round."""
    table = make_table("md-uth", method).ready().begin().let_out()
    table.act(a.RecordInitialDeal()) if method is Method.HAND else table.deal()
    demanding(table, Trigger.WRONG_COUNT_DEALER, Demand(Action.CLEAR_DEVICE, ("13.I(2)",)))
    duties = opened(table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER)))
    assert duties[Action.CLEAR_DEVICE].device == device
    assert duties[Action.RESHUFFLE].back == "red"
    table.act(a.ConfirmDuty(duties[Action.CLEAR_DEVICE].duty))


def short_hand(make_table: MakeTable) -> Table:
    """Fast Action: seat 1 was dealt too few cards, and is asked whether its hand is void or completed."""
    bets = ((1, "original", 1000), (2, "original", 1000))
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready().bet(*bets).let_out()
    table.act(a.RecordInitialDeal())
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1))
    return table


def test_the_answer_of_a_player_with_too_few_cards_closes_the_question(make_table: MakeTable) -> None:
    """By whom it was told is on record. Clause: fast-action (i)(3)."""
    table = short_hand(make_table)
    (duty,) = table.state.duties
    events = table.act(a.ReportIrregularity(Trigger.HAND_DECLARED_VOID, seat=1))
    assert f.DutyClosed(duty, Action.ASK_VOID_OR_COMPLETE, *BY) in events


def test_another_irregularity_of_the_same_hand_answers_no_question(make_table: MakeTable) -> None:
    """The player has still to choose. Clause: fast-action (i)(3)."""
    table = short_hand(make_table)
    (duty,) = table.state.duties
    table.act(a.ReportIrregularity(Trigger.HAND_HIDDEN, seat=1))
    assert table.state.duties[duty].action is Action.ASK_VOID_OR_COMPLETE


def test_a_hand_with_too_few_cards_is_not_settled_before_its_player_has_chosen(make_table: MakeTable) -> None:
    """Asked before the dealer's hand was said to be a natural: the choice is not lost with it. Clause: fast-action (i)(3)."""
    bets = ((1, "original", 1000), (2, "original", 1000))
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=()).ready().bet(*bets).let_out()
    table.act(a.RecordInitialDeal())
    for seat in (1, 2):
        table.answer(seat, "set")
    table.act(a.RevealDealer())
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=2))
    table.act(a.RevealDealer(natural=True))
    (duty,) = (d for d in table.state.duties.values() if d.action is Action.ASK_VOID_OR_COMPLETE)
    lost = a.SettleWager(2, "original", a.Outcome.LOSE)
    for act in (a.SettleRound(), lost):
        refused = table.refused(act)
        assert (refused.reason, refused.cite) == (f"first {duty.id}: ask_void_or_complete (seat 2)", duty.cite)
    table.act(a.SettleWager(1, "original", a.Outcome.LOSE))
    table.act(a.ConfirmDuty(duty.id))
    table.act(lost)
    table.act(a.SettleRound())


def test_a_shoe_that_people_saw_jam_holds_the_set_of_the_round_whenever_they_say_so(make_table: MakeTable) -> None:
    """After the deal as well; the other set lies in the shuffler. Clause: md-uth 13.I, R-128."""
    for stacks, shuffle in ((1, Action.RESHUFFLE_WITH_DEALT), (None, Action.RESHUFFLE_AFTER_ROUND)):
        table = make_table("md-uth").ready().begin("red").let_out().deal(stacks)
        duties = opened(table.act(a.ReportIrregularity(Trigger.SHOE_JAM)))
        assert duties[shuffle].back == "red"
        assert duties[Action.CLEAR_DEVICE].device == "shoe-1"


def test_a_shuffler_that_deals_and_was_seen_to_jam_holds_the_set_of_the_round(make_table: MakeTable) -> None:
    """Clause: md-uth 13.H, 13.I."""
    table = make_table("md-uth", Method.SHUFFLER).ready().begin("red").let_out().deal(1)
    events = table.act(a.ReportIrregularity(Trigger.SHUFFLER_JAM))
    assert {event.back for event in opened(events).values() if event.back} == {"red"}


def with_spare_shoe(make_table: MakeTable) -> Table:
    """Two shoes belong to the table, and the first of them is out of service."""
    table = make_table("md-uth")
    devices = {"shoe-0": DeviceSetup("shoe-0", DeviceKind.SHOE), **table.setup.devices}
    table = Table(replace(table.setup, devices=devices)).ready()
    table.act(a.TakeDeviceOut("shoe-0", a.OutOfService.REMOVED))
    return table


def test_of_two_shoes_the_one_in_service_is_the_one_that_jams(make_table: MakeTable) -> None:
    """The other one lies in a cupboard."""
    table = with_spare_shoe(make_table).begin().let_out().deal()
    assert opened(table.act(a.ReportIrregularity(Trigger.SHOE_JAM)))[Action.CLEAR_DEVICE].device == "shoe-1"


def test_of_two_shoes_the_one_in_service_is_put_away_before_cards_are_dealt_by_hand(make_table: MakeTable) -> None:
    """Clause: md-uth 13.J, R-40."""
    table = with_spare_shoe(make_table)
    duties = opened(table.act(a.ChangeMethod(Method.HAND)))
    assert duties[Action.COVER_OR_SIGN_DEVICE].device == "shoe-1"


def test_what_a_person_found_stands_beside_the_answer(make_table: MakeTable) -> None:
    """Who lifted the hold, under which reading, and with which words."""
    table = make_table("md-uth").ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=3))
    (hold,) = table.state.holds
    events = table.act(a.ResolveHold(hold, a.Resolution.RETURN_WAGER, "went to the cashier"))
    returned = a.Resolution.RETURN_WAGER
    assert events[0] == f.HoldLifted(hold, returned, *BY, reading="R-53", note="went to the cashier")


def test_who_may_answer_a_hold_and_how_is_refused_by_its_clause(make_table: MakeTable) -> None:
    """A note has its length, both sides."""
    table = make_table("md-uth").ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=3))
    (hold,) = table.state.holds.values()
    cited = replace(hold, cite=("13.A",), least_role=Role.SUPERVISOR)
    table.state = replace(table.state, holds={hold.id: cited})
    choices = " or ".join(hold.choices)
    for act, role, reason in (
        (
            a.ResolveHold(hold.id, hold.choices[0]),
            Role.FLOORPERSON,
            "this hold is lifted by a supervisor or above",
        ),
        (a.ResolveHold(hold.id, a.Resolution.VOID), Role.SUPERVISOR, f"hold {hold.id} is resolved by {choices}"),
    ):
        refused = table.refused(act, role)
        assert (refused.reason, refused.cite) == (reason, ("13.A",))
    assert "500" in table.refused(a.ResolveHold(hold.id, hold.choices[0], "x" * 501)).reason
    table.act(a.ResolveHold(hold.id, hold.choices[0], "x" * 500))


def test_whoever_decides_about_the_odd_cent_settles_the_wager(make_table: MakeTable) -> None:
    """Clause: fast-action (h)(6), R-81."""
    bets = ((1, "original", 1001), (2, "original", 1000))
    table = make_table("fast-action", Method.MANUAL_SHOE, offered=(), elect={"R-81": "hold"})
    table.ready().bet(*bets).let_out().act(a.RecordInitialDeal())
    table.answer(1, "surrender")
    (hold,) = table.state.holds
    events = table.act(a.ResolveHold(hold, a.Resolution.CENT_TO_PLAYER))
    (settled,) = [event for event in events if isinstance(event, f.WagerSettled)]
    assert (settled.returned, settled.by, settled.reading) == (501, "a supervisor", "R-81")


def test_a_progressive_wager_without_its_base_goes_back_under_the_reading_of_what_it_requires(
    make_table: MakeTable,
) -> None:
    """Where the requirement is a reading, hold and return say so; the clause is cited by the hold alone."""
    table = make_table("md-uth").ready().begin(seats=(1,))
    law = table.setup.law
    rule = law.rulebook.wagers["progressive"]
    read = dataclasses.replace(rule, requires=dataclasses.replace(rule.requires, reading="R-49"))
    book = dataclasses.replace(law.rulebook, wagers={**law.rulebook.wagers, "progressive": read})
    table.setup = replace(table.setup, law=dataclasses.replace(law, rulebook=book))
    table.chip(3)
    table.act(a.AnnounceNoMoreBets())
    (hold,) = table.state.holds.values()
    assert (hold.cite, hold.reading, hold.choices) == (
        rule.requires.cite, "R-49", (a.Resolution.RETURN_WAGER,),
    )  # fmt: skip
    events = table.act(a.ResolveHold(hold.id, a.Resolution.RETURN_WAGER))
    (back,) = [event for event in events if isinstance(event, f.WagerDecided)]
    assert (back.fate, back.cite, back.reading) == ("returned", (), "R-49")


@pytest.mark.parametrize("least", [Role.FLOORPERSON, None])
def test_a_void_by_a_person_has_the_wagers_given_back_under_its_reading(
    make_table: MakeTable, least: Role | None
) -> None:
    """By whom the document has it for all wagers that go back, or by the dealer. Clause: ma-uth 15; R-52."""
    table = make_table("ma-uth", elect={"R-52": "hold"}).ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.COMMUNITY_CARD_EXPOSED))
    (hold,) = table.state.holds
    law = table.setup.law
    roles = {
        action: role for action, role in law.rulebook.duty_roles.items() if action != Action.RETURN_ALL_WAGERS
    }
    if least is not None:
        roles[Action.RETURN_ALL_WAGERS] = Cited(least, ("15",))
    book = dataclasses.replace(law.rulebook, duty_roles=roles)
    table.setup = replace(table.setup, law=dataclasses.replace(law, rulebook=book))
    duty = opened(table.act(a.ResolveHold(hold, a.Resolution.VOID)))[Action.RETURN_ALL_WAGERS]
    assert (duty.least_role, duty.cite, duty.reading) == (least or Role.DEALER, (), "R-52")


def test_a_void_by_a_person_gives_back_what_a_person_let_stand_as_well(make_table: MakeTable) -> None:
    """The wagers of who left were let stand before. Clause: ma-uth 15; R-52, R-53."""
    table = make_table("ma-uth", elect={"R-52": "hold", "R-53": "hold"}).ready().begin().let_out().deal()
    for trigger, seat, answer in (
        (Trigger.PLAYER_LEFT, 1, a.Resolution.WAGER_STANDS),
        (Trigger.COMMUNITY_CARD_EXPOSED, 0, a.Resolution.VOID),
    ):
        table.act(a.ReportIrregularity(trigger, seat=seat))
        (hold,) = table.state.holds
        table.act(a.ResolveHold(hold, answer))
    assert set(table.fates().values()) == {"returned"}


def test_a_void_by_a_person_asks_once_for_the_wagers_to_go_back(make_table: MakeTable) -> None:
    """Where that is open already, it is the same chips. Clause: ma-uth 15; R-52."""
    table = make_table("ma-uth", elect={"R-52": "hold"}).ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.COMMUNITY_CARD_EXPOSED))
    (hold,) = table.state.holds
    open_already = Duty("D0", Action.RETURN_ALL_WAGERS, Role.DEALER, "", "", 0, ("15",), None)
    table.state = replace(table.state, duties={"D0": open_already})
    assert Action.RETURN_ALL_WAGERS not in opened(table.act(a.ResolveHold(hold, a.Resolution.VOID)))
    assert table.state.duties == {"D0": open_already}


def test_beside_a_device_people_tell_of_all_cards_face_up(make_table: MakeTable) -> None:
    """The device has told of one, and three lie there: two more were found, and all count. Clause: md-uth 13.B."""
    table = make_table("md-uth").ready().begin("red").let_out().deal(1)
    table.put(FaceUpCard(Back.RED, Activity.DEALING), "shoe-1")
    (made, *_) = table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP, cards=3))
    assert isinstance(made, f.DispositionMade)
    assert (made.cards, table.round.face_up) == (2, 3)
