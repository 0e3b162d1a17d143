"""Rare turns: devices that are not in use, sets that nobody can vouch for, chips beside chips, counts at an odd time."""

import pytest

from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.decide import fold
from controller.table.state.table import Phase, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor, SetDue
from controller.table.words.structs import replace
from drivers import events as e
from drivers.errors import Fault


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


@pytest.mark.parametrize(("back", "stacks"), [(e.Back.RED, 0), (e.Back.UNKNOWN, 0), (e.Back.RED, 2)])
def test_a_shuffle_of_the_set_that_is_being_dealt_stops_the_shoe(make_table, back, stacks):
    """Without an armed set no card goes out: the shoe is inhibited at once, and a person decides whether the deal goes on."""
    table = make_table("md-uth").ready().begin("red").let_out().deal(stacks)
    table.put(e.ShuffleStarted(back, e.Mode.SHUFFLE), "shuffler-1")
    assert not table.state.sets["red"].armed
    assert table.state.devices["shoe-1"].wanted["dispensing"] == "inhibited"
    (hold,) = table.state.holds.values()
    assert ("red set" in hold.reason, hold.choices) == (True, (a.Resolution.GO_ON, a.Resolution.VOID))
    assert "play is held" in table.refused(a.StartDealing()).reason
    table.act(a.ResolveHold(hold.id, a.Resolution.GO_ON))
    table.act(a.StartDealing())
    assert table.state.devices["shoe-1"].wanted["dispensing"] == "allowed"
    assert fold(State.initial(table.setup), table.all) == table.state


def test_a_set_that_is_changed_after_the_round_still_has_somebody_asked_when_its_deal_stops(make_table):
    """The change waits for the end of the round, so it is no answer to what becomes of the deal."""
    table = make_table("md-uth").ready().begin("red").let_out().deal(2)
    table.pass_time(8 * 3600)
    table.put(SetDue("red"))
    assert [duty.action for duty in table.state.duties.values()] == [Action.CHANGE_SET]
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    (hold,) = table.state.holds.values()
    assert "red set" in hold.reason
    table.act(a.ResolveHold(hold.id, a.Resolution.GO_ON))
    table.act(a.StartDealing())
    assert table.state.devices["shoe-1"].wanted["dispensing"] == "allowed"


def test_a_shuffle_of_the_other_set_leaves_the_deal_alone(make_table):
    """One set is shuffled while the other one is dealt. Clause: 3.B(3)."""
    table = make_table("md-uth").ready().begin("red").let_out().deal(1)
    table.put(e.ShuffleStarted(e.Back.UNKNOWN, e.Mode.SHUFFLE), "shuffler-1")
    table.put(e.ShuffleStarted(e.Back.BLUE, e.Mode.SHUFFLE), "shuffler-1")
    assert not table.state.held
    assert table.state.devices["shoe-1"].wanted["dispensing"] == "allowed"


def test_a_deal_goes_on_only_from_an_armed_set_where_its_shuffle_is_demanded(make_table):
    """Clause: ma-uth 15(e). That the duty was confirmed arms nothing; the shuffle itself does."""
    table = make_table("ma-uth").ready().begin("red").let_out()
    table.put(e.Jammed(e.Back.RED, e.Activity.SHUFFLING, e.JamPlace.RACK, 0, 20), "shuffler-1")
    table.put(e.JamCleared(False, 1), "shuffler-1")
    for duty in list(table.state.duties):
        if duty in table.state.duties and "reshuffle" not in table.state.duties[duty].action:
            table.act(a.ConfirmDuty(duty))
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    (duty,) = table.state.duties.values()
    assert "the red set is not armed: " in table.refused(a.StartDealing()).reason
    table.act(a.ConfirmDuty(duty.id))
    assert "the red set is not armed: " in table.refused(a.StartDealing()).reason
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    table.shuffled("red")
    table.act(a.StartDealing())


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
    assert table.fates()[3, "ante"] == "returned"  # the round is void, and nothing is left that it could stand for


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
    """The clause on dealing says when cards may come and not what follows: who voids the round does so under a reading."""
    table = make_table(rulebook).ready().begin()
    table.put(e.StackDispensed(e.Back.RED, 1, 5), "shoe-1")
    (by_clause,) = table.state.holds.values()
    assert by_clause.choices == (a.Resolution.GO_ON, a.Resolution.VOID)
    table.act(a.ResolveHold(by_clause.id, a.Resolution.VOID))
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
    table.setup = make_table("md-uth", unelected=True).setup
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
        if duty.action in (Action.DEAL_COMMUNITY, Action.SETTLE):
            table.act(a.ConfirmDuty(duty.id))
    assert table.fates()[1, "trips"] == "settled"


