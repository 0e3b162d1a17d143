"""A progressive of remote I/O through its link end: chips, lock-out, lamps, button, and what each fault is called."""

from itertools import pairwise
from random import Random

import pytest

from drivers.modbus.timing import AGREE_S, REFRESH_S, RESPONSE_S, STALE_S
from drivers.protocol.host.events import Whole
from drivers.protocol.host.link import (
    Failed,
    LevelRefused,
    LevelSet,
    LevelUnknown,
    Lost,
    Online,
    Recovered,
    Reported,
    Suspect,
    Welcomed,
)
from drivers.protocol.reports import (
    ENGAGED,
    RELEASED,
    AlarmRaised,
    Button,
    ButtonPressed,
    Capability,
    Cause,
    Level,
    LockoutEngaged,
    LockoutReleased,
    SelfTestFailed,
    Severity,
    WagerRemoved,
    WagerSensed,
)

WRITE_COIL = 5


def released(bus):
    """A bus whose lock-out was released by operation 5."""
    bus.online()
    bus.want(Level.LOCKOUT, RELEASED, 5)
    bus.until(lambda: bus.of(LevelSet), 1.0)
    assert bus.io.released
    return bus


def failure(bus, within_s=12.0):
    bus.until(lambda: bus.of(Failed), within_s)
    (failed,) = bus.of(Failed)
    return failed


# --- meeting ------------------------------------------------------------------------------------------------------------


def test_every_unit_is_known_before_anything_is_written_and_the_lock_out_is_engaged_first(bus):
    """Identity and serial number of all units, then the watchdog and the coil; only then it is online, with no gap closed."""
    table = bus().online()
    asked = [data for _, who, data in table.wire if who == "host"]
    writes = [n for n, data in enumerate(asked) if data[1] in (5, 6, 15, 16)]
    reads_of_identity = [n for n, data in enumerate(asked) if data[1] == 3 and data[2:4] == b"\x00\x00"]
    assert reads_of_identity[:3] == [0, 1, 2]
    assert [data[2:4] for data in asked[3:6]] == [b"\x00\x02"] * 3, "the serial numbers"
    assert min(writes) == 6
    assert asked[writes[0]][:6] == bytes.fromhex("01 06 00 10 05 DC"), "the watchdog: 1500 ms"
    assert asked[writes[1]][:6] == bytes.fromhex("01 05 00 00 00 00"), "the relay off"
    (welcomed,) = table.of(Welcomed)
    assert welcomed.identity.serial == "20261001-20261002-20261003"
    assert Capability.EVENT_LOG not in welcomed.identity.capabilities
    (online,) = table.of(Online)
    assert not online.gap_closed
    assert (online.levels.lockout, online.levels.wagers) == (ENGAGED, 0)


def test_chips_that_lie_there_at_the_first_meeting_are_levels_and_no_news(bus):
    """Nobody saw them come, so nothing is told of when; the levels say where they lie."""
    table = bus(seats=7, sensors=3)
    table.hands("put_chip", seat=1)
    table.hands("put_chip", seat=7, sensor=3)
    table.online()
    (online,) = table.of(Online)
    assert online.levels.wagers == 1 | 1 << 20
    table.run(1.0)
    assert table.reports == []


# --- playing ------------------------------------------------------------------------------------------------------------


def test_every_sensor_of_seven_seats_is_told_by_seat_and_number(bus):
    """Seven seats of three sensors on four units: each chip once when it comes and once when it goes."""
    table = released(bus(seats=7, sensors=3, units=4))
    table.heard.clear()
    spots = [(seat, sensor) for seat in range(1, 8) for sensor in range(1, 4)]
    for seat, sensor in spots:
        table.hands("put_chip", seat=seat, sensor=sensor)
        table.run(0.4)
    assert table.reports == [WagerSensed(seat, sensor, False) for seat, sensor in spots]
    table.heard.clear()
    table.hands("collect")
    table.run(0.4)
    assert sorted(table.reports, key=str) == sorted((WagerRemoved(*spot, False) for spot in spots), key=str)


