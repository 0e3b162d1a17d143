"""A host for a recording: a link end and nothing above it. It judges nobody, asks for no level, and tells what it hears.

The session of a table rejects what is not in the device table, and has an owner that makes reports durable. A recording or
a watch on a bench needs neither.
"""

import asyncio
import contextlib
import random
from collections.abc import Callable

from drivers.device import DeviceConfig
from drivers.errors import Fault, PortUnavailable
from drivers.protocol.chain import Place
from drivers.protocol.host.events import Failed, HostEvent, Reported
from drivers.recording.tap import Recorder
from drivers.session.assembly import TransportFactory, counts_itself, device_transport, link_end, tapped
from drivers.session.backoff import Backoff
from drivers.session.pump import Pump


class Follower:
    """One device from `run` on, until that is cancelled. `on_event`: each event of the link, also of its failures.

    `acknowledges`: tells the device that its reports are kept. Without it a device sends no more than a window of them, and
    the daemon finds all of them later.
    """

    def __init__(
        self,
        config: DeviceConfig,
        *,
        entropy: Callable[[int], bytes],
        rng: random.Random,
        on_event: Callable[[HostEvent], None],
        recorder: Recorder | None = None,
        acknowledges: bool = False,
        transport_factory: TransportFactory = device_transport,
    ) -> None:
        self._config, self._entropy, self._recorder = config, entropy, recorder
        self._on_event, self._acknowledges = on_event, acknowledges
        self._backoff = Backoff(rng)
        self._transport = tapped(transport_factory, recorder)(config, self._on_data, self._on_lost)
        self._kept = None if counts_itself(config) else link_end(config, entropy, None, recorder)
        self._pump: Pump | None = None
        self._ended: asyncio.Future[None] | None = None
        self._last: Place | None = None

    async def run(self) -> None:
        """Raises `PortUnavailable` where the port cannot be had at first; later it is waited for."""
        open_s = await self._once()
        while True:
            await asyncio.sleep(self._backoff.wait_s(open_s))
            open_s = 0.0
            with contextlib.suppress(PortUnavailable):
                open_s = await self._once()

    async def _once(self) -> float:
        """One connection, from open to close. Returns for how many seconds it was open."""
        await self._transport.open()
        loop = asyncio.get_running_loop()
        began, self._ended = loop.time(), loop.create_future()
        link = self._kept or link_end(self._config, self._entropy, self._last, self._recorder)
        self._pump = Pump(link, write=self._transport.write, handle=self._handle, fail=self._fail)
        try:
            self._pump.start()
            await self._ended
        finally:
            pump, self._pump = self._pump, None
            if pump is not None:
                pump.call(lambda link, now: link.bye(now))
                pump.stop()
            await self._transport.close()
        return loop.time() - began

    def _on_data(self, data: bytes) -> None:
        if self._pump is not None:
            self._pump.feed(data)

    def _on_lost(self, fault: Fault, detail: str) -> None:
        if fault is not Fault.LINK_CLOSED:
            self._on_event(Failed(fault, detail))
        self._over()

    def _handle(self, event: HostEvent) -> None:
        self._on_event(event)
        match event:
            case Reported(boot, counter, chain=chain) if self._acknowledges and self._pump is not None:
                self._last = Place(boot, counter, chain)
                self._pump.call(lambda link, now: link.acknowledge(boot, counter, now))
            case Failed():
                self._over()

    def _over(self) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)

    def _fail(self, error: Exception) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_exception(error)
