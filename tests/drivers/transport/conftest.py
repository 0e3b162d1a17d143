"""Wires for the conformance suite: one face over an in-process cable, a pseudo-terminal, socat,
ser2net, and a USB bus.

The far side of each wire reads only when the test asks, so a test that does not read is a peer that takes nothing.
"""

import asyncio
import contextlib
import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest

from drivers.device import DeviceConfig
from drivers.errors import Fault
from drivers.protocol.reports import DeviceKind
from drivers.recording.tap import TappedTransport, recorder_in
from drivers.transport import (
    LoopbackCable,
    SerialSettings,
    SerialTransport,
    Transport,
    UsbAddress,
    UsbIpBus,
    UsbTransport,
)
from simulators.cable.cable import Cable
from simulators.cable.wire import Wire
from simulators.usb.bus import SimulatedBus
from simulators.usb.descriptors import Description
from simulators.usb.device import UsbDevice
from simulators.usb.port import UsbPort
from simulators.usb.usbip import Exported

DEADLINE_S = 10.0
PATH_WITH_SBIN = {**os.environ, "PATH": os.environ.get("PATH", "") + ":/usr/sbin"}


async def until(condition: Callable[[], object], what: str) -> None:
    """Returns when `condition()` is true; fails after ten seconds."""
    end = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end, f"not within {DEADLINE_S} s: {what}"
        await asyncio.sleep(0.002)


class Owner:
    """Records what a transport tells its owner, in order."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.losses: list[tuple[Fault, str]] = []
        self.after_loss = bytearray()

    def on_data(self, data: bytes) -> None:
        assert data, "an empty read was handed over"
        (self.after_loss if self.losses else self.data).extend(data)

    def on_lost(self, fault: Fault, detail: str) -> None:
        self.losses.append((fault, detail))


class LoopbackWire:
    """The in-process cable; the far side is the cable's device end, paused except while the test reads."""

    has_kernel = False

    def __init__(self, _: Path) -> None:
        self.cable = LoopbackCable()
        self.got = bytearray()
        self.far = self.cable.device(self.got.extend, lambda *_: None)

    async def start(self) -> None:
        await self.far.open()
        self.far.pause_reading()

    def transport(self, owner: Owner) -> Transport:
        return self.cable.host(owner.on_data, owner.on_lost)

    async def far_write(self, data: bytes) -> None:
        for start in range(0, len(data), 1024):
            self.far.write(data[start : start + 1024])
            await self.far.drain()

    async def far_read(self, size: int) -> bytes:
        self.far.resume_reading()
        await until(lambda: len(self.got) >= size, f"{size} bytes at the far side, got {len(self.got)}")
        self.far.pause_reading()
        taken = bytes(self.got[:size])
        del self.got[:size]
        return taken

    async def hang_up(self) -> None:
        self.cable.unplug()

    async def plug(self) -> None:
        await self.far.close()
        self.cable.plug()
        await self.start()

    async def stop(self) -> None:
        await self.far.close(0)