# ---- what a person sees


def test_a_person_who_sees_a_shuffler_jam_speaks_of_the_shuffler_and_its_set(make_table, rulebook, disposed):
    """The round is dealt from the shoe: it is the idle set that is stuck, and the shuffler that is emptied."""
    table = make_table(rulebook).ready().begin("red").let_out().deal()
    made = disposed(table.act(a.ReportIrregularity(Trigger.SHUFFLER_JAM)))
    assert "idle_set" in made.guards
    assert not table.round.void
    assert {(d.device, d.back) for d in table.state.duties.values()} <= {("shuffler-1", ""), ("", "blue")}


def test_a_person_who_sees_the_shuffler_jam_in_the_deal_voids_as_its_report_would(make_table, disposed):
    """Clause: md-uth 13.H with 13.I, R-29."""
    table = make_table("md-uth", Method.SHUFFLER).ready().begin("red").let_out()
    made = disposed(table.act(a.ReportIrregularity(Trigger.SHUFFLER_JAM)))
    assert "handing_out" in made.guards
    assert table.round.void


def test_a_person_cannot_report_a_jam_of_a_shoe_that_nobody_deals_from(make_table, rulebook):
    """Clause: md-uth 13.I, ma-uth 15(f): "is being used"."""
    table = make_table(rulebook, Method.HAND).ready().begin().let_out()
    assert "not from a dealing shoe" in table.refused(a.ReportIrregularity(Trigger.SHOE_JAM)).reason


def test_no_card_is_wrong_before_one_was_dealt(make_table, rulebook):
    """Reported during betting it can only be a slip."""
    table = make_table(rulebook).ready().begin()
    assert "no card" in table.refused(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED)).reason
    table.close_bets()
    assert "no card" in table.refused(a.ReportIrregularity(Trigger.CARD_FACE_UP)).reason


# ---- play can always be taken up again


def test_a_shoe_that_jammed_and_died_can_be_cleared_and_taken_away(make_table, rulebook):
    """Its last word was "45 cards inside"; it will never say that they are out."""
    table = make_table(rulebook).ready().begin().let_out().deal(1)
    table.put(e.Jammed(e.Back.RED, e.Activity.DEALING, e.JamPlace.OUTPUT, 2, 45), "shoe-1")
    clear = next(d.id for d in table.state.duties.values() if d.action is Action.CLEAR_DEVICE)
    assert "still senses" in table.refused(a.ConfirmDuty(clear)).reason
    table.put(e.DeviceOffline("link_eof"), "shoe-1")
    table.act(a.ConfirmDuty(clear))
    table.act(a.TakeDeviceOut("shoe-1", a.OutOfService.REMOVED))


def test_betting_that_nobody_joined_can_be_closed(make_table, rulebook):
    """No card was dealt: the same set may open the next betting."""
    table = make_table(rulebook).ready()
    table.act(a.BeginRound("red"))
    table.act(a.PlaceWager(1, "ante", 1000))
    assert "wagers lie" in table.refused(a.EndRound()).reason
    table.act(a.WithdrawWager(1, "ante"))
    table.act(a.EndRound())
    assert table.state.devices["progressive-1"].wanted["lockout"] == "engaged"
    table.act(a.BeginRound("red"))


def test_a_wager_may_be_taken_back_until_no_more_bets(make_table, rulebook):
    """Clause: md-uth 7.E, ma-uth 6(b): not withdrawn after the announcement; a wrong blind can be put right before."""
    table = make_table(rulebook).ready().begin(seats=(1,), trips=())
    table.act(a.PlaceWager(2, "ante", 1000))
    table.act(a.PlaceWager(2, "blind", 900))
    assert "seat 2" in table.refused(a.AnnounceNoMoreBets()).reason
    assert "no trips wager" in table.refused(a.WithdrawWager(2, "trips")).reason
    table.act(a.WithdrawWager(2, "blind"))
    table.act(a.PlaceWager(2, "blind", 1000))
    table.act(a.AnnounceNoMoreBets())
    assert "cannot be done" in table.refused(a.WithdrawWager(2, "blind")).reason


