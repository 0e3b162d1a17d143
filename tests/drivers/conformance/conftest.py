"""A simulated device under trial on an in-process cable, on virtual time; and switches for how its link end is broken."""

import asyncio
import random
from hashlib import sha256
from typing import Any

import pytest

from drivers.conformance.bare_host import BareHost
from drivers.conformance.run import CHECKS, run_checks
from drivers.protocol.messages import Identity
from drivers.protocol.reports import SIMULATED_VENDOR, ResetCause
from drivers.transport import LoopbackCable
from simulators.devices.model import DISPLAY_CHARS
from simulators.firmware import device as device_module
from simulators.firmware.device import SimulatedDevice
from simulators.scenario.faults import FaultBook
from tests.captures.scenes import KINDS, model_of

LEAST_S = 0.0001


class Bench:
    """One device of a kind. `link`: the class of its link end, None = the one that is right."""

    def __init__(self, kind="progressive", *, keeps_log=False, key=None, host_key=None, image=None):
        self.model = model_of(KINDS[kind], FaultBook(), keeps_log)
        identity = Identity(
            KINDS[kind], SIMULATED_VENDOR, f"simulated {kind}", "cable", f"SIM-{kind}-1", "1.0.0",
            sha256(image).digest() if image else bytes(32), capabilities=self.model.capabilities, display=DISPLAY_CHARS,
        )  # fmt: skip
        self.device = SimulatedDevice(
            self.model, identity, lambda *_: None, entropy=random.Random(8).randbytes, now=_now(), keeps_log=keeps_log,
            key=key, image=image,
        )  # fmt: skip
        self.cable = LoopbackCable()
        self.far = self.cable.device(self._to_device, lambda *_: None)
        self.host = BareHost(self.cable.host, entropy=random.Random(9).randbytes, key=host_key)
        self._timer = None

    async def __aenter__(self):
        await self.far.open()
        self.device.power_on(_now())
        self._settle()
        await self.host.__aenter__()
        return self

    async def __aexit__(self, *_):
        await self.host.__aexit__(None, None, None)
        if self._timer:
            self._timer.cancel()
        await self.far.close(0)

    async def switch_off_and_on(self, _):
        self.device.power_off(_now())
        await asyncio.sleep(3)
        self.device.power_on(_now(), ResetCause.POWER)
        self._settle()
        return True

    def _to_device(self, data):
        self.device.receive(data, _now())
        self._settle()

    def _settle(self):
        if data := self.device.data_to_send():
            self.far.write(data)
        if self._timer:
            self._timer.cancel()
        self._timer = None
        if (deadline := self.device.next_deadline()) is not None:
            at = max(deadline, _now() + LEAST_S)
            self._timer = asyncio.get_running_loop().call_at(at, self._tick)

    def _tick(self):
        self._timer = None
        self.device.tick(_now())
        self._settle()


@pytest.fixture
def trial(virtual, monkeypatch):
    """Tries a device: `trial(kind, link=..., names=..., reboot=...)` gives the results by the name of the check.

    `has_lived`: it was switched off and on before the trial.
    """

    def trial(
        kind="progressive", *, link=None, names=None, reboot=False, measured_by=None, has_lived=False, **given
    ):
        if link is not None:
            monkeypatch.setattr(device_module, "DeviceLink", link)
        results: list[Any] = []

        async def nobody(_):
            return False

        async def scene():
            async with Bench(kind, **given) as bench:
                if has_lived:
                    await bench.switch_off_and_on("")
                person = bench.switch_off_and_on if reboot else nobody
                chosen = [check for check in CHECKS if names is None or check.name in names]
                await run_checks(bench.host, results.append, person=person, image=measured_by, checks=chosen)

        virtual(scene())
        return {result.check.name: result for result in results}

    return trial


def _now():
    return asyncio.get_running_loop().time()