def test_a_chip_added_or_taken_after_the_lock_out_is_told_as_such(bus):
    """Late by the contact, not by what was wanted: what was sensed before it opened came in time."""
    table = released(bus())
    table.hands("put_chip", seat=1)
    table.run(0.4)
    table.want(Level.LOCKOUT, ENGAGED, 6)
    table.run(0.4)
    table.hands("put_chip", seat=2)
    table.run(0.4)
    table.hands("lift_chip", seat=1)
    table.run(0.4)
    assert table.reports == [
        LockoutReleased(Cause.COMMAND, 5),
        WagerSensed(1, 1, False),
        LockoutEngaged(Cause.COMMAND, 6),
        WagerSensed(2, 1, True),
        WagerRemoved(1, 1, True),
    ]
    counters = [event.counter for event in table.of(Reported)]
    assert counters == [1, 2, 3, 4, 5]


def test_the_dealers_button_engages_and_nothing_else(bus):
    """One press is one report and the relay falls, by that cause; pressed while engaged it is a press and no more."""
    table = released(bus())
    table.heard.clear()
    table.hands("lockout")
    table.run(0.5)
    assert table.reports == [ButtonPressed(Button.LOCKOUT), LockoutEngaged(Cause.BUTTON, 0)]
    assert not table.io.released
    table.hands("lockout")
    table.run(0.5)
    assert table.reports[2:] == [ButtonPressed(Button.LOCKOUT)]


def test_lamps_are_read_back_before_they_are_believed(bus):
    """The lamps asked for and no others, in one write; a value that is no list of seats is refused."""
    table = bus(seats=7).online()
    table.want(Level.LAMPS, "1,3,7", 9)
    table.until(lambda: table.of(LevelSet), 1.0)
    assert table.io._lit() == [1, 3, 7]
    assert [event.operation for event in table.of(LevelSet)] == [9]
    assert sum(1 for _, who, data in table.wire if who == "host" and data[1] == 15) == 1
    table.want(Level.LAMPS, "", 10)
    table.until(lambda: len(table.of(LevelSet)) == 2, 1.0)
    assert table.io._lit() == []
    table.want(Level.LAMPS, "one", 11)
    table.want(Level.DISPENSING, "inhibited", 12)
    table.run(0.1)
    assert [event.operation for event in table.of(LevelRefused)] == [11, 12]


def test_lamps_that_do_not_light_are_refused_after_a_while_and_chips_are_still_seen(bus):
    """A coil that is acknowledged and not set: no endless writing, and the sensors have their turn all the time."""
    table = bus().online()
    table.inject("coil_ignored:unit=1")
    table.want(Level.LAMPS, "2", 9)
    table.hands("put_chip", seat=1)
    table.run(3.0)
    assert [(event.level, event.operation) for event in table.of(LevelRefused)] == [(Level.LAMPS, 9)]
    assert table.reports == [WagerSensed(1, 1, True)]
    written = sum(1 for _, who, data in table.wire if who == "host" and data[1] == 15)
    table.run(1.0)
    assert sum(1 for _, who, data in table.wire if who == "host" and data[1] == 15) == written < 15


def test_a_newer_wish_takes_the_place_of_an_older_one(bus):
    """Engaging while a release is under way: the release has no outcome of its own, and the relay is off."""
    table = bus().online()
    table.want(Level.LOCKOUT, RELEASED, 5)
    table.run(0.01)
    table.want(Level.LOCKOUT, ENGAGED, 6)
    table.run(0.5)
    assert [(event.operation, event.reason) for event in table.of(LevelUnknown)] == [(5, "superseded")]
    assert [event.operation for event in table.of(LevelSet)] == [6]
    assert not table.io.released


@pytest.mark.parametrize("after_s", [0.0, 0.012, 0.02, 0.03, 0.045, 0.06])
def test_the_same_wish_again_goes_on_where_the_first_one_is(bus, after_s):
    """Two releases in a row, whenever the second comes: one write, one report, and the relay stays as it was wanted."""
    table = bus().online()
    table.want(Level.LOCKOUT, RELEASED, 5)
    table.run(after_s)
    table.want(Level.LOCKOUT, RELEASED, 6)
    table.run(0.5)
    assert table.reports in ([LockoutReleased(Cause.COMMAND, 5)], [LockoutReleased(Cause.COMMAND, 6)])
    assert [event.operation for event in table.of(LevelSet)][-1] == 6
    releases = [d for _, who, d in table.wire if who == "host" and d[1] == WRITE_COIL and d[4] == 0xFF]
    assert len(releases) <= 2
    assert table.io.released


