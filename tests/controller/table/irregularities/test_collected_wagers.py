"""Ante and blind are collected when a player folds; what a later void makes of them is elected (R-71)."""

import dataclasses

import pytest

from controller.rules.citation import Cited
from controller.rules.vocabulary import Action, Role, Trigger
from controller.table.decide import fold
from controller.table.state.table import Phase, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.structs import replace
from drivers.events import EventsLost

CITE = {"md-uth": ("11.F(2)",), "ma-uth": ("10(e)(2)",)}


def at_last_decision(table, seats=(1, 3), trips=(1,)):
    """All community cards are shown and nobody has placed a Play wager."""
    table.ready().begin(seats=seats, trips=trips).let_out().deal()
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.decide_all(a.Decision.CHECK)
        table.act(a.RevealCommunity(street))
    return table


def void_by_exposure(table):
    """The dealer's card is seen while seat 1 still decides: all hands are void in both documents."""
    return table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))


def decided(events, fate):
    return [(e.seat, e.wager) for e in events if isinstance(e, f.WagerDecided) and e.fate == fate]


def test_ante_and_blind_are_collected_at_the_fold_and_trips_stays(make_table, rulebook):
    """Clause: md-uth 11.F(2), ma-uth 10(e)(2): at once, for the player who folds and for nobody else."""
    table = at_last_decision(make_table(rulebook))
    events = table.act(a.RecordDecision(1, a.Decision.FOLD))
    told = [event for event in events if isinstance(event, f.WagerDecided)]
    assert [(t.seat, t.wager, t.cents, t.fate) for t in told] == [
        (1, "ante", 1000, "collected"), (1, "blind", 1000, "collected"),
    ]  # fmt: skip
    assert {(t.cite, t.reading) for t in told} == {(CITE[rulebook], None)}
    assert table.fates()[1, "trips"] == "live"
    assert table.fates()[3, "ante"] == "live"


def test_a_round_in_which_everyone_folded_goes_on_to_its_end(make_table, rulebook):
    """The dealer's hand is shown, the cards are settled and counted as ever, and collected stays collected."""
    table = at_last_decision(make_table(rulebook), trips=())
    table.decide_all(a.Decision.FOLD)
    assert table.round.phase is Phase.LAST_TWO
    table.act(a.RevealDealer())
    table.act(a.SettleRound())
    assert set(table.fates().values()) == {"collected"}
    table.act(a.CollectCards())
    (ended,) = [e for e in table.act(a.EndRound()) if isinstance(e, f.RoundEnded)]
    assert ended.outcome == "played"


def test_a_void_returns_what_was_collected_where_that_is_elected(make_table, rulebook):
    """R-71 = return: the chips go back under the reading, and the dealer has a duty to give them."""
    table = at_last_decision(make_table(rulebook), trips=(3,))
    table.act(a.RecordDecision(1, a.Decision.FOLD))
    events = void_by_exposure(table)
    back = [e for e in events if isinstance(e, f.WagerDecided) and e.seat == 1]
    assert [(e.wager, e.fate, e.reading, e.cite) for e in back] == [
        ("ante", "returned", "R-71", ()), ("blind", "returned", "R-71", ()),
    ]  # fmt: skip
    assert Action.RETURN_ALL_WAGERS in {d.action for d in table.state.duties.values()}


def test_the_return_is_a_duty_even_where_nothing_else_goes_back(make_table):
    """Everyone folded without Trips, then a stub that does not fit voids the hands: only collected chips are left."""
    table = at_last_decision(make_table("md-uth"), trips=())
    table.decide_all(a.Decision.FOLD)
    table.act(a.RecordStubCount(table.right_stub() - 1))
    assert set(table.fates().values()) == {"returned"}
    (duty,) = [d for d in table.state.duties.values() if d.action is Action.RETURN_ALL_WAGERS]
    assert duty.reading == "R-71"


def test_a_void_leaves_what_was_collected_where_that_is_elected(make_table, rulebook):
    """R-71 = collected: the others' wagers go back, these do not."""
    table = at_last_decision(make_table(rulebook, elect={"R-71": "collected"}))
    table.act(a.RecordDecision(1, a.Decision.FOLD))
    void_by_exposure(table)
    assert (table.fates()[1, "ante"], table.fates()[1, "blind"]) == ("collected", "collected")
    assert table.fates()[3, "ante"] == "returned"
    assert not [h for h in table.state.holds.values() if h.reading == "R-71"]


