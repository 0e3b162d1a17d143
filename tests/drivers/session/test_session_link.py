"""How a session's link comes, goes and is judged, on virtual time: losses, waits, silence, our own pauses, wrong devices."""

import asyncio
from dataclasses import replace

import pytest

from drivers import events
from drivers.device import SessionState
from drivers.protocol.reports import DeviceKind, DoorOpened


def pretend(b, kind):
    """Makes the tiny device one of another kind."""
    abilities = (*b.device.identity.capabilities, events.Capability.DISPENSES_STACKS)
    b.device.identity = replace(b.device.identity, kind=kind, capabilities=abilities)
    b.device.power_up()


def test_each_loss_is_told_once_and_each_return_too(bench, virtual):
    """Twenty times the cable goes and comes back: twenty-one online, twenty offline, strictly in turn."""

    async def scene():
        async with bench() as b:
            for turn in range(1, 21):
                await b.until_online(turn)
                await b.unplug()
                await b.until(lambda turn=turn: b.owner.ups_and_downs.count("device_offline") == turn, 1.0)
                await asyncio.sleep(3)
                await b.plug()
            await b.until_online(21)
            assert b.owner.ups_and_downs == ["device_online", "device_offline"] * 20 + ["device_online"]
            reasons = {body.reason for body in b.owner.bodies(events.DeviceOffline)}
            assert reasons == {"link_eof"}
            assert b.session.counters["lost"] == 20

    virtual(scene())


def test_a_missing_port_is_opened_as_soon_as_it_appears(bench, virtual):
    """After twelve hours without a device the session still looks, and a plug-in is seen within half a second."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            await b.unplug()
            await asyncio.sleep(12 * 3600)
            assert b.session.status.state is SessionState.ABSENT
            assert b.session.status.reason == "link_missing"
            assert "plug" in b.session.status.detail
            since = b.session.status.since
            await asyncio.sleep(60)
            assert b.session.status.since == since, "the same absence does not begin anew with each try"
            await b.plug()
            assert await b.until_online(2) < 0.5
            assert len(b.owner.ups_and_downs) == 3

    virtual(scene())


def test_a_busy_port_is_tried_for_ever_with_growing_waits(bench, virtual):
    """Waits double to five seconds: in an hour no more than about 900 tries, and it comes online when the port is free."""

    async def scene():
        b = bench()
        thief = b.cable.host(lambda _: None, lambda *_: None)
        await thief.open()
        async with b:
            await asyncio.sleep(3600)
            assert b.session.status.reason == "link_busy"
            assert 600 <= b.session.counters["open_link_busy"] <= 920
            await thief.close()
            assert await b.until_online() <= 6.5

    virtual(scene())


def test_a_device_that_never_answers_costs_nothing_over_days(bench, virtual):
    """Handshake after handshake fails; nothing piles up, and when it answers it is online within a try."""

    async def scene():
        async with bench() as b:
            b.device.mute = True
            await asyncio.sleep(400 * 16)
            assert b.session.counters["opened"] >= 400
            failures = {status.reason for status in b.owner.states if status.state is SessionState.ABSENT}
            assert failures == {"timeout_handshake"}
            assert b.owner.deliveries == [], "what was never online cannot go offline"
            b.device.mute = False
            await b.until_online(within_s=15.0)

    virtual(scene())


@pytest.mark.parametrize(("kind", "stale_s"), [(DeviceKind.PROGRESSIVE, 3.0), (DeviceKind.SHOE, 5.0)])
def test_silence_makes_a_device_suspect_then_stale(bench, virtual, kind, stale_s):
    """2.5 s without an echo is told as suspect, 3 s (with a lock-out) or 5 s as offline, once, with the reason."""

    async def scene():
        b = bench(kind=kind)
        pretend(b, kind)
        async with b:
            await b.until_online()
            await asyncio.sleep(10)
            b.device.mute = True
            silent_for = await b.until(lambda: b.owner.bodies(events.DeviceSuspect), 4.0)
            assert 1.4 <= silent_for <= 2.6
            assert b.session.state is SessionState.SUSPECT
            silent_for += await b.until(lambda: b.owner.bodies(events.DeviceOffline), 4.0)
            assert stale_s - 1.1 <= silent_for <= stale_s + 0.1
            assert b.session.state is SessionState.STALE
            b.device.mute = False
            await b.until_online(2)
            assert b.owner.ups_and_downs == ["device_online", "device_offline", "device_online"]

    virtual(scene())


def test_a_suspect_device_that_echoes_again_is_online_again(bench, virtual):
    """A short silence is no loss."""

    async def scene():
        b = bench(kind=DeviceKind.SHOE)
        pretend(b, DeviceKind.SHOE)
        async with b:
            await b.until_online()
            b.device.mute = True
            await b.until(lambda: b.session.state is SessionState.SUSPECT, 4.0)
            b.device.mute = False
            await b.until(lambda: b.session.state is SessionState.ONLINE, 2.0)
            assert b.owner.ups_and_downs == ["device_online"]

    virtual(scene())


def test_a_device_that_sends_but_echoes_nothing_is_half_dead(bench, virtual):
    """Bytes coming in prove only half of the link."""

    async def scene():
        b = bench(kind=DeviceKind.SHOE)
        pretend(b, DeviceKind.SHOE)
        async with b:
            await b.until_online()
            b.device.deaf = True
            for _ in range(7):
                b.device.report(DoorOpened())
                await asyncio.sleep(0.4)
            await b.until(lambda: b.owner.bodies(events.DeviceSuspect), 3.0)
            assert b.owner.bodies(events.DeviceSuspect)[0].half_dead
            await b.until(lambda: b.session.state is SessionState.STALE, 4.0)

    virtual(scene())


def test_our_own_pause_is_not_blamed_on_the_device(bench, virtual):
    """The loop stands still for six seconds: no false loss, and the pause is counted and shown."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            await asyncio.sleep(2.3)
            asyncio.get_running_loop().virtual_s += 6.0
            await asyncio.sleep(3.0)
            assert b.owner.ups_and_downs == ["device_online"]
            assert b.session.state is SessionState.ONLINE
            assert b.session.counters["host_loop_lag"] == 1
            assert b.session.counters["loop_lag_ms"] >= 5000

    virtual(scene())


