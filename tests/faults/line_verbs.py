"""What a shoe that writes lines may write that is none of its lines: `says what=escapes times=20 apart=0.05`."""

import asyncio

from simulators.devices.model import ActImpossible
from tests.faults.machine import Device
from tests.faults.rig import Rig
from tests.faults.verbs import Given, verb

SAYINGS = {
    "long": "[Game]<" + "A" * 500 + ">",
    "endless": "x" * 5000,
    "nul": "[Game]<Ca\0rd:4S>",
    "escapes": "\x1b[2J\x1b]0;OK\x07[Game]<\x1b[31mAlarm:E1 \x1b[8mjam>",
    "markup": "[Game]<Alarm:E7 &lt;script&gt;alert(1)&lt;/script&gt;>",
    "names_cards": "[Service]<test of ace of spades, Card:KH, 4S 10D>",
    "other": "[Game]<Shuffle Complete>",
    "nested": "[Game]<Card:<Card:4S>>",
    "empty": "",
}
"""By name. None of them is a card."""


@verb
async def says(rig: Rig, device: Device, given: Given) -> None:
    """The shoe writes `what`, `times` times, `apart` s apart."""
    for _ in range(int(given.get("times", "1"))):
        try:
            device.simulator.act("say", {"text": SAYINGS[given["what"]]})
        except ActImpossible:
            return
        await asyncio.sleep(float(given.get("apart", "0.01")))
