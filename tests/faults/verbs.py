"""What can befall device and host beside the cable, as verbs: `hang`, `unplug for=0.5`, `loop_blocked s=6`."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from controller.rules.vocabulary import Role
from controller.table.words import acts
from controller.table.words.inputs import Actor
from drivers.device import SessionState
from simulators.devices.model import ActImpossible
from tests.faults.machine import Device
from tests.faults.rig import Rig

Given = dict[str, str]
Undo = Callable[[], Any]
Verb = Callable[[Rig, Device, Given], Awaitable[Undo | None]]

VERBS: dict[str, Verb] = {}


def verb(act: Verb) -> Verb:
    """Makes a function a verb under its own name."""
    VERBS[act.__name__] = act
    return act


async def inject(rig: Rig, device: Device, line: str) -> Undo | None:
    """Carries one line out; what it returns undoes it. Raises `FaultError` for what nobody knows."""
    name, *pairs = line.split()
    if name in VERBS:
        return await VERBS[name](rig, device, dict(pair.split("=", 1) for pair in pairs))
    device.simulator.inject(line)
    return None


@verb
async def wait(rig: Rig, device: Device, given: Given) -> None:
    """Lets `s` seconds pass before the next line."""
    await asyncio.sleep(float(given["s"]))


@verb
async def act(rig: Rig, device: Device, given: Given) -> None:
    """Hands do `do` at the device, with the other particulars."""
    name = given.pop("do")
    device.simulator.act(name, {k: int(v) if v.isdecimal() else v for k, v in given.items()})


@verb
async def hang(rig: Rig, device: Device, given: Given) -> Undo:
    device.simulator.hang()
    return device.simulator.wake


@verb
async def reboot(rig: Rig, device: Device, given: Given) -> None:
    device.simulator.reboot()


@verb
async def reboots_when_over(rig: Rig, device: Device, given: Given) -> Undo:
    """The technician restarts it when the fault is over."""
    return device.simulator.reboot


@verb
async def unplug(rig: Rig, device: Device, given: Given) -> Undo:
    device.simulator.unplug()
    return device.simulator.replug


@verb
async def replug(rig: Rig, device: Device, given: Given) -> None:
    device.simulator.replug()


@verb
async def power_loss(rig: Rig, device: Device, given: Given) -> Undo:
    device.simulator.power_off()
    return device.simulator.power_on


@verb
async def plug_storm(rig: Rig, device: Device, given: Given) -> None:
    """In and out `rate` times a second, for `s` seconds; then it stays in."""
    pause = 0.5 / float(given["rate"])
    for _ in range(int(float(given["s"]) * float(given["rate"]))):
        device.simulator.unplug()
        await asyncio.sleep(pause)
        device.simulator.replug()
        await asyncio.sleep(pause)


@verb
async def suspend(rig: Rig, device: Device, given: Given) -> None:
    """The host slept for `s` seconds: its monotonic clock stood still, its wall clock and the devices' went on."""
    rig.loop.sleep_machine(float(given["s"]))
    for each in rig.devices.values():
        each.simulator.sleep_host(float(given["s"]))


@verb
async def loop_blocked(rig: Rig, device: Device, given: Given) -> None:
    """Nothing runs in the host's loop for `s` seconds."""
    rig.loop.stall(float(given["s"]))


@verb
async def wall_step(rig: Rig, device: Device, given: Given) -> None:
    """The wall clock is set by `s` seconds."""
    rig.clock.step_wall(float(given["s"]))


@verb
async def broker_away(rig: Rig, device: Device, given: Given) -> Undo:
    """The broker drops the connection and takes no other."""
    rig.broker.away = True
    rig.broker.drop()

    def back() -> None:
        rig.broker.away = False

    return back


@verb
async def disk_full(rig: Rig, device: Device, given: Given) -> Undo:
    """The journal's file may not grow by a page; the daemon opens it again when there is room."""
    writer = rig.journal._writer
    assert writer is not None
    (free,), (size,) = (writer.execute(f"PRAGMA {name}").fetchone() for name in ("freelist_count", "page_size"))
    writer.execute("CREATE TABLE filler (b BLOB)")
    writer.execute("INSERT INTO filler VALUES (zeroblob(?))", (free * size,))
    (pages,) = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(f"PRAGMA max_page_count = {pages}")

    async def room_again() -> None:
        assert rig.failed is not None, "the journal was written all the same"
        assert "full" in str(rig.failed), rig.failed
        writer.execute(f"PRAGMA max_page_count = {2 * pages}")
        writer.execute("DROP TABLE filler")
        await rig.daemon_down()
        rig.failed = None
        rig.daemon_up()

    return room_again


@verb
async def daemon_stops(rig: Rig, device: Device, given: Given) -> Undo:
    """All of the daemon is cancelled, when the session comes into state `at` or now; it starts when the fault is over."""
    if "at" in given and device.session.state != given["at"]:
        await device.reaches(SessionState(given["at"]))
    await rig.daemon_down()

    def start() -> None:
        rig.daemon_up()

    return start


@verb
async def daemon_stops_at_each_turn(rig: Rig, device: Device, given: Given) -> Undo:
    """It starts and is stopped after one turn of the loop, starts and is stopped after two, and so on up to `turns`."""
    for turns in range(1, int(given["turns"]) + 1):
        await rig.daemon_down()
        rig.daemon_up()
        for _ in range(turns):
            await asyncio.sleep(0)
    await rig.daemon_down()
    return rig.daemon_up


@verb
async def second_opener(rig: Rig, device: Device, given: Given) -> None:
    """Another process asks for the port that the daemon holds."""
    import subprocess
    import sys

    code = "import serial, sys; serial.Serial(sys.argv[1], exclusive=True)"
    asked = subprocess.run([sys.executable, "-c", code, device.config.path], capture_output=True, check=False)
    assert asked.returncode != 0, "a second opener got the port"
    assert b"exclusively lock" in asked.stderr, asked.stderr[-300:]


@verb
async def opens(rig: Rig, device: Device, given: Given) -> None:
    """The floorperson opens the table."""
    await rig.open_table()


@verb
async def presses(rig: Rig, device: Device, given: Given) -> None:
    """The device's button is pressed `times` times at once."""
    for _ in range(int(given["times"])):
        try:
            device.press()
        except ActImpossible:
            return


@verb
async def no_more_bets(rig: Rig, device: Device, given: Given) -> None:
    """The dealer closes the bets, so that the lock-out has to engage; it may be refused where play is held."""
    await rig.engine.act(acts.AnnounceNoMoreBets(), Actor("dealer", Role.DEALER))


@verb
async def short_set(rig: Rig, device: Device, given: Given) -> None:
    """Only `leave` cards of the set on the table are left to be loaded."""
    cards = rig.devices["shoe-1"].simulator.device.model.body.cards  # type: ignore[attr-defined]
    cards.move(cards.cards("table")[int(given["leave"]) :], "lost")