# --- bounces and broken sensors -----------------------------------------------------------------------------------------


def test_a_chip_that_bounces_is_one_chip(bus):
    """Two looks in a row make a change; what was seen in between is counted and not told."""
    table = released(bus())
    table.inject("bounce:seat=2:times=4")
    table.heard.clear()
    table.hands("put_chip", seat=2)
    table.run(1.0)
    assert table.reports == [WagerSensed(2, 1, False)]


def test_a_sensor_that_never_rests_is_told_once_and_believed_again_after_it_rested(bus):
    """No storm of chips: at most a few edges, then the self-test failed with the code of the sensor, and silence."""
    table = released(bus())
    table.heard.clear()
    table.inject("chatters:seat=2:for=20")
    table.run(20.0)
    assert table.reports.count(SelfTestFailed(21)) == 1
    assert len(table.reports) <= 4
    assert table.of(Whole) == []
    table.run(3.0)
    assert table.of(Whole) == [Whole()]
    before = len(table.reports)
    table.hands("put_chip", seat=2)
    table.run(0.5)
    assert table.reports[before:] == [WagerSensed(2, 1, False)]


def test_a_bus_is_whole_when_the_last_broken_sensor_rests(bus):
    """One of two that rests says nothing of the bus."""
    table = released(bus())
    table.inject("chatters:seat=1:for=4")
    table.inject("chatters:seat=2:for=10")
    table.run(9.0)
    assert [report.code for report in table.reports if isinstance(report, SelfTestFailed)] == [11, 21]
    assert table.of(Whole) == []
    table.run(6.0)
    assert table.of(Whole) == [Whole()]


def test_a_curtain_of_light_covers_every_seat_and_each_is_told(bus):
    """What the sensors say is told as they say it: the driver does not guess which chips are none."""
    table = released(bus())
    table.heard.clear()
    table.inject("curtain:for=0.5")
    table.run(1.5)
    came = [report for report in table.reports if isinstance(report, WagerSensed)]
    gone = [report for report in table.reports if isinstance(report, WagerRemoved)]
    assert sorted(report.seat for report in came) == [1, 2, 3]
    assert sorted(report.seat for report in gone) == [1, 2, 3]


def test_a_contact_that_reads_wrong_at_one_look_is_no_event(bus):
    """Sensor and relay disagree for one poll: nothing is told, nothing moves."""
    table = released(bus())
    table.heard.clear()
    table.inject("contact_flickers")
    table.run(1.0)
    assert table.heard == []
    assert table.io.released
    assert table.link.counters["bounces"] == 1


# --- the relay ----------------------------------------------------------------------------------------------------------


def test_a_release_that_the_contact_does_not_confirm_is_unknown_and_taken_back(bus):
    """The relay moves 300 ms late: refused after 200 ms, and the coil is off again."""
    table = bus().online()
    table.inject("relay_slow:by=0.3")
    table.want(Level.LOCKOUT, RELEASED, 5)
    table.until(lambda: table.of(LevelRefused), AGREE_S + 0.3)
    (refused,) = table.of(LevelRefused)
    assert (refused.operation, refused.value) == (5, RELEASED)
    assert "contact still says engaged" in refused.text
    table.run(1.0)
    assert not table.io.released
    assert table.of(LevelSet) == []


@pytest.mark.parametrize("fault", ["bus_silent:unit=1:for=0.02", "bus_crc:each=1:times=1", "bus_late:unit=1"])
def test_a_release_is_sent_once_whatever_became_of_it(bus, fault):
    """Its answer is lost: it may have been done. It is taken back, and never sent again."""
    table = bus(units=1).online()
    table.until(lambda: table.link._master.is_free(table.now) and table.link._asked is None, 1.0)
    table.inject(fault)
    table.want(Level.LOCKOUT, RELEASED, 5)
    table.run(3.0)
    releases = [d for _, who, d in table.wire if who == "host" and d[1] == WRITE_COIL and d[4] == 0xFF]
    assert len(releases) == 1
    assert "not known" in table.of(LevelRefused)[0].text
    assert not table.io.released