def test_a_blind_alone_is_no_seat_in_play_and_no_bets_close_over_it(make_table, rulebook):
    """Ante and Blind go together, whichever was placed first."""
    table = make_table(rulebook).ready().begin(seats=(1,))
    table.act(a.PlaceWager(2, "blind", 1000))
    assert "seat 2" in table.refused(a.AnnounceNoMoreBets()).reason


def test_a_count_that_was_wrong_is_a_count(make_table):
    """R-01 "hold" and the floor lets the round go on: the fifth round ends without a second count."""
    table = make_table("ma-uth", elect={"R-01": "hold"}).ready()
    for number in range(4):
        table.whole_round("red" if number % 2 == 0 else "blue")
    table.begin("red").let_out().deal().to_showdown()
    table.act(a.RecordStubCount(30, misdealt=True, all_cards=51))
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.GO_ON))
    table.end()
    assert table.state.since_stub_count == 0


# ---- counts


@pytest.mark.parametrize("method", [Method.HAND, Method.DEALING_SHOE])
def test_a_card_set_aside_is_no_card_missing_from_the_stub(make_table, rulebook, method):
    """It went to the rack and another took its place: the stub is one shorter, and the set is whole."""
    table = make_table(rulebook, method).ready().begin().let_out()
    if method is Method.HAND:
        table.act(a.RecordInitialDeal())
    else:
        table.deal(1)
    before = table.right_stub()
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP))
    assert table.right_stub() == before - 1


def test_a_dealer_short_of_a_card_completes_the_hand_before_anyone_is_asked(make_table):
    """Clause: ma-uth 15(d): the cards in sequence; then two seats and the dealer hold six cards."""
    table = make_table("ma-uth").ready().begin().let_out().deal(2)
    table.stack(3, cards=1)
    assert table.round.phase is Phase.DEALING
    assert "all stacks are out" in table.refused(a.StartDealing()).reason
    (duty,) = table.state.duties.values()
    assert duty.action is Action.COMPLETE_DEALER_HAND
    table.act(a.ConfirmDuty(duty.id))
    assert (table.round.phase, table.round.cards_out) == (Phase.PRE_FLOP, 6)


def test_nobody_is_asked_while_the_dealers_hand_is_short(make_table):
    """Found late, dealt by hand: first the dealer's hand, then play."""
    table = make_table("ma-uth", Method.HAND).ready().begin().let_out()
    table.act(a.RecordInitialDeal())
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER, completable=True))
    assert "complete_dealer_hand" in table.refused(a.RecordDecision(1, a.Decision.CHECK)).reason


# ---- clean-up after a void


def test_community_cards_are_shown_after_a_void_only_where_that_is_demanded(make_table, rulebook):
    """A jam ends the deal; nothing calls for a flop."""
    table = make_table(rulebook).ready().begin().let_out().deal(1)
    table.act(a.ReportIrregularity(Trigger.SHOE_JAM))
    assert "nothing demands" in table.refused(a.RevealCommunity(a.Street.FLOP)).reason


def test_cards_are_not_collected_before_spared_wagers_are_settled_on_them(make_table, rulebook):
    """Clause: md-uth 13.G, ma-uth 15(a): first the community cards, then Trips, then the discard rack."""
    table = make_table(rulebook, elect={"R-11": "return"}).ready().begin().let_out().deal()
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    community, trips = (
        next(d.id for d in table.state.duties.values() if d.action is action)
        for action in (Action.DEAL_COMMUNITY, Action.SETTLE)
    )
    assert "flop comes next" in table.refused(a.RevealCommunity(a.Street.LAST_TWO)).reason
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.act(a.RevealCommunity(street))
    assert "all community cards" in table.refused(a.RevealCommunity(a.Street.FLOP)).reason
    assert "community cards first" in table.refused(a.ConfirmDuty(trips)).reason
    table.act(a.ConfirmDuty(community))
    assert "settle_trips" in table.refused(a.CollectCards()).reason
    table.act(a.ConfirmDuty(trips))
    table.act(a.CollectCards())


# ---- another method


def test_no_set_is_shuffled_by_hand_beside_a_shuffler(make_table):
    """Clause: ma-uth 15(g): it leaves the table, a cover is not enough; md-uth 13.J: covered or signed."""
    for rulebook, how, enough in (
        ("ma-uth", a.OutOfService.COVERED, False),
        ("ma-uth", a.OutOfService.REMOVED, True),
        ("md-uth", a.OutOfService.SIGNED, True),
    ):
        table = make_table(rulebook).ready()
        assert "shuffler-1" in table.refused(a.RecordShuffle("red")).reason
        table.act(a.TakeDeviceOut("shuffler-1", how))
        if enough:
            table.act(a.RecordShuffle("red"))
        else:
            assert table.refused(a.RecordShuffle("red")).cite == ("15(g)",)


