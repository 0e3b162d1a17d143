"""A device that goes, comes, or is read on its open side: what was released is taken back, by name, and nothing else."""

from controller.rules.model import Demand
from controller.rules.vocabulary import Action, Trigger
from controller.table.words import facts as f
from drivers import events as e


def test_a_document_that_goes_on_without_proof_still_has_people_look(make_table):
    """It demands nothing that stops the round or holds it: what is lost is told, and somebody answers for going on."""
    table = make_table().with_answer(Trigger.ROUND_UNPROVEN, Demand(Action.RECORD_ONLY, ("99.A",)))
    table.ready().begin("red").let_out().deal(1)
    table.put(e.EventsLost("SIM", "0" * 16, 7, 9), "shoe-1")
    (hold,) = table.state.holds.values()
    assert hold.reason == "shoe-1 lost its events 7 to 9: what was dealt cannot be proven"


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
