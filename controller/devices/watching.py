"""Follows a device at its port by hand: for `device record` and `device monitor`."""

import asyncio
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

from controller.devices.port import PortTrouble, on_port, why_unavailable
from drivers.catalog import Codec
from drivers.conformance.bare_host import BareHost
from drivers.device import DeviceConfig
from drivers.errors import PortUnavailable
from drivers.keys import KeyRefused
from drivers.protocol.host.events import HostEvent
from drivers.protocol.messages import Bye, Welcome
from drivers.protocol.reports import DeviceKind
from drivers.recording.follow import Follower
from drivers.recording.tap import Recorder

HELLO_S, HELLO_TRIES = 1.0, 4
STATE_LOOK_S = 0.2


def who_is_there(path: str, baud: int, speaks: Codec, key_file: Path | None = None) -> DeviceConfig:
    """Returns the device at this port as a configuration, by its own word. Raises `PortTrouble`."""
    name = os.path.basename(path) or "port"
    if speaks is not Codec.TDP:
        kind = DeviceKind.LINE if speaks is Codec.LINE else DeviceKind.SHOE
        return DeviceConfig(name, kind, path, baud=baud, accept_test_only=True, speaks=speaks)

    async def ask(host: BareHost) -> Welcome | None:
        welcome = await host.greet(HELLO_S, HELLO_TRIES)
        if welcome is not None:
            host.send(Bye())
        return welcome

    welcome = on_port(path, baud, ask)
    if welcome is None:
        raise PortTrouble(f"{path}: nobody answers; `tablewarden device probe {path}` says more")
    who = welcome.identity
    return DeviceConfig(name, who.kind, path, who.serial, baud, accept_test_only=True, key_file=key_file)


def follow(
    config: DeviceConfig,
    on_event: Callable[[HostEvent], None],
    *,
    make_recorder: Callable[[Callable[[], float]], Recorder] | None = None,
    for_s: float | None = None,
    acknowledges: bool = False,
) -> str:
    """Follows a device until a signal, for so many seconds, or until its recording stops; returns why it stopped,
    "" = on request.

    `make_recorder(clock)`: for a recording of the wire. Raises `PortTrouble`.
    """

    async def run() -> str:
        loop = asyncio.get_running_loop()
        recorder = make_recorder(loop.time) if make_recorder else None
        follower = Follower(
            config,
            entropy=os.urandom,
            rng=random.Random(),  # noqa: S311  (it varies waits only)
            on_event=on_event,
            recorder=recorder,
            acknowledges=acknowledges,
        )
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        following = asyncio.create_task(follower.run())
        stopping = asyncio.create_task(_stopped(stop, recorder))
        try:
            await asyncio.wait({following, stopping}, timeout=for_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (following, stopping):
                task.cancel()
            ends = await asyncio.gather(following, stopping, return_exceptions=True)
        if isinstance(ends[0], PortUnavailable):
            raise PortTrouble(why_unavailable(ends[0])) from ends[0]
        if isinstance(ends[0], KeyRefused):
            raise PortTrouble(str(ends[0])) from ends[0]
        if isinstance(ends[0], Exception):
            raise ends[0]
        return recorder.writer.state if recorder and recorder.writer.state.startswith("stopped") else ""

    return asyncio.run(run())


async def _stopped(stop: asyncio.Event, recorder: Recorder | None) -> None:
    """Waits until a person wants the end, or nothing can be recorded any more."""
    while not stop.is_set():
        if recorder is not None and recorder.writer.state.startswith("stopped"):
            return
        await asyncio.sleep(STATE_LOOK_S)
