"""What the operating system under the daemon can do wrong: errors of calls, ports that block, names that lead astray."""

import asyncio
import contextlib
import errno
import fcntl
import os
import resource
import termios
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import serial.serialposix

import drivers.transport.serial as transport
from controller.cli.arguments import LARGEST
from controller.publish.publisher import NotParked
from tests.faults.machine import Device
from tests.faults.rig import Rig
from tests.faults.verbs import Given, Undo, verb

IO_ERROR = OSError(errno.EIO, os.strerror(errno.EIO))


class _System:
    """A module of the standard library with one call in its place."""

    def __init__(self, module: Any, **calls: Callable[..., Any]) -> None:
        self._module, self._calls = module, calls

    def __getattr__(self, name: str) -> Any:
        return self._calls.get(name) or getattr(self._module, name)


def _instead(place: Any, name: str, module: Any, **calls: Callable[..., Any]) -> Undo:
    """Puts calls in the place of a module's own; undone in the order of last come, first gone, or at once twice."""
    before = getattr(place, name)
    setattr(place, name, _System(before, **calls))
    return lambda: setattr(place, name, module)


def _fd(device: Device) -> int:
    return int(device.session._transport._fd)  # type: ignore[attr-defined]


class _Failing:
    """A call that fails at the device's port, and at no other; `met`: it has."""

    def __init__(self, device: Device, call: Callable[..., Any]) -> None:
        self.met = False
        self._device, self._call = device, call

    def __call__(self, fd: int, *given: Any) -> Any:
        if fd == _fd(self._device):
            self.met = True
            raise IO_ERROR
        return self._call(fd, *given)


@verb
async def eio_read(rig: Rig, device: Device, given: Given) -> None:
    """The next read of the port fails; the port itself is good."""
    await _until_failed(rig, read=_Failing(device, os.read))


@verb
async def eio_write(rig: Rig, device: Device, given: Given) -> None:
    """The next write to the port fails."""
    await _until_failed(rig, write=_Failing(device, os.write))


async def _until_failed(rig: Rig, **calls: _Failing) -> None:
    undo = _instead(transport, "os", os, **calls)
    try:
        await rig.until(lambda: all(call.met for call in calls.values()), "the error was met")
    finally:
        undo()


@verb
async def line_stopped(rig: Rig, device: Device, given: Given) -> Undo:
    """The tty takes nothing more: each write says try again later."""
    slave = device.simulator.port._slave
    termios.tcflow(slave, termios.TCOOFF)

    def go_on() -> None:
        if device.simulator.port._slave == slave:
            termios.tcflow(slave, termios.TCOON)

    return go_on


@verb
async def open_fails(rig: Rig, device: Device, given: Given) -> Undo:
    """Opening the port fails with each of `errors` once, then for `s` seconds with the last one."""
    errors = [getattr(errno, name) for name in given["errors"].split(",")]
    last, until_s = errors[-1], float(given.get("s", "0"))
    began = rig.loop.time()

    def fails(path: str, *more: Any, **named: Any) -> int:
        if str(path) == device.config.path:
            if errors:
                code = errors.pop(0)
                raise OSError(code, os.strerror(code), path)
            if rig.loop.time() < began + until_s:
                raise OSError(last, os.strerror(last), path)
        return os.open(path, *more, **named)

    return _instead(serial.serialposix, "os", os, open=fails)


@verb
async def held_by_another(rig: Rig, device: Device, given: Given) -> Undo:
    """While the daemon has lost the port, another program takes it and locks it."""
    await eio_read(rig, device, {})
    fd = os.open(device.config.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            await asyncio.sleep(0.01)
    return lambda: os.close(fd)


@verb
async def close_blocks(rig: Rig, device: Device, given: Given) -> Undo:
    """The driver holds the next close of this port for `s` seconds."""
    gate = threading.Event()
    honest = transport._release
    mine = _fd(device)

    def slow(port: Any, wait_until: float) -> None:
        if port.is_open and port.fileno() == mine:
            gate.wait()
        honest(port, wait_until)

    transport._release = slow
    rig.loop.patient_threads.add("port close")
    rig.loop.call_later(float(given["s"]), gate.set)

    def undo() -> None:
        gate.set()
        transport._release = honest
        rig.loop.patient_threads.discard("port close")

    return undo


@verb
async def tcsetattr_fails(rig: Rig, device: Device, given: Given) -> Undo:
    """The line cannot be configured."""

    def fails(*_: Any) -> None:
        raise termios.error(errno.EIO, os.strerror(errno.EIO))

    return _instead(transport, "termios", termios, tcsetattr=fails)


@verb
async def descriptors_used_up(rig: Rig, device: Device, given: Given) -> Undo:
    """The process may not have another descriptor."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@verb
async def executor_full(rig: Rig, device: Device, given: Given) -> Undo:
    """Every thread of the loop's own pool is busy for ever."""
    pool, gate = ThreadPoolExecutor(2), threading.Event()
    rig.loop.set_default_executor(pool)
    for _ in range(20):
        pool.submit(gate.wait)

    def undo() -> None:
        gate.set()
        pool.shutdown()
        rig.loop._default_executor = None  # type: ignore[attr-defined]

    return undo


@verb
async def topic_denied(rig: Rig, device: Device, given: Given) -> Undo:
    """The broker refuses each publish to `topic`; once that is mended somebody has all released that was set aside."""
    stream = given["topic"].rpartition("/")[2]
    rig.broker.denied.add(given["topic"])

    async def mended() -> None:
        rig.broker.denied.clear()
        with contextlib.suppress(NotParked):
            await rig.publisher.release(stream, 1, LARGEST)

    return mended


def _point(link: Path, to: str) -> None:
    fresh = link.with_name(f"{link.name}.new")
    fresh.symlink_to(to)
    fresh.replace(link)


@verb
async def cables_swapped(rig: Rig, device: Device, given: Given) -> Undo:
    """Both cables come out and go back in the other way round."""
    other = rig.devices[given["with"]]
    mine, theirs = Path(device.config.path), Path(other.config.path)
    device.simulator.unplug()
    other.simulator.unplug()
    await asyncio.sleep(0.5)
    device.simulator.replug()
    other.simulator.replug()
    _swap(mine, theirs)

    def back() -> None:
        _swap(mine, theirs)

    return back


def _swap(one: Path, another: Path) -> None:
    first, second = os.readlink(one), os.readlink(another)
    _point(one, second)
    _point(another, first)


@verb
async def name_leads_elsewhere(rig: Rig, device: Device, given: Given) -> Undo:
    """The name of the port leads to a device of the same kind that belongs to another table."""
    stranger = await rig.stranger(device)
    mine = Path(device.config.path)
    own = os.readlink(mine)
    _point(mine, os.readlink(stranger.config.path))
    await eio_read(rig, device, {})
    return lambda: _point(mine, own)


@verb
async def renumbered(rig: Rig, device: Device, given: Given) -> Undo:
    """The device is there anew under the same name; the old terminal is still open, and silent."""
    port = device.simulator.port
    port.pause()
    old = port._master, port._slave
    device.is_read = False  # nobody is at the other end of what the host has open
    port._master = port._slave = -1
    port.plug()

    def close() -> None:
        for fd in old:
            os.close(fd)

    return close
