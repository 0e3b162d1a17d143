"""An act is refused only if what it showed has changed, and the refusal names what."""

import pytest

from controller.rules.vocabulary import Role
from controller.table.acts.seen import marks, rests_on, told
from controller.table.decide import decide
from controller.table.state.table import Wager
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.codec import decode_input, encode_input
from controller.table.words.inputs import Actor, Input, Moment, Seen
from controller.table.words.structs import replace

AT = Moment(1, 1, "boot")
DEALER = Actor("ada", Role.DEALER, "panel", "s1")


@pytest.fixture
def betting(make_table):
    return make_table("md-uth").ready().begin(seats=(1, 3))


def looked(table):
    return Seen(7, marks(table.setup, table.state))


def outcome(table, act, seen):
    first, *_ = decide(table.setup, table.state, Input(AT, "table", act, None, DEALER, seen))
    return first.event


def test_an_unchanged_view_is_no_obstacle(betting):
    act = a.PlaceWager(2, "ante", 1000)
    assert isinstance(outcome(betting, act, looked(betting)), f.WagerPlaced)


def test_news_of_another_seat_refuses_nothing(betting):
    seen = looked(betting)
    betting.act(a.PlaceWager(3, "trips", 500))
    assert isinstance(outcome(betting, a.PlaceWager(2, "ante", 1000), seen), f.WagerPlaced)


def test_a_change_at_the_seat_refuses_and_names_it(betting):
    seen = looked(betting)
    betting.act(a.WithdrawWager(1, "trips"))
    no = outcome(betting, a.PlaceWager(1, "trips", 900), seen)
    assert (no.code, "seat 1" in no.reason) == ("view_stale", True)


def test_a_seat_with_an_envy_bonus_has_a_mark(betting):
    """What is kept by number of a seat has a mark like all else."""
    round_ = betting.round
    seats = {**round_.seats, 1: replace(round_.seats[1], envy={3: Wager(0)})}
    before = looked(betting).marks["seat 1"]
    betting.state = replace(betting.state, round=replace(round_, seats=seats))
    assert looked(betting).marks["seat 1"] != before


def test_another_phase_refuses_and_names_it(betting):
    seen = looked(betting)
    betting.close_bets()
    no = outcome(betting, a.PlaceWager(2, "ante", 1000), seen)
    assert (no.code, "phase" in no.reason, "seat" in no.reason) == ("view_stale", True, False)


def test_a_hold_that_came_meanwhile_refuses_play(betting):
    seen = looked(betting)
    betting.act(a.ReportIrregularity(a.Trigger.SOMETHING_ELSE, note="a bag on the layout"))
    assert "held" in outcome(betting, a.AnnounceNoMoreBets(), seen).reason


def test_a_missing_mark_counts_as_changed(betting):
    no = outcome(betting, a.AnnounceNoMoreBets(), Seen(7, {}))
    assert no.code == "view_stale"


def test_only_what_the_act_rests_on_goes_on_record(betting):
    act = a.PlaceWager(1, "trips", 500)
    seen = told(act, looked(betting))
    assert tuple(seen.marks) == rests_on(act) == ("phase", "held", "seat 1")
    given = Input(AT, "table", act, None, DEALER, seen)
    assert decode_input(act.kind, "table", AT, encode_input(given)) == given
    assert b'"via":"panel"' in encode_input(given)
