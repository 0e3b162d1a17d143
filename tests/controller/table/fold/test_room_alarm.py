"""Low room on the disk of the record is an alarm at the table, as one of a device is."""

from controller.table.fold.disputes import room_is_low
from controller.table.words import acts as a
from controller.table.words.inputs import RecordRoom

RESERVE = 256


def test_it_is_an_alarm_until_a_person_clears_it(make_table) -> None:
    """Room again changes what the alarm says, and does not take it away: who was told looks."""
    table = make_table("md-uth").ready()
    assert not room_is_low(table.state)
    table.put(RecordRoom(True, 255, RESERVE))
    (alarm,) = table.state.alarms.values()
    assert (alarm.reason, "255 MiB left" in alarm.detail) == ("record_room", True)
    assert room_is_low(table.state)
    table.put(RecordRoom(False, 320, RESERVE))
    (alarm,) = table.state.alarms.values()
    assert alarm.detail == "the disk of the record has room again: 320 MiB"
    assert not room_is_low(table.state)
    assert not table.state.holds
    table.act(a.ClearAlarm(alarm.id, "made room"))
    assert not table.state.alarms
    table.put(RecordRoom(False, 320, RESERVE))
    assert not table.state.alarms
