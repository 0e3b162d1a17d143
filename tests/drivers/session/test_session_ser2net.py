"""TDP/1 through a port server by others: a session over ser2net, plain and by RFC 2217, that is killed and comes back."""

import asyncio
import contextlib
import os

import pytest

from drivers import events
from drivers.protocol.reports import DoorOpened
from tests.drivers.transport.conftest import Rfc2217Wire, Ser2netWire
from tests.support.far_ends import running, session_on, until


@pytest.fixture(params=[Ser2netWire, Rfc2217Wire])
async def wire(request, tmp_path):
    made = request.param(tmp_path)
    try:
        await made.start()
        yield made
    finally:
        await made.stop()


async def test_a_device_behind_a_port_server_is_online_lost_and_online_again(wire, recorder, tiny_device):
    """Reports arrive once and in order, those as well that were made while the server was away."""
    loop = asyncio.get_running_loop()

    def write(data):
        if wire.fd >= 0:
            with contextlib.suppress(BlockingIOError):
                os.write(wire.fd, data)

    def plug():
        fd = wire.fd
        loop.add_reader(fd, lambda: device.feed(os.read(fd, 4096)))

    device = tiny_device(write)
    plug()
    session = session_on(wire.path, recorder)
    async with running(session):
        await until(lambda: recorder.bodies(events.DeviceOnline), "online")
        for _ in range(8):
            device.report(DoorOpened())
        await until(lambda: len(recorder.counters) == 8, "eight reports")
        session.acknowledge(*recorder.counters[-1])
        await until(lambda: device.acknowledged, "acknowledged")
        loop.remove_reader(wire.fd)
        device.off()
        await wire.hang_up()
        await until(lambda: recorder.bodies(events.DeviceOffline), "offline", 10)
        device.link.report(DoorOpened(), 1000)
        await wire.plug()
        plug()
        await until(lambda: len(recorder.bodies(events.DeviceOnline)) == 2, "online again")
        await until(lambda: len(recorder.counters) == 9, "what happened meanwhile")
    assert [n for _, n in recorder.counters] == list(range(1, 10))
    assert recorder.bodies(events.DeviceOnline)[1].gap_closed
    assert not recorder.bodies(events.EventsLost)
    loop.remove_reader(wire.fd)
    device.off()
