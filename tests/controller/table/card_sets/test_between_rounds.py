"""Between rounds: sets that come and go, what is asked for before the first card, and who may do it."""

from dataclasses import replace

import msgspec
import pytest

from controller.games.model import Phase
from controller.rules.elections import elect
from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.decide import fold
from controller.table.state.card_set import CardSet
from controller.table.state.table import State
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e


def duties(table):
    return [duty.action for duty in table.state.duties.values()]


@pytest.fixture
def by_hand(make_table):
    """A table without devices and with one set, opened, shuffled by hand and cut."""

    def make(rulebook):
        table = make_table(rulebook, Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
        return table.shuffled_by_hand("red")

    return make


@pytest.mark.parametrize("offered", [(), ("cover_all", "progressive", "trips")])
def test_nothing_is_asked_about_a_wager_that_the_table_does_not_offer(make_table, offered):
    """A table opens without an election for it, and not once it is offered."""
    table = make_table("ma-uth", offered=offered)
    law = table.setup.law
    of_wagers = {
        q.id for q in elect(law.rulebook, {}).unelected() if q.wager in ("cover_all", "progressive", "trips")
    }
    assert of_wagers
    left = {question: election for question, election in law.elections.items() if question not in of_wagers}
    table.setup = msgspec.structs.replace(table.setup, law=replace(law, elections=left))
    if offered:
        assert "nobody has elected" in table.refused(a.OpenTable()).reason
    else:
        table.act(a.OpenTable())


def test_a_set_that_must_leave_leaves_before_another_of_its_colour_comes(make_table):
    """Otherwise the confirmation would take the new set off the table."""
    table = make_table("md-uth").ready()
    table.shuffled("red", 51)
    assert duties(table) == [Action.REMOVE_SET]
    refused = table.refused(a.BringSet("red"))
    (duty,) = table.state.duties
    assert (refused.reason, refused.cite) == (f"first {duty}: remove_set (red)", table.state.duties[duty].cite)
    table.act(a.ConfirmDuty(duty))
    table.act(a.BringSet("red"))
    assert table.state.sets["red"].present


def test_without_a_shuffler_in_service_one_set_alone_stays(make_table, rulebook):
    """Clause: md-uth 3.B, ma-uth 2(b)."""
    table = make_table(rulebook, Method.MANUAL_SHOE).ready()
    table.act(a.TakeDeviceOut("shuffler-1", a.OutOfService.REMOVED))
    refused = table.refused(a.BeginRound("red"))
    assert refused.cite == table.setup.law.rulebook.decks.second_set.cite
    table.act(a.TakeSetAway("blue"))
    assert not table.state.sets["blue"].present
    table.act(a.BeginRound("red"))


def test_beside_a_shuffler_the_missing_set_is_asked_for(make_table):
    """Which one is missing is said. Clause: fast-action (b)(4), (b)(4)(ii)."""
    table = make_table("fast-action").ready()
    table.act(a.TakeSetAway("blue"))
    refused = table.refused(a.BeginRound("red"))
    assert refused.reason == "beside a shuffler two sets take turns; bring the blue set (bring_set)"
    assert refused.cite == table.setup.law.rulebook.decks.second_set.cite


def test_a_set_that_is_taken_away_takes_its_duties_along(make_table):
    """What was to be done with it would block the table for ever."""
    table = make_table("md-uth").ready()
    table.act(a.DirectShuffle("blue"))
    assert duties(table) == [Action.RESHUFFLE]
    table.act(a.TakeSetAway("blue"), Role.FLOORPERSON)
    assert duties(table) == []


def test_the_set_in_play_is_not_taken_away(make_table):
    """It may leave when its round has ended."""
    table = make_table("md-uth").ready().begin("red")
    assert "in play" in table.refused(a.TakeSetAway("red")).reason
    assert "no green set" in table.refused(a.TakeSetAway("green")).reason


@pytest.mark.parametrize("act", [a.BringSet("red"), a.BringSet("red", preshuffled=True), a.RecordShuffle("red")])
@pytest.mark.parametrize("vouched", [False, True])
def test_a_set_that_was_let_out_is_not_exchanged_before_its_first_card(make_table, act, vouched):
    """The device may give out its cards at any moment: they would be those of a set that nobody has shuffled."""
    table = make_table("ma-uth").ready().begin("red").let_out()
    if vouched:
        table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
        (hold,) = table.state.holds
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
        table.act(a.StartDealing())
    assert "are out of the device" in table.refused(act).reason
    table.deal()
    assert "its cards are collected first" in table.refused(act).reason


def test_a_set_that_came_in_the_deal_is_dealt_once_its_steps_are_taken(make_table):
    """What was let out was taken back before the first card; then the new set is as new as any. Clause: md-uth 4.A to 4.D."""
    table = make_table("md-uth").ready().begin("red").let_out()
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    table.act(a.BringSet("red"), Role.FLOORPERSON)
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    assert "first the red set: inspect" in table.refused(a.StartDealing()).reason
    table.take_steps()
    assert "first the red set: shuffle" in table.refused(a.StartDealing()).reason
    table.shuffled("red")
    table.act(a.StartDealing())
    table.deal()
    assert table.round.phase is Phase.PRE_FLOP


@pytest.mark.parametrize("elected", ["house_interval", "no_demand"])
def test_the_houses_own_time_for_a_set_is_reported_by_a_person(make_table, elected):
    """Reading R-41: only where the house has such a time is anything demanded."""
    table = make_table("ma-uth", elect={"R-41": elected}).ready()
    if elected == "no_demand":
        assert "no change of sets is demanded" in table.refused(a.ReportSetDue("red")).reason
        return
    table.act(a.ReportSetDue("red"), Role.DEALER)
    assert duties(table) == [Action.CHANGE_SET]
    assert "already" in table.refused(a.ReportSetDue("red")).reason
    table.act(a.BringSet("red"))
    assert duties(table) == []


def test_a_time_that_is_printed_is_kept_by_the_clock(make_table):
    """Clause: md-uth 3.C; who wants a change earlier brings a new set."""
    table = make_table("md-uth").ready()
    assert table.refused(a.ReportSetDue("red")).cite == ("3.C(2)",)


def test_a_set_from_the_shuffler_is_not_cut(make_table):
    """Clause: md-uth 5.D(1)."""
    table = make_table("md-uth").ready()
    refused = table.refused(a.RecordCut("red"))
    assert "shuffled by a device" in refused.reason
    assert refused.cite == ("5.D(1)", "5.D(2)")


def test_where_every_set_is_inspected_none_comes_preshuffled(make_table):
    """By the clause of the first step that such a set would skip. Clause: fast-action (d)(1)."""
    table = make_table("fast-action").ready()
    refused = table.refused(a.BringSet("red", preshuffled=True))
    assert "preshuffled cards have no other way" in refused.reason
    assert refused.cite == table.setup.law.rulebook.opening.steps[0].cite


def test_a_preshuffled_set_is_cut_before_it_is_dealt(by_hand):
    """Clause: md-uth 5.D(2)."""
    table = by_hand("md-uth")
    table.act(a.BringSet("red", preshuffled=True))
    table.begin("red").close_bets()
    assert table.refused(a.StartDealing()).cite == ("5.D(2)",)
    table.act(a.RecordCut("red"))
    table.act(a.StartDealing())


def test_here_the_dealer_cuts_and_nobody_else_is_asked(by_hand):
    """Clause: md-uth 5.F."""
    table = by_hand("md-uth")
    table.act(a.RecordShuffle("red"))
    assert table.refused(a.RecordCut("red", 3)).cite == ("5.F",)
    assert table.refused(a.RecordCut("red", 0, (3,))).cite == ("5.F",)


def test_a_second_shuffle_asks_for_a_second_cut(by_hand):
    """The first one was of other cards."""
    table = by_hand("ma-uth")
    assert table.state.sets["red"].was_cut
    table.act(a.RecordShuffle("red"))
    assert table.state.sets["red"].cut_due
    assert not table.state.sets["red"].was_cut


def test_a_document_without_that_order_refuses_it(make_table):
    """Clause: ma-uth 4(a): shuffled after each round; no shuffle by order is printed."""
    table = make_table("ma-uth").ready()
    assert table.refused(a.DirectShuffle("red")).cite == ("4(a)",)
    fast = make_table("fast-action", Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
    assert "knows no second cut" in fast.refused(a.Recut("red")).reason


def test_each_shoe_and_each_dealer_has_a_burn_of_its_own(make_table):
    """Clause: fast-action (g)(1): a dealer who comes to a new shoe burns two."""
    table = make_table("fast-action", Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
    table.shuffled_by_hand("red")
    table.act(a.NewDealer())
    table.act(a.BeginRound("red"))
    table.act(a.PlaceWager(1, "original", 1000))
    table.act(a.AnnounceNoMoreBets())
    burned = [table.act(a.BurnCard())[0] for _ in range(2)]
    assert [event.because for event in burned] == ["new_shoe", "new_dealer"]
    assert table.state.sets["red"].gone == 2
    table.act(a.StartDealing())


def test_no_card_is_burned_from_a_set_that_is_not_ready(make_table):
    """Its first card is not known to be any card of a shuffled set. Clause: fast-action (g)(1)."""
    table = make_table("fast-action", Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
    table.bet((1, "original", 1000)).act(a.AnnounceNoMoreBets())
    refused = table.refused(a.BurnCard())
    assert (refused.reason, refused.cite) == (
        "the red set is not ready to be dealt; shuffle it first", ("(g)(1)",)
    )  # fmt: skip


def test_cards_of_a_shoe_are_counted_from_round_to_round(make_table):
    """Burns, hands, the burn of the round and the community cards; a shuffle begins anew."""
    table = make_table("fast-action", Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
    table.shuffled_by_hand("red")
    table.bet((1, "original", 1000), (3, "original", 1000)).let_out()
    table.act(a.RecordInitialDeal())
    table.answer(1, "set")
    table.answer(3, "set")
    table.act(a.RevealDealer())
    table.act(a.RevealCommunity(a.Street.COMMUNITY))
    table.act(a.SettleRound())
    table.act(a.CollectCards())
    (ended, *_) = [event for event in table.act(a.EndRound()) if isinstance(event, f.RoundEnded)]
    assert ended.cards == 12 + 1 + 5
    assert table.state.sets["red"].gone == 1 + 18
    table.act(a.RecordShuffle("red"))
    assert table.state.sets["red"].gone == 0


def test_records_of_earlier_versions_still_fold(make_table):
    """A round that ended, and a set that came, without what these facts say today."""
    table = make_table("md-uth")
    state = fold(
        State.initial(table.setup),
        [f.Fact("table", f.SetBrought("red", "sam")), f.Fact("table", f.SetShuffledByHand("red", "ada"))],
    )
    assert state.sets["red"] == CardSet("red", cycle_complete=True, mode_shuffle=True, by_hand=True)


def test_a_device_that_shuffled_too_early_closes_no_step(make_table):
    """The set is spread and washed after that, and must be shuffled again."""
    table = make_table("md-uth")
    for name in table.setup.devices:
        table.online(name)
    table.act(a.OpenTable())
    table.shuffled("red")
    assert table.state.sets["red"].armed
    table.take_steps()
    assert not table.state.sets["red"].armed
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    table.shuffled("red")
    assert table.state.sets["red"].steps == ()


def uncounted(table, rounds=4):
    """So many rounds without a count, and one more that a person ends before its stub could be counted."""
    for number in range(rounds):
        table.whole_round("red" if number % 2 == 0 else "blue")
    table.begin("red" if rounds % 2 == 0 else "blue").let_out()
    table.act(a.ReportIrregularity(Trigger.SHOE_JAM))
    table.act(a.CollectCards())
    return table.act(a.EndRound())


def test_a_fifth_round_that_ends_without_a_count_has_the_set_counted(make_table, disposed):
    """Clause: ma-uth 9(e). It is a duty of its own, closed by the count whatever that finds."""
    table = make_table("ma-uth").ready()
    made = disposed(uncounted(table))
    assert made.trigger is Trigger.STUB_COUNT_DUE
    assert made.cite == ("9(e)",)
    (duty,) = [duty.id for duty in table.state.duties.values() if duty.action is Action.COUNT_STUB]
    events = table.act(a.RecordStubCount(51))
    assert isinstance(events[0], f.StubCounted)
    assert events[0].cite == ("9(e)",)
    assert f.DutyClosed(duty, Action.COUNT_STUB, "a supervisor", Role.SUPERVISOR) in events
    assert Action.COUNT_STUB not in duties(table)


@pytest.mark.parametrize(("document", "rounds"), [("ma-uth", 3), ("md-uth", 4)])
def test_nothing_is_counted_before_it_is_due_or_where_a_shuffler_counts(make_table, document, rounds):
    """Four rounds are fewer than five; in Maryland the counting shuffler waives it. Clause: md-uth 10.C."""
    table = make_table(document).ready()
    uncounted(table, rounds)
    assert Action.COUNT_STUB not in duties(table)


def test_in_maryland_a_set_that_was_shuffled_by_hand_is_counted_all_the_same(make_table, disposed):
    """Clause: md-uth 10.C: for this set no shuffler was used that counts."""
    table = make_table("md-uth", elect={"R-40": "no_demand"}).ready()
    for number in range(4):
        table.whole_round("red" if number % 2 == 0 else "blue")
    table.shuffled_by_hand("red")
    table.begin("red").let_out()
    table.act(a.ReportIrregularity(Trigger.SHOE_JAM))
    table.act(a.CollectCards())
    made = disposed(table.act(a.EndRound()))
    assert [demand.action for demand in made.demands] == [Action.COUNT_STUB]


def test_no_shoe_is_new_within_a_round(make_table):
    """A shuffler that speaks of the set on the layout spoils it for the next round, and asks for no burn before the
    community cards: the round could not be ended. Clause: fast-action (g)(1)."""
    table = make_table("fast-action", Method.MANUAL_SHOE, elect={"R-18": "house_procedure"}).ready()
    table.bet((1, "original", 1000)).let_out()
    table.act(a.RecordInitialDeal())
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    table.put(e.ShuffleCompleted(e.Back.RED, e.Mode.DEMO, 312, e.Identities.NOT_READ), "shuffler-1")
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    table.answer(1, "set")
    table.act(a.RevealDealer())
    assert not table.state.sets["red"].armed
    table.act(a.RevealCommunity(a.Street.COMMUNITY))
    assert table.round.phase is Phase.SHOWDOWN


def test_a_new_dealer_burns_from_a_set_that_a_person_vouched_for(make_table):
    """The cards go on by a person's word, so the burn that a new dealer owes can be made. Clause: fast-action (g)(1)."""
    table = make_table("fast-action", Method.MANUAL_SHOE, elect={"R-18": "house_procedure"}).ready()
    table.bet((1, "original", 1000)).let_out()
    table.act(a.RecordInitialDeal())
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    table.act(a.NewDealer())
    (burned, *_) = table.act(a.BurnCard())
    assert burned.because == "new_dealer"
