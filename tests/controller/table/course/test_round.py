"""A round from the opening of the table to its end, and what stands in the way at each step."""

import pytest

from controller.rules.vocabulary import Role
from controller.table.acts.permissions import can
from controller.table.state.table import Phase
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor
from controller.table.words.structs import replace
from drivers import events as e


def test_a_round_is_played_to_its_end(make_table, rulebook):
    """Betting, dealing, three decisions, showdown, settlement, collection: the set must then be shuffled again."""
    table = make_table(rulebook).ready()
    table.whole_round("red")
    assert table.state.round is None
    assert table.state.last_back == "red"
    assert not table.state.duties
    ended = [fact.event for fact in table.all if isinstance(fact.event, f.RoundEnded)]
    assert [event.outcome for event in ended] == ["played"]


def test_the_table_does_not_open_while_a_reading_that_moves_money_is_not_elected(make_table, rulebook):
    """Nobody's silence is taken for a choice: the refusal names each open reading."""
    table = make_table(rulebook, unelected=True)
    table = type(table)(replace(table.setup, offered=frozenset(table.setup.law.rulebook.wagers)))
    refused = table.refused(a.OpenTable())
    for reading in table.setup.law.rulebook.readings.values():
        assert (f"{reading.id} (" in refused.reason) is reading.closes, reading.id


def test_the_lockout_is_released_only_by_the_act_that_opens_betting(make_table):
    """A release is a person's act; the end of betting engages it again, citing the clause of the method in use."""
    table = make_table("md-uth").ready()
    wanted = [event for event in table.act(a.BeginRound("red")) if isinstance(event, f.LevelWanted)]
    assert [(w.level, w.value) for w in wanted] == [("lockout", "released")]
    table.put(e.LockoutReleased(e.Cause.COMMAND, wanted[0].operation), "progressive-1")
    for wager in ("ante", "blind"):
        table.act(a.PlaceWager(1, wager, 1000))
    events = table.act(a.AnnounceNoMoreBets())
    closed = next(event for event in events if isinstance(event, f.BetsClosed))
    assert closed.cite == ("10.A(2)(a)", "2.C(2)", "10.A(2)(b)(i)")
    assert ("lockout", "engaged") in [(w.level, w.value) for w in events if isinstance(w, f.LevelWanted)]


def test_cards_are_not_let_out_before_the_lockout_is_confirmed_and_the_chips_are_counted(make_table):
    """Both steps of 10.A(2)(b) come before the first stack; the second only where a chip was accepted."""
    table = make_table("md-uth").ready().begin()
    table.chip(1)
    table.act(a.AnnounceNoMoreBets())
    assert "has not confirmed its lock-out" in table.refused(a.StartDealing()).reason
    table.put(e.LockoutEngaged(e.Cause.COMMAND, 2), "progressive-1")
    refused = table.refused(a.StartDealing())
    assert "count the progressive chips" in refused.reason
    assert "10.A(2)(b)(ii)" in refused.cite
    table.act(a.RecordProgressiveCount(1))
    table.act(a.StartDealing())
    assert table.round.phase is Phase.DEALING


def test_a_chip_that_was_taken_back_before_the_lock_is_not_counted(make_table):
    """Accepted is what lies there when bets close."""
    table = make_table("md-uth").ready().begin()
    table.chip(1)
    table.chip(3)
    table.put(e.WagerRemoved(1, 1, False), "progressive-1")
    table.close_bets()
    assert table.round.accepted == {(3, 1)}
    assert ("progressive" in table.round.seats[1].wagers, "progressive" in table.round.seats[3].wagers) == (
        False,
        True,
    )


def test_a_progressive_wager_without_its_base_wagers_is_held(make_table, rulebook):
    """The chip alone is no wager: it is held, with the clause that requires the others."""
    table = make_table(rulebook).ready().begin(seats=(1,), trips=(1,))
    table.chip(2)
    table.act(a.AnnounceNoMoreBets())
    (hold,) = table.state.holds.values()
    assert (hold.seat, hold.wager) == (2, "progressive")
    assert hold.cite == table.setup.law.rulebook.wagers["progressive"].requires.cite


