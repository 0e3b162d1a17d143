"""What each document demands when something goes wrong, seen at the table: fates of wagers, duties, levels."""

import pytest

from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.state.table import Phase
from controller.table.words import acts as a
from controller.table.words import facts as f
from drivers import events as e


def jam(table, stack=2, inside=45, name="shoe-1"):
    return table.put(
        e.Jammed(e.Back(table.round.back), e.Activity.DEALING, e.JamPlace.OUTPUT, stack, inside), name
    )


def reports(trigger, **changes):
    return a.ReportIrregularity(trigger, **changes)


def duties(table):
    return {d.action for d in table.state.duties.values()}


def test_a_shoe_jam_voids_the_round_and_returns_every_wager_in_maryland(make_table, disposed):
    """Clause: md-uth 13.I and its three parts, each action citing its own."""
    table = make_table("md-uth").ready().begin()
    table.chip(1)
    table.let_out().deal(1)
    events = jam(table)
    made = disposed(events)
    assert made.trigger is Trigger.SHOE_JAM
    assert {d.action: d.cite for d in made.demands} == {
        Action.VOID_ROUND: ("13.I",),
        Action.RETURN_ALL_WAGERS: ("13.I(1)",),
        Action.CLEAR_DEVICE: ("13.I(2)",),
        Action.RESHUFFLE_WITH_DEALT: ("13.I(3)",),
    }
    assert set(table.fates().values()) == {"returned"}
    assert (1, "progressive") in table.fates()
    assert table.round.void
    wanted = [e_ for e_ in events if isinstance(e_, f.LevelWanted)]
    assert ("shoe-1", "dispensing", "inhibited") in [(w.device, w.level, w.value) for w in wanted]


def test_a_shoe_jam_in_massachusetts_returns_wagers_only_under_the_reading(make_table, disposed):
    """Clause: ma-uth 15(f) voids and says nothing of the wagers; R-22 says what happens to them, and is cited for it."""
    table = make_table("ma-uth", elect={"R-22": "return"}).ready().begin().let_out().deal(1)
    made = disposed(jam(table))
    assert made.cite == ("15(f)",)
    returns = [d for d in made.demands if d.action is Action.RETURN_ALL_WAGERS]
    assert [(d.cite, d.reading) for d in returns] == [((), "R-22")]
    assert set(table.fates().values()) == {"returned"}


def test_a_shoe_jam_in_massachusetts_holds_the_wagers_under_the_other_choice(make_table):
    """The money waits for a floorperson, who decides once for all of it."""
    table = make_table("ma-uth", elect={"R-22": "hold"}).ready().begin().let_out().deal(1)
    jam(table)
    assert set(table.fates().values()) == {"held"}
    (hold,) = table.state.holds.values()
    assert "5 wagers are held" in hold.reason
    table.act(a.ResolveHold(hold.id, a.Resolution.RETURN_WAGER), Role.FLOORPERSON)
    assert set(table.fates().values()) == {"returned"}


def test_the_next_round_waits_until_the_shoe_is_empty_the_cards_are_shuffled_and_the_wagers_are_back(make_table):
    """Two duties are proven by devices, one is confirmed by the dealer."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)
    jam(table)
    table.act(a.CollectCards())
    table.act(a.EndRound())
    refused = table.refused(a.BeginRound("blue"))
    assert "duties are open" in refused.reason
    assert "13.I(2)" in refused.cite
    by_action = {d.action: d.id for d in table.state.duties.values()}
    still = table.refused(a.ConfirmDuty(by_action[Action.CLEAR_DEVICE]))
    assert "still senses 45 cards" in still.reason
    table.put(e.CardsRemoved(0), "shoe-1")
    table.put(e.JamCleared(False, 0), "shoe-1")
    table.shuffled("red")
    assert duties(table) == {Action.RETURN_ALL_WAGERS}
    table.act(a.ConfirmDuty(by_action[Action.RETURN_ALL_WAGERS]), Role.DEALER)
    table.act(a.BeginRound("blue"))


def test_no_device_leaves_service_with_cards_of_a_set_in_it(make_table, rulebook):
    """Clause: md-uth 13.J, ma-uth 15(g). It is covered or taken away once it is empty, whoever says that it was done."""
    table = make_table(rulebook).ready().begin().let_out().deal(1)
    jam(table)
    table.act(a.CollectCards())
    table.act(a.EndRound())
    table.act(a.ChangeMethod(Method.HAND))
    away = next(
        d for d in table.state.duties.values() if d.action in (Action.REMOVE_DEVICE, Action.COVER_OR_SIGN_DEVICE)
    )
    refused = table.refused(a.ConfirmDuty(away.id))
    assert (refused.reason, refused.cite) == ("shoe-1 still senses 45 cards inside; take them out", away.cite)
    table.put(e.CardsRemoved(0), "shoe-1")
    table.act(a.ConfirmDuty(away.id))
    assert not table.state.devices["shoe-1"].in_service


def test_a_jam_that_cleared_itself_counts_as_a_jam_under_the_cautious_reading(make_table, rulebook, disposed):
    """Nobody touched the shoe; whether that was a jam is R-30, elected by name."""
    table = make_table(rulebook).ready().begin().let_out().deal(1)
    made = disposed(table.put(e.JamCleared(True, 3), "shoe-1"))
    assert made.trigger is Trigger.SHOE_JAM
    assert table.round.void


def test_a_jam_that_a_person_cleared_is_not_a_second_jam(make_table):
    """The first report was disposed of; its end is news, not law."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)
    jam(table)
    events = table.put(e.JamCleared(False, 0), "shoe-1")
    assert [type(x) for x in events] == [e.JamCleared]