@pytest.mark.parametrize("after_s", [0.0, 0.005, 0.02, 0.03, 0.045])
def test_a_release_does_not_outlive_our_own_pause(bus, after_s):
    """Our process stood still while a release was under way and the watchdog let the relay fall: it stays where it fell."""
    table = bus(units=1).online()
    table.want(Level.LOCKOUT, RELEASED, 5)
    table.run(after_s)
    assert table.of(LevelSet) == []
    table.frozen = True
    table.run(2.0)
    assert not table.io.released
    table.frozen = False
    table.link.extend_deadlines(2.0)
    pulled = sum(1 for _, what, about in table.seen if what == "relay" and about["lockout"] == RELEASED)
    table.run(2.0)
    assert not table.io.released
    assert sum(1 for _, what, about in table.seen if what == "relay" and about["lockout"] == RELEASED) == pulled
    assert [event.operation for event in table.of(LevelUnknown)] == [5]
    assert table.of(LevelSet) == []


@pytest.mark.parametrize("after_s", [0.0, 0.01, 0.03, 0.06, 0.2])
def test_what_is_wanted_after_a_pause_waits_until_the_fall_of_the_relay_is_on_record(bus, after_s):
    """Whoever wants a release then does not know yet that the watchdog bit; once that is durable, they do."""
    table = released(bus(units=1))
    table.link.acknowledge(7, table.link._reporter.counter, table.now)
    table.frozen = True
    table.run(2.0)
    table.frozen = False
    table.link.extend_deadlines(2.0)
    table.run(after_s)
    table.want(Level.LOCKOUT, RELEASED, 8)
    table.run(1.0)
    assert not table.io.released
    assert LockoutEngaged(Cause.WATCHDOG, 0) in table.reports
    assert 8 in [event.operation for event in table.of(LevelUnknown)]
    table.want(Level.LOCKOUT, RELEASED, 9)
    table.run(0.5)
    assert not table.io.released
    table.link.acknowledge(7, table.link._reporter.counter, table.now)
    table.want(Level.LOCKOUT, RELEASED, 10)
    table.run(0.5)
    assert table.io.released


def test_after_a_pause_in_which_the_relay_held_releases_go_on(bus):
    """The contact is seen released at two looks, and nothing has to be recorded."""
    table = released(bus(units=1))
    table.link.acknowledge(7, table.link._reporter.counter, table.now)
    table.frozen = True
    table.run(0.7)
    table.frozen = False
    table.link.extend_deadlines(0.7)
    table.run(0.3)
    table.want(Level.LOCKOUT, ENGAGED, 8)
    table.run(0.5)
    table.link.acknowledge(7, table.link._reporter.counter, table.now)
    table.want(Level.LOCKOUT, RELEASED, 9)
    table.run(0.5)
    assert table.io.released


def test_a_coil_that_is_acknowledged_and_not_set_is_no_release(bus):
    """The answer to the write proves nothing; the coil is read back."""
    table = bus().online()
    table.inject("coil_ignored:unit=1:times=1")
    table.want(Level.LOCKOUT, RELEASED, 5)
    table.run(0.5)
    assert [event.operation for event in table.of(LevelRefused)] == [5]
    assert "reads otherwise" in table.of(LevelRefused)[0].text
    assert table.of(LevelSet) == []


@pytest.mark.parametrize("fault", ["relay_welded", "coil_ignored:unit=1"])
def test_a_lock_out_that_does_not_engage_is_a_failed_self_test_and_the_end_of_the_link(bus, fault):
    """A welded relay, or a coil that stays: unknown, told as broken once, and the bus is left so that the watchdog bites."""
    table = released(bus())
    table.inject(fault)
    table.want(Level.LOCKOUT, ENGAGED, 6)
    failed = failure(table, 1.0)
    assert failed.fault == "proto_unexpected"
    assert "does not engage" in failed.detail
    assert [event.operation for event in table.of(LevelRefused)] == [6]
    assert table.reports.count(SelfTestFailed(1)) == 1
    asked = table.asked(table.now)
    table.run(2.0)
    assert table.asked(table.now) == asked, "nobody asks any more"
    assert table.io.released == (fault == "relay_welded"), "the unit's own watchdog let it fall, where it can fall"