def test_a_covered_shoe_still_leaves_the_table_in_massachusetts(make_table):
    """Clause: ma-uth 15(g) knows removal only; taking the shoe out of service before does not spare it."""
    table = make_table("ma-uth").ready()
    table.act(a.TakeDeviceOut("shoe-1", a.OutOfService.COVERED))
    table.act(a.ChangeMethod(Method.HAND))
    assert duties(table) == {Action.REMOVE_DEVICE}


def without(table, *names):
    """The same table without these devices."""
    devices = {name: device for name, device in table.setup.devices.items() if name not in names}
    return type(table)(replace(table.setup, devices=devices))


def test_no_way_of_dealing_is_chosen_for_which_a_device_is_missing(make_table, rulebook):
    """Otherwise wagers would lie on the layout of a round that can never be dealt. Clause: md-uth 9.A(1), ma-uth 8(b)(1)."""
    table = without(make_table(rulebook, Method.MANUAL_SHOE), "shoe-1", "shuffler-1").ready()
    assert (
        "needs a shoe, and none belongs to this table" in table.refused(a.ChangeMethod(Method.DEALING_SHOE)).reason
    )
    refused = table.refused(a.ChangeMethod(Method.HAND))
    assert "needs a shuffler" in refused.reason
    assert refused.cite == table.setup.law.rulebook.dealing[Method.HAND].needs_shuffler.cite


def test_the_method_in_use_is_not_chosen_again(make_table, rulebook):
    """Or a shoe that is to be dealt from would have to leave the table."""
    table = make_table(rulebook).ready()
    assert "by dealing_shoe already" in table.refused(a.ChangeMethod(Method.DEALING_SHOE)).reason
    assert not table.state.duties


def test_a_set_that_comes_before_the_first_card_goes_through_its_steps_in_the_round(make_table, rulebook):
    """Bets are closed and the set is exchanged: its steps can be taken there and then, or nothing could ever be dealt."""
    table = make_table(rulebook, Method.MANUAL_SHOE).ready().begin().close_bets()
    table.act(a.BringSet("red"))
    assert table.state.sets["red"].waits is not None
    table.refused(a.StartDealing())
    table.take_steps().shuffled("red")
    table.act(a.StartDealing())


@pytest.mark.parametrize("rulebook", ["md-uth", "ma-uth", "nj-pikit", "ma-colorado"])
def test_cards_dealt_from_the_hand_are_shuffled_by_a_shuffler(make_table, rulebook):
    """Nobody bets on what cannot be dealt. Clause: md-uth 9.A(1), ma-uth 8(b)(1), nj-pikit 39.8(b)1, ma-colorado 8(b)(1)."""
    table = make_table(rulebook, Method.HAND, offered=(), devices=("shuffler-1",)).ready()
    needs = table.setup.law.rulebook.dealing[Method.HAND].needs_shuffler
    table.act(a.TakeDeviceOut("shuffler-1", a.OutOfService.REMOVED, failed=False))
    table.act(a.TakeSetAway("blue"))
    table.shuffled_by_hand("red")
    refused = table.refused(a.BeginRound("red"))
    assert (refused.code, refused.cite) == ("no_shuffler", needs.cite)
    assert "shuffler_jam" not in refused.reason
    table.act(a.ReturnDevice("shuffler-1"))
    table.act(a.BringSet("blue"))
    table.take_steps()
    refused = table.refused(a.BeginRound("red"))
    assert (refused.code, refused.cite) == ("shuffled_by_hand", needs.cite)
    assert "shuffle the red set in shuffler-1" in refused.reason
    table.shuffled("red")
    table.act(a.BeginRound("red"))