@pytest.mark.parametrize(
    ("answer", "fate"), [(a.Resolution.RETURN_WAGER, "returned"), (a.Resolution.STAYS_COLLECTED, "collected")]
)
def test_a_floorperson_decides_where_that_is_elected(make_table, rulebook, answer, fate):
    """R-71 = hold: one hold for all of them, and either answer is carried out under the reading."""
    table = at_last_decision(make_table(rulebook, elect={"R-71": "hold"}), seats=(1, 3, 5))
    table.act(a.RecordDecision(1, a.Decision.FOLD))
    table.act(a.RecordDecision(3, a.Decision.FOLD))
    void_by_exposure(table)
    (hold,) = [h for h in table.state.holds.values() if h.reading == "R-71"]
    assert hold.reason == (
        "4 wagers were given up at a fold before the void; decide: return_wager or stays_collected"
    )
    assert (hold.seat, hold.least_role) == (0, Role.FLOORPERSON)
    assert table.fates()[1, "ante"] == "collected"
    assert "resolved by" in table.refused(a.ResolveHold(hold.id, a.Resolution.WAGER_STANDS)).reason
    events = table.act(a.ResolveHold(hold.id, answer), Role.FLOORPERSON)
    assert {table.fates()[seat, name] for seat in (1, 3) for name in ("ante", "blind")} == {fate}
    assert table.fates()[5, "ante"] == "returned"
    assert [e.reading for e in events if isinstance(e, f.HoldLifted)] == ["R-71"]


def test_two_holds_of_one_void_have_answers_of_their_own(make_table):
    """R-22 holds the wagers on the layout, R-71 those in the container: one answer does not decide the other."""
    table = at_last_decision(make_table("ma-uth", elect={"R-22": "hold", "R-71": "hold"}), trips=())
    table.act(a.RecordDecision(1, a.Decision.FOLD))
    void_by_exposure(table)
    on_layout, in_container = sorted(table.state.holds.values(), key=lambda hold: hold.reading)
    table.act(a.ResolveHold(on_layout.id, a.Resolution.RETURN_WAGER))
    assert (table.fates()[3, "ante"], table.fates()[1, "ante"]) == ("returned", "collected")
    table.act(a.ResolveHold(in_container.id, a.Resolution.RETURN_WAGER))
    assert table.fates()[1, "ante"] == "returned"


def test_a_void_that_a_person_decides_asks_the_same_reading(make_table, rulebook):
    """A hold resolved as void reaches collected wagers as a clause's void does."""
    table = at_last_decision(make_table(rulebook))
    table.act(a.RecordDecision(1, a.Decision.FOLD))
    table.put(EventsLost("SIM-shoe-1", "0" * 16, 5, 7), "shoe-1")
    hold = next(h for h in table.state.holds.values() if a.Resolution.VOID in h.choices)
    events = table.act(a.ResolveHold(hold.id, a.Resolution.VOID))
    assert decided(events, "returned")[-2:] == [(1, "ante"), (1, "blind")]


def test_a_second_void_asks_nothing_again(make_table, rulebook):
    """What the first void left collected is not put in question by the next irregularity of the same round."""
    table = at_last_decision(make_table(rulebook, elect={"R-71": "hold"}))
    table.act(a.RecordDecision(1, a.Decision.FOLD))
    void_by_exposure(table)
    for hold in list(table.state.holds.values()):
        answer = a.Resolution.STAYS_COLLECTED if hold.reading == "R-71" else hold.choices[0]
        table.act(a.ResolveHold(hold.id, answer))
    events = void_by_exposure(table)
    assert not [e for e in events if isinstance(e, f.HoldPlaced) and e.reading == "R-71"]
    assert table.fates()[1, "ante"] == "collected"


def test_what_is_settled_is_not_given_back_by_a_late_void(make_table, rulebook):
    """After settlement no text says what follows, so people are asked as before and the container stays closed."""
    table = at_last_decision(make_table(rulebook))
    table.act(a.RecordDecision(1, a.Decision.FOLD))
    table.act(a.RecordDecision(3, a.Decision.PLAY, 1))
    table.act(a.RevealDealer())
    table.act(a.SettleRound())
    table.act(a.RecordStubCount(table.right_stub() - 1))
    assert table.state.held
    assert table.fates()[1, "ante"] == "collected"