def test_a_shuffler_jam_before_the_deal_returns_the_wagers_in_maryland_only(make_table, disposed):
    """Clause: md-uth 13.H returns all wagers, ma-uth 15(e) reshuffles and play goes on with them."""
    for rulebook, cite, stopped in (("md-uth", "13.H", True), ("ma-uth", "15(e)", False)):
        table = make_table(rulebook).ready().begin("red")
        stuck = e.Jammed(e.Back.RED, e.Activity.SHUFFLING, e.JamPlace.RACK, 0, 20)
        made = disposed(table.put(stuck, "shuffler-1"))
        assert made.cite == (cite,)
        assert (table.round.phase is Phase.STOPPED) is stopped
        assert set(table.fates().values()) == ({"returned"} if stopped else {"live"})


def test_a_jammed_cycle_that_ends_by_itself_is_not_the_shuffle_that_the_jam_demands(make_table, rulebook):
    """Clause: md-uth 13.H; ma-uth 15(e). The device freed the card and went on; the cards are still to be shuffled again."""
    table = make_table(rulebook).ready().begin("red")
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    table.put(e.Jammed(e.Back.RED, e.Activity.SHUFFLING, e.JamPlace.RACK, 0, 20), "shuffler-1")
    table.put(e.JamCleared(True, 2), "shuffler-1")
    table.shuffled("red")
    again = [d for d in table.state.duties.values() if "reshuffle" in d.action]
    assert [d.back for d in again] == ["red"]
    assert not table.state.sets["red"].armed
    table.put(e.CardsRemoved(0), "shuffler-1")
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    table.shuffled("red")
    assert not [d for d in table.state.duties.values() if "reshuffle" in d.action]
    assert table.state.sets["red"].armed


def test_a_cycle_that_freed_itself_counts_where_that_is_elected_to_be_no_jam(make_table, rulebook):
    """R-30, the other choice: nothing is demanded, so the cycle is as good as any."""
    table = make_table(rulebook, elect={"R-30": "not_a_jam"}).ready()
    table.put(e.ShuffleStarted(e.Back.RED, e.Mode.SHUFFLE), "shuffler-1")
    table.put(e.JamCleared(True, 2), "shuffler-1")
    table.shuffled("red")
    assert table.state.sets["red"].armed


def test_a_jam_of_the_idle_sets_shuffle_leaves_the_round_in_play(make_table, rulebook):
    """R-10: two sets are never mixed; the round is played with the other one."""
    table = make_table(rulebook).ready().begin("red").let_out().deal()
    table.put(e.Jammed(e.Back.BLUE, e.Activity.SHUFFLING, e.JamPlace.RACK, 0, 20), "shuffler-1")
    assert table.round.phase is Phase.PRE_FLOP
    assert not table.state.sets["blue"].armed
    table.to_showdown().end()


def test_a_wrong_shuffler_count_takes_the_set_away_in_maryland(make_table, disposed):
    """Clause: md-uth 5.E; 51 and 53 are wrong, 52 is right."""
    for count in (51, 53):
        table = make_table("md-uth").ready()
        made = disposed(table.shuffled("red", count))
        assert made.cite[0].startswith("5.E")
        assert duties(table) == {Action.REMOVE_SET}
        (duty,) = table.state.duties
        table.act(a.ConfirmDuty(duty))
        assert not table.state.sets["red"].present
        table.act(a.BringSet("red"))
        table.take_steps().shuffled("red")
        table.act(a.BeginRound("red"))