@pytest.mark.parametrize("rulebook", ["md-uth", "ma-uth", "nj-pikit", "ma-colorado"])
def test_a_shuffler_taken_out_after_the_betting_comes_back(make_table, rulebook):
    """One that has not failed is no jam: it is returned, and shuffles what is dealt. Clauses as above."""
    table = make_table(rulebook, Method.HAND, offered=(), devices=("shuffler-1",)).ready()
    names = [n for n, w in table.setup.law.rulebook.wagers.items() if w.placed == "before_deal" and not w.optional]
    table.bet(*((1, name, 1000) for name in names)).close_bets()
    table.act(a.TakeDeviceOut("shuffler-1", a.OutOfService.REMOVED, failed=False))
    table.shuffled_by_hand("red")
    refused = table.refused(a.StartDealing())
    assert refused.code == "shuffled_by_hand"
    assert "return shuffler-1" in refused.reason
    assert "shuffler_jam" not in refused.reason
    table.act(a.ReturnDevice("shuffler-1"))
    assert "shuffle the red set in shuffler-1" in table.refused(a.StartDealing()).reason
    table.shuffled("red")
    table.act(a.StartDealing())


@pytest.mark.parametrize(
    ("rulebook", "method", "device"),
    [
        *((book, Method.DEALING_SHOE, "shoe-1") for book in ("md-uth", "ma-uth", "nj-pikit", "ma-colorado")),
        *((book, Method.SHUFFLER, "shuffler-1") for book in ("md-uth", "ma-uth", "nj-pikit", "ma-colorado")),
        ("fast-action", Method.DEALING_SHOE, "shoe-1"),
    ],
)
def test_no_round_begins_while_the_device_that_deals_is_out_of_service(make_table, rulebook, method, device):
    """Its cards could not be dealt: it comes back, or cards are dealt another way. Clause: the method's own chapter."""
    elect = {"R-18": "house_procedure"} if rulebook == "fast-action" else {}
    table = make_table(rulebook, method, offered=(), devices=("shuffler-1", "shoe-1"), elect=elect).ready()
    table.act(a.TakeDeviceOut(device, a.OutOfService.REMOVED, failed=False))
    if device == "shuffler-1":
        table.act(a.TakeSetAway("blue"))
    refused = table.refused(a.BeginRound("red"))
    assert (refused.code, refused.cite) == ("no_dispenser", table.setup.law.rulebook.dealing[method].cite)
    table.act(a.ReturnDevice(device))
    if device == "shuffler-1":
        table.act(a.BringSet("blue"))
        table.take_steps()
    table.act(a.BeginRound("red"))


# ---- levels


def test_a_lock_out_whose_answer_was_lost_is_not_relied_on(make_table):
    """Unknown is not engaged: it is read back first."""
    table = make_table("md-uth").ready().begin().close_bets()
    table.put(e.LevelUnknown(e.Level.LOCKOUT, "engaged", 3, "the link was lost"), "progressive-1")
    assert "has not confirmed" in table.refused(a.StartDealing()).reason
    table.put(e.LevelConfirmed(e.Level.LOCKOUT, "engaged", 3), "progressive-1")
    table.act(a.StartDealing())


def test_a_safe_level_that_was_never_answered_is_wanted_under_another_operation(make_table):
    """The device may count the old one as being done for good, and would be silent on each new link."""
    table = make_table("md-uth").ready().begin()
    first = [w for w in table.act(a.AnnounceNoMoreBets()) if isinstance(w, f.LevelWanted) and w.value == "engaged"]
    table.put(e.LockoutEngaged(e.Cause.COMMAND, first[0].operation), "progressive-1")
    table.put(e.DeviceOffline(Fault.TIMEOUT_REQUEST, "no answer"), "progressive-1")
    events = table.put(
        e.LevelUnknown(e.Level.LOCKOUT, "engaged", first[0].operation, "no answer"), "progressive-1"
    )
    again = [w for w in events if isinstance(w, f.LevelWanted)]
    assert [(w.level, w.value) for w in again] == [("lockout", "engaged")]
    assert again[0].operation != first[0].operation


def test_a_lock_out_that_the_device_does_not_state_is_not_engaged(make_table):
    """Online and silent about its lock: no card comes out."""
    table = make_table("md-uth").ready().begin().close_bets()
    table.put(e.LevelsRead(e.Levels()), "progressive-1")
    assert "has not confirmed" in table.refused(a.StartDealing()).reason


def test_a_level_read_on_its_open_side_is_made_safe_again(make_table):
    """Nobody released it: no person's act stands behind it."""
    table = make_table("md-uth").ready().begin().close_bets()
    events = table.put(e.LevelsRead(e.Levels(lockout=e.RELEASED)), "progressive-1")
    assert [(w.level, w.value) for w in events if isinstance(w, f.LevelWanted)] == [("lockout", "engaged")]


