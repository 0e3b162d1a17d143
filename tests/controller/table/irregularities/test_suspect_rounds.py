"""A wrong verdict on a set names every round and seat that was dealt from it since its last good verdict."""

import msgspec
import pytest

from controller.rules.vocabulary import Action, Method, Role
from controller.table.decide import fold
from controller.table.fold.ruling import Draft
from controller.table.irregularities.suspect_rounds import suspect
from controller.table.state.table import State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.codec import decode_fact, encode
from controller.table.words.inputs import Moment
from controller.table.words.rounds_since_check import KEPT, PlayedRound, PlayedSince
from drivers import events as e


def suspected(events):
    """The one suspicion among these events, as (verdict, rounds with seats, earlier)."""
    (found,) = [event for event in events if isinstance(event, f.SetSuspected)]
    return found.verdict.value, [(p.round, p.seats) for p in found.rounds], found.earlier


def uncounted_round(table, back, seats=(1, 3)):
    """A whole round with this set, which a shuffler then shuffles and does not count."""
    table.begin(back, seats=seats, trips=()).let_out().deal().to_showdown().end()
    table.shuffled(back, count=None)


def test_a_wrong_count_names_the_rounds_since_the_last_good_one(make_table):
    """Two rounds with the red set since it was counted right; the blue set's round between them is not named."""
    table = make_table("md-uth").ready()
    uncounted_round(table, "red", seats=(1, 3))
    table.whole_round("blue")
    table.begin("red", seats=(2, 5, 6), trips=()).let_out().deal().to_showdown().end()
    events = table.shuffled("red", count=51)
    assert suspected(events) == ("count", [("t1-1", (1, 3)), ("t1-3", (2, 5, 6))], 0)


def test_a_good_count_answers_for_all_rounds_before_it(make_table):
    """Counted right after each round, so a wrong count later names the last round alone."""
    table = make_table("md-uth").ready()
    for back in ("red", "blue", "red", "blue"):
        table.whole_round(back)
    table.begin("red").let_out().deal().to_showdown().end()
    assert suspected(table.shuffled("red", count=53)) == ("count", [("t1-5", (1, 3))], 0)


def test_a_set_that_nobody_was_dealt_from_is_suspected_of_nothing(make_table):
    """The verdict is told all the same: it was wrong before its first round."""
    table = make_table("md-uth").ready()
    assert suspected(table.shuffled("red", count=51)) == ("count", [], 0)


def test_a_wrong_stub_names_the_round_in_play_too(make_table, rulebook):
    """The cards of this round were dealt from the set that is not whole."""
    table = make_table(rulebook, Method.DEALING_SHOE).ready()
    uncounted_round(table, "red", seats=(4,))
    table.whole_round("blue")
    table.begin("red", seats=(1, 2), trips=()).let_out().deal().to_showdown()
    events = table.act(a.RecordStubCount(table.right_stub() - 1))
    assert suspected(events) == ("stub", [("t1-1", (4,)), ("t1-3", (1, 2))], 0)


def test_a_right_stub_count_answers_for_the_round_it_was_made_in(make_table):
    """Stub and dealt cards were 52: this round and all before it were dealt from a whole set."""
    table = make_table("md-uth").ready()
    uncounted_round(table, "red")
    table.whole_round("blue")
    table.begin("red").let_out().deal().to_showdown().end(count=True)
    assert suspected(table.shuffled("red", count=51)) == ("count", [], 0)


def test_a_count_before_the_end_of_the_round_answers_for_it(make_table):
    """The dealer puts the gathered cards into the shuffler before the round is ended on the screen."""
    table = make_table("md-uth").ready()
    table.begin("red").let_out().deal().to_showdown()
    table.act(a.SettleRound())
    table.act(a.CollectCards())
    table.shuffled("red")
    table.act(a.EndRound())
    assert suspected(table.shuffled("red", count=51)) == ("count", [], 0)


@pytest.mark.parametrize(
    ("found", "wrong", "named"),
    [
        ({"count": 52}, {"count": 51}, ("count", [])),
        ({"count": 52}, {"identities": e.Identities.INCOMPLETE}, ("identities", [("t1-1", (1, 3))])),
        ({"identities": e.Identities.COMPLETE}, {"identities": e.Identities.INCOMPLETE}, ("identities", [])),
        ({"count": None}, {"count": 51}, ("count", [("t1-1", (1, 3))])),
    ],
)
def test_before_the_end_of_the_round_its_own_verdict_answers_for_it(make_table, found, wrong, named):
    """The gathered cards are shuffled twice before the round is ended: the second verdict stands against the first."""
    table = make_table("md-uth").ready()
    table.begin("red").let_out().deal().to_showdown()
    table.act(a.SettleRound())
    table.act(a.CollectCards())
    table.shuffled("red", **found)
    assert suspected(table.shuffled("red", **wrong)) == (*named, 0)


