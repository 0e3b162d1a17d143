"""Rare turns: devices that are not in use, sets that nobody can vouch for, chips beside chips, counts at an odd time."""

import pytest

from controller.rules.vocabulary import Action, Method, Trigger
from controller.table import acts as a
from controller.table import facts as f
from controller.table.state import Phase
from drivers import events as e


def duties(table):
    return {d.action for d in table.state.duties.values()}


def kinds(events):
    return [event.kind for event in events]


def face_up(activity, back=e.Back.BLUE):
    return e.FaceUpCard(back, activity)


# ---- devices that are not in use


def test_a_shoe_that_is_out_of_service_voids_no_round(make_table, rulebook):
    """A technician tries it under the table; the clauses speak of a shoe that is being used."""
    table = make_table(rulebook, Method.HAND).ready().begin().let_out()
    table.act(a.TakeDeviceOut("shoe-1", a.OutOfService.REMOVED))
    stuck = e.Jammed(e.Back.RED, e.Activity.IDLE, e.JamPlace.OUTPUT, 0, 3)
    assert kinds(table.put(stuck, "shoe-1")) == ["jammed"]
    assert kinds(table.put(e.SelfTestFailed(7), "shoe-1")) == ["self_test_failed"]


def test_a_shoe_that_stands_unused_voids_no_round(make_table, rulebook):
    """In service, but the cards are dealt from the hand."""
    table = make_table(rulebook, Method.HAND).ready().begin().let_out()
    table.put(e.Jammed(e.Back.RED, e.Activity.IDLE, e.JamPlace.OUTPUT, 0, 3), "shoe-1")
    assert table.round.phase is Phase.DEALING


def test_a_shuffler_that_is_out_of_service_arms_no_set(make_table):
    """Its test cycle is no shuffle of the game."""
    table = make_table("md-uth").ready()
    table.act(a.TakeDeviceOut("shuffler-1", a.OutOfService.COVERED))
    table.act(a.BringSet("red"))
    table.shuffled("red")
    assert not table.state.sets["red"].armed


def test_a_shuffler_that_jams_while_it_hands_out_is_never_idle(make_table, rulebook, disposed):
    """Whatever colour it names: packets come from the set that is dealt."""
    table = make_table(rulebook, Method.SHUFFLER).ready().begin("red").let_out()
    made = disposed(table.put(e.Jammed(e.Back.BLUE, e.Activity.DEALING, e.JamPlace.OUTPUT, 1, 50), "shuffler-1"))
    assert "idle_set" not in made.guards
    assert "handing_out" in made.guards


# ---- sets that nobody can vouch for


def test_a_set_that_is_being_shuffled_again_is_not_armed(make_table):
    """The complete cycle was the one before; this one may stop half way."""
    table = make_table("md-uth").ready().begin("red").close_bets()
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    assert "cycle complete: NO" in table.refused(a.StartDealing()).reason


def test_a_set_of_a_colour_that_is_not_of_this_table_is_held_and_never_dealt(make_table):
    """It becomes no set of the table."""
    table = make_table("md-uth").ready()
    table.shuffled("green")
    assert table.state.held
    assert set(table.state.sets) == {"red", "blue"}


def test_a_shuffle_of_an_unnamed_set_is_credited_only_where_one_set_can_be_meant(make_table):
    """While red lies on the layout it was blue; with both off the layout nobody knows."""
    table = make_table("md-uth").ready()
    table.shuffled("unknown")
    assert table.state.held
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.GO_ON))
    table.begin("red").let_out().deal(1)
    table.put(e.ShuffleStarted(e.Back.UNKNOWN, e.Mode.SHUFFLE), "shuffler-1")
    assert not table.state.sets["blue"].armed
    table.shuffled("unknown")
    assert table.state.sets["blue"].armed
    assert not table.state.held


def test_a_gap_of_the_shuffler_leaves_no_set_armed_that_it_may_hold(make_table):
    """Between rounds nothing is void, but what it did is not known."""
    table = make_table("md-uth").ready()
    table.put(e.EventsLost("SIM-shuffler-1", "0" * 16, 5, 7), "shuffler-1")
    assert not table.state.held
    assert not any(s.armed for s in table.state.sets.values())


def test_cards_that_leave_the_shoe_with_no_round_disarm_their_set(make_table):
    """A short set must not be dealt from in the next round."""
    table = make_table("md-uth").ready()
    table.put(e.StackDispensed(e.Back.RED, 1, 5), "shoe-1")
    assert not table.state.sets["red"].armed
    assert table.state.sets["blue"].armed
    assert table.state.held


@pytest.mark.parametrize("activity", [e.Activity.SHUFFLING, e.Activity.IDLE])
def test_a_card_face_up_in_a_shuffle_is_no_card_face_up_in_the_deal(make_table, rulebook, activity):
    """Clause: md-uth 13.A, ma-uth 15(b): found "while the cards are being dealt"."""
    table = make_table(rulebook).ready().begin().let_out().deal(1)
    for _ in range(2):
        assert "disposition_made" not in kinds(table.put(face_up(activity), "shuffler-1"))
    assert not table.round.void


# ---- holds


def allowed_out(table):
    return table.state.devices["shoe-1"].wanted.get("dispensing") == "allowed"


def test_a_chip_held_in_the_middle_of_the_deal_stops_the_shoe(make_table, rulebook):
    """R-45 "hold the deal and the chip": held means that no card comes out."""
    table = make_table(rulebook).ready().begin().let_out().deal(1)
    assert allowed_out(table)
    table.chip(3, locked=True)
    assert table.state.held
    assert not allowed_out(table)