@pytest.mark.parametrize(
    ("act", "word"),
    [
        (a.PlaceWager(0, "ante", 100), "seat 0"),
        (a.PlaceWager(7, "ante", 100), "seat 7"),
        (a.PlaceWager(1, "ante", -1), "at least 1 cent"),
        (a.PlaceWager(1, "ante", 10_000_000_001), "cannot be"),
        (a.PlaceWager(1, "anteup", 100), "no wager anteup"),
        (a.PlaceWager(1, "trips", 100), "needs ante"),
        (a.PlaceWager(1, "play", 100), "no wager play"),
        (a.PlaceWager(1, "six_card", 100), "not offered"),
        (a.PlaceWager(1, "progressive", 500), "on its sensor"),
    ],
)
def test_a_wager_that_cannot_be_is_refused_with_seat_and_reason(make_table, act, word):
    """The dealer reads what is wrong, at which seat."""
    table = make_table("md-uth").ready()
    table.act(a.BeginRound("red"))
    refused = table.refused(act)
    assert word in refused.reason
    assert f"seat {act.seat}" in refused.reason


def test_bets_do_not_close_while_a_blind_differs_from_its_ante(make_table):
    """Ante and Blind are equal. Clause: md-uth 7.F(1)."""
    table = make_table("md-uth").ready()
    table.act(a.BeginRound("red"))
    table.act(a.PlaceWager(2, "ante", 1000))
    assert "seat 2" in table.refused(a.AnnounceNoMoreBets()).reason
    table.act(a.PlaceWager(2, "blind", 900))
    assert "7.F(1)" in table.refused(a.AnnounceNoMoreBets()).cite


def test_play_wagers_are_three_or_four_then_two_then_one_times_the_ante(make_table):
    """Both sides of each number."""
    table = make_table("md-uth").ready().begin().let_out().deal()
    for wrong in (0, 1, 2, 5):
        assert "3 or 4 times" in table.refused(a.RecordDecision(1, a.Decision.PLAY, wrong)).reason
    assert "fold only after" in table.refused(a.RecordDecision(1, a.Decision.FOLD)).reason
    table.act(a.RecordDecision(1, a.Decision.PLAY, 4))
    assert table.round.seats[1].wagers["play"].cents == 4000
    assert "seats 3 have not been asked" in table.refused(a.RevealCommunity(a.Street.FLOP)).reason
    table.act(a.RecordDecision(3, a.Decision.CHECK))
    assert "answered already" in table.refused(a.RecordDecision(3, a.Decision.CHECK)).reason
    assert "flop comes next" in table.refused(a.RevealCommunity(a.Street.LAST_TWO)).reason
    table.act(a.RevealCommunity(a.Street.FLOP))
    assert "answered already" in table.refused(a.RecordDecision(1, a.Decision.CHECK)).reason
    assert "2 times" in table.refused(a.RecordDecision(3, a.Decision.PLAY, 3)).reason
    table.act(a.RecordDecision(3, a.Decision.CHECK))
    table.act(a.RevealCommunity(a.Street.LAST_TWO))
    assert "folds or plays" in table.refused(a.RecordDecision(3, a.Decision.CHECK)).reason
    table.act(a.RecordDecision(3, a.Decision.FOLD))
    table.act(a.RevealDealer())
    assert table.round.phase is Phase.SHOWDOWN


def test_the_sixth_round_without_a_stub_count_cannot_start_in_massachusetts(make_table):
    """Four rounds pass, the fifth's cards are not collected without the count, and nothing waives it. Clause: ma-uth 7(f)."""
    table = make_table("ma-uth").ready()
    for number in range(4):
        table.whole_round("red" if number % 2 == 0 else "blue")
    table.begin("red").let_out().deal().to_showdown()
    table.act(a.SettleRound())
    refused = table.refused(a.CollectCards())
    assert refused.code == "stub_count_due"
    assert refused.cite == ("9(e)",)
    table.act(a.RecordStubCount(table.right_stub()))
    table.act(a.CollectCards())
    table.act(a.EndRound())
    table.shuffled("red")
    assert table.state.since_stub_count == 0
    table.act(a.BeginRound("blue"))


def test_five_void_rounds_without_a_count_stop_the_sixth_until_the_set_is_counted(make_table):
    """A void round need not count its stub, but it counts as a round: a whole set is counted before the sixth."""
    table = make_table("ma-uth").ready()
    for number in range(5):
        back = "red" if number % 2 == 0 else "blue"
        table.begin(back).let_out().deal(1)
        table.put(e.Jammed(e.Back(back), e.Activity.DEALING, e.JamPlace.OUTPUT, 2, 40), "shoe-1")
        table.act(a.CollectCards())
        table.act(a.EndRound())
        table.put(e.CardsRemoved(0), "shoe-1")
        table.put(e.JamCleared(False, 1), "shoe-1")
        table.shuffled(back)
        for duty in list(table.state.duties):
            table.act(a.ConfirmDuty(duty))
    refused = table.refused(a.BeginRound("blue"))
    assert "5 rounds without a count" in refused.reason
    table.act(a.RecordStubCount(52))
    table.act(a.BeginRound("blue"))