def test_a_set_that_belongs_to_the_table_no_more_is_suspected_of_nothing(make_table):
    """Its stub is counted after the table was set up anew without it."""
    table = make_table("md-uth").ready()
    draft = Draft(table.setup, table.state, Moment(0, 0, ""))
    suspect(draft, "green", f.Verdict.STUB)
    assert [fact.event for fact in draft.facts] == [f.SetSuspected("green", f.Verdict.STUB, (), 0)]


def test_more_rounds_than_a_set_remembers_are_told_by_their_number(make_table):
    """The newest by name, the others counted."""
    table = make_table("md-uth").ready()
    red = table.state.sets["red"]
    since = PlayedSince((PlayedRound("t1-9", (2,)),), earlier=4)
    sets = {**table.state.sets, "red": msgspec.structs.replace(red, uncounted=since)}
    table.state = msgspec.structs.replace(table.state, sets=sets)
    assert suspected(table.shuffled("red", count=51)) == ("count", [("t1-9", (2,))], 4)


def test_a_count_before_the_deal_does_not_answer_for_it(make_table):
    """Counted in the betting phase, dealt afterwards: a wrong count then names the round."""
    table = make_table("md-uth").ready()
    table.begin("red")
    table.shuffled("red")
    table.let_out().deal().to_showdown().end()
    assert suspected(table.shuffled("red", count=51)) == ("count", [("t1-1", (1, 3))], 0)


def test_a_right_number_does_not_answer_for_which_cards_they_are(make_table):
    """Fifty-two cards, counted each time, and one of them is not of this deck: all rounds since the last reading."""
    table = make_table("md-uth").ready()
    table.shuffled("red", identities=e.Identities.COMPLETE)
    for back in ("red", "blue", "red", "blue"):
        table.whole_round(back)
    events = table.shuffled("red", identities=e.Identities.INCOMPLETE)
    assert suspected(events) == ("identities", [("t1-1", (1, 3)), ("t1-3", (1, 3))], 0)


def test_a_first_reading_that_is_wrong_names_the_rounds_since_the_last_count(make_table):
    """No reading came before it, so the count is the last good word there is."""
    table = make_table("md-uth").ready()
    table.whole_round("red")
    table.whole_round("blue")
    uncounted_round(table, "red", seats=(4,))
    assert suspected(table.shuffled("red", identities=e.Identities.INCOMPLETE)) == (
        "identities",
        [("t1-3", (4,))],
        0,
    )


def test_a_complete_reading_answers_for_number_and_cards(make_table):
    """After it neither verdict names an earlier round."""
    table = make_table("md-uth").ready()
    uncounted_round(table, "red")
    table.shuffled("red", count=None, identities=e.Identities.COMPLETE)
    assert suspected(table.shuffled("red", identities=e.Identities.INCOMPLETE)) == ("identities", [], 0)
    assert suspected(table.shuffled("red", count=51)) == ("count", [], 0)


def test_a_new_set_answers_for_nothing_of_the_old_one(make_table):
    """The suspected cards left the table."""
    table = make_table("md-uth").ready()
    uncounted_round(table, "red")
    table.shuffled("red", count=51)
    (duty,) = [d for d in table.state.duties.values() if d.action is Action.REMOVE_SET]
    table.act(a.ConfirmDuty(duty.id))
    table.act(a.BringSet("red"), Role.FLOORPERSON)
    assert suspected(table.shuffled("red", count=51)) == ("count", [], 0)


def test_a_round_that_dealt_no_card_is_not_named(make_table):
    """Betting was opened and ended without a wager."""
    table = make_table("md-uth").ready()
    table.act(a.BeginRound("red"))
    table.act(a.EndRound())
    assert suspected(table.shuffled("red", count=51)) == ("count", [], 0)


@pytest.mark.parametrize(("played", "earlier"), [(KEPT - 1, 0), (KEPT, 0), (KEPT + 1, 1), (KEPT + 7, 7)])
def test_the_memory_of_a_set_is_bounded_and_says_so(played, earlier):
    """The newest are named and the others counted: one less, as many, one more."""
    since = PlayedSince()
    for number in range(played):
        since = since.followed_by(PlayedRound(f"t1-{number}", (1,)))
    assert (len(since.rounds), since.earlier) == (played - earlier, earlier)
    assert since.rounds[-1].round == f"t1-{played - 1}"


def test_a_suspicion_comes_back_from_the_record_as_it_was(make_table):
    """Both the fact and what the set remembers."""
    table = make_table("md-uth").ready()
    uncounted_round(table, "red")
    (found,) = [event for event in table.shuffled("red", count=51) if isinstance(event, f.SetSuspected)]
    assert msgspec.json.decode(encode(found))["rounds"] == [{"round": "t1-1", "seats": [1, 3]}]
    assert decode_fact(found.kind, "table", encode(found)).event == found
    assert fold(State.initial(table.setup), table.all) == table.state