def test_a_wrong_shuffler_count_is_silent_in_massachusetts_and_only_a_reading_acts(make_table, disposed):
    """No clause is invented: the disposition says that the text is silent and names the reading."""
    table = make_table("ma-uth").ready()
    made = disposed(table.shuffled("red", 51))
    assert made.silent
    assert made.demands
    assert all(d.reading and not d.cite for d in made.demands)
    assert not table.state.sets["red"].armed


@pytest.mark.parametrize(("seen", "void"), [([1], False), ([2], True), ([1, 1], True)])
def test_one_face_up_card_is_set_aside_and_a_second_one_voids(make_table, rulebook, seen, void):
    """Clause: md-uth 13.A and 13.B, ma-uth 15(b). Two single cards in one round are more than one."""
    table = make_table(rulebook).ready().begin().let_out().deal(2)
    for cards in seen:
        table.act(reports(Trigger.CARD_FACE_UP, cards=cards))
    assert table.round.void is void


def test_face_up_cards_after_the_first_two_cards_still_deal_the_community_and_settle_trips(make_table, rulebook):
    """Clause: md-uth 13.C, ma-uth 15(b) last sentence: the hands are void, Trips lives on."""
    table = make_table(rulebook).ready().begin(seats=(1, 3), trips=(1,)).let_out().deal()
    table.act(reports(Trigger.CARD_FACE_UP, cards=2))
    assert table.round.void
    assert table.fates()[1, "trips"] == "to_settle"
    assert {Action.DEAL_COMMUNITY, Action.SETTLE} <= duties(table)


def played_out(table):
    """The round is settled, whatever it was held for."""
    for hold in list(table.state.holds.values()):
        stands = a.Resolution.WAGER_STANDS
        table.act(a.ResolveHold(hold.id, stands if stands in hold.choices else a.Resolution.GO_ON))
    if table.round.phase is not Phase.SHOWDOWN:
        table.to_showdown()
    for duty in list(table.state.duties):
        table.act(a.ConfirmDuty(duty))
    table.act(a.SettleRound())


def test_each_card_that_went_to_the_rack_is_missing_in_the_stub(make_table, rulebook):
    """Clause: md-uth 8.G, ma-uth 7(f)(2). Two were reported at once and the floor lets the round go on: 52 are still there."""
    table = make_table(rulebook, elect={"R-14": "hold"}).ready().begin(trips=()).let_out().deal()
    out = table.round.cards_out
    table.act(reports(Trigger.CARD_FACE_UP, cards=2))
    played_out(table)
    by_hand = {"md-uth": 0, "ma-uth": 5}[rulebook]
    burns = {"md-uth": 0, "ma-uth": 2}[rulebook]
    table.act(a.RecordStubCount(52 - out - by_hand - burns - 2))
    assert not table.round.void
    assert not table.state.held


def test_a_card_found_in_the_stub_is_counted_with_it(make_table, rulebook):
    """Clause: md-uth 8.G, ma-uth 7(f)(2). Once the deal is over no other card takes its place: the count is not one short."""
    table = make_table(rulebook).ready().begin().let_out().deal().to_showdown()
    whole = table.right_stub()
    table.act(reports(Trigger.CARD_FACE_UP))
    played_out(table)
    table.act(a.RecordStubCount(whole))
    assert not table.round.void
    assert not table.state.held


def test_a_player_with_three_cards_voids_one_hand_in_massachusetts_and_all_in_maryland(make_table):
    """Clause: ma-uth 15(d), md-uth 13.E: the same stack, two laws."""
    for rulebook, all_void in (("ma-uth", False), ("md-uth", True)):
        table = make_table(rulebook).ready().begin().let_out()
        plan = [s.seat for s in table_plan(table)]
        table.deal(plan.index(1))
        table.stack(plan.index(1) + 1, cards=3)
        assert table.round.void is all_void
        assert table.round.seats[1].void is not all_void
        if not all_void:
            assert table.fates()[3, "ante"] == "live"
            table.stack(plan.index(1) + 2)


def table_plan(table):
    from controller.table.questions.deal_plan import deal_plan

    return deal_plan(table.setup, table.round)


