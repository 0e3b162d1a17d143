"""Trips that a void spares, and wagers that are held while their round becomes void: each ends settled or back."""

import pytest

from controller.rules.model import Demand
from controller.rules.named_wagers import word_of
from controller.rules.vocabulary import Action, Area, Role, Trigger
from controller.table.irregularities.spared_wagers import FOR_SPARED
from controller.table.settlement.offer import offer
from controller.table.state.table import ALL_HELD
from controller.table.words import acts as a
from controller.table.words import facts as f

SEEN = a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED)
STANDS, BACK = a.Resolution.WAGER_STANDS, a.Resolution.RETURN_WAGER


@pytest.fixture
def dealt(make_table):
    """A table with two seats before the flop, Trips at those that are named."""

    def make(rulebook, *trips, **elect):
        table = make_table(rulebook, elect={"R-11": "return", **elect}).ready()
        return table.begin(seats=(1, 3), trips=trips).let_out().deal()

    return make


def duties(table):
    return {duty.word for duty in table.state.duties.values()}


def close(table, action):
    table.act(a.ConfirmDuty(next(d.id for d in table.state.duties.values() if d.word == action)))


def decided(events):
    return {(e.seat, e.wager): (e.fate, e.cite, e.reading) for e in events if isinstance(e, f.WagerDecided)}


@pytest.mark.parametrize("rulebook", ["ma-uth", "md-uth"])
def test_a_spared_trips_is_settled_once_its_community_cards_lie_there(dealt, rulebook):
    """Not before; nobody confirms the cards that lie there. Clauses: ma-uth 15(b), md-uth 13.C."""
    table = dealt(rulebook, 1)
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP, cards=2))
    lost = a.SettleWager(1, "trips", a.Outcome.LOSE, 0)
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        assert table.refused(lost).code == "duty_first"
        table.act(a.RevealCommunity(street))
    table.act(lost)
    assert table.fates()[1, "trips"] == "settled"


@pytest.mark.parametrize("rulebook", ["ma-uth", "md-uth"])
def test_where_hands_play_on_no_card_is_dealt_for_the_trips_again(dealt, rulebook):
    """The community cards of the play are those of the Trips: nothing is left to be confirmed once they lie there."""
    table = dealt(rulebook, 1, **{"R-14": "hold"})
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP, cards=2))
    for hold in list(table.state.holds):
        table.act(a.ResolveHold(hold, STANDS))
    table.to_showdown()
    assert table.fates()[1, "trips"] == "to_settle"
    table.act(a.SettleRound())
    assert table.fates()[1, "trips"] == "settled"


def test_a_trips_that_was_paid_is_not_sent_back(dealt):
    """Settled is settled: the second void reaches what is still to be settled, and nothing else."""
    table = dealt("md-uth", 1)
    table.act(SEEN)
    close(table, "deal_community")
    close(table, "settle_trips")
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=3))
    assert table.fates()[1, "trips"] == "settled"


@pytest.mark.parametrize("rulebook", ["md-uth", "ma-uth"])
def test_a_spared_trips_that_was_settled_is_asked_about_when_all_is_void_again(dealt, rulebook):
    """The count of the stub voids all hands, Trips among them, and that one is paid. Clauses: md-uth 10.E(2), ma-uth 9(e)."""
    table = dealt(rulebook, 1)
    table.act(SEEN)
    close(table, "deal_community")
    table.act(a.SettleWager(1, "trips", a.Outcome.WIN, 1500))
    events = table.act(a.RecordStubCount(table.right_stub() - 1))
    (hold,) = [e for e in events if isinstance(e, f.HoldPlaced)]
    assert "settled already, and no text says what follows" in hold.reason
    assert table.fates()[1, "trips"] == "settled"


@pytest.mark.parametrize(
    ("first", "again"),
    [((), {"deal_community"}), (("deal_community",), set()), (("deal_community", "settle_trips"), set())],
    ids=["nothing done", "cards dealt", "settled"],
)
def test_a_held_trips_that_stands_is_settled_with_those_that_the_void_spared(dealt, first, again):
    """Community cards that were dealt for another one are not dealt twice. Clause: md-uth 13.G."""
    table = dealt("md-uth", 1, 3)
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=3))
    table.act(SEEN)
    hold = next(iter(table.state.holds))
    for action in first:
        close(table, action)
    before = set(table.state.duties)
    events = table.act(a.ResolveHold(hold, STANDS))
    found = decided(events)
    assert found[3, "trips"] == ("to_settle", ("13.G",), None)
    assert found[3, "ante"] == ("returned", ("13.F",), None)
    assert {e.wager: e.cents for e in events if isinstance(e, f.WagerDecided)} == {
        "ante": 1000, "blind": 1000, "trips": 500,
    }  # fmt: skip
    assert duties(table) & {"deal_community", "settle_trips"} == {"settle_trips", *again}
    opened = {duty.word for name, duty in table.state.duties.items() if name not in before}
    assert opened == ({"settle_trips"} if "settle_trips" in first else set())


def test_the_only_trips_that_was_held_when_the_dealers_card_was_seen_is_settled_if_it_stands(dealt):
    """It was placed, as the answer says; the cards are dealt for it then. Clause: md-uth 13.G."""
    table = dealt("md-uth", 3)
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=3))
    table.act(SEEN)
    assert duties(table).isdisjoint({"deal_community", "settle_trips"})
    found = decided(table.act(a.ResolveHold(next(iter(table.state.holds)), STANDS)))
    assert found[3, "trips"] == ("to_settle", ("13.G",), None)
    assert {found[3, name] for name in ("ante", "blind")} == {("returned", ("13.F",), None)}
    assert {"deal_community", "settle_trips"} <= duties(table)