def test_a_welded_relay_is_never_online(bus):
    """Its coil is off and its contact says released: at the meeting the relay has to be seen engaged."""
    table = released(bus())
    table.inject("relay_welded")
    table.run(0.1)
    table.heard.clear()
    table.connect()
    failed = failure(table)
    assert failed.fault == "auth_not_approved"
    assert "contact" in failed.detail
    assert table.of(Online) == []


def test_a_relay_that_moves_by_itself_is_told_and_its_coil_is_made_safe(bus):
    """The unit's watchdog fires although it was asked: engaged by itself, and no release stands in the coil behind it."""
    table = released(bus())
    table.heard.clear()
    table.inject("watchdog_fires:unit=1")
    table.run(1.0)
    assert table.reports == [LockoutEngaged(Cause.WATCHDOG, 0)]
    assert table.io.units[1].coils[0] == 0


def test_a_relay_that_falls_while_its_coil_is_on_does_not_come_back_by_itself(bus):
    """Its supply failed for a moment: the contact says engaged, the coil still says released; the coil is switched off."""
    table = released(bus())
    table.io.released, table.io._settle_relay = False, lambda now: None
    table.run(0.5)
    assert table.reports[-1] == LockoutEngaged(Cause.WATCHDOG, 0)
    assert table.io.units[1].coils[0] == 0


# --- the watchdog -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "says"), [("watchdog_zero:unit=1", "reads 0"), ("watchdog_ignored:unit=1", "reads 60000")]
)
def test_a_unit_without_a_running_watchdog_is_never_online(bus, fault, says):
    """Its relay would stay released when the daemon dies: written, read back, refused; nothing is ever released."""
    table = bus(faults=(fault,))
    table.connect()
    failed = failure(table)
    assert failed.fault == "auth_not_approved"
    assert says in failed.detail
    assert "unit 1" in failed.detail
    assert table.of(Online) == []
    table.want(Level.LOCKOUT, RELEASED, 5)
    table.run(2.0)
    assert not table.io.released
    assert not [d for _, who, d in table.wire if who == "host" and d[1] == WRITE_COIL and d[4] == 0xFF]


def test_the_watchdog_is_looked_at_twice_a_second_and_a_unit_that_forgot_it_is_met_anew(bus):
    """After a power cut its register is 0 again: it is known, set, and seen engaged anew before it serves."""
    table = released(bus())
    start = table.now
    table.run(5.0)
    looks = [
        at for at, who, d in table.wire if who == "host" and at > start and d[:4] == bytes.fromhex("01 03 00 10")
    ]
    assert 8 <= len(looks) <= 11
    table.heard.clear()
    table.inject("unit_restart:unit=1")
    table.run(REFRESH_S + 1.5)
    assert table.io.units[1].holding[16] == 1500
    kinds = [type(event) for event in table.of(object)]
    assert Lost in kinds
    assert LockoutEngaged(Cause.WATCHDOG, 0) in table.reports
    assert kinds[-1] is Recovered
    assert not table.io.released


@pytest.mark.parametrize("way", ["killed", "stopped"])
def test_the_relay_falls_within_the_watchdogs_time_when_nobody_asks_any_more(bus, way):
    """Killed or stopped with bets open: 1500 ms after the last question at the latest."""
    table = released(bus())
    table.frozen = True
    took = table.until(lambda: not table.io.released, 2.0)
    assert took <= 1.51
    if way == "stopped":  # it wakes and finds out
        table.frozen = False
        table.link.extend_deadlines(took)
        table.heard.clear()
        table.run(1.0)
        assert table.reports == [LockoutEngaged(Cause.WATCHDOG, 0)]


