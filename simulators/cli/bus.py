"""`sim remote-io`: a progressive unit made of units on one bus, as a process on a pseudo-terminal."""

import asyncio
import os
import secrets
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import click

from drivers.protocol.records import dataclass
from simulators.bus.remote_io import RemoteIo
from simulators.bus.runtime import BusSimulator
from simulators.bus.terminals import described, wired
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
from simulators.devices.progressive import Progressive, ProgressiveSettings
from simulators.firmware.control import control_socket
from simulators.firmware.log import EventLog
from simulators.scenario.fault_kind import REMOTE_IO
from simulators.scenario.faults import WIRE, Fault, FaultBook, FaultError, parse
from simulators.scenario.script import BUS, Script

DEFAULT_BAUD = 19_200
BITS_PER_BYTE = 11
QUIET_CHARACTERS, QUIET_FLOOR_S = 3.5, 0.00175


@dataclass(frozen=True, slots=True)
class BusOptions:
    """The options of the command line."""

    link: Path
    units: int
    seats: int
    sensors: int
    faults: tuple[str, ...]
    speed: float
    seed: int | None
    log: Path | None
    control: Path | None
    baud: int
    paced: bool
    drop_unread: bool
    cooked: bool
    scenario: Path | None

    @property
    def layout(self) -> dict[str, object]:
        """The settings, as the log's `start` line names them."""
        return {"units": self.units, "seats": self.seats, "sensors": self.sensors}


@click.command("remote-io", epilog=faults_listed(REMOTE_IO))
@click.option("--link", type=Place(), help="The port's name, a symlink to the pseudo-terminal.")
@click.option("--units", type=click.IntRange(1, 8), default=3, show_default=True, help="On the bus.")
@click.option(
    "--seats", type=click.IntRange(1, 7), default=6, show_default=True, help="Seats with a sensor and a lamp."
)
@click.option("--sensors", type=click.IntRange(1, 3), default=1, show_default=True, help="Sensors at each seat.")
@click.option("--fault", "faults", multiple=True, metavar="NAME[@N]", help="See below; may be repeated.")
@click.option("--speed", type=Finite(0.01, 10_000), default=1.0, help="Of hands that a fault moves.")
@click.option("--seed", type=int, help="Repeats what chance there is.")
@click.option("--log", type=Place(), help="Record of what happened.  [default: standard output]")
@click.option("--control", type=Place(), help="Hands and faults.  [default: LINK.ctl]")
@click.option("--baud", type=click.IntRange(min=300), default=DEFAULT_BAUD, show_default=True)
@click.option("--paced", is_flag=True, help="Bytes leave as slowly as the baud rate says.")
@click.option("--drop-unread", is_flag=True, help="No ghost bytes: forgets what a lost host did not read.")
@click.option("--cooked", is_flag=True, help="Leaves the tty cooked, for a host that must set it raw.")
@click.option(
    "--scenario",
    type=Place(),
    help="File of what is to befall it, and what must come of it.",
)
@click.option("--show-config", is_flag=True, help="Print the [[device.unit]] entries for this bus, and end.")
def remote_io(show_config: bool, link: Path | None, **given: object) -> None:
    """A progressive of remote I/O: units on one RS-485 bus that speak Modbus RTU.

    Relay with its contact, button and lamps are wired to unit 1; the sensors to the units behind it, or to unit 1 where it
    stands alone. Hands: put_chip, lift_chip, collect, lockout (the dealer's button).

    \b
    Example: two units, the second silent from the third lock-out on, and the configuration for them
      tablewarden sim remote-io --link run/prog0 --units 2 --fault bus_silent@3:unit=2
      tablewarden sim remote-io --units 2 --show-config
    """
    if show_config:
        options = BusOptions(Path(), **given)  # type: ignore[arg-type]
        click.echo("\n".join(described(wired(options.seats, options.sensors, options.units))).lstrip("\n"))
        return
    if link is None:
        raise click.UsageError("Missing option '--link'.")
    options = BusOptions(link, **given)  # type: ignore[arg-type]
    try:
        faults = [parse(text, REMOTE_IO) for text in options.faults]
    except FaultError as exc:
        raise click.BadParameter(str(exc), param_hint="--fault") from None
    script = scenario_in(options.scenario, BUS, options.layout)
    folders_exist(options.link, options.control)
    with record(options.log) as out, told(options.link, options.scenario):
        asyncio.run(_run(options, faults, out, script))


async def _run(options: BusOptions, faults: list[Fault], out: TextIO, script: Script | None) -> None:
    seed = secrets.randbits(32) if options.seed is None else options.seed
    name = options.link.name
    control = options.control or options.link.with_name(name + ".ctl")
    log = EventLog(out)
    about = {"kind": REMOTE_IO, "link": str(options.link), "control": str(control), "pid": os.getpid()}
    log(
        "start",
        {**about, "seed": seed, "speed": options.speed, "faults": options.faults, "settings": options.layout},
    )
    book = FaultBook([], log)
    byte_time_s = BITS_PER_BYTE / options.baud
    loop = asyncio.get_running_loop()
    bus = RemoteIo(
        Progressive(ProgressiveSettings(options.seats, options.sensors), book, log),
        wired(options.seats, options.sensors, options.units),
        log,
        now=loop.time(),
        rng=seeded(seed, name, "noise"),
        turnaround_s=max(QUIET_CHARACTERS * byte_time_s, QUIET_FLOOR_S),
        speed=options.speed,
    )
    for fault in faults:
        if fault.name not in WIRE:
            bus.arm(fault, loop.time())
    wire = Wire([fault for fault in faults if fault.name in WIRE], seeded(seed, name, "wire"))

    def port(on_data: Callable[[bytes], None]) -> PtyPort:
        pace_s = byte_time_s if options.paced else 0.0
        return PtyPort(options.link, on_data, wire, byte_time_s=pace_s, cooked=options.cooked)

    simulator = BusSimulator(bus, log, port, drops_unread=options.drop_unread, speed=options.speed)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, simulator.stop)
    async with control_socket(simulator, control):
        await run(simulator, script)
    log("end", {"link": bus.counters})
