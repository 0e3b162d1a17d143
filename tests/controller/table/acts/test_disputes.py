"""Disputed rounds and alarms: what is kept, who is asked, and who saw what."""

import pytest

from controller.daemon.views.status import table_document
from controller.rules.vocabulary import Action, Method, Role
from controller.table.decide import fold
from controller.table.state.table import State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.text.status_page import status_page
from drivers import events as e

BEGINS, ENDS = 1_772_417_040_000_000, 1_772_417_370_000_000


@pytest.fixture
def played(make_table):
    """Between rounds, after one of two seats."""
    return make_table("md-uth").ready().whole_round("red")


def bookmark(dispute, begins=BEGINS, ends=ENDS, reference="cam 7, 4711"):
    return a.NameBookmark(dispute, reference, begins, ends)


def shown(table):
    return "\n".join(status_page(table_document(table.setup, table.state)))


def test_a_dispute_of_the_round_in_play_stops_it_and_nothing_goes_on_before_a_supervisor_says_so(make_table):
    """What would prove the round lies on the table and in the devices; the settlement waits, too."""
    table = make_table("md-uth").ready().begin().let_out().deal().to_showdown()
    raised, held = table.act(a.RaiseDispute("the flush was misread", seat=3), Role.FLOORPERSON)[:2]
    assert (raised.round, raised.seat, raised.keeps, raised.hold) == (table.round.id, 3, True, held.hold)
    assert (held.least_role, held.choices) == (Role.SUPERVISOR, (a.Resolution.GO_ON,))
    for act in (a.SettleRound(), a.SettleWager(3, "ante", a.Outcome.LOSE)):
        assert "play is held" in table.refused(act).reason
    assert (
        "lifted by a supervisor"
        in table.refused(a.ResolveHold(held.hold, a.Resolution.GO_ON), Role.FLOORPERSON).reason
    )
    table.act(a.ResolveHold(held.hold, a.Resolution.GO_ON))
    table.act(a.SettleRound())


def test_a_dispute_raised_after_the_round_keeps_it_until_the_next_one(played):
    """The last round is meant where none is in play; the table does not go on over its cards."""
    (raised,) = [x for x in played.act(a.RaiseDispute("paid wrong")) if isinstance(x, f.DisputeRaised)]
    assert (raised.round, raised.keeps) == (played.state.last_round.id, True)
    assert "play is held" in played.refused(a.BeginRound("blue")).reason


def test_an_older_round_is_disputed_without_stopping_play(make_table):
    """Its cards were shuffled long ago: there is nothing to keep but the record."""
    table = make_table("md-uth").ready().whole_round("red")
    first = table.state.last_round.id
    table.whole_round("blue")
    (raised,) = table.act(a.RaiseDispute("the bonus of seat 2", first, 2))
    assert (raised.round, raised.keeps, raised.hold) == (first, False, "")
    assert not table.state.held


@pytest.mark.parametrize(
    "round_",
    [
        "elsewhere-1",
        "1",
        "{table}-0",
        "{table}-01",
        "{table}-2",
        "{table}-",
        "{table}-1x",
        "{table}-x",
        "{table}-١",
        "{table}-" + "9" * 9999,
    ],
)
def test_a_round_that_was_not_played_is_not_disputed(played, round_):
    """The answer says which is the newest. "01" would be taken for a round of long ago, and stop nothing."""
    newest = played.state.last_round.id
    refused = played.refused(a.RaiseDispute("?", round_.format(table=played.setup.table)))
    assert "was not played at this table" in refused.reason
    assert newest in refused.reason


def test_without_a_round_there_is_nothing_to_dispute(make_table):
    """A table that has just opened."""
    assert "none was played yet" in make_table("md-uth").ready().refused(a.RaiseDispute("?")).reason


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


def test_a_kept_device_that_is_cleared_all_the_same_raises_an_alarm(played):
    """Its report is taken as it stands; that nobody had allowed it is said aloud."""
    played.act(a.RaiseDispute("paid wrong"))
    events = played.put(e.CardsRemoved(0), "shuffler-1")
    (alarm,) = [x for x in events if isinstance(x, f.SecurityAlarm)]
    assert alarm.reason == "cleared_in_dispute"
    (dispute,) = played.state.disputes
    played.act(a.AllowClearing(dispute, "shuffler-1", "its cards are wanted"))
    assert not [x for x in played.put(e.CardsRemoved(0), "shuffler-1") if isinstance(x, f.SecurityAlarm)]


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