# --- units that do not answer -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        "bus_twins:unit=1",
        "bus_wrong_unit:unit=1:times=0",
        "bus_crc:each=1:unit=1",
        "bus_late:by=0.3:unit=1:times=0",
    ],
)
def test_a_relay_whose_unit_cannot_be_understood_falls_all_the_same(bus, fault):
    """Each question feeds the watchdog, understood or not: a unit that is away is left alone until its watchdog has bitten."""
    table = released(bus())
    table.inject(fault)
    begun = table.now
    while table.io.released:
        assert table.now - begun < 3.2, "our own questions keep the relay released"
        table.run(0.05)
        if table.of(Failed):
            table.heard.clear()
            table.run(0.2)
            table.connect()


def test_a_silent_unit_among_five_slows_the_others_by_one_time_out_a_back_off(bus):
    """It has a budget of its own: three tries, then it is asked less and less; the others are looked at all the time."""
    table = bus(seats=7, units=5)
    table.inject("bus_silent:unit=5")
    table.connect()
    table.run(9.0)
    silent = [at for at, who, data in table.wire if who == "host" and data[0] == 5]
    gaps = [round(later - at, 2) for at, later in pairwise(silent)]
    assert gaps[2:] == sorted(gaps[2:])
    assert len(silent) <= 9
    assert gaps[-1] >= 2.0
    failed = failure(table)
    assert failed.fault == "timeout_handshake"
    assert "unit 5: silent when asked for its identity" in failed.detail


def test_while_a_unit_is_silent_the_others_are_looked_at_and_nothing_is_taken(bus):
    """Blind sensors take no bets: the lock-out engages by itself; a release is refused; what was missed is told."""
    table = released(bus(seats=7, units=5))
    table.heard.clear()
    table.inject("bus_silent:unit=4:for=2.2")
    begun = table.now
    table.until(lambda: table.of(Suspect), 2.5)
    assert table.of(Suspect) == [Suspect(half_dead=True)]
    table.run(0.5)
    assert table.reports == [LockoutEngaged(Cause.WATCHDOG, 0)]
    table.want(Level.LOCKOUT, RELEASED, 6)
    table.run(0.1)
    assert [event.operation for event in table.of(LevelRefused)] == [6]
    others = table.asked(begun) - table.asked(begun, 4)
    one_time_out = RESPONSE_S * 2 + 0.1
    tries = table.asked(begun, 4)
    assert others >= (table.now - begun - tries * one_time_out) / 0.06, "at full pace but for its time-outs"
    table.until(lambda: table.of(Recovered), 3.0)
    assert {(lost.first, lost.last) for lost in table.of(Lost)} == {(2, 0), (3, 0)}
    assert table.heard[-1][0] - max(at for at, event in table.heard if isinstance(event, Lost)) < 0.1, (
        "told at its return"
    )
    assert table.of(Failed) == []


def test_a_unit_that_stays_silent_ends_the_link_after_three_seconds(bus):
    """As for every device with a lock-out; the reason names the unit."""
    table = released(bus())
    table.inject("bus_silent:unit=3")
    start = table.now
    failed = failure(table, 4.0)
    assert (failed.fault, "unit 3" in failed.detail) == ("timeout_liveness", True)
    assert STALE_S - 0.2 <= table.now - start <= STALE_S + 0.5


def test_a_whole_bus_that_falls_silent_is_lost_after_three_seconds(bus):
    """The cable is cut: the relay has fallen long before, by its own watchdog."""
    table = released(bus())
    table.inject("bus_silent:unit=0")
    table.io.receive = lambda data, now: None  # not a byte arrives
    assert table.until(lambda: not table.io.released, 2.0) <= 1.6
    failed = failure(table, 5.0)
    assert failed.fault == "timeout_liveness"


def test_a_stranger_at_a_known_address_is_rejected_before_a_byte_is_written(bus):
    """Two units were exchanged, or another one was put in: the identity differs, and says how."""
    table = bus(faults=("unit_stranger:unit=1",))
    table.connect()
    failed = failure(table)
    assert failed.fault == "auth_wrong_device"
    assert "unit 1 is another one" in failed.detail
    assert "5457 0101" in failed.detail
    assert not [d for _, who, d in table.wire if who == "host" and d[1] in (5, 6, 15, 16)]