def test_a_device_taken_out_of_service_may_not_deal_on(make_table):
    """The permission ends with its service; after its return a person gives it anew."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)
    table.act(a.TakeDeviceOut("shoe-1", a.OutOfService.COVERED))
    assert table.state.devices["shoe-1"].wanted["dispensing"] == "inhibited"


def test_an_announcement_that_is_refused_has_locked_the_progressive_and_says_so(make_table):
    """Towards safety nothing waits; the record shows it, and the dealer opens the lock again on purpose."""
    table = make_table("md-uth").ready().begin()
    table.act(a.PlaceWager(2, "ante", 1000))
    events = table.put(a.AnnounceNoMoreBets(), actor=Actor("a dealer", Role.DEALER))
    assert kinds(events) == ["input_refused", "level_wanted"]
    table.put(e.LockoutEngaged(e.Cause.COMMAND, 9), "progressive-1")
    table.act(a.ReleaseLockout())
    assert table.state.devices["progressive-1"].wanted["lockout"] == "released"


def test_a_device_that_comes_back_without_a_word_on_its_lock_is_told_to_lock(make_table):
    """Not said is not known, so the safe side is asked for again."""
    table = make_table("md-uth").ready().begin().close_bets()
    events = table.online("progressive-1", levels=e.Levels())
    assert [(w.level, w.value) for w in events if isinstance(w, f.LevelWanted)] == [("lockout", "engaged")]


def test_a_difference_of_chips_that_was_put_on_record_does_not_ask_for_the_count_again(make_table):
    """R-09 "record": both numbers stand, the floor is called, the deal need not wait."""
    table = make_table("md-uth", elect={"R-09": "record"}).ready().begin()
    table.chip(1)
    table.close_bets()
    table.act(a.RecordProgressiveCount(2))
    assert duties(table) == {Action.CALL_FLOORPERSON}
    table.act(a.StartDealing())


def test_a_set_shuffled_by_hand_is_counted_whatever_the_idle_shuffler_can(make_table):
    """Clause: md-uth 10.C waives the count where a counting shuffler is being used; for this set none was."""
    table = make_table("md-uth", elect={"R-40": "no_demand"}).ready()
    for number in range(4):
        table.whole_round("red" if number % 2 == 0 else "blue")
    table.shuffled_by_hand("red")
    table.begin("red").let_out().deal().to_showdown()
    table.act(a.SettleRound())
    assert table.refused(a.CollectCards()).code == "stub_count_due"


def test_the_set_that_lies_on_the_layout_is_neither_replaced_nor_shuffled(make_table):
    """Its cards are collected first."""
    table = make_table("md-uth").ready().begin("red").let_out().deal(1)
    assert "in play" in table.refused(a.BringSet("red")).reason


def test_a_second_gap_after_the_floor_has_decided_asks_again(make_table, rulebook):
    """One hold for all gaps that are found together, and a new one for what is lost later."""
    table = make_table(rulebook).ready().begin().let_out().deal(1)
    for counter in (5, 6):
        table.put(e.EventsLost("SIM-shoe-1", "0" * 16, counter, counter), "shoe-1")
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    table.put(e.EventsLost("SIM-shoe-1", "0" * 16, 8, 9), "shoe-1")
    assert table.state.held


@pytest.mark.parametrize("armed", [True, False])
def test_cards_that_nobody_let_out_are_collected_and_their_set_is_shuffled_before_the_deal(make_table, armed):
    """Otherwise a table whose only set lies half in the shoe and half on the layout could neither shuffle nor end the round."""
    table = make_table("ma-uth", devices=["shoe-1", "progressive-1"], backs=["red"]).open()
    if armed:
        table.shuffled_by_hand("red")
    table.act(a.BeginRound("red"))
    assert "no cards are out" in table.refused(a.CollectCards()).reason
    events = table.put(e.StackDispensed(e.Back.RED, 1, 2), "shoe-1")
    (hold,) = [event for event in events if isinstance(event, f.HoldPlaced)]
    table.act(a.ResolveHold(hold.hold, a.Resolution.GO_ON))
    assert "its cards are collected first" in table.refused(a.RecordShuffle("red")).reason
    table.act(a.CollectCards(), Role.DEALER)
    assert not table.state.sets["red"].armed
    assert (table.round.cards_out, table.round.collected, table.round.on_layout) == (0, False, False)
    table.shuffled_by_hand("red")
    assert table.state.sets["red"].armed
