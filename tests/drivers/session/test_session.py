"""One device's session over a cable, on virtual time: what it delivers, what it acknowledges, and what it never loses."""

import asyncio
import random

import pytest

from controller.table.words.structs import replace
from drivers import events
from drivers.device import SessionState
from drivers.protocol.device.log import ReportLog
from drivers.protocol.reports import DeviceKind, DoorClosed, DoorOpened, WagerSensed

BOOT_1, BOOT_2 = "0000000000000001", "0000000000000002"


def numbered(count):
    return [(BOOT_1, n) for n in range(1, count + 1)]


def test_a_device_comes_online_with_what_it_can_do(bench, virtual):
    """`DeviceOnline` carries identity, capabilities, levels, and whether anything was missed."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            (online,) = b.owner.bodies(events.DeviceOnline)
            assert online.device_kind is DeviceKind.PROGRESSIVE
            assert (online.model, online.serial, online.firmware) == ("tiny progressive", "P-1", "1.0")
            assert set(online.capabilities) == set(b.device.identity.capabilities)
            assert online.levels.lockout == "engaged"
            assert (online.boot, online.rebooted, online.gap_closed) == (BOOT_1, False, True)
            states = [status.state for status in b.owner.states]
            assert states == [SessionState.OPENING, SessionState.HELLO, SessionState.SYNC, SessionState.ONLINE]
        assert b.session.state is SessionState.DISABLED

    virtual(scene())


def test_reports_are_delivered_in_order_with_their_origin(bench, virtual):
    """Each report once, in the device's own count, naming device, serial number, boot and device clock."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            for seat in (3, 1, 2):
                b.device.report(WagerSensed(seat, 1, locked=False))
            await b.until(lambda: len(b.owner.counters) == 3, 1.0)
            reports = [d for d in b.owner.deliveries if d.origin is not None]
            assert [d.body.seat for d in reports] == [3, 1, 2]
            assert reports[0].device == "prog-1"
            timeless = replace(reports[0].origin, happened_ns=None, error_ns=None)
            assert timeless == events.Origin("P-1", BOOT_1, 1, 1000, sealed=False)
            assert abs(reports[0].origin.happened_ns - 1_000_000) <= reports[0].origin.error_ns
            assert all(d.received_ns > 0 for d in b.owner.deliveries)
            assert b.session.counters["reports"] == 3

    virtual(scene())


def test_bytes_become_a_delivery_within_the_callback_that_read_them(bench, virtual):
    """The latency path has no task and no queue in it: when the transport's callback returns, the owner has it."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            wire = bytearray()
            b.device.write = wire.extend
            b.device.report(DoorOpened())
            before = len(b.owner.deliveries)
            b.session._on_data(bytes(wire))
            assert len(b.owner.deliveries) == before + 1

    virtual(scene())


def test_a_report_is_acknowledged_only_when_the_owner_says_so(bench, virtual):
    """The acknowledgement means "on disk": the device must not forget anything before that."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            for _ in range(3):
                b.device.report(DoorOpened())
            await b.until(lambda: len(b.owner.counters) == 3, 1.0)
            await asyncio.sleep(20)
            assert b.device.acknowledged == []
            assert b.owner.counters == numbered(3), "repeats are not delivered again"
            b.session.acknowledge(BOOT_1, 2)
            await b.until(lambda: b.device.acknowledged, 1.0)
            assert b.device.acknowledged == [(1, 2)]

    virtual(scene())


def test_a_full_queue_stops_acknowledging_and_loses_nothing(bench, virtual):
    """Back-pressure ends at the device: it keeps at most a window under way, and goes on when all is durable."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            b.owner.full = True
            for n in range(50):
                b.device.report(WagerSensed(1 + n % 6, 1, locked=False))
            await asyncio.sleep(5)
            assert len(b.owner.counters) == 8
            b.session.acknowledge(BOOT_1, 5)
            await asyncio.sleep(5)
            assert b.device.acknowledged == [], "held: some of what was handed over is not durable yet"
            while len(b.owner.counters) < 50:
                seen = len(b.owner.counters)
                b.session.acknowledge(BOOT_1, b.owner.counters[-1][1])
                await b.until(lambda seen=seen: len(b.owner.counters) > seen, 10.0, "the device goes on")
            assert b.owner.counters == numbered(50)
            assert b.session.counters["host_queue_full"] > 0

    virtual(scene())


def test_a_reboot_is_told_and_a_lost_log_is_an_explicit_gap(bench, virtual):
    """New boot, empty log: what was between is `EventsLost`, and the gap is not closed."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            b.device.report(DoorOpened())
            await b.until(lambda: b.owner.counters, 1.0)
            b.session.acknowledge(BOOT_1, 1)
            await asyncio.sleep(1)
            b.device.power_up()
            await b.until_online(2)
            online = b.owner.bodies(events.DeviceOnline)[-1]
            assert (online.boot, online.rebooted, online.gap_closed) == (BOOT_2, True, False)
            assert b.owner.bodies(events.EventsLost) == [events.EventsLost("P-1", BOOT_1, 2, 0)]
            offline = b.owner.bodies(events.DeviceOffline)
            assert [body.reason for body in offline] == ["link_restarted"]

    virtual(scene())


