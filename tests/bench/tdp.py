"""TDP/1's own rate: a device that reports as fast as the window of unacknowledged reports lets it."""

import asyncio
import os
import secrets
import shutil
import tempfile
import time
import tty
from pathlib import Path

from drivers.protocol.constants import UNACKED_WINDOW
from drivers.protocol.device.link import Acknowledged, DeviceLink, HostFound
from drivers.protocol.messages import Identity
from drivers.protocol.reports import (
    ENGAGED,
    SIMULATED_VENDOR,
    Button,
    ButtonPressed,
    Capability,
    DeviceKind,
    Levels,
)
from tests.bench.broker import Mosquitto
from tests.bench.daemon import command
from tests.bench.listener import listen

PATIENCE_S = 60.0
SETTLE_S = 0.5
TICK_S = 0.05


class BusyDevice:
    """A progressive unit at the far end of a terminal; somebody presses its button without end."""

    def __init__(self, master: int, link: DeviceLink) -> None:
        self._master, self._link = master, link
        self.found, self.acknowledged, self.reported = asyncio.Event(), 0, 0
        self._wanted = 0
        self._done = asyncio.Event()
        self._ticking = asyncio.create_task(self._tick())
        asyncio.get_running_loop().add_reader(master, self._readable)

    async def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._master)
        self._ticking.cancel()
        await asyncio.gather(self._ticking, return_exceptions=True)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._link.tick(time.monotonic())
            self._fill()

    async def press(self, count: int) -> None:
        """Returns when that many reports are acknowledged."""
        self._wanted = self.reported + count
        self._done.clear()
        self._fill()
        async with asyncio.timeout(PATIENCE_S):
            await self._done.wait()

    def _readable(self) -> None:
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return
        for event in self._link.receive(data, time.monotonic()):
            match event:
                case HostFound():
                    self.found.set()
                case Acknowledged(counter=counter):
                    self.acknowledged = counter
        self._fill()

    def _fill(self) -> None:
        while self.reported < self._wanted and self.reported - self.acknowledged < UNACKED_WINDOW:
            self.reported = self._link.report(ButtonPressed(Button.GREEN), self.reported)
        if data := self._link.data_to_send():
            os.write(self._master, data)
        if self._wanted and self.acknowledged >= self._wanted:
            self._done.set()


def busy_link() -> DeviceLink:
    identity = Identity(
        DeviceKind.PROGRESSIVE, SIMULATED_VENDOR, "sim-progressive", "bench", "SIM-BENCH", "1",
        capabilities=(Capability.LOCKOUT, Capability.SENSES_WAGERS, Capability.EVENT_LOG),
    )  # fmt: skip
    link = DeviceLink(identity, boot=secrets.randbits(63), entropy=secrets.token_bytes)
    link.set_levels(Levels(lockout=ENGAGED))
    return link


async def tdp_rate(count: int) -> dict[str, float]:
    """Reports a second from a device that never rests, each durable, acknowledged and delivered; and how many were lost."""
    work = Path(tempfile.mkdtemp(prefix="figures-"))
    master, slave = os.openpty()
    tty.setraw(slave)
    seen: set[bytes] = set()
    try:
        async with Mosquitto() as broker:
            listener = await listen(
                broker.port,
                "tablewarden/#",
                lambda t, p: seen.add(p) if b'"button_pressed"' in p or b".button" in p else None,
            )
            process = await asyncio.create_subprocess_exec(
                *command(os.ttyname(slave), broker.port, work, "progressive"),
                stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            device = BusyDevice(master, busy_link())
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await device.found.wait()
                await asyncio.sleep(SETTLE_S)
                begin = time.monotonic()
                await device.press(count)
                took_s = time.monotonic() - begin
                await asyncio.sleep(SETTLE_S)
            finally:
                await device.close()
                process.terminate()
                await process.wait()
                assert listener.transport is not None
                listener.transport.close()
    finally:
        os.close(master)
        os.close(slave)
        shutil.rmtree(work, ignore_errors=True)
    return {"per_s": count / took_s, "window": float(UNACKED_WINDOW), "lost": float(count - len(seen))}