# --- answers that are none ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "counter"),
    [
        ("bus_exception:code=1", "exception"),
        ("bus_exception:code=2", "exception"),
        ("bus_exception:code=3", "exception"),
        ("bus_exception:code=4", "exception"),
        ("bus_exception:code=5", "exception"),
        ("bus_exception:code=6", "exception"),
        ("bus_exception:code=10", "exception"),
        ("bus_exception:code=11", "exception"),
        ("bus_silent:unit=2:for=0.1", "silent"),
        ("bus_late:by=0.25", "silent"),
        ("bus_wrong_unit", "wrong_unit"),
        ("bus_wrong_function", "wrong_function"),
        ("bus_wrong_count", "wrong_count"),
        ("bus_echo", "echo"),
        ("bus_crc:each=3:times=2", "crc"),
        ("bus_gap:by=0.06", "partial"),
        ("bus_twins:unit=2:times=1", "overlong"),
        ("bus_babble:for=0.3", "overlong"),
    ],
)
def test_one_bad_answer_has_its_name_and_is_asked_again(bus, fault, counter):
    """Counted by its cause; the time without a look is told as lost, a false answer alarms, and a chip that stays is seen."""
    table = released(bus())
    table.heard.clear()
    table.inject(fault)
    table.run(0.2)
    table.hands("put_chip", seat=1)
    table.run(2.0)
    assert table.link.counters[counter] >= 1
    alarms = [report for report in table.reports if isinstance(report, AlarmRaised)]
    assert [report for report in table.reports if report not in alarms] == [WagerSensed(1, 1, False)]
    assert [alarm.severity for alarm in alarms] == [Severity.ALARM] * counter.startswith("wrong_")
    assert bool(table.of(Lost)) == (counter != "exception")
    assert {type(event) for event in table.of(object)} <= {Reported, Lost}


def test_a_chip_that_nobody_saw_is_told_as_lost(bus):
    """With one answer in twenty late, each of thirty chips that lie for half a second is seen, or lay in time told as lost."""
    table = released(bus())
    rng, missed = Random(4), []
    for _ in range(30):
        if rng.random() < 0.5:
            table.inject("bus_late:by=0.25")
        before = table.now
        table.hands("put_chip", seat=1)
        table.run(0.3)
        table.hands("lift_chip", seat=1)
        table.run(1.2)
        told = [event for at, event in table.heard if before <= at]
        seen = any(isinstance(e, Reported) and isinstance(e.report, WagerSensed) for e in told)
        if not seen:
            missed.append(before)
            within = [at for at, e in table.heard if isinstance(e, Lost) and at >= before]
            table.run(9.0)
            assert within or any(isinstance(e, Lost) and at >= before for at, e in table.heard), "told by nobody"
    assert missed, "no chip was missed: this shows nothing"


def test_time_without_a_look_is_gathered(bus):
    """Told at once, then after a second, and ever later: a bad line fills no disk, and none of it is forgotten."""
    table = released(bus())
    begun = table.now
    table.inject("bus_crc:each=4:times=0")
    table.run(20.0)
    times = [round(at - begun, 1) for at, event in table.heard if isinstance(event, Lost)]
    assert times[0] < 1.0
    assert 3 <= len(times) <= 7
    steps = [later - earlier for earlier, later in pairwise(times)]
    assert steps == sorted(steps)
    assert steps[-1] <= 9.0


def test_our_own_pause_is_time_without_a_look(bus):
    """Whoever stood still saw no chip."""
    table = released(bus())
    table.frozen = True
    table.run(0.5)
    table.frozen = False
    table.link.extend_deadlines(0.5)
    table.run(1.0)
    assert len(table.of(Lost)) == 1


def test_a_quiet_bus_is_looked_at_all_the_time(bus):
    """Nothing is told as lost while units answer, with commands and lamps between the looks, on the largest bus, too."""
    table = released(bus(seats=7, sensors=3, units=8))
    for number in range(20):
        table.want(Level.LAMPS, "1,3" if number % 2 else "2", 100 + number)
        table.run(0.4)
    assert table.of(Lost) == []