def test_a_log_that_survived_closes_the_gap(bench, virtual):
    """The tail of the old boot comes first, marked as read from the log, then the new boot's reports."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            b.device.report(DoorOpened())
            await b.until(lambda: b.owner.counters, 1.0)
            b.session.acknowledge(BOOT_1, 1)
            await b.unplug()
            b.device.report(DoorClosed())
            b.device.power_up(b.device.log)
            b.device.report(DoorOpened())
            await asyncio.sleep(1)
            await b.plug()
            await b.until_online(2)
            assert b.owner.counters == [(BOOT_1, 1), (BOOT_1, 2), (BOOT_2, 1)]
            reports = [d for d in b.owner.deliveries if d.origin is not None]
            assert reports[1].origin.from_log
            online = b.owner.bodies(events.DeviceOnline)[-1]
            assert (online.rebooted, online.gap_closed) == (True, True)

    virtual(scene())


def test_what_was_handed_over_is_not_handed_over_again_after_a_loss(bench, virtual):
    """Delivered but not yet durable when the link goes: the device sends it again, the owner sees it once."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            for _ in range(3):
                b.device.report(DoorOpened())
            await b.until(lambda: len(b.owner.counters) == 3, 1.0)
            await b.unplug()
            b.session.acknowledge(BOOT_1, 2)  # committed while the link was away
            await asyncio.sleep(1)
            await b.plug()
            await b.until_online(2)
            b.device.report(DoorClosed())
            await b.until(lambda: len(b.owner.counters) == 4, 1.0)
            assert b.owner.counters == numbered(4)
            assert b.owner.bodies(events.EventsLost) == []
            assert b.device.acknowledged[-1] == (1, 2)
            b.session.acknowledge(BOOT_1, 4)
            await b.until(lambda: b.device.acknowledged[-1] == (1, 4), 1.0)

    virtual(scene())


