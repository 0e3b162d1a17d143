"""`python -m tests.faults.soak [--hours 24] [--tables 4] [--progressive modbus] [--seed N]`: faults by chance on virtual time.

Each table has three devices on pseudo-terminals; at random moments a random fault of the table of faults befalls one of
them, lasts a while, and ends. In the end every device is online, and the invariants of every fault hold. The seed is
printed first.
"""

import argparse
import asyncio
import contextlib
import secrets
import sys
import tempfile
import time
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

from simulators.devices.model import ActImpossible
from tests.faults import bus_judge
from tests.faults.judge import account, commands, opened_off_the_record, told
from tests.faults.machine import Bus, Device
from tests.faults.rig import Rig, table
from tests.faults.virtual import run_virtual

FAULTS = (
    "wire_corrupt:rate=0.002", "wire_drop:rate=0.002", "wire_double:rate=0.002", "wire_noise", "wire_echo",
    "wire_gap:for=0.2", "wire_bunch:every=0.5", "wire_stuck:as=ff", "wire_ghosts", "frame_crc:times=5",
    "frame_session:times=3", "frame_duplicate:times=20", "frame_drop:every=3:times=0:dir=both",
    "frame_reorder:every=2:times=0", "frame_delay:by=1.0:times=10", "frame_truncate:times=5", "frame_mirror:times=0",
    "no_answer", "not_done", "hang_on_command:for=2", "flood:rate=50:for=2", "chatter:every=0.5:times=6",
)  # fmt: skip
OF_A_BUS = (
    "bus_silent:unit=2:for=1.5", "bus_silent:unit=1", "bus_crc:each=5", "bus_late:times=3", "bus_echo:times=0",
    "bus_wrong_unit:times=5", "bus_twins:unit=1", "bus_gap:by=0.06:times=3", "bus_babble:for=1", "bus_neighbour:for=2",
    "unit_restart:unit=1",
    "watchdog_fires:unit=1", "coil_ignored:unit=1:times=2", "contact_flickers", "curtain:for=1", "wire_drop:rate=0.002",
    "wire_corrupt:rate=0.002",
)  # fmt: skip
OTHERS = ("hang", "unplug", "reboot", "power_loss")
HAND_S = 20.0
MEAN_PAUSE_S = 120.0
LONGEST_S = 20.0
BACK_S = 20.0


async def befall(rig: Rig, rng: Random, until_s: float, pause_s: float, tally: Counter[str]) -> None:
    """Faults at one table, one after another, until the time is over."""
    while rig.loop.time() < until_s:
        await asyncio.sleep(rng.expovariate(1 / pause_s))
        device = rng.choice(list(rig.devices.values()))
        fault = rng.choice((*(OF_A_BUS if isinstance(device, Bus) else FAULTS), *OTHERS))
        tally[fault.partition(":")[0]] += 1
        begin(device, fault)
        await asyncio.sleep(rng.uniform(0.1, LONGEST_S))
        end(device, fault)
        await rig.until(rig.all_online, f"online after {fault}", BACK_S)


async def hands(rig: Rig) -> None:
    """Somebody presses a button at one device after another."""
    while True:
        for device in rig.devices.values():
            await asyncio.sleep(HAND_S)
            with contextlib.suppress(ActImpossible):  # nobody presses anything at a device without power
                device.press()


def begin(device: Device, fault: str) -> None:
    simulator = device.simulator
    match fault:
        case "hang":
            simulator.hang()
        case "unplug":
            simulator.unplug()
        case "reboot":
            simulator.reboot()
        case "power_loss":
            simulator.power_off()
        case _:
            simulator.inject(fault)


def end(device: Device, fault: str) -> None:
    simulator = device.simulator
    undo = {"hang": simulator.wake, "unplug": simulator.replug, "power_loss": simulator.power_on}.get(fault)
    with contextlib.suppress(ActImpossible):  # it came back by itself
        if undo is not None:
            undo()
    simulator.heal()


async def soak(
    room: Path, *, seed: int, tables: int, hours: float, pause_s: float = MEAN_PAUSE_S, progressive: str = "tdp"
) -> tuple[list[str], Counter[str]]:
    """What is wrong in the end, and how often each fault came."""
    tally: Counter[str] = Counter()
    async with AsyncExitStack() as stack:
        rigs = []
        for number in range(tables):
            place = room / str(number)
            place.mkdir()
            rigs.append(await stack.enter_async_context(table(place, seed=seed + number, progressive=progressive)))
        for rig in rigs:
            await rig.up()
            await rig.open_betting()
        until_s = rigs[0].loop.time() + hours * 3600
        players = [asyncio.create_task(hands(rig)) for rig in rigs]
        try:
            await asyncio.gather(
                *(befall(rig, Random(f"{seed}/{n}"), until_s, pause_s, tally) for n, rig in enumerate(rigs))
            )
        finally:
            for player in players:
                player.cancel()
            await asyncio.gather(*players, return_exceptions=True)
        wrong = []
        for number, rig in enumerate(rigs):
            await rig.until(rig.settled, "every report is on record", 60.0)
            await asyncio.sleep(60.0)
            found = [*told(rig), *opened_off_the_record(rig)]
            for device in rig.devices.values():
                found += (
                    bus_judge.account(device, rig, lies=False)
                    if isinstance(device, Bus)
                    else account(rig, device) + commands(device)
                )
            wrong += [f"table {number}: {what}" for what in found]
    return wrong, tally


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--progressive", choices=("tdp", "modbus"), default="tdp")
    parser.add_argument(
        "--pause", type=float, default=MEAN_PAUSE_S, help="mean seconds from one fault to the next"
    )
    parser.add_argument("--seed", type=int, default=None)
    given = parser.parse_args()
    seed = secrets.randbelow(1_000_000) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    began = time.monotonic()
    memory = Path("/dev/shm")  # a day of commits would only measure the disk
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as room:
        asked = {"tables": given.tables, "hours": given.hours, "progressive": given.progressive}
        wrong, tally = run_virtual(soak(Path(room), seed=seed, pause_s=given.pause, **asked))
    for what in wrong[:50]:
        print(f"  {what}")
    took = time.monotonic() - began
    print(
        f"{given.tables} tables, {given.hours:g} virtual hours, {tally.total()} faults in {took:.0f} s; wrong: {len(wrong)}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
