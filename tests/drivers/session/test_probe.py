"""A look at a device from outside: what is seen, that nothing is changed by it, and what is said where nobody answers."""

import asyncio
import random

import pytest

from drivers.conformance.bare_host import BareHost, LinkLost
from drivers.errors import Fault
from drivers.protocol.device.link import DeviceLink
from drivers.protocol.reports import DoorOpened, WagerSensed
from drivers.session.probe import Probe, Silence, probe
from drivers.transport import LoopbackCable

KEY = bytes(range(32))


class Table:
    """A tiny device at one end of a cable, and a bare host at the other."""

    def __init__(self, tiny_device):
        self.cable = LoopbackCable()
        self.far = self.cable.device(self.hear, lambda *_: None)
        self.device = tiny_device(self.far.write)

    def hear(self, data):
        self.device.feed(data)

    async def __aenter__(self):
        await self.far.open()
        self.host = BareHost(self.cable.host, entropy=random.Random(3).randbytes)
        await self.host.__aenter__()
        return self

    async def __aexit__(self, *_):
        await self.host.__aexit__(None, None, None)
        self.device.off()
        await self.far.close(0)


@pytest.fixture
def table(tiny_device):
    return lambda: Table(tiny_device)


def test_a_probe_sees_who_answers_and_changes_nothing(table, virtual):
    """Identity, log, levels, echoes; no level was asked for, and no report acknowledged."""

    async def scene():
        async with table() as t:
            for seat in (1, 2):
                t.device.report(WagerSensed(seat, 1, locked=False))
            seen = await probe(t.host)
            assert isinstance(seen, Probe)
            assert seen.welcome.identity.serial == "P-1"
            assert (seen.welcome.log_first, seen.welcome.log_last) == (1, 2)
            assert seen.levels.lockout == "engaged"
            assert len(seen.round_trips_s) == seen.pings == 10
            assert seen.is_clean
            assert [event.record.counter for event in seen.reports] == [1, 2], "once each, though they come again"
            assert t.device.asked == []
            assert t.device.acknowledged == []
            await asyncio.sleep(0.1)
            assert t.device.lost == 1, "the BYE was heard"

    virtual(scene())


def test_damage_in_either_direction_is_told(table, virtual):
    """What the device counts as bad while it is looked at is told as well as what comes in bad here."""

    async def scene():
        async with table() as t:
            feed, write, n = t.device.feed, t.far.write, [0, 0]

            def worse(data):
                n[0] += 1
                feed(data[:-3] + b"\x01" + data[-2:] if n[0] == 4 else data)

            def worse_back(data):
                n[1] += 1
                write(data[:-3] + b"\x01" + data[-2:] if n[1] == 4 else data)

            t.device.feed, t.device.write = worse, worse_back
            seen = await probe(t.host)
            assert not seen.is_clean
            assert seen.pings - len(seen.round_trips_s) == 2
            assert sum(seen.dropped.values()) == 1
            assert sum(seen.peer_dropped.values()) == 1

    virtual(scene())


def test_a_device_that_wants_its_key_first_is_told_as_that(table, virtual):
    """Only its WELCOME can be seen; nobody waits for ten echoes that cannot come."""

    async def scene():
        async with table() as t:
            t.device.link = DeviceLink(t.device.identity, boot=9, entropy=random.Random(1).randbytes, key=KEY)
            began = asyncio.get_running_loop().time()
            seen = await probe(t.host)
            assert asyncio.get_running_loop().time() - began < 4.0
            assert seen.needs_key
            assert not seen.is_clean
            assert seen.levels is None
            assert seen.welcome.boot == 9
            t.host.key = bytes(32)
            assert "not the one in the file" in (await probe(t.host)).why_not
            t.host.key = KEY
            assert (await probe(t.host)).is_clean

    virtual(scene())


def test_nobody_answering_is_told_with_what_came(table, virtual):
    """A dead line and a line with another language on it are two different faults."""

    async def scene():
        async with table() as t:
            t.device.deaf = True
            assert await probe(t.host) == Silence(0, {})
            asyncio.get_running_loop().call_later(0.1, t.far.write, b"[game][7S]\r\n" * 50)
            seen = await probe(t.host)
            assert isinstance(seen, Silence)
            assert seen.bytes_in == 600
            assert seen.dropped["oversize"] == 1

    virtual(scene())


def test_a_cable_that_is_pulled_ends_the_look(table, virtual):
    """Said as what it is, at once."""

    async def scene():
        async with table() as t:
            asyncio.get_running_loop().call_later(0.7, t.cable.unplug)
            t.device.report(DoorOpened())
            with pytest.raises(LinkLost) as lost:
                await probe(t.host)
            assert lost.value.fault is Fault.LINK_EOF

    virtual(scene())


def test_a_flood_is_held_within_bounds(table, virtual):
    """The newest frames are kept, and all are counted."""

    async def scene():
        async with table() as t:
            await t.host.greet()
            await t.host.ping()
            wire = bytearray()
            t.device.write = wire.extend
            t.host.send_bytes(b"\0")
            t.device.report(DoorOpened())
            before = t.host.mark
            for _ in range(5000):
                t.host._on_data(bytes(wire))
            assert len(t.host.heard) == 4096
            assert t.host.mark == before + 5000
            assert t.host.heard[-1].number == t.host.mark

    virtual(scene())
