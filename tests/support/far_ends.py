"""Far ends of real ports for the sessions' tests: a tiny device on a pseudo-terminal, and one behind a USB plug."""

import asyncio
import contextlib
import os
import random
import time
from collections.abc import AsyncIterator
from typing import Any

from drivers.device import DeviceConfig
from drivers.protocol.reports import DeviceKind
from drivers.session.session import DeviceSession
from drivers.transport import UsbAddress, UsbTransport
from simulators.usb.descriptors import Description
from simulators.usb.device import UsbDevice


class TtyDevice:
    """A tiny device at the far end of a pseudo-terminal, behind a link that stays the same when the pty changes."""

    def __init__(self, path, tiny_device, **about):
        self.path = path
        self.fd = -1
        self.device = tiny_device(self._write, **about)

    def plug(self):
        self.fd, slave = os.openpty()  # as the kernel makes it: cooked and echoing
        os.set_blocking(self.fd, False)
        self.path.symlink_to(os.ttyname(slave))
        os.close(slave)
        asyncio.get_running_loop().add_reader(self.fd, self._read)

    def unplug(self):
        asyncio.get_running_loop().remove_reader(self.fd)
        self.device.off()
        self.path.unlink()
        os.close(self.fd)
        self.fd = -1

    def _read(self):
        try:
            data = os.read(self.fd, 4096)
        except BlockingIOError:
            return
        except OSError:  # nobody has the other end open: stop looking for a moment, or we would spin
            loop = asyncio.get_running_loop()
            loop.remove_reader(self.fd)
            loop.call_later(0.05, self._look_again, self.fd)
            return
        self.device.feed(data)

    def _look_again(self, fd):
        if self.fd == fd:
            asyncio.get_running_loop().add_reader(self.fd, self._read)

    def _write(self, data):
        if self.fd >= 0:
            with contextlib.suppress(BlockingIOError):
                os.write(self.fd, data)


class UsbGadget:
    """A tiny device behind a USB plug."""

    def __init__(self, bus, tiny_device, serial="P-1", **about):
        loop = asyncio.get_running_loop()
        self.bus = bus
        what = Description(3, serial)

        def feed(data: bytes) -> None:
            loop.call_soon_threadsafe(self.device.feed, data)

        self.plug_of = UsbDevice(what, feed)
        self.device = tiny_device(self.plug_of.write, **about)

    def plug(self, place="1-2"):
        self.bus.plug(self.plug_of, place)

    def unplug(self):
        self.device.off()
        self.bus.unplug(self.plug_of)


def session_on(path, recorder, bus=None, **config):
    """A session on a tty, or on a bus where one is given."""
    defaults = {"name": "prog-1", "kind": DeviceKind.PROGRESSIVE, "path": str(path), "accept_test_only": True}

    def usb(config, on_data, on_lost):
        return UsbTransport(UsbAddress.parse(config.path), bus, on_data, on_lost, fill=b"\0")

    options: dict[str, Any] = {"transport_factory": usb} if bus is not None else {}
    return DeviceSession(
        DeviceConfig(**{**defaults, **config}),
        deliver=recorder.deliver,
        entropy=os.urandom,
        rng=random.Random(1),
        on_state=recorder.states.append,
        **options,
    )


@contextlib.asynccontextmanager
async def running(session) -> AsyncIterator[asyncio.Task[None]]:
    """The session runs while the block does, and ends by its cancellation and by nothing else."""
    task = asyncio.ensure_future(session.run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled(), task.exception()


async def until(condition, what, within_s=15.0):
    """Returns once `condition()` holds; fails after `within_s`."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, f"not within {within_s} s: {what}"
        await asyncio.sleep(0.01)
