"""`sim`: one simulated device as a process, on a pseudo-terminal with a stable name."""

import asyncio
import contextlib
import os
import re
import secrets
import signal
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from hashlib import sha256, shake_256
from pathlib import Path
from random import Random
from typing import Any, TextIO

import click

from drivers.protocol.constants import KEY_SIZE, MAX_NAME
from drivers.protocol.messages import Identity
from drivers.protocol.records import dataclass
from drivers.protocol.reports import SIMULATED_VENDOR, Back, DeviceKind
from drivers.protocol.texts import is_plain
from simulators.cable.cable import Cable
from simulators.cable.port import Port, PtyPort
from simulators.cable.wire import Wire
from simulators.cli.bee_tek import bee_tek
from simulators.cli.bus import remote_io
from simulators.cli.shared import (
    Finite,
    Place,
    Whole,
    faults_listed,
    folders_exist,
    record,
    run,
    scenario_in,
    seeded,
    told,
)
from simulators.cli.table import do, table
from simulators.devices import continuous
from simulators.devices import shoe as shoe_model
from simulators.devices import shuffler as shuffler_model
from simulators.devices.body import CardSettings
from simulators.devices.cards import FACES, Witness
from simulators.devices.model import DISPLAY_CHARS, Model
from simulators.devices.progressive import Progressive, ProgressiveSettings
from simulators.devices.reading_shoe import ReadingShoe
from simulators.firmware.control import control_socket
from simulators.firmware.device import SimulatedDevice
from simulators.firmware.log import EventLog
from simulators.firmware.runtime import Simulator
from simulators.scenario.faults import WIRE, Fault, FaultBook, FaultError, is_occasion, parse
from simulators.scenario.script import Script
from simulators.usb.capture import Capture
from simulators.usb.descriptors import PRODUCTS, Description
from simulators.usb.device import UsbDevice
from simulators.usb.port import UsbPort
from simulators.usb.usbip import Exported

HARDWARE, FIRMWARE = "pty", "1.0.0"
BITS_PER_BYTE = 10
"""8N1: a start bit, eight of data, a stop bit."""

IMAGE_SIZE = 65_536

PLACE = re.compile(r"[1-9]\d*-[1-9]\d*(?:\.[1-9]\d*)*")
LISTEN = re.compile(r"[^:\s]+:(?P<port>[0-9]{1,5})")
MAX_PORT = 65535

Build = Callable[[FaultBook, Witness, Random], Model]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of every simulator's command line."""

    link: Path
    serial: str | None
    faults: tuple[str, ...]
    speed: float
    seed: int | None
    log: Path | None
    control: Path | None
    baud: int | None
    keep_log: bool
    drop_unread: bool
    cooked: bool
    key: Path | None
    image: Path | None
    firmware: str
    usb: str | None
    listen: str | None
    capture: Path | None
    scenario: Path | None


