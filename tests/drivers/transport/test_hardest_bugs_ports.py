"""The hardest bugs of programs that hold a port, each as a test that stays: known from the trackers of many of them."""

import asyncio
import os
import random
import threading
import time
from dataclasses import replace

import pytest

from drivers import events
from drivers.device import SessionState
from drivers.errors import Fault
from drivers.protocol.reports import DeviceKind, DoorOpened
from drivers.transport import UsbAddress, UsbTransport
from drivers.transport import serial as serial_module
from simulators.usb.bus import SimulatedBus
from simulators.usb.descriptors import Description
from simulators.usb.device import UsbDevice
from tests.drivers.conftest import PROGRESSIVE, Recorder
from tests.support.far_ends import TtyDevice, UsbGadget, running, session_on, until

USB_PATH = "usb:1209:0003/P-1@1-2"
HELD_S = 5.0
"""How long a driver holds a call in these tests; nothing of ours may stand still for a tenth of it."""


class Stillness:
    """The longest time that the loop stood still while the block ran."""

    async def __aenter__(self):
        self.worst_s = 0.0
        self._task = asyncio.ensure_future(self._look())
        return self

    async def _look(self):
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.05)
            self.worst_s = max(self.worst_s, time.monotonic() - before - 0.05)

    async def __aexit__(self, *_):
        self._task.cancel()
        await asyncio.wait({self._task})


def _tear_down(chance):
    """One life of a loop with a device on it, both ended at a random moment; returns the bus."""
    bus = SimulatedBus()
    device = UsbDevice(Description(3, "P-1"), lambda _: None)
    bus.plug(device, "1-2")
    losses = []
    loop = asyncio.new_event_loop()
    port = None

    async def live():
        nonlocal port
        port = UsbTransport(UsbAddress.parse(USB_PATH), bus, lambda _: None, lambda *loss: losses.append(loss))
        opening = asyncio.ensure_future(port.open())
        if chance.random() < 0.2:
            await asyncio.sleep(chance.uniform(0, 0.002))
            return opening  # the loop ends in the middle of an open
        await opening
        port.write(b"x" * chance.randint(1, 2000))
        device.write(b"y" * chance.randint(1, 500))
        pulled = threading.Timer(chance.uniform(0, 0.01), bus.unplug, (device,))
        pulled.start()
        await asyncio.sleep(chance.uniform(0, 0.01))
        if chance.random() < 0.3:
            await port.close(chance.uniform(0, 0.02))
        return pulled

    started = time.monotonic()
    left = loop.run_until_complete(live())
    if isinstance(left, asyncio.Task):
        left.cancel()
        loop.run_until_complete(asyncio.wait({left}))
    loop.close()
    if isinstance(left, threading.Timer):
        left.join()
    assert time.monotonic() - started < 10
    assert len(losses) <= 1
    return bus


@pytest.mark.parametrize(
    "cycles",
    [
        pytest.param(300, id="short"),
        pytest.param(10_000, id="full", marks=[pytest.mark.full, pytest.mark.timeout(1800)]),
    ],
)
def test_usb_teardown(cycles, monkeypatch):
    """Unplugged and closed at random with a read in flight: no crash, no hang, and neither handles nor threads stay."""
    monkeypatch.setattr("drivers.transport.usb_owner.READ_TIMEOUT_S", 0.005)
    monkeypatch.setattr("drivers.transport.usb_owner.WRITE_TIMEOUT_S", 0.05)
    chance, threads = random.Random(cycles), threading.active_count()
    crashed = []
    monkeypatch.setattr(threading, "excepthook", crashed.append)
    buses = []
    for _ in range(cycles):
        buses.append(_tear_down(chance))
        end = time.monotonic() + 10
        while threading.active_count() > threads + 20:
            assert time.monotonic() < end, "threads pile up"
            time.sleep(0.005)
    end = time.monotonic() + 10
    while threading.active_count() > threads:
        assert time.monotonic() < end, threading.enumerate()
        time.sleep(0.01)
    assert not crashed
    assert sum(len(bus.handles) for bus in buses) == 0
    assert sum(bus.calls["bulk_read"] for bus in buses) > cycles / 2, "reads were in flight"