def test_what_becomes_durable_during_the_handshake_is_acknowledged_when_it_comes_again(bench, virtual):
    """The link may be told only of what it brought itself; the repeat is not handed over, but it is acknowledged."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            for _ in range(3):
                b.device.report(DoorOpened())
            await b.until(lambda: len(b.owner.counters) == 3, 1.0)
            b.cable.unplug()
            await b.far.close(0)
            await asyncio.sleep(1)
            await b.plug()
            b.device.mute = True
            await b.until(lambda: b.session.state is SessionState.HELLO, 5.0)
            b.session.acknowledge(BOOT_1, 3)
            await asyncio.sleep(0.1)
            b.device.mute = False
            await b.until_online(2)
            await b.until(lambda: b.device.acknowledged == [(1, 3)], 5.0)
            assert b.owner.counters == numbered(3)

    virtual(scene())


def test_reports_that_left_the_log_after_they_were_handed_over_are_not_lost(bench, virtual):
    """A short log has dropped 1 to 3; the owner has 1 and 2 and is told that 3 alone is gone."""

    async def scene():
        async with bench() as b:
            b.device.power_up(ReportLog(depth=3))
            await b.until_online()
            boot = b.owner.bodies(events.DeviceOnline)[0].boot
            for _ in range(2):
                b.device.report(DoorOpened())
            await b.until(lambda: len(b.owner.counters) == 2, 1.0)
            await b.unplug()
            for _ in range(4):
                b.device.report(DoorClosed())
            await asyncio.sleep(1)
            await b.plug()
            await b.until_online(2)
            assert [n for _, n in b.owner.counters] == [1, 2, 4, 5, 6]
            assert b.owner.bodies(events.EventsLost) == [events.EventsLost("P-1", boot, 3, 3)]

    virtual(scene())


def test_a_restarted_daemon_goes_on_behind_its_last_durable_report(bench, virtual):
    """`last` from the journal: what is durable is not read again, what is not is."""

    async def scene():
        b = bench()
        b.new_session((BOOT_1, 2))
        for _ in range(4):
            b.device.link.report(DoorOpened(), 0)
        async with b:
            await b.until_online()
            assert b.owner.counters == [(BOOT_1, 3), (BOOT_1, 4)]
            online = b.owner.bodies(events.DeviceOnline)[0]
            assert (online.rebooted, online.gap_closed) == (False, True)

    virtual(scene())


def test_an_error_of_the_owner_ends_the_session_and_is_not_swallowed(bench, virtual):
    """A bug behind `deliver` must come out of `run`, with the port closed; it must not vanish in a callback."""

    async def scene():
        b = bench()

        def break_down(_):
            raise RuntimeError("the owner is broken")

        async with b:
            await b.until_online()
            b.owner.on_delivery = break_down
            b.device.report(DoorOpened())
            await asyncio.wait({b.task}, timeout=5)
            assert isinstance(b.task.exception(), RuntimeError)
            b.task = None
            again = b.cable.host(lambda _: None, lambda *_: None)
            await again.open()
            await again.close()

    virtual(scene())


def test_cancelling_at_any_step_frees_the_port(bench, virtual):
    """Cancelled after every possible number of steps of the loop: the port is free and the device hears a farewell."""

    async def scene():
        farewells = 0
        for steps in range(120):
            async with bench() as b:
                b.device.report(DoorOpened())
                for _ in range(steps):
                    await asyncio.sleep(0)
                await b.stop_session()
                assert b.session.state is SessionState.DISABLED
                if b.device.found:
                    await b.until(lambda b=b: b.device.lost == 1, 0.5, "the device hears that we go")
                    farewells += 1
                port = b.cable.host(lambda _: None, lambda *_: None)
                await port.open()
                await port.close()
        assert 50 < farewells < 120, "the steps reach from before the handshake to after it"

    virtual(scene())


def test_a_link_cut_at_any_byte_delivers_each_report_once_in_order(bench, virtual):
    """The plug is pulled at every byte of five reports and their handshake in turn: no hole, no repeat, ever."""

    async def scene():
        for cut in range(0, 700, 3):
            async with bench() as b:
                left = cut

                def write(data, b=b):
                    nonlocal left
                    passed, left = data[:left], max(0, left - len(data))
                    b.far.write(passed)
                    if not left and b.cable.plugged:
                        asyncio.get_running_loop().call_soon(b.cable.unplug)

                b.device.write = write
                for _ in range(5):
                    b.device.report(DoorOpened())
                await b.until(lambda b=b: not b.cable.plugged or len(b.owner.counters) == 5, 20.0)
                b.device.write = b.far.write
                if not b.cable.plugged:
                    await b.unplug()
                    await asyncio.sleep(1)
                    await b.plug()
                await b.until(lambda b=b: len(b.owner.counters) >= 5, 20.0)
                assert b.owner.counters == numbered(5)
                assert b.owner.bodies(events.EventsLost) == []

    virtual(scene())


@pytest.mark.parametrize("seed", range(8))
def test_any_mix_of_losses_reports_and_commits_delivers_each_report_once_in_order(bench, virtual, seed):
    """Random schedules: whatever is unplugged when, the deliveries are the device's own count without hole or repeat."""

    async def scene():
        rng = random.Random(seed)
        async with bench() as b:
            made = plugged = 1
            b.device.report(DoorOpened())
            for _ in range(150):
                match rng.randrange(6):
                    case 0 | 1 | 2:
                        b.device.report(DoorOpened())
                        made += 1
                    case 3 if b.owner.counters:
                        b.session.acknowledge(*rng.choice(b.owner.counters[-5:]))
                    case 4 if plugged:
                        await b.unplug()
                        plugged = 0
                    case 5 if not plugged:
                        await b.plug()
                        plugged = 1
                await asyncio.sleep(rng.choice((0, 0.01, 0.3, 4.0)))
                assert b.owner.counters == numbered(len(b.owner.counters))
            if not plugged:
                await b.plug()
            b.session.acknowledge(*b.owner.counters[-1])
            while len(b.owner.counters) < made:
                await asyncio.sleep(1)
                b.session.acknowledge(*b.owner.counters[-1])
            assert b.owner.counters == numbered(made)
            assert b.owner.bodies(events.EventsLost) == []

    virtual(scene())