def common(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options of `Options` to a command."""
    path, file = Place(), Place(exists=True, dir_okay=False)
    options = [
        click.option(
            "--link", type=path, required=True, help="The port's name, a symlink to the pseudo-terminal."
        ),
        click.option("--serial", callback=_name, help="Serial number.  [default: SIM- and the link's name]"),
        click.option("--fault", "faults", multiple=True, metavar="NAME[@N]", help="See below; may be repeated."),
        click.option("--speed", type=Finite(0.01, 10_000), default=1.0, help="Of the mechanics only."),
        click.option("--seed", type=int, help="Repeats cards and boot ids: start with a fresh journal then."),
        click.option("--log", type=path, help="Record of what really happened.  [default: standard output]"),
        click.option("--control", type=path, help="Socket for hands and faults.  [default: LINK.ctl]"),
        click.option("--baud", type=click.IntRange(min=300), help="Paces the bytes.  [default: no pacing]"),
        click.option("--keep-log", is_flag=True, help="Its reports and memory outlive a power cut."),
        click.option("--drop-unread", is_flag=True, help="No ghost bytes: forgets what a lost host did not read."),
        click.option("--key", type=file, help="File of 32 bytes: only a host that proves this key is obeyed."),
        click.option("--image", type=file, help="File that stands for its firmware.  [default: a made-up one]"),
        click.option(
            "--firmware",
            callback=_name,
            default=FIRMWARE,
            show_default=True,
            help="The version that it says it runs.",
        ),
        click.option("--cooked", is_flag=True, help="Leaves the tty cooked, for a host that must set it raw."),
        click.option("--usb", metavar="PLACE", help="Be a USB device there, as 1-1: LINK is a USB/IP server."),
        click.option("--listen", metavar="HOST:PORT", help="With --usb: serve USB/IP here too (usbip attach)."),
        click.option("--scenario", type=path, help="File of what is to befall it, and what must come of it."),
        click.option("--capture", type=path, help="With --usb: the transfers as pcapng, for Wireshark."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _plan(context: click.Context, parameter: click.Parameter, text: str) -> tuple[int, ...]:
    sizes = [] if text == "none" else text.split(",")
    if not all(is_occasion(size) and int(size) <= len(FACES) for size in sizes):
        raise click.BadParameter(f"{text!r} is no list of stack sizes from 1 to {len(FACES)}, like 2,2,2")
    return tuple(int(size) for size in sizes)


def _name(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    if text is not None and (not is_plain(text) or not 0 < len(text.encode()) <= MAX_NAME):
        raise click.BadParameter(f"{text!r} is no text of 1 to {MAX_NAME} bytes that can be shown")
    return text


def _backs(context: click.Context, parameter: click.Parameter, text: str) -> tuple[Back, ...]:
    names = [] if text == "none" else text.split(",")
    if not set(names) <= set(Back):
        raise click.BadParameter(f"{text!r} is no list of {', '.join(Back)}")
    return tuple(Back(name) for name in names)


@click.group(cls=Whole)
def sim() -> None:
    """Simulate a device on a pseudo-terminal: real cards or chips, real faults, TDP/1 on the wire.

    \b
    Example: all devices of a table; then a shoe alone that jams in its fourth deal, and hands at it
      tablewarden sim table table.toml
      tablewarden sim shoe --link run/shoe0 --plan 2,2,2 --fault jam@4
      echo '{"act": "load", "back": "red"}' | socat - UNIX-CONNECT:run/shoe0.ctl
    """


@sim.command(epilog=faults_listed(DeviceKind.SHUFFLER))
@common
@click.option(
    "--plan",
    callback=_plan,
    default="2,2,2",
    show_default=True,
    help="Packet sizes in order; none = a batch shuffler.",
)
@click.option(
    "--backs",
    callback=_backs,
    default="red,blue",
    show_default=True,
    help="Sets on the table at first; none = no set.",
)
@click.option("--decks", type=click.IntRange(1, 8), default=1, show_default=True, help="In one set.")
@click.option("--recognition", is_flag=True, help="It reads the cards.")
@click.option("--no-count", is_flag=True, help="It does not count them.")
def shuffler(
    plan: tuple[int, ...], backs: tuple[Back, ...], decks: int, recognition: bool, no_count: bool, **given: Any
) -> None:
    """A hand-forming single-deck shuffler with two sets.

    \b
    Example: packets for the Maryland procedure, a wrong count in the third cycle
      tablewarden sim shuffler --link run/shuffler0 --plan 4,5,2,2,2 --fault count_low@3
    """
    options = Options(**given)
    settings = CardSettings(plan, backs, not no_count, recognition, options.keep_log, _serial(options), decks)
    _start(
        DeviceKind.SHUFFLER,
        options,
        lambda faults, log, rng: shuffler_model.build(settings, rng, faults, log),
        asdict(settings),
    )


@sim.command(epilog=faults_listed(DeviceKind.SHOE))
@common
@click.option("--plan", callback=_plan, default="2,2,2", show_default=True, help="Stack sizes in order.")
@click.option(
    "--backs",
    callback=_backs,
    default="red,blue",
    show_default=True,
    help="Sets on the table at first; none = no set.",
)
@click.option("--decks", type=click.IntRange(1, 8), default=1, show_default=True, help="In one set.")
@click.option("--deal-on", is_flag=True, help="A set is dealt from in many deals.")
@click.option("--reading", is_flag=True, help="Hands deal from it, and it tells each card.")
@click.option("--reshuffles", is_flag=True, help="Cards that go back into it are shuffled in by itself.")
@click.option(
    "--recognition", is_flag=True, help="It sees a card that lies face up; one that reshuffles reads them."
)
@click.option("--no-count", is_flag=True, help="One that reshuffles does not count its cards.")
def shoe(
    plan: tuple[int, ...],
    backs: tuple[Back, ...],
    decks: int,
    deal_on: bool,
    reading: bool,
    reshuffles: bool,
    recognition: bool,
    no_count: bool,
    **given: Any,
) -> None:
    """A dealing shoe that dispenses stacks.

    \b
    Example: a jam at the second stack of the fourth deal, at twenty times the speed
      tablewarden sim shoe --link run/shoe0 --fault jam@4:stack=2 --speed 20
    """
    if not plan:
        raise click.BadParameter("a shoe does nothing but deal; it needs a plan", param_hint="--plan")
    options = Options(**given)
    counts = reshuffles and not no_count
    settings = CardSettings(plan, backs, counts, recognition, options.keep_log, _serial(options), decks, deal_on)
    build: Callable[..., Model] = continuous.build if reshuffles else shoe_model.build
    build = ReadingShoe if reading else build
    _start(
        DeviceKind.SHOE,
        options,
        lambda faults, log, rng: build(settings, rng, faults, log),
        asdict(settings),
    )


@sim.command(epilog=faults_listed(DeviceKind.PROGRESSIVE))
@common
@click.option("--seats", type=click.IntRange(1, 15), default=6, show_default=True, help="Seats with a sensor.")
@click.option("--sensors", type=click.IntRange(1, 3), default=1, show_default=True, help="Sensors at each seat.")
def progressive(seats: int, sensors: int, **given: Any) -> None:
    """A progressive unit: a sensor and a lamp at each seat, one lock-out.

    \b
    Example: a chip at seat 3 half a second after the second lock-out
      tablewarden sim progressive --link run/progressive0 --fault late_chip@2:seat=3
    """
    options = Options(**given)
    settings = ProgressiveSettings(seats, sensors, options.keep_log)
    _start(
        DeviceKind.PROGRESSIVE,
        options,
        lambda faults, log, rng: Progressive(settings, faults, log),
        asdict(settings),
    )


def _serial(options: Options) -> str:
    return options.serial or f"SIM-{options.link.name}"


def _key(path: Path | None) -> bytes | None:
    """Reads a key file without checking its owner: a simulator's key protects nothing."""
    if path is None:
        return None
    key = path.read_bytes()
    if len(key) != KEY_SIZE:
        raise click.BadParameter(f"{path} has {len(key)} bytes, and a key has {KEY_SIZE}", param_hint="--key")
    return key


def made_up_image(kind: DeviceKind) -> bytes:
    """Returns 64 KiB that stand for a simulator's firmware, equal for each of its kind."""
    return shake_256(f"{SIMULATED_VENDOR} {kind} {FIRMWARE}".encode()).digest(IMAGE_SIZE)


def _start(kind: DeviceKind, options: Options, build: Build, settings: dict[str, object]) -> None:
    """Runs until SIGTERM or SIGINT. Exits 2 on a fault nobody knows, 1 where a name can't be used or is taken."""
    _verify_usb(options)
    try:
        faults = [parse(text, kind) for text in options.faults]
    except FaultError as exc:
        raise click.BadParameter(str(exc), param_hint="--fault") from None
    script = scenario_in(options.scenario, kind, settings)
    folders_exist(options.link, options.control)
    with record(options.log) as out, told(options.link, options.scenario):
        asyncio.run(_run(kind, options, build, faults, settings, out, script))


def _verify_usb(options: Options) -> None:
    if options.usb is None:
        if options.listen or options.capture:
            raise click.UsageError("--listen and --capture go with --usb")
        return
    if not PLACE.fullmatch(options.usb):
        raise click.BadParameter(f"{options.usb!r} is no place on a bus, like 1-1 or 1-2.3", param_hint="--usb")
    listen = LISTEN.fullmatch(options.listen or "")
    if options.listen and (listen is None or not 1 <= int(listen["port"]) <= MAX_PORT):
        raise click.BadParameter(f"{options.listen!r} is no HOST:PORT, like 127.0.0.1:3240", param_hint="--listen")
    if options.baud or options.cooked:
        raise click.UsageError("--baud and --cooked are for a tty, not for --usb")


async def _run(
    kind: DeviceKind,
    options: Options,
    build: Build,
    faults: list[Fault],
    settings: dict[str, object],
    out: TextIO,
    script: Script | None,
) -> None:
    serial = _serial(options)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    entropy = os.urandom if options.seed is None else seeded(seed, serial, "boots").randbytes
    control = options.control or options.link.with_name(options.link.name + ".ctl")
    log = EventLog(out)
    about = {
        "kind": kind,
        "serial": serial,
        "link": str(options.link),
        "control": str(control),
        "pid": os.getpid(),
    }
    log("start", {**about, "seed": seed, "speed": options.speed, "faults": options.faults, "settings": settings})
    book = FaultBook([], log)
    model = build(book, log, seeded(seed, serial, "cards"))
    image = made_up_image(kind) if options.image is None else options.image.read_bytes()
    identity = Identity(
        kind, SIMULATED_VENDOR, f"simulated {kind}", HARDWARE, serial, options.firmware, sha256(image).digest(),
        capabilities=model.capabilities, display=DISPLAY_CHARS,
    )  # fmt: skip
    loop = asyncio.get_running_loop()
    device = SimulatedDevice(
        model, identity, log, entropy=entropy, now=loop.time(), speed=options.speed, keeps_log=options.keep_log,
        key=_key(options.key), image=image,
    )  # fmt: skip
    for fault in faults:
        if fault.name not in WIRE:
            device.arm(fault, loop.time())
    wire = Wire([fault for fault in faults if fault.name in WIRE], seeded(seed, serial, "wire"))

    with contextlib.ExitStack() as files:
        make_port = partial(_port, kind, options, wire, files)
        simulator = Simulator(device, log, make_port, drops_unread=options.drop_unread, speed=options.speed)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, simulator.stop)
        async with control_socket(simulator, control):
            await run(simulator, script)
    log("end", {"link": device.counters})


def _port(
    kind: DeviceKind, options: Options, wire: Wire, files: contextlib.ExitStack, on_data: Callable[[bytes], None]
) -> Port:
    """Returns the device's end of its cable; `files` closes what it writes."""
    if options.usb is None:
        byte_time_s = BITS_PER_BYTE / options.baud if options.baud else 0.0
        return PtyPort(options.link, on_data, wire, byte_time_s=byte_time_s, cooked=options.cooked)
    cable = Cable(wire, on_data)
    device = UsbDevice(Description(PRODUCTS[kind], _serial(options), f"simulated {kind}"), cable.from_host)
    capture = Capture(files.enter_context(options.capture.open("wb"))) if options.capture else None
    listen = options.listen.rpartition(":") if options.listen else None
    return UsbPort(
        options.link,
        Exported(device, options.usb, capture),
        cable,
        listen=(listen[0], int(listen[2])) if listen else None,
    )


sim.add_command(table)
sim.add_command(do)
sim.add_command(remote_io)
sim.add_command(bee_tek)
