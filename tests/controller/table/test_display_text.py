"""What the display of a device says: the most urgent thing for whoever stands there, cut so that this is still to be read."""

from controller.daemon.views.display_text import display_text, fit
from controller.rules.vocabulary import Role
from controller.table.words import acts as a
from drivers import events as e


def shown(table, name, characters=64):
    return fit(display_text(table.setup, table.state, name), characters)


def test_an_alarm_stands_at_its_own_device_until_somebody_has_seen_it(make_table):
    """Whoever looks for what is wrong looks there; elsewhere play goes on."""
    table = make_table("md-uth").ready()
    before = shown(table, "shoe-1")
    table.put(e.DeviceRejected("auth_wrong_device", "another serial number"), "shoe-1")
    (alarm,) = table.state.alarms.values()
    assert shown(table, "shoe-1") == f"ALARM {alarm.id}: auth wrong device; look at this device"
    assert "ALARM" not in shown(table, "progressive-1")
    table.act(a.SeeAlarm(alarm.id), Role.FLOORPERSON)
    assert shown(table, "shoe-1") == before
