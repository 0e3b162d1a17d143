"""Disputed rounds and alarms: what is kept, who is asked, and who saw what."""

import pytest

from controller.daemon.views.status import table_document
from controller.rules.vocabulary import Role
from controller.table.words import acts as a
from controller.text.status_page import status_page

BEGINS, ENDS = 1_772_417_040_000_000, 1_772_417_370_000_000


@pytest.fixture
def played(make_table):
    """Between rounds, after one of two seats."""
    return make_table("md-uth").ready().whole_round("red")


def bookmark(dispute, begins=BEGINS, ends=ENDS, reference="cam 7, 4711"):
    return a.NameBookmark(dispute, reference, begins, ends)


def shown(table):
    return "\n".join(status_page(table_document(table.setup, table.state)))


def test_an_older_round_is_disputed_without_stopping_play(make_table):
    """Its cards were shuffled long ago: there is nothing to keep but the record."""
    table = make_table("md-uth").ready().whole_round("red")
    first = table.state.last_round.id
    table.whole_round("blue")
    (raised,) = table.act(a.RaiseDispute("the bonus of seat 2", first, 2))
    assert (raised.round, raised.keeps, raised.hold) == (first, False, "")
    assert not table.state.held


def test_the_same_doubt_is_raised_once(played):
    """Of another seat it is another one; without a reason it is none."""
    played.act(a.RaiseDispute("paid wrong", seat=1))
    assert "is open already: paid wrong" in played.refused(a.RaiseDispute("again", seat=1)).reason
    assert "say what is doubted" in played.refused(a.RaiseDispute("  ", seat=2)).reason
    assert "no seat 9" in played.refused(a.RaiseDispute("who?", seat=9)).reason
    played.act(a.RaiseDispute("me too", seat=3))
    assert [d.seat for d in played.state.disputes.values()] == [1, 3]


def test_open_disputes_are_bounded(played):
    """By seat and round there are many; fifty at a time are no disputes any more."""
    for _ in range(9):
        played.whole_round("blue" if played.state.last_back == "red" else "red")
    names = [(f"{played.setup.table}-{n}", seat) for n in range(1, 10) for seat in range(7)]
    for name, seat in names[:50]:
        played.act(a.RaiseDispute("?", name, seat))
    assert "50 disputes are open" in played.refused(a.RaiseDispute("?", *names[50])).reason


def test_what_is_kept_is_not_cleared_without_a_record(played):
    """Device and set stay as they are, until a supervisor allows what cannot wait, by name and with a reason."""
    played.act(a.RaiseDispute("paid wrong"))
    (dispute,) = played.state.disputes
    take_out = a.TakeDeviceOut("shuffler-1", a.OutOfService.COVERED)
    refused = played.refused(take_out)
    assert "keeps shuffler-1 as it is" in refused.reason
    assert f"allow_clearing dispute={dispute} what=shuffler-1" in refused.reason
    assert "keeps red as it is" in played.refused(a.TakeSetAway("red")).reason
    assert "keeps red as it is" in played.refused(a.BringSet("red")).reason
    allow = a.AllowClearing(dispute, "shuffler-1", "it smokes")
    assert "needs a supervisor" in played.refused(allow, Role.FLOORPERSON).reason
    assert "no device and no set" in played.refused(a.AllowClearing(dispute, "shoe-9", "x")).reason
    assert "say why" in played.refused(a.AllowClearing(dispute, "shuffler-1", "")).reason
    (allowed,) = played.act(allow)
    assert (allowed.what, allowed.reason, allowed.by) == ("shuffler-1", "it smokes", allowed.by)
    played.act(take_out)
    assert "keeps red as it is" in played.refused(a.TakeSetAway("red")).reason


def test_a_dispute_ends_with_a_bookmark_and_what_was_found(played):
    """Surveillance is asked first, for its recordings live for days; the hold is lifted; then it is closed by a supervisor."""
    _, held = played.act(a.RaiseDispute("paid wrong", seat=1))[:2]
    (dispute,) = played.state.disputes
    close = a.CloseDispute(dispute, "the payment was right; told the player")
    assert "ask surveillance for its pictures now" in shown(played)
    assert "bookmark of surveillance" in played.refused(close).reason
    (named,) = played.act(bookmark(dispute), Role.FLOORPERSON)
    assert (named.begins_us, named.ends_us) == (BEGINS, ENDS)
    assert f"hold {held.hold}" in played.refused(close).reason
    assert "kept as they are; pictures: cam 7, 4711" in shown(played)
    played.act(a.ResolveHold(held.hold, a.Resolution.GO_ON))
    assert "needs a supervisor" in played.refused(close, Role.FLOORPERSON).reason
    assert "keeps nothing" in played.refused(a.AllowClearing(dispute, "red", "x")).reason
    played.act(close)
    assert not played.state.disputes
    assert "no dispute C" in played.refused(close).reason


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"begins": -1}, "ends after it begins"),
        ({"begins": ENDS, "ends": BEGINS}, "ends after it begins"),
        ({"begins": BEGINS, "ends": BEGINS}, "ends after it begins"),
        ({"ends": BEGINS + 24 * 3_600_000_000 + 1}, "within 24 hours"),
        ({"reference": " "}, "name what surveillance calls it"),
    ],
)
def test_a_bookmark_says_what_surveillance_needs(played, changes, told):
    """Both ends, in time that means the same everywhere, and their own name for it."""
    played.act(a.RaiseDispute("paid wrong"))
    assert told in played.refused(bookmark(*played.state.disputes, **changes)).reason
