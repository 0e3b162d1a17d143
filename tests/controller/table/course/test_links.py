"""A device that goes, comes, or is read on its open side: what was released is taken back, by name, and nothing else."""

import pytest

from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.codec import encode
from drivers import events as e


def wanted(events):
    return [
        (event.device, event.level, event.value, event.because)
        for event in events
        if isinstance(event, f.LevelWanted)
    ]


@pytest.mark.parametrize(
    ("gone", "where"),
    [(e.DeviceOffline("link_eof"), "away"), (e.DeviceRejected("wrong_device"), "away")],
)
def test_what_was_released_at_a_device_that_goes_is_taken_back(make_table, gone, where):
    """The lock-out of a unit that nobody hears is wanted engaged, and the record says why."""
    table = make_table().ready().begin()
    assert wanted(table.put(gone, "progressive-1")) == [
        ("progressive-1", "lockout", e.ENGAGED, f"progressive-1 is {where}")
    ]
    assert wanted(table.put(gone, "progressive-1")) == []


def test_what_was_allowed_at_a_device_that_leaves_service_is_taken_back(make_table):
    """A shoe that is taken out in the deal lets no card out where it stands."""
    table = make_table().ready().begin().let_out()
    events = table.act(a.TakeDeviceOut("shoe-1", a.OutOfService.REMOVED))
    assert wanted(events) == [("shoe-1", "dispensing", e.INHIBITED, "shoe-1 is out of service")]


def test_a_device_without_an_open_level_goes_without_a_command(make_table):
    """Nothing was released at the shuffler, so nothing is wanted of it."""
    table = make_table().ready().begin()
    assert wanted(table.put(e.DeviceOffline("link_eof"), "shuffler-1")) == []


def test_a_level_that_is_read_open_is_closed_only_where_it_shall_be_closed(make_table):
    """Before betting a released lock-out is no one's wish; while betting is open it is."""
    table = make_table().ready()
    opened = e.LevelsRead(e.Levels(lockout=e.RELEASED))
    assert wanted(table.put(opened, "progressive-1")) == [
        ("progressive-1", "lockout", e.ENGAGED, "progressive-1 was read with its lockout open")
    ]
    table.put(e.LockoutEngaged(e.Cause.COMMAND, 1), "progressive-1")
    table.begin()
    assert wanted(table.put(opened, "progressive-1")) == []
    assert wanted(table.put(e.LevelsRead(e.Levels(lockout=e.ENGAGED)), "progressive-1")) == []


def test_a_level_that_was_never_asked_for_is_taken_for_one_that_shall_be_safe(make_table):
    """A shoe is found letting cards out before anybody wanted anything of it."""
    table = make_table(method=Method.DEALING_SHOE)
    table.online("shoe-1")
    events = table.put(e.LevelsRead(e.Levels(dispensing=e.ALLOWED)), "shoe-1")
    assert wanted(events) == [("shoe-1", "dispensing", e.INHIBITED, "shoe-1 was read with its dispensing open")]


def test_events_that_a_shuffler_lost_disarm_its_sets_and_say_why(make_table):
    """What it did meanwhile is not known; the reason stands in the record, with the numbers of what is missing."""
    table = make_table().ready()
    events = table.put(e.EventsLost("SIM", "0" * 16, 7, 9), "shuffler-1")
    disarmed = [event for event in events if isinstance(event, f.SetDisarmed)]
    assert {event.back for event in disarmed} == {"red", "blue"}
    assert {event.reason for event in disarmed} == {"shuffler-1 lost its events 7 to 9"}


def test_two_events_with_one_number_are_a_gap_that_is_called_what_it_is(make_table):
    """One of them is on record and the other is not: as much is missing as of events that a log lost."""
    table = make_table().ready()
    events = table.put(e.EventsLost("SIM", "0" * 16, 7, 9, reused=True), "shuffler-1")
    disarmed = {event.reason for event in events if isinstance(event, f.SetDisarmed)}
    assert disarmed == {"shuffler-1 used numbers of its events again, from 7 on"}
    table = make_table().ready().begin().let_out().deal(1)
    table.put(e.EventsLost("SIM", "0" * 16, 7, 7, reused=True), "shoe-1")
    assert table.round.unproven
    assert b"reused" not in encode(e.EventsLost("SIM", "0" * 16, 7, 9)), (
        "an older record reads and is decided as it was"
    )