def test_the_dealers_exposed_card_voids_all_but_trips(make_table):
    """Clause: md-uth 13.F with 13.G; what 13.F does not name is held under R-11."""
    table = make_table("md-uth").ready().begin(seats=(1, 3), trips=(1,))
    table.chip(3)
    table.let_out().deal()
    table.act(reports(Trigger.DEALER_CARD_EXPOSED))
    fates = table.fates()
    assert fates[1, "trips"] == "to_settle"
    assert fates[1, "ante"] == fates[3, "blind"] == "returned"
    assert fates[3, "progressive"] == "held"


def test_the_dealers_card_after_all_players_acted_is_no_irregularity(make_table, rulebook):
    """The clauses speak of the time before each player has folded or played."""
    table = make_table(rulebook).ready().begin().let_out().deal()
    table.decide_all(a.Decision.PLAY, 4)
    table.act(reports(Trigger.DEALER_CARD_EXPOSED))
    assert not table.round.void


@pytest.mark.parametrize("locked", [True, False])
def test_a_late_progressive_chip_is_silent_in_both_and_held_under_a_reading(
    make_table, rulebook, disposed, locked
):
    """After the lock, or between the announcement and the lock: each is a reading, and the money waits."""
    table = make_table(rulebook).ready().begin()
    table.act(a.AnnounceNoMoreBets())
    made = disposed(table.chip(3, locked=locked))
    assert made.silent
    assert table.fates()[3, "progressive"] == "held"
    (hold,) = table.state.holds.values()
    assert hold.reading
    assert "return_wager" in table.refused(a.ResolveHold(hold.id, a.Resolution.WAGER_STANDS)).reason
    table.act(a.ResolveHold(hold.id, a.Resolution.RETURN_WAGER), Role.FLOORPERSON)
    assert table.fates()[3, "progressive"] == "returned"


def test_a_progressive_count_that_differs_holds_before_the_first_card(make_table):
    """Clause: md-uth 10.A(2)(b)(ii) demands the comparison and names no outcome: R-09 holds."""
    table = make_table("md-uth").ready().begin()
    table.chip(1)
    table.close_bets()
    table.act(a.RecordProgressiveCount(2))
    assert "play is held" in table.refused(a.StartDealing()).reason


@pytest.mark.parametrize(("off_by", "void"), [(0, False), (-1, True), (1, True)])
def test_a_stub_that_does_not_make_fifty_two_voids_and_removes_the_set(make_table, rulebook, off_by, void):
    """Clause: md-uth 10.E(2), ma-uth 7(f)(2)."""
    table = make_table(rulebook).ready().begin().let_out().deal().to_showdown()
    table.act(a.RecordStubCount(table.right_stub() + off_by))
    assert table.round.void is void
    assert (Action.REMOVE_SET in duties(table)) is void


def test_a_misdealt_stub_with_all_cards_there_keeps_the_set(make_table, rulebook):
    """Clause: md-uth 10.E(1), ma-uth 7(f)(2): void, but the set stays."""
    table = make_table(rulebook).ready().begin().let_out().deal().to_showdown()
    assert "count all cards" in table.refused(a.RecordStubCount(30, misdealt=True)).reason
    table.act(a.RecordStubCount(30, misdealt=True, all_cards=52))
    assert table.round.void
    assert Action.REMOVE_SET not in duties(table)


def test_another_dealing_method_demands_what_each_document_says_of_the_device(make_table):
    """Clause: ma-uth 15(g) removes any device; md-uth 13.J covers or signs one that has failed, and only that."""
    from controller.rules.vocabulary import Method

    for rulebook, failed, action in (
        ("ma-uth", False, Action.REMOVE_DEVICE),
        ("ma-uth", True, Action.REMOVE_DEVICE),
        ("md-uth", True, Action.COVER_OR_SIGN_DEVICE),
        ("md-uth", False, None),
    ):
        table = make_table(rulebook, elect={"R-40": "no_demand"} if rulebook == "md-uth" else {}).ready()
        if failed:
            table.put(e.Jammed(e.Back.RED, e.Activity.IDLE, e.JamPlace.OUTPUT, 0, 0), "shoe-1")
            table.put(e.CardsRemoved(0), "shoe-1")
            table.shuffled("red")
        table.act(a.ChangeMethod(Method.HAND))
        assert ({action} if action else set()) == duties(table) & {
            Action.REMOVE_DEVICE,
            Action.COVER_OR_SIGN_DEVICE,
        }