@pytest.mark.parametrize("swap", ["links exchanged", "renumbered"])
async def test_the_wrong_device_behind_the_right_name(tmp_path, tiny_device, swap):
    """Two devices of one model come back behind each other's names: each is refused, and no report is under the wrong name."""
    serials, fars, owners, sessions = ("P-1", "P-2"), [], [], []
    for serial in serials:
        far = TtyDevice(tmp_path / f"by-id-{serial}", tiny_device, identity=replace(PROGRESSIVE, serial=serial))
        far.plug()
        fars.append(far)
        owners.append(Recorder())
        sessions.append(session_on(far.path, owners[-1], name=serial, serial=serial))
    async with running(sessions[0]), running(sessions[1]):
        for owner in owners:
            await until(lambda owner=owner: owner.bodies(events.DeviceOnline), "online")
        for far in fars:
            far.device.report(DoorOpened())
        for owner in owners:
            await until(lambda owner=owner: len(owner.counters) == 1, "a report each")
        paths = [far.path for far in fars]
        if swap == "links exchanged":
            for far in fars:
                far.unplug()
            fars[0].path, fars[1].path = paths[1], paths[0]
            for far in fars:
                far.plug()
        else:  # the kernel gives the old number to the other device while the first one's node is still held open
            held = os.open(paths[0].resolve(), os.O_RDWR | os.O_NOCTTY)
            for far in fars:
                far.unplug()
            fars[1].path = paths[0]
            fars[1].plug()
        for far in fars:
            if far.fd >= 0:
                far.device.link.report(DoorOpened(), 1000)
        await until(lambda: sessions[0].state is SessionState.REJECTED, "the first is refused")
        if swap == "links exchanged":
            await until(lambda: sessions[1].state is SessionState.REJECTED, "the second is refused")
        else:
            os.close(held)
            await until(lambda: sessions[1].state is SessionState.ABSENT, "the second is away")
        rejected = owners[0].bodies(events.DeviceRejected)
        assert [body.reason for body in rejected] == ["auth_wrong_device"]
        assert "P-2" in rejected[0].detail
        for serial, owner in zip(serials, owners, strict=True):
            told = {d.origin.serial for d in owner.deliveries if d.origin is not None}
            assert told == {serial}
            assert len(owner.counters) == 1
    for far in fars:
        if far.fd >= 0:
            far.unplug()


async def test_the_wrong_device_behind_the_right_name_on_usb(tiny_device):
    """The same with two sockets exchanged: model and driver are right, so only serial number and socket can tell."""
    bus, gadgets, owners, sessions = SimulatedBus(), [], [], []
    for n in (1, 2):
        gadget = UsbGadget(bus, tiny_device, f"P-{n}", identity=replace(PROGRESSIVE, serial=f"P-{n}"))
        gadget.plug(f"1-{n}")
        gadgets.append(gadget)
        owners.append(Recorder())
        sessions.append(session_on(f"usb:1209:0003/P-{n}@1-{n}", owners[-1], bus, name=f"P-{n}", serial=f"P-{n}"))
    async with running(sessions[0]), running(sessions[1]):
        for owner in owners:
            await until(lambda owner=owner: owner.bodies(events.DeviceOnline), "online")
        claims = bus.calls["claim_interface"]
        for gadget in gadgets:
            gadget.unplug()
        for n, gadget in zip((2, 1), gadgets, strict=True):
            gadget.plug(f"1-{n}")
            gadget.device.link.report(DoorOpened(), 1000)
        for session, owner in zip(sessions, owners, strict=True):
            await until(lambda session=session: session.state is SessionState.REJECTED, "refused")
            assert owner.bodies(events.DeviceRejected)[0].reason == Fault.AUTH_WRONG_DEVICE
            assert owner.counters == []
        assert bus.calls["claim_interface"] == claims, "neither was opened"
        gadgets[1].unplug()
    moved = Recorder()
    async with running(session_on("usb:1209:0003/P-1@1-1", moved, bus)) as _:
        await until(lambda: moved.bodies(events.DeviceRejected), "the first is found in the other's socket")
    assert [body.reason for body in moved.bodies(events.DeviceRejected)] == [Fault.AUTH_WRONG_PORT]
    gadgets[0].unplug()
    await until(lambda: not bus.handles, "all handles are given back")


async def test_pool_exhaustion(tmp_path, recorder, tiny_device, monkeypatch):
    """Eight ports whose driver never answers take nothing from the ninth device."""
    letting_go = threading.Event()
    real = serial_module._Port.open

    def held(port):
        if "dead" in str(port.port):
            letting_go.wait(HELD_S * 4)
        real(port)

    monkeypatch.setattr(serial_module._Port, "open", held)
    bus, gadgets = SimulatedBus(), []
    bus.at("open_device", lambda: letting_go.wait(HELD_S * 4), times=4)
    dead = [session_on(tmp_path / f"dead-{n}", Recorder(), kind=DeviceKind.SHOE) for n in range(4)]
    for n in range(1, 5):
        gadgets.append(UsbGadget(bus, tiny_device, f"P-{n}"))
        gadgets[-1].plug(f"1-{n}")
        dead.append(session_on(f"usb:1209:0003/P-{n}@1-{n}", Recorder(), bus))
    tasks = [asyncio.ensure_future(session.run()) for session in dead]
    await until(lambda: bus.calls["open_device"] == 4, "all eight are stuck")
    far = TtyDevice(tmp_path / "alive", tiny_device)
    far.plug()
    session = session_on(far.path, recorder)
    started = time.monotonic()
    async with running(session), Stillness() as still:
        await until(lambda: recorder.bodies(events.DeviceOnline), "the ninth is online", HELD_S - 1.0)
    assert time.monotonic() - started < HELD_S
    assert still.worst_s < HELD_S / 10
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    letting_go.set()
    far.unplug()
    for gadget in gadgets:
        gadget.unplug()
    await until(lambda: not bus.handles, "all handles are given back")