def test_a_round_that_cannot_be_proven_concerns_the_set_that_is_dealt(make_table):
    """R-47 = void shuffles the cards of this round again, and not those of the other set."""
    table = make_table("md-uth", elect={"R-47": "void"}).ready().begin("red").let_out().deal(1)
    table.put(e.EventsLost("SIM", "0" * 16, 7, 0), "shoe-1")
    assert [duty.back for duty in table.state.duties.values() if duty.action == "reshuffle"] == ["red"]
    assert table.state.round.void


def test_a_document_that_goes_on_without_proof_still_has_people_look(make_table):
    """It demands nothing that stops the round or holds it: what is lost is told, and somebody answers for going on."""
    table = make_table().with_answer(Trigger.ROUND_UNPROVEN, Demand(Action.RECORD_ONLY, ("99.A",)))
    table.ready().begin("red").let_out().deal(1)
    table.put(e.EventsLost("SIM", "0" * 16, 7, 9), "shoe-1")
    (hold,) = table.state.holds.values()
    assert hold.reason == "shoe-1 lost its events 7 to 9: what was dealt cannot be proven"


@pytest.mark.parametrize("damaged", [e.LinesDamaged(1, 0, 0), e.LinesDamaged(0, 1, 0), e.LinesDamaged(0, 0, 1)])
def test_a_damaged_line_of_a_shoe_makes_a_live_round_unproven(make_table, rulebook, damaged):
    """A card may have been told in it: the same gap as events that were lost, decided under the same named reading."""
    table = make_table(rulebook).ready().begin().let_out().deal(1)
    events = table.put(damaged, "shoe-1")
    assert damaged in events, "on record as it is"
    assert table.round.unproven
    (hold,) = table.state.holds.values()
    assert (hold.reading, hold.least_role) == ("R-47", Role.FLOORPERSON)


def test_a_damaged_line_between_two_rounds_is_on_record_and_holds_nothing(make_table):
    """No wager lies there that it could concern."""
    table = make_table().ready()
    assert table.put(e.LinesDamaged(1, 0, 0), "shoe-1") == [e.LinesDamaged(1, 0, 0)]


def test_more_damage_while_the_round_is_held_for_it_asks_nobody_twice(make_table):
    """A cable that makes noise for hours leaves facts, and one hold; after a person let the round go on it asks again."""
    table = make_table("md-uth").ready().begin().let_out().deal(1)
    table.put(e.LinesDamaged(1, 0, 0), "shoe-1")
    for _ in range(3):
        assert table.put(e.LinesDamaged(9, 0, 0), "shoe-1") == [e.LinesDamaged(9, 0, 0)]
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.GO_ON))
    assert not table.state.held
    table.put(e.LinesDamaged(1, 0, 0), "shoe-1")
    assert table.state.held


def test_what_is_out_of_service_may_make_noise_for_ever(make_table):
    """The game goes on by hand, as the document lets it, while a technician looks for the cable."""
    table = make_table("md-uth").ready()
    table.act(a.TakeDeviceOut("shoe-1", a.OutOfService.REMOVED))
    table.act(a.ChangeMethod(Method.HAND))
    table.begin()
    assert table.put(e.LinesDamaged(5, 0, 0), "shoe-1") == [e.LinesDamaged(5, 0, 0)]
    assert not table.round.unproven


def test_a_line_device_has_nothing_to_say_that_could_be_lost_to_a_round(make_table):
    """No rule hangs on its lines, whole or damaged, so neither noise nor its cable holds a game; both are on record."""
    table = make_table("md-uth", devices=["shuffler-1", "shoe-1", "progressive-1", "line-1"]).ready().begin()
    assert table.put(e.LinesDamaged(5, 0, 0), "line-1") == [e.LinesDamaged(5, 0, 0)]
    table.put(e.DeviceOffline("link_eof"), "line-1")
    (online,) = table.online("line-1", gap_closed=False)
    assert isinstance(online, e.DeviceOnline)
    assert not table.round.unproven
    assert not table.state.held


def alarms(events):
    return [event for event in events if isinstance(event, f.SecurityAlarm)]