def test_where_the_other_trips_is_held_as_well_cards_are_dealt_for_the_one_that_stands(dealt):
    """Nothing was left to be dealt for, so that both duties were closed; now they are due again. Clause: md-uth 13.G."""
    table = dealt("md-uth", 1, 3)
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=3))
    table.act(SEEN)
    hold = next(iter(table.state.holds))
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    assert duties(table) == {"return_all_wagers", "reshuffle"}
    events = table.act(a.ResolveHold(hold, STANDS))
    opened = [(word_of(e.action, e.wager), e.cite) for e in events if isinstance(e, f.DutyOpened)]
    assert opened == [("deal_community", ("13.G",)), ("settle_trips", ("13.G",))]


def test_what_made_another_hand_void_decides_nothing_of_a_held_wager(dealt):
    """The void of all hands spares this Trips; that seat 3's hand was wrong as well is no matter of seat 1.
    Clauses: ma-uth 15(a), 15(d)."""
    table = dealt("ma-uth", 1, 3, **{"R-22": "return"})
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    hold = next(iter(table.state.holds))
    table.act(SEEN)
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=3))
    assert table.fates()[3, "trips"] == "returned"
    assert decided(table.act(a.ResolveHold(hold, STANDS))) == {
        (1, "ante"): ("returned", (), "R-22"), (1, "blind"): ("returned", (), "R-22"),
        (1, "trips"): ("to_settle", ("15(a)",), None),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("elected", "fate", "due"),
    [("return", "returned", "return_all_wagers"), ("collect", "lost", "collect_seat_wagers")],
)
def test_the_ante_of_a_hand_that_was_declared_falsely_is_lost(make_table, elected, fate, due):
    """Whatever the floor says of the one that it was asked about before; the others fare as was elected, as they would have
    without a question. Clause: ma-colorado 14(d), R-60."""
    table = make_table("ma-colorado", offered=("bonus",), elect={"R-60": elected}).ready()
    table.bet((1, "ante", 1000), (1, "bonus", 100), (3, "ante", 1000)).let_out().deal()
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    hold = next(iter(table.state.holds))
    table.act(a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=1))
    assert decided(table.act(a.ResolveHold(hold, STANDS))) == {
        (1, "ante"): ("lost", ("14(d)",), None), (1, "bonus"): (fate, (), "R-60"),
    }  # fmt: skip
    assert duties(table) == {"collect_ante", due}
    assert [d.seat for d in table.state.duties.values() if d.word == "collect_ante"] == [1]


# ---- Trips of a hand that was not dealt yet


@pytest.fixture
def seen_early(make_table):
    """Maryland's shoe lets the dealer's two cards out before anybody's; one of them is seen."""

    table = make_table("md-uth").ready().begin(trips=(1, 3)).let_out().deal(2)
    table.act(SEEN)
    return table


def test_trips_that_stands_though_its_hand_was_missing_is_settled_on_the_hand_that_is_dealt_for_it(seen_early):
    """The floor has the cards taken out of the shoe and dealt. Clause: md-uth 13.G, R-127."""
    (hold,) = seen_early.state.holds.values()
    assert (hold.wager, hold.reading) == (ALL_HELD, "R-127")
    assert hold.reason == (
        "2 wagers are held; decide: return_wager or wager_stands, and then the missing cards and the community are dealt first"
    )
    events = seen_early.act(a.ResolveHold(hold.id, STANDS), Role.FLOORPERSON)
    assert decided(events) == dict.fromkeys([(1, "trips"), (3, "trips")], ("to_settle", (), "R-127"))
    opened = [d for d in seen_early.state.duties.values() if d.action in FOR_SPARED]
    assert {(d.word, d.seat, d.cite, d.reading) for d in opened} == {
        ("deal_community", 0, (), "R-127"), ("settle_trips", 0, (), "R-127"),
    }  # fmt: skip
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        seen_early.act(a.RevealCommunity(street))
    seen_early.act(a.RecordHand(Area.COMMUNITY, "Ah Ad 7c 4s 2d"))
    seen_early.act(a.RecordHand(Area.PLAYER, "As 9c", 1))
    seen_early.act(a.RecordHand(Area.PLAYER, "Kc 9d", 3))
    lines = [(x.seat, x.wager, x.outcome, x.paid) for x in offer(seen_early.setup, seen_early.round).lines]
    assert lines == [(3, "trips", "lose", 0), (1, "trips", "win", 1500)]
    for duty in (x.id for x in list(seen_early.state.duties.values())):
        seen_early.act(a.ConfirmDuty(duty))
    seen_early.act(a.CollectCards())
    seen_early.act(a.EndRound())


def test_of_wagers_that_one_reading_holds_a_trips_alone_is_settled(dealt):
    """A document may leave the others to the same reading; in a void round they go back whatever is said of them."""
    by = {"reading": "R-127"}
    demands = (
        Demand(Action.VOID_ALL_HANDS, ("99.B",)),
        Demand(Action.HOLD, **by, wager="trips"),
        Demand(Action.HOLD_OTHERS, **by),
    )
    table = dealt("md-uth", 1).with_answer(SEEN.trigger, *demands)
    table.act(SEEN)
    of_trips, of_others = table.state.holds.values()
    assert (of_trips.wager, of_others.wager) == ("trips", ALL_HELD)
    others = [at for at in table.fates() if at != (1, "trips")]
    assert decided(table.act(a.ResolveHold(of_others.id, STANDS))) == dict.fromkeys(
        others, ("returned", (), "R-127")
    )
    table.act(a.ResolveHold(of_trips.id, STANDS))
    assert table.fates()[1, "trips"] == "to_settle"
