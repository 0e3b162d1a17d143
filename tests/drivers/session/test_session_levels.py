"""Wanted levels: towards the safe side nothing waits and nothing is forgotten; away from it nothing is ever repeated."""

import asyncio

import pytest

from drivers import events
from drivers.commands import WantedLevel
from drivers.protocol.reports import DoorOpened
from drivers.protocol.words import ENGAGED, RELEASED, Level
from drivers.transport import WriteBufferFull


def lockout(value, operation):
    return WantedLevel("prog-1", Level.LOCKOUT, value, operation)


def asked(b):
    return [(request.value, request.operation) for request in b.device.asked]


def test_a_wanted_level_goes_out_at_once_and_is_confirmed(bench, virtual):
    """The command is on the wire when `want` returns; the device's yes comes back with the operation's id."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            wire = []
            write = b.session._pump._write
            b.session._pump._write = lambda data: (wire.append(data), write(data))
            b.session.want(lockout(RELEASED, 7))
            assert wire, "nothing was written in the call itself"
            await b.until(lambda: b.owner.bodies(events.LevelConfirmed), 1.0)
            assert b.owner.bodies(events.LevelConfirmed) == [events.LevelConfirmed(Level.LOCKOUT, RELEASED, 7)]
            assert b.device.lockout == RELEASED

    virtual(scene())


def test_a_safe_level_wanted_while_away_is_asserted_on_return(bench, virtual):
    """Engage while the cable is out: it is asked for right after the handshake, before the device is online."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            await b.unplug()
            await asyncio.sleep(1)
            b.session.want(lockout(ENGAGED, 3))
            assert b.owner.bodies(events.LevelUnknown) == []
            for _ in range(30):
                b.device.report(DoorOpened())  # a long log must not hold it up
            asked_before_online = []

            def look(delivery):
                if isinstance(delivery.body, events.DeviceOnline):
                    asked_before_online.extend(asked(b))

            b.owner.on_delivery = look
            await b.plug()
            await b.until_online(2)
            assert asked_before_online == [(ENGAGED, 3)]
            await b.until(lambda: b.owner.bodies(events.LevelConfirmed), 5.0)

    virtual(scene())


def test_a_safe_level_is_asserted_again_on_each_link(bench, virtual):
    """It was confirmed long ago; a new link still starts with it."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            b.session.want(lockout(ENGAGED, 3))
            await b.until(lambda: b.owner.bodies(events.LevelConfirmed), 1.0)
            for turn in (2, 3):
                await b.unplug()
                await asyncio.sleep(1)
                b.device.lockout = RELEASED  # somebody opened it by hand meanwhile
                b.device.link.set_levels(events.Levels(lockout=RELEASED))
                await b.plug()
                await b.until_online(turn)
                await b.until(lambda turn=turn: len(asked(b)) == turn, 1.0)
                assert b.device.lockout == ENGAGED
            assert set(asked(b)) == {(ENGAGED, 3)}

    virtual(scene())


def test_a_confirmed_release_is_not_repeated_after_a_loss(bench, virtual):
    """The device went to its safe side when it no longer heard us; opening it again is a new act of a person."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            b.session.want(lockout(ENGAGED, 1))
            b.session.want(lockout(RELEASED, 2))
            await b.until(lambda: b.device.lockout == RELEASED, 1.0)
            await asyncio.sleep(1)
            b.cable.unplug()
            await b.far.close(0)
            await b.until(lambda: b.device.lockout == ENGAGED, 5.0, "the device's own watchdog")
            await b.plug()
            await b.until_online(2)
            await asyncio.sleep(10)
            assert asked(b).count((RELEASED, 2)) == 1
            assert (ENGAGED, 1) not in asked(b)[1:], "nor is the older wish that the release replaced"
            assert b.device.lockout == ENGAGED
            assert b.owner.bodies(events.LevelUnknown) == [], "it had been answered"

    virtual(scene())