class _DescriptorWire:
    """Far side is a non-blocking descriptor; the near side is a tty behind a symlink that stays the same."""

    has_kernel = True

    def __init__(self, folder: Path) -> None:
        self.path = folder / "port"
        self.fd = -1

    def transport(self, owner: Owner) -> SerialTransport:
        return SerialTransport(str(self.path), SerialSettings(), owner.on_data, owner.on_lost)

    async def far_write(self, data: bytes) -> None:
        left = data

        def push() -> bool:
            nonlocal left
            with contextlib.suppress(BlockingIOError):
                left = left[os.write(self.fd, left) :]
            return not left

        await until(push, "the wire takes what the far side writes")

    async def far_read(self, size: int) -> bytes:
        got = bytearray()

        def pull() -> bool:
            with contextlib.suppress(BlockingIOError):
                got.extend(os.read(self.fd, size - len(got)))
            return len(got) >= size

        await until(pull, f"{size} bytes at the far side, got {bytes(got)!r}")
        return bytes(got)

    def far_rest(self) -> bytes:
        """What else has come to the far side; for a check that nothing has."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self.fd, 65536)
        return b""


class PtyWire(_DescriptorWire):
    """A pseudo-terminal as the kernel makes it: cooked, echoing."""

    async def start(self) -> None:
        self.fd, slave = os.openpty()
        os.set_blocking(self.fd, False)
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(slave))
        os.close(slave)

    async def hang_up(self) -> None:
        os.close(self.fd)
        self.path.unlink()
        self.fd = -1

    async def plug(self) -> None:
        await self.start()

    async def stop(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)


class TappedWire(PtyWire):
    """The same with a tap in it that writes to a disk: to the owner it must be no other wire."""

    def transport(self, owner: Owner) -> Transport:  # type: ignore[override]
        config = DeviceConfig("shoe-1", DeviceKind.SHOE, str(self.path))
        recorder = recorder_in(self.path.parent / "wire", config, "tests", asyncio.get_running_loop().time)
        return TappedTransport(
            lambda on_data, on_lost: SerialTransport(str(self.path), SerialSettings(), on_data, on_lost),
            recorder,
            str(self.path),
            owner.on_data,
            owner.on_lost,
        )


class SocatWire(_DescriptorWire):
    """socat between a pseudo-terminal and a socket of the test; killing socat pulls the plug."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        address = str(self.folder / "far")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(address)
            server.listen()
            server.setblocking(False)
            self.process = subprocess.Popen(
                ["socat", f"PTY,link={self.path}", f"UNIX-CONNECT:{address}"], stderr=subprocess.DEVNULL
            )
            far, _ = await asyncio.wait_for(asyncio.get_running_loop().sock_accept(server), DEADLINE_S)
        os.unlink(address)
        far.setblocking(False)
        self.fd = far.detach()
        await until(self.path.exists, "socat makes its link")

    async def hang_up(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.process = None
        os.close(self.fd)
        self.fd = -1
        self.path.unlink()

    async def plug(self) -> None:
        await self.start()

    async def stop(self) -> None:
        if self.process is not None:
            await self.hang_up()


class Ser2netWire(_DescriptorWire):
    """A port server by others: one ser2net has the device's port, another one gives the host a tty of it over a socket."""

    protocol = ""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder
        self.slave = self.held = -1
        self.processes: list[subprocess.Popen[bytes]] = []

    async def start(self) -> None:
        self.fd, self.slave = os.openpty()
        os.set_blocking(self.fd, False)
        socket_path, device = self.folder / "net", os.ttyname(self.slave)
        self._serve("device", f"{self.protocol}unix,{socket_path}", f"serialdev,{device},115200n81,local")
        await until(socket_path.exists, "the port server listens")
        self._serve("host", f"conacc,pty(link={self.path},raw)", f"{self.protocol}unix,{socket_path}")
        await until(self.path.exists, "the host has its tty")
        await until(lambda: self._has_open(device), "the port server has the device's port")
        # A real tty stays when it is closed; this one would be a hang-up, at which ser2net throws away what it has.
        self.held = os.open(self.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def _serve(self, name: str, accepter: str, connector: str) -> None:
        config = self.folder / f"{name}.yaml"
        config.write_text(f"connection: &{name}\n  accepter: {accepter}\n  connector: {connector}\n")
        command = ["ser2net", "-n", "-c", str(config), "-P", str(self.folder / f"{name}.pid")]
        self.processes.append(subprocess.Popen(command, stderr=subprocess.DEVNULL, env=PATH_WITH_SBIN))

    def _has_open(self, device: str) -> bool:
        """True once the first port server has opened the port, which it does when it is connected to."""
        folder = f"/proc/{self.processes[0].pid}/fd"
        with contextlib.suppress(OSError):
            return any(os.readlink(f"{folder}/{fd}") == device for fd in os.listdir(folder))
        return False

    async def hang_up(self) -> None:
        while self.processes:
            process = self.processes.pop()
            process.kill()
            process.wait()
        for descriptor in (self.fd, self.slave, self.held):
            os.close(descriptor)
        self.fd = -1
        self.path.unlink(missing_ok=True)
        (self.folder / "net").unlink(missing_ok=True)

    async def plug(self) -> None:
        await self.start()

    async def stop(self) -> None:
        if self.fd >= 0:
            await self.hang_up()


class Rfc2217Wire(Ser2netWire):
    """The same with RFC 2217 on the socket: telnet, which doubles a byte and keeps others for itself."""

    protocol = "telnet(rfc2217),"


USB = UsbAddress.parse("usb:1209:0001/S-1@1-2.3")


class UsbWire:
    """A device on a bus in this process; each time it is plugged in it has another address."""

    has_kernel = False

    def __init__(self, _: Path) -> None:
        self.bus = SimulatedBus()
        self.device = UsbDevice(Description(USB.product, USB.serial), pads=False)
        self.got = bytearray()

    async def start(self) -> None:
        self.bus.plug(self.device, USB.place)

    def transport(self, owner: Owner) -> Transport:
        return UsbTransport(USB, self.bus, owner.on_data, owner.on_lost)

    def _has_room(self, size: int) -> bool:
        return self.device.room >= size

    async def far_write(self, data: bytes) -> None:
        for start in range(0, len(data), 1000):
            part = data[start : start + 1000]
            await until(partial(self._has_room, len(part)), "room in the device")
            self.device.write(part)

    async def far_read(self, size: int) -> bytes:
        def pull() -> bool:
            self.got += self.device.read()
            return len(self.got) >= size

        await until(pull, f"{size} bytes at the far side, got {len(self.got)}")
        taken = bytes(self.got[:size])
        del self.got[:size]
        return taken

    async def hang_up(self) -> None:
        self.bus.unplug(self.device)

    async def plug(self) -> None:
        await self.start()

    async def stop(self) -> None:
        await until(lambda: not self.bus.handles, "the device is given back")


class UsbIpWire(UsbWire):
    """The same device behind a USB/IP server on a Unix socket, which is all that the host sees of it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.port = UsbPort(folder / "bus", Exported(self.device, USB.place), Cable(Wire([], Random(0))))
        self.address = replace(USB, usbip=str(self.port.link))

    def transport(self, owner: Owner) -> Transport:
        return UsbTransport(self.address, UsbIpBus(self.address.usbip), owner.on_data, owner.on_lost)

    async def start(self) -> None:
        self.port.plug()

    async def hang_up(self) -> None:
        self.port.unplug()

    async def stop(self) -> None:
        self.port.unplug()
        await asyncio.sleep(0)


class Ticker:
    """Measures the longest time that the loop stood still."""

    def __init__(self) -> None:
        self._worst = 0.0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.02)
            self._worst = max(self._worst, time.monotonic() - before - 0.02)

    async def stop(self) -> float:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait({self._task})
        return self._worst


AnyWire = LoopbackWire | PtyWire | SocatWire | Ser2netWire | UsbWire
_WIRES: dict[str, Callable[[Path], AnyWire]] = {
    "loopback": LoopbackWire,
    "pty": PtyWire,
    "tapped": TappedWire,
    "socat": SocatWire,
    "ser2net": Ser2netWire,
    "rfc2217": Rfc2217Wire,
    "usb": UsbWire,
    "usbip": UsbIpWire,
}


@pytest.fixture(params=list(_WIRES))
async def wire(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[AnyWire]:
    """Each kind of wire in turn."""
    made = _WIRES[request.param](tmp_path)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture(params=["pty", "socat"])
async def tty_wire(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[PtyWire | SocatWire]:
    """The wires with a kernel's tty in them."""
    made = _WIRES[request.param](tmp_path)
    assert isinstance(made, PtyWire | SocatWire)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def pty_wire(tmp_path: Path) -> AsyncIterator[PtyWire]:
    """A plain pseudo-terminal."""
    made = PtyWire(tmp_path)
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
def owner() -> Owner:
    return Owner()


@pytest.fixture
def ticker() -> Ticker:
    return Ticker()


@pytest.fixture(name="until")
def until_fixture() -> Callable[..., object]:
    return until