def test_what_may_be_an_attack_is_said_aloud(make_table):
    """A rejection for a reason of security is a fact of the main stream, and not only of the health of links."""
    table = make_table().ready().begin()
    rejected = e.DeviceRejected("auth_bad_mac", "a frame was not sealed by the device")
    assert alarms(table.put(rejected, "progressive-1")) == [
        f.SecurityAlarm("auth_bad_mac", "a frame was not sealed by the device")
    ]
    assert alarms(table.put(e.DeviceOffline("link_eof"), "progressive-1")) == []
    assert f.SecurityAlarm.kind not in f.HEALTH


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"serial": "X-9"}, "serial number "),
        ({"model": "another"}, "model "),
        ({"firmware": "2"}, "firmware "),
    ],
)
def test_another_device_behind_a_known_port_is_said_aloud(make_table, change, words):
    """Another serial number, model or firmware than when it was last here; the record knows, also after a restart."""
    table = make_table().ready()
    table.online("shuffler-1")
    assert alarms(table.online("shuffler-1")) == []
    (alarm,) = alarms(table.online("shuffler-1", **change))
    assert alarm.reason == "device_changed"
    assert alarm.detail.startswith(words)
    assert "now " in alarm.detail
    assert alarms(table.online("shuffler-1", **change)) == []


@pytest.mark.parametrize(
    ("told", "words"), [("firmware_sha256", "firmware hash "), ("config_sha256", "settings hash ")]
)
def test_a_device_that_is_another_by_its_hash_alone_is_said_aloud(make_table, told, words):
    """The names are the same: what was changed is the image, or the settings. One that no longer says its hash is asked about."""
    table = make_table().ready()
    table.online("shuffler-1")
    assert alarms(table.online("shuffler-1", **{told: "ab" * 32})) == [], "it had said none before"
    assert alarms(table.online("shuffler-1", **{told: "ab" * 32})) == []
    (alarm,) = alarms(table.online("shuffler-1", **{told: "cd" * 32}))
    assert alarm == f.SecurityAlarm("device_changed", f"{words}{'ab' * 8}, now {'cd' * 8}")
    (alarm,) = alarms(table.online("shuffler-1"))
    assert alarm == f.SecurityAlarm("device_changed", f"{words}{'cd' * 8}, now not told")


def test_a_measurement_is_on_record_and_changes_nothing(make_table):
    """Health of a device: it goes out in the diag stream."""
    table = make_table().ready()
    before = table.state
    measured = e.FirmwareMeasured("SIM", "0" * 16, "ab" * 32)
    assert table.put(measured, "shuffler-1") == [measured]
    assert table.state == before
    assert measured.kind in f.HEALTH


def test_a_reboot_that_nobody_asked_for_is_said_aloud_while_the_table_is_open(make_table):
    """At night, when the power is off, it is no alarm."""
    table = make_table()
    table.online("shuffler-1")
    assert alarms(table.online("shuffler-1", rebooted=True)) == []
    table = make_table().ready().begin()
    (alarm,) = alarms(table.online("shuffler-1", rebooted=True))
    assert alarm.reason == "device_rebooted"


@pytest.mark.parametrize("at", ["betting", "bets_closed"])
def test_a_device_that_was_opened_while_it_was_out_of_service_is_closed_when_it_returns(make_table, at):
    """Nobody minds what is done to it on the bench; at the table no card is dealt before its lock-out has engaged."""
    table = make_table("ma-uth").ready()
    table.act(a.TakeDeviceOut("progressive-1", a.OutOfService.REMOVED))
    table.begin()
    if at == "bets_closed":
        table.act(a.AnnounceNoMoreBets())
    table.put(e.LockoutReleased(e.Cause.BUTTON, 0), "progressive-1")
    events = table.act(a.ReturnDevice("progressive-1"))
    (wanted,) = (x for x in events if isinstance(x, f.LevelWanted))
    assert (wanted.level, wanted.value) == ("lockout", e.ENGAGED)
    assert wanted.because == "progressive-1 was returned to service with its lockout open"
    table.put(e.LockoutEngaged(e.Cause.COMMAND, wanted.operation), "progressive-1")
    if at == "betting":
        table.act(a.AnnounceNoMoreBets())
    table.act(a.StartDealing())


def test_a_shoe_that_was_opened_while_it_was_out_of_service_is_closed_when_it_returns(make_table):
    """It would give out cards that nobody let out; one that was left closed is asked for nothing."""
    table = make_table("ma-uth").ready()
    for opened in (True, False):
        table.act(a.TakeDeviceOut("shoe-1", a.OutOfService.REMOVED))
        if opened:
            table.put(e.DispensingAllowed(e.Cause.BUTTON, 0), "shoe-1")
        events = table.act(a.ReturnDevice("shoe-1"))
        wanted = [x for x in events if isinstance(x, f.LevelWanted)]
        assert [(x.level, x.value) for x in wanted] == ([("dispensing", e.INHIBITED)] if opened else [])
        for want in wanted:
            table.put(e.DispensingInhibited(e.Cause.COMMAND, want.operation), "shoe-1")