def test_a_release_whose_answer_was_lost_is_unknown_and_never_repeated(bench, virtual):
    """Sent, perhaps obeyed, never answered: told as unknown once, after the loss itself, and not sent on the next link."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            b.device.silent = True
            b.session.want(lockout(RELEASED, 9))
            await b.until(lambda: asked(b), 1.0)
            await b.unplug()
            await b.until(lambda: b.owner.bodies(events.LevelUnknown), 1.0)
            kinds = [body.kind for body in b.owner.bodies(events.DeviceOffline, events.LevelUnknown)]
            assert kinds == ["device_offline", "level_unknown"]
            b.device.silent = False
            await asyncio.sleep(1)
            await b.plug()
            await b.until_online(2)
            await asyncio.sleep(10)
            assert asked(b) == [(RELEASED, 9)]
            (unknown,) = b.owner.bodies(events.LevelUnknown)
            assert (unknown.value, unknown.operation) == (RELEASED, 9)

    virtual(scene())


def test_a_release_that_is_never_answered_fails_the_link_and_is_unknown_once(bench, virtual):
    """After the last transmission the link itself is in doubt; the outcome is unknown, not failed."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            b.device.silent = True
            b.session.want(lockout(RELEASED, 9))
            await b.until(lambda: b.owner.bodies(events.DeviceOffline), 20.0)
            assert b.owner.bodies(events.DeviceOffline)[0].reason == "timeout_request"
            assert [u.operation for u in b.owner.bodies(events.LevelUnknown)] == [9]
            await b.until_online(2)
            assert asked(b) == [(RELEASED, 9)], "repeats on one link are one request, and the next link has none"

    virtual(scene())


@pytest.mark.parametrize("plugged", [True, False])
def test_a_release_wanted_while_not_online_is_refused_at_once(bench, virtual, plugged):
    """It is told as unknown in the very call, and never sent later."""

    async def scene():
        async with bench() as b:
            if plugged:
                b.device.mute = True
            else:
                await b.unplug()
            await asyncio.sleep(1)
            b.session.want(lockout(RELEASED, 4))
            (unknown,) = b.owner.bodies(events.LevelUnknown)
            assert unknown.operation == 4
            assert "not sent" in unknown.reason
            b.device.mute = False
            if not plugged:
                await b.plug()
            await b.until_online(within_s=20.0)
            await asyncio.sleep(5)
            assert asked(b) == []

    virtual(scene())


def test_an_owner_that_answers_unknown_by_wanting_the_safe_side_does_not_go_in_a_circle(bench, virtual):
    """Such an owner is the controller: a replaced wish must not come back as unknown, or each answer makes a new one."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            wanted = []

            def back_to_safety(delivery):
                if isinstance(delivery.body, events.LevelUnknown):
                    wanted.append(len(wanted) + 100)
                    b.session.want(lockout(ENGAGED, wanted[-1]))

            b.owner.on_delivery = back_to_safety
            b.device.silent = True
            b.session.want(lockout(RELEASED, 1))
            b.session.want(lockout(ENGAGED, 2))
            b.session.want(lockout(RELEASED, 3))
            b.session.want(lockout(ENGAGED, 4))
            await asyncio.sleep(0.3)
            b.device.silent = False
            await asyncio.sleep(30)
            assert len(wanted) <= 2
            assert b.device.lockout == ENGAGED

    virtual(scene())


def test_a_device_that_refuses_the_safe_side_is_told_of_once(bench, virtual):
    """The refusal reaches the owner with its reason; wanting it again and again makes no storm on the wire or above."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            wanted = []

            def again(delivery):
                if isinstance(delivery.body, events.LevelUnknown):
                    wanted.append(len(wanted) + 100)
                    b.session.want(lockout(ENGAGED, wanted[-1]))

            b.session.want(lockout(RELEASED, 1))
            await b.until(lambda: b.device.lockout == RELEASED, 1.0)
            b.owner.on_delivery = again
            b.device.refuses = True
            b.session.want(lockout(ENGAGED, 2))
            await asyncio.sleep(60)
            refusals = [u for u in b.owner.bodies(events.LevelUnknown) if u.reason.startswith("refused")]
            assert [u.operation for u in refusals] == [2]
            assert "not now" in refusals[0].reason
            assert len(asked(b)) <= 4

    virtual(scene())


