"""`sim bee-tek`: a reading shoe that writes Bee-Tek lines on a pseudo-terminal."""

import asyncio
import os
import secrets
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import click

from simulators.cable.port import PtyPort
from simulators.cable.wire import Wire
from simulators.cli.shared import (
    Finite,
    Place,
    faults_listed,
    folders_exist,
    record,
    run,
    scenario_in,
    seeded,
    told,
)
from simulators.devices.bee_tek import BeeTekShoe
from simulators.devices.body import CardSettings
from simulators.devices.reading_shoe import ReadingShoe
from simulators.firmware.control import control_socket
from simulators.firmware.log import EventLog
from simulators.firmware.runtime import Simulator
from simulators.scenario.faults import WIRE, Fault, FaultBook, FaultError, parse
from simulators.scenario.script import LINES, Script

BYTE_S = 10 / 9600
"""Time of a byte at 9600 baud, 8N1."""


@click.command("bee-tek", epilog=faults_listed(LINES))
@click.option("--link", type=Place(), required=True, help="The port's name, a symlink to the pty.")
@click.option("--decks", type=click.IntRange(1, 8), default=6, show_default=True, help="In one set.")
@click.option("--fault", "faults", multiple=True, metavar="NAME[@N]", help="See below; N counts the sets loaded.")
@click.option("--seed", type=int, help="Repeats what chance there is.")
@click.option("--log", type=Place(), help="Record of what happened.  [default: standard output]")
@click.option("--control", type=Place(), help="Hands and faults.  [default: LINK.ctl]")
@click.option("--speed", type=Finite(0.01, 10_000), default=1.0, help="Of a scenario's seconds.")
@click.option(
    "--scenario",
    type=Place(),
    help="File of what is to befall it, and what must come of it.",
)
@click.option("--paced", is_flag=True, help="Bytes leave as slowly as 9600 baud say.")
def bee_tek(
    link: Path,
    decks: int,
    faults: tuple[str, ...],
    seed: int | None,
    log: Path | None,
    control: Path | None,
    speed: float,
    scenario: Path | None,
    paced: bool,
) -> None:
    """A shoe that hands deal from, and that writes a line for each card it reads.

    Hands: bring_deck (back), load (back, or cards as written), draw (cards), remove, key (to = game, burn or diagnostic),
    cutting_card (behind), say (text: a line of the maker's own).

    \b
    Example: somebody turns its key at the seventh card of the first set
      tablewarden sim bee-tek --link run/shoe0 --fault key_turned@1:card=7
    """
    try:
        parsed = [parse(text, LINES) for text in faults]
    except FaultError as exc:
        raise click.BadParameter(str(exc), param_hint="--fault") from None
    script = scenario_in(scenario, LINES, {"decks": decks})
    folders_exist(link, control)
    control = control or link.with_name(link.name + ".ctl")
    with record(log) as out, told(link, scenario):
        asyncio.run(_run(link, control, decks, parsed, seed, out, script, paced=paced, speed=speed))


class LineSimulator(Simulator):
    """Runs a simulated line device in one event loop."""

    @property
    def kind(self) -> str:
        """The kind under which the simulator is started."""
        return LINES

    @property
    def faults_as(self) -> str:
        """The list of faults that can be asked for."""
        return LINES


async def _run(
    link: Path,
    control: Path,
    decks: int,
    faults: list[Fault],
    seed: int | None,
    out: TextIO,
    script: Script | None,
    *,
    paced: bool,
    speed: float,
) -> None:
    chance = secrets.randbits(32) if seed is None else seed
    log = EventLog(out)
    about = {"kind": "bee-tek", "link": str(link), "control": str(control), "pid": os.getpid(), "seed": chance}
    log("start", {**about, "settings": {"decks": decks}, "faults": [str(fault) for fault in faults]})
    book = FaultBook([fault for fault in faults if fault.name not in WIRE], log)
    settings = CardSettings((), (), False, True, prefix=f"SIM-{link.name}", decks=decks)
    model = ReadingShoe(settings, seeded(chance, link.name, "cards"), book, log)
    loop = asyncio.get_running_loop()
    device = BeeTekShoe(model, log, now=loop.time())
    wire = Wire([fault for fault in faults if fault.name in WIRE], seeded(chance, link.name, "wire"))

    def port(on_data: Callable[[bytes], None]) -> PtyPort:
        return PtyPort(link, on_data, wire, byte_time_s=BYTE_S if paced else 0.0)

    simulator = LineSimulator(device, log, port, speed=speed)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, simulator.stop)
    async with control_socket(simulator, control):
        await run(simulator, script)
    log("end", {"link": device.counters})