def test_a_late_chip_does_not_touch_the_wager_that_was_accepted_in_time(make_table, rulebook):
    """Seat 1 has a wager and puts a second chip on its sensor after the lock: only that one goes back."""
    table = make_table(rulebook).ready().begin()
    table.chip(1)
    table.close_bets()
    table.chip(1, locked=True)
    fates = table.fates()
    assert (fates[1, "progressive"], fates[1, "late_progressive"]) == ("live", "held")
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.RETURN_WAGER))
    fates = table.fates()
    assert (fates[1, "progressive"], fates[1, "late_progressive"]) == ("live", "returned")


def test_a_chip_that_went_back_during_betting_may_come_again_in_time(make_table):
    """A restart had engaged the lock: the chip came onto a locked sensor, went back, and was placed properly."""
    table = make_table("md-uth").ready().begin()
    table.chip(1, locked=True)
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.RETURN_WAGER))
    table.act(a.ReleaseLockout())
    table.chip(1)
    table.close_bets()
    assert table.fates()[1, "progressive"] == "live"


def test_two_demands_in_one_report_place_two_holds(make_table):
    """The wrong set and a wrong stack at once: lifting the first question does not answer the second."""
    table = make_table("ma-uth", offered=("trips",)).ready().begin().let_out()
    table.put(e.StackDispensed(e.Back.BLUE, 1, 3), "shoe-1")
    assert [h.reading for h in table.state.holds.values()] == ["R-42"]
    table = make_table("ma-uth", elect={"R-22": "hold"}).ready().begin().let_out()
    table.put(e.StackDispensed(e.Back.BLUE, 1, 3), "shoe-1")
    assert {h.reading for h in table.state.holds.values()} == {"R-42", "R-22"}


def test_a_hold_of_all_wagers_leaves_one_that_has_its_own_hold(make_table):
    """A late chip can only go back, whatever is decided about the others."""
    table = make_table("ma-uth", elect={"R-22": "hold"}).ready().begin().let_out().deal(1)
    table.chip(3, locked=True)
    table.put(e.Jammed(e.Back.RED, e.Activity.DEALING, e.JamPlace.OUTPUT, 2, 40), "shoe-1")
    all_of_them = next(h.id for h in table.state.holds.values() if h.wager == "*")
    table.act(a.ResolveHold(all_of_them, a.Resolution.WAGER_STANDS))
    assert table.fates()[3, "progressive"] == "held"
    assert table.fates()[3, "ante"] == "stands"


def test_a_round_goes_on_when_the_floor_lets_held_wagers_stand(make_table, rulebook):
    """R-14 "hold": nothing was void, so what stands is played."""
    table = make_table(rulebook, elect={"R-14": "hold"}).ready().begin(trips=()).let_out().deal()
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP, cards=2))
    assert set(table.fates().values()) == {"held"}
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.WAGER_STANDS))
    assert table.round.phase is Phase.PRE_FLOP
    table.to_showdown().act(a.SettleRound())
    assert set(table.fates().values()) == {"settled"}


def test_a_void_that_a_person_decides_rests_on_a_reading_and_on_no_other_clause(make_table, rulebook):
    """The clause on dealing does not say that a round is void; nor does silence."""
    table = make_table(rulebook).ready().begin()
    table.put(e.StackDispensed(e.Back.RED, 1, 5), "shoe-1")
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.VOID))
    voided = next(fact.event for fact in table.all if isinstance(fact.event, f.RoundVoided))
    assert (voided.cite, voided.reading) == ((), "R-51")
    duty = next(iter(table.state.duties.values()))
    assert (duty.action, duty.reading) == (Action.RETURN_ALL_WAGERS, "R-51")


def test_no_hold_offers_to_void_what_is_settled(make_table, rulebook):
    """After settlement, and with no round in play, a person can only look and go on."""
    table = make_table(rulebook).ready()
    table.put(e.SelfTestFailed(3), "shoe-1")
    assert [h.choices for h in table.state.holds.values()] == [(a.Resolution.GO_ON,)]
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.GO_ON))
    table.begin().let_out().deal().to_showdown().act(a.SettleRound())
    table.put(e.SelfTestFailed(3), "shoe-1")
    assert [h.choices for h in table.state.holds.values()] == [(a.Resolution.GO_ON,)]


def test_a_silence_without_an_election_holds(make_table):
    """The daemon came back with a configuration that elects nothing: the table asks, it does not pass over."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)
    table.setup.law.elections.clear()
    table.act(a.ReportIrregularity(Trigger.PLAYER_CARD_EXPOSED, seat=1))
    assert "No reading was elected" in next(iter(table.state.holds.values())).reason


# ---- after settlement


def test_a_wrong_stub_after_settlement_voids_nothing_that_was_paid_and_asks(make_table, rulebook):
    """Clause: md-uth 10.E(2), ma-uth 7(f)(2): the set goes; of paid wagers the texts say nothing."""
    table = make_table(rulebook).ready().begin().let_out().deal().to_showdown()
    table.act(a.SettleRound())
    table.act(a.RecordStubCount(table.right_stub() - 1))
    assert (table.round.void, table.round.phase) == (False, Phase.SETTLED)
    assert Action.REMOVE_SET in duties(table)
    assert "settled already" in next(iter(table.state.holds.values())).reason


def test_trips_that_was_spared_is_settled_when_the_dealer_says_so(make_table, rulebook):
    """Clause: md-uth 13.G, ma-uth 15(a)."""
    table = make_table(rulebook).ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.RETURN_WAGER))
    for duty in list(table.state.duties.values()):
        if duty.action in (Action.DEAL_COMMUNITY, Action.SETTLE_TRIPS):
            table.act(a.ConfirmDuty(duty.id))
    assert table.fates()[1, "trips"] == "settled"