def test_the_owner_may_want_something_in_answer_to_the_loss_itself(bench, virtual):
    """Called from inside a delivery: a safe wish is kept for the next link, a release is unknown at once."""

    async def scene():
        async with bench() as b:
            await b.until_online()

            def on_loss(delivery):
                if isinstance(delivery.body, events.DeviceOffline):
                    b.session.want(lockout(ENGAGED, 5))
                    b.session.want(WantedLevel("prog-1", Level.LAMPS, "1,2", 6))

            b.owner.on_delivery = on_loss
            await b.unplug()
            await asyncio.sleep(1)
            assert [u.operation for u in b.owner.bodies(events.LevelUnknown)] == [6]
            await b.plug()
            await b.until_online(2)
            await b.until(lambda: asked(b) == [(ENGAGED, 5)], 1.0)

    virtual(scene())


def test_a_release_that_is_wanted_as_a_long_pause_ends_is_not_sent(bench, virtual):
    """The daemon stood still between its decision and the port, and goes on there: the device's watchdog bit meanwhile."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            await asyncio.sleep(2.0)
            b.session.want(lockout(RELEASED, 3))
            await b.until(lambda: b.owner.bodies(events.LevelConfirmed), 1.0)
            asyncio.get_running_loop().virtual_s += 4.0
            b.session.want(lockout(RELEASED, 5))
            await asyncio.sleep(3.0)
            assert [unknown.operation for unknown in b.owner.bodies(events.LevelUnknown)] == [5]
            assert (RELEASED, 5) not in asked(b)
            assert b.device.lockout == ENGAGED
            assert b.owner.ups_and_downs == ["device_online"]

    virtual(scene())


def test_a_release_that_finds_the_line_stuck_is_unknown_and_not_asked_for_later(bench, virtual):
    """Asking itself finds out that the link is lost: what the wish came to is told once."""

    async def scene():
        async with bench() as b:
            await b.until_online()

            def full(data):
                raise WriteBufferFull("the line takes no bytes")

            b.session._transport.write = full
            b.session.want(lockout(RELEASED, 5))
            assert [unknown.operation for unknown in b.owner.bodies(events.LevelUnknown)] == [5]
            assert "link_io_error" in b.owner.bodies(events.LevelUnknown)[0].reason
            await asyncio.sleep(3.0)
            assert len(b.owner.bodies(events.LevelUnknown)) == 1
            assert (RELEASED, 5) not in asked(b)

    virtual(scene())


def test_a_value_that_a_level_cannot_have_is_refused_whole(bench, virtual):
    """Nothing of it is remembered: no loss of the link tells of a wish that was never taken."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            for level, value in ((Level.LAMPS, "16"), (Level.LOCKOUT, "ajar"), (Level.DISPLAY, "\x1b[2J")):
                with pytest.raises(ValueError, match="cannot be"):
                    b.session.want(WantedLevel("prog-1", level, value, 9))
            await b.unplug()
            await asyncio.sleep(1)
            assert b.owner.bodies(events.LevelUnknown) == []

    virtual(scene())


def test_a_request_that_is_refused_after_a_pause_stops_no_clock(bench, virtual):
    """The timer that was due then is set again: PINGs go on, and a device that falls silent is still found out."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            asyncio.get_running_loop().virtual_s += 1.2  # our own loop stood still past the next PING
            with pytest.raises(ValueError, match="not released"):
                b.session._pump.call(lambda link, now: link.acknowledge(b.session._boot, 1 << 40, now))
            before = b.session.counters["frames_in"]
            await asyncio.sleep(5)
            assert b.session.counters["frames_in"] >= before + 4

    virtual(scene())