@pytest.mark.parametrize(
    "changes", [{"ends": BEGINS + 24 * 3_600_000_000}, {"begins": 0, "ends": 1}, {"reference": "x" * 100}]
)
def test_a_bookmark_may_be_as_long_as_it_says(played, changes):
    """A whole day, from the first microsecond, and a hundred characters."""
    played.act(a.RaiseDispute("paid wrong"))
    (named,) = played.act(bookmark(*played.state.disputes, **changes))
    assert isinstance(named, f.BookmarkNamed)


def test_what_people_say_has_a_length_and_a_refusal_names_its_field(played):
    """500 characters are taken; one more, or none, is not."""

    def bounded(act, ask, field):
        for text in ("", " ", "x" * 501):
            refused = played.refused(act(text))
            assert (refused.reason, refused.cite) == (f"{ask}, in 1 to 500 characters (`{field}`)", ())
        played.act(act("x" * 500))

    bounded(a.RaiseDispute, "say what is doubted", "reason")
    (dispute,) = played.state.disputes
    bounded(lambda text: a.AllowClearing(dispute, "red", text), "say why it cannot wait", "reason")
    played.act(bookmark(dispute))
    played.act(a.ResolveHold(played.state.disputes[dispute].hold, a.Resolution.GO_ON))
    bounded(lambda text: a.CloseDispute(dispute, text), "say what was found", "found")
    played.put(e.AlarmRaised(e.Severity.ALARM, 39, "sensors blinded"), "progressive-1")
    (alarm,) = played.state.alarms
    bounded(lambda text: a.ClearAlarm(alarm, text), "say what was found", "found")


def test_a_duty_that_would_clear_what_is_kept_waits(played):
    """Its device and its set stay as they are, whichever of them the duty is about."""
    for act in (a.ChangeMethod(Method.HAND), a.DirectShuffle("blue"), a.RaiseDispute("paid wrong")):
        played.act(act)
    (dispute,) = played.state.disputes
    refused = {duty.action: played.refused(a.ConfirmDuty(duty.id)).reason for duty in played.state.duties.values()}
    says = f"dispute {dispute} of round {played.state.last_round.id} keeps"
    assert refused[Action.COVER_OR_SIGN_DEVICE].startswith(f"{says} shoe-1 as it is")
    assert refused[Action.RESHUFFLE].startswith(f"{says} blue as it is")


def test_an_alarm_stands_until_it_was_cleared_and_says_who_saw_it(played):
    """Not a restart of anything, only a supervisor ends it; a dealer and a technician have seen it by name."""
    played.put(e.AlarmRaised(e.Severity.ALARM, 39, "sensors blinded"), "progressive-1")
    (alarm,) = played.state.alarms
    assert "nobody has seen it" in shown(played)
    played.act(a.SeeAlarm(alarm), Role.DEALER)
    played.act(a.SeeAlarm(alarm), Role.TECHNICIAN)
    clear = a.ClearAlarm(alarm, "a coat lay over the sensors")
    assert "needs a supervisor" in played.refused(clear, Role.FLOORPERSON).reason
    again = fold(State.initial(played.setup), played.all)
    assert again.alarms == played.state.alarms
    assert "seen by" in shown(played)
    played.act(clear)
    assert not played.state.alarms
    assert f"no alarm {alarm} stands" in played.refused(a.SeeAlarm(alarm)).reason


def test_an_alarm_that_comes_again_is_counted_and_to_be_seen_again(played):
    """One stands for a device and a reason, so that no device can fill the page or the memory."""
    for number in range(300):
        played.put(e.AlarmRaised(e.Severity.ALARM, number, "x"), "progressive-1")
        if number == 150:
            played.act(a.SeeAlarm("A1"))
    (alarm,) = played.state.alarms.values()
    assert (alarm.times, alarm.detail, alarm.seen) == (300, "299 x", ())
    assert "300 times" in shown(played)


def test_a_warning_of_a_device_is_no_alarm(played):
    """The maker says which of the two it is."""
    played.put(e.AlarmRaised(e.Severity.WARNING, 2, "dust"), "progressive-1")
    assert not played.state.alarms