def test_a_counting_shuffler_waives_the_stub_count_in_maryland_and_its_loss_ends_the_waiver(make_table):
    """Clause: md-uth 10.C with 5.E(1). Without the device the count is due like anywhere else."""
    table = make_table("md-uth").ready()
    for number in range(6):
        table.whole_round("red" if number % 2 == 0 else "blue")
    table.put(e.CardsRemoved(0), "shuffler-1")
    table.act(a.TakeDeviceOut("shuffler-1", a.OutOfService.COVERED))
    refused = table.refused(a.BeginRound("red"))
    assert "6 rounds without a count" in refused.reason
    assert refused.cite == ("10.C",)


def test_the_sets_alternate_every_round(make_table, rulebook):
    """The set of the last round is refused for the next one, with the clause; a lone set may come back."""
    table = make_table(rulebook).ready()
    table.whole_round("red")
    refused = table.refused(a.BeginRound("red"))
    assert refused.cite == table.setup.law.rulebook.decks.swap_after.cite
    table.act(a.BeginRound("blue"))


def test_a_set_is_dealt_only_when_all_its_predicates_hold(make_table):
    """A lamp, or the number 52, is not enough: a sort cycle with 52 cards is not a shuffle."""
    table = make_table("md-uth").ready()
    table.shuffled("red", mode=e.Mode.SORT)
    table.begin("red").close_bets()
    refused = table.refused(a.StartDealing())
    assert "mode shuffle: NO" in refused.reason
    assert "count right: yes" in refused.reason
    table.shuffled("red")
    table.act(a.StartDealing())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mode": e.Mode.DEMO}, "mode shuffle: NO"),
        ({"count": 51}, "count right: NO"),
        ({"identities": e.Identities.INCOMPLETE}, "identities complete: NO"),
        (
            {"identities": e.Identities.INCOMPLETE, "defects": (e.Defect.MISSING, e.Defect.DUPLICATE)},
            "identities complete: NO (missing, duplicate)",
        ),
    ],
)
def test_one_predicate_that_is_not_met_is_enough_to_keep_the_cards_in(make_table, changes, said):
    """Each stands by itself: 52 cards of which one is there twice are no deck, whatever they were shuffled in."""
    table = make_table("md-uth").ready().begin("red").close_bets()
    table.shuffled("red", **changes)
    for hold in list(table.state.holds):  # nor does a person who lifts a hold make a set of it
        table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    assert said in table.refused(a.StartDealing()).reason


def test_play_acts_belong_to_the_dealer_and_holds_to_the_floor(make_table):
    """A technician touches devices, never the game; a dealer lifts no hold."""
    table = make_table("md-uth").ready()
    assert "needs a dealer" in table.refused(a.BeginRound("red"), Role.TECHNICIAN).reason
    assert "needs a floorperson" in table.refused(a.CloseTable(), Role.DEALER).reason
    table.begin("red")
    table.chip(1)
    table.close_bets()
    table.act(a.RecordProgressiveCount(2), Role.DEALER)
    (hold,) = table.state.holds
    assert "needs a floorperson" in table.refused(a.ResolveHold(hold, a.Resolution.GO_ON), Role.DEALER).reason
    table.act(a.ResolveHold(hold, a.Resolution.GO_ON, "recounted, one chip"), Role.FLOORPERSON)
    assert not table.state.held


def test_a_program_can_ask_before_it_does(make_table):
    """`can` says of this person and this act what doing it would say, and changes nothing."""
    table = make_table("md-uth").ready()
    deb, tom = Actor("deb", Role.DEALER), Actor("tom", Role.TECHNICIAN)
    assert can(table.setup, table.state, a.BeginRound("red"), deb)
    assert not can(table.setup, table.state, a.BeginRound("red"), tom)
    assert not can(table.setup, table.state, a.BeginRound("green"), deb)
    assert not can(table.setup, table.begin("red").state, a.BeginRound("red"), deb)