def test_a_void_of_one_hand_asks_of_its_own_wagers_alone(make_table):
    """Clause: ma-uth 15(d): the hand of seat 1 is void, and what seat 3 gave up stays given up."""
    table = at_last_decision(make_table("ma-uth", elect={"R-71": "hold"}), seats=(1, 3, 5), trips=())
    table.answer(1, "fold")
    table.answer(3, "fold")
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1))
    (hold,) = [h for h in table.state.holds.values() if h.reading == "R-71"]
    assert hold.reason == (
        "seat 1: 2 wagers were given up at a fold before the void; decide: return_wager or stays_collected"
    )
    assert hold.seat == 1
    table.act(a.ResolveHold(hold.id, a.Resolution.RETURN_WAGER))
    assert [table.fates()[seat, "ante"] for seat in (1, 3, 5)] == ["returned", "collected", "live"]


def test_what_voids_no_hand_asks_nothing_of_a_seat_that_folded(make_table, rulebook):
    """A player who leaves after folding leaves the collected wagers where they are."""
    table = at_last_decision(make_table(rulebook, elect={"R-71": "hold"}), trips=())
    table.answer(1, "fold")
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    assert not [h for h in table.state.holds.values() if h.reading == "R-71"]
    assert table.fates()[1, "ante"] == "collected"


def test_a_wager_that_a_person_let_stand_is_collected_at_a_fold_like_any_other(make_table):
    """R-53 held the wagers of a player who left; the player came back, and folds."""
    table = at_last_decision(make_table("ma-uth", elect={"R-53": "hold"}), trips=())
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, a.Resolution.WAGER_STANDS))
    assert table.fates()[1, "ante"] == "stands"
    assert decided(table.answer(1, "fold"), "collected") == [(1, "ante"), (1, "blind")]


def test_a_round_is_asked_about_that_goes_on_where_nobody_elected_any_more(make_table, rulebook):
    """A start may have brought another configuration: a value that nobody elected is not taken for an answer."""
    table = at_last_decision(make_table(rulebook))
    table.answer(1, "fold")
    law = table.setup.law
    elections = {question: election for question, election in law.elections.items() if question != "R-71"}
    table.setup = replace(table.setup, law=dataclasses.replace(law, elections=elections))
    void_by_exposure(table)
    assert [h.reading for h in table.state.holds.values() if "at a fold" in h.reason] == ["R-71"]
    assert table.fates()[1, "ante"] == "collected"


def test_who_decides_is_whom_the_document_names_for_what_is_held(make_table):
    """`[duty_roles] hold_others`, where a document wants more than a floorperson."""
    table = make_table("md-uth", elect={"R-71": "hold"})
    law = table.setup.law
    roles = {**law.rulebook.duty_roles, Action.HOLD_OTHERS: Cited(Role.SUPERVISOR, ("13",))}
    table.setup = replace(
        table.setup, law=dataclasses.replace(law, rulebook=dataclasses.replace(law.rulebook, duty_roles=roles))
    )
    at_last_decision(table).answer(1, "fold")
    void_by_exposure(table)
    assert [h.least_role for h in table.state.holds.values() if h.reading == "R-71"] == [Role.SUPERVISOR]


def test_a_table_does_not_open_before_the_reading_is_elected(make_table, rulebook):
    """It moves money."""
    table = make_table(rulebook, unelected=True)
    assert "R-71" in table.refused(a.OpenTable()).reason


def test_folds_are_taken_up_from_the_record(make_table, rulebook):
    """The record alone gives the same fates."""
    table = at_last_decision(make_table(rulebook))
    table.act(a.RecordDecision(1, a.Decision.FOLD))
    void_by_exposure(table)
    assert fold(State.initial(table.setup), table.all) == table.state


def test_a_void_that_a_person_decides_reaches_whoever_has_folded(make_table, rulebook):
    """Whichever seat it is."""
    table = at_last_decision(make_table(rulebook), trips=())
    table.act(a.RecordDecision(1, a.Decision.PLAY, 1))
    table.act(a.RecordDecision(3, a.Decision.FOLD))
    table.put(EventsLost("SIM-shoe-1", "0" * 16, 5, 7), "shoe-1")
    hold = next(h for h in table.state.holds.values() if a.Resolution.VOID in h.choices)
    events = table.act(a.ResolveHold(hold.id, a.Resolution.VOID))
    assert decided(events, "returned")[-2:] == [(3, "ante"), (3, "blind")]