@pytest.mark.parametrize(("value", "fault"), [(RELEASED, "coil_ignored:unit=1"), (ENGAGED, "relay_welded")])
def test_a_relay_that_contradicts_its_command_alarms(bus, value, fault):
    """The coil said yes and reads otherwise, or the contact does: somebody has to look, and nobody knows how it stands."""
    table = released(bus()) if value == ENGAGED else bus().online()
    table.run(1.0)
    table.inject(fault)
    table.run(0.1)
    table.want(Level.LOCKOUT, value, 77)
    table.run(1.5)
    (alarm,) = [report for report in table.reports if isinstance(report, AlarmRaised)]
    assert (alarm.severity, alarm.code) == (Severity.ALARM, 1)
    assert alarm.text.startswith("unit 1: ")
    assert [refused.operation for refused in table.of(LevelRefused)] == [77]


def test_a_pause_of_four_characters_inside_an_answer_is_borne(bus):
    """Stricter than the standard's one and a half would be to blame a USB bridge for its own clock."""
    table = released(bus())
    before = table.link.counters["answers"]
    table.inject("bus_gap:by=0.0023:times=50")
    table.run(2.0)
    assert table.link.counters["answers"] > before + 50
    assert table.link.counters.get("partial", 0) == 0


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("bus_twins:unit=2:times=0", "unit 2: overlong"),
        ("bus_echo:times=0", "echo"),
        ("bus_wrong_unit:unit=2:times=0", "unit 2: wrong_unit"),
        ("bus_crc:each=1:unit=2:times=0", "unit 2: crc"),
        ("bus_exception:unit=2:code=6:times=0", "unit 2: exception 6"),
    ],
)
def test_a_bus_that_is_always_wrong_is_never_online_and_says_why(bus, fault, says):
    """Two units with one address, an adapter that hears itself, and so on: the reason is in the words of the last failure."""
    table = bus(faults=(fault,))
    table.connect()
    failed = failure(table)
    assert failed.fault == "timeout_handshake"
    assert says in failed.detail


@pytest.mark.parametrize("units", [1, 2, 4])
def test_every_third_answer_broken_is_a_bus_that_goes_on(bus, units):
    """Slower, counted, and whole: no chip is lost, no chip is doubled."""
    table = bus(units=units).online()
    table.inject("bus_crc:each=3")
    for operation in range(5, 20):  # a release whose answer was broken is asked for again, by a person
        table.want(Level.LOCKOUT, RELEASED, operation)
        table.run(2.0)
        if any(event.value == RELEASED for event in table.of(LevelSet)):
            break
    assert table.io.released
    for seat in (1, 2, 3):
        table.hands("put_chip", seat=seat)
    table.run(5.0)
    sensed = [report for report in table.reports if isinstance(report, WagerSensed)]
    assert sorted(report.seat for report in sensed) == [1, 2, 3]
    assert (table.of(Failed), table.of(Suspect)) == ([], [])


# --- over losses --------------------------------------------------------------------------------------------------------


def test_after_a_loss_the_count_goes_on_and_what_changed_is_told_as_late(bus):
    """The same link end serves the next connection: its numbers never come twice, and edges are against what was known."""
    table = released(bus())
    table.hands("put_chip", seat=1)
    table.run(0.4)
    table.frozen = True
    table.run(3.0)
    table.hands("lift_chip", seat=1)
    table.hands("put_chip", seat=2)
    table.frozen = False
    table.heard.clear()
    table.connect()
    table.until(lambda: table.of(Online), 5.0)
    assert [type(event) for event in table.of(object)].count(Welcomed) == 1
    reports = table.of(Reported)
    assert [event.counter for event in reports] == [3, 4, 5]
    assert {event.report for event in reports} == {
        LockoutEngaged(Cause.WATCHDOG, 0), WagerRemoved(1, 1, True), WagerSensed(2, 1, True),
    }  # fmt: skip
    (online,) = table.of(Online)
    assert not online.gap_closed
    assert online.levels.wagers == 1 << 3


def test_a_farewell_lets_the_relay_fall_at_once(bus):
    """Where the bus is free at that moment; else the watchdog does it."""
    table = released(bus())
    table.until(lambda: table.link._master.is_free(table.now) and table.link._asked is None, 1.0)
    table.link.bye(table.now)
    table._exchange()
    table.frozen = True
    assert table.until(lambda: not table.io.released, 2.0) < 0.1