def test_a_pause_does_not_hide_a_true_loss(bench, virtual):
    """After the pause a dead device is found out at most a second later than without it."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            await asyncio.sleep(2.3)
            b.device.mute = True
            asyncio.get_running_loop().virtual_s += 6.0
            assert await b.until(lambda: b.owner.bodies(events.DeviceOffline), 10.0) <= 4.0

    virtual(scene())


def test_the_wrong_device_is_rejected_and_nothing_of_it_is_believed(bench, virtual):
    """Another serial number behind the port: told once, asked at most once a minute, its reports never delivered."""

    async def scene():
        b = bench(serial="P-2")
        for _ in range(3):
            b.device.link.report(DoorOpened(), 0)
        async with b:
            await asyncio.sleep(600)
            assert b.session.state is SessionState.REJECTED
            assert b.owner.ups_and_downs == ["device_rejected"]
            rejected = b.owner.bodies(events.DeviceRejected)[0]
            assert rejected.reason == "auth_wrong_device"
            assert "P-1" in rejected.detail
            assert "P-2" in rejected.detail
            assert b.owner.counters == []
            assert b.session.counters["opened"] <= 11
            b.device.identity = replace(b.device.identity, serial="P-2")
            b.device.power_up()
            await b.until_online(within_s=61.0)

    virtual(scene())


def test_a_device_that_is_exchanged_is_asked_at_once(bench, virtual):
    """The wrong one is taken out and the right one plugged in: nobody waits for the minute to be over."""

    async def scene():
        async with bench(serial="P-2") as b:
            await b.until(lambda: b.session.state is SessionState.REJECTED, 5.0)
            await b.unplug()
            await asyncio.sleep(1.0)
            b.device.identity = replace(b.device.identity, serial="P-2")
            b.device.power_up()
            await b.plug()
            assert await b.until_online(within_s=1.0) < 1.0

    virtual(scene())


def test_a_test_model_is_rejected_in_real_play(bench, virtual):
    """A simulator on a live table's port is not taken for a device."""

    async def scene():
        async with bench(accept_test_only=False) as b:
            await b.until(lambda: b.session.state is SessionState.REJECTED, 5.0)
            assert b.owner.bodies(events.DeviceRejected)[0].reason == "auth_not_approved"

    virtual(scene())
