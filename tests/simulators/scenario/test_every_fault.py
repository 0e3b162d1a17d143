"""Every documented fault of every simulator is run: armed before power, it breaks nothing and changes what comes of a life."""

import re
from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path

import click
import pytest

from simulators.cli.main import sim
from simulators.firmware.faults import FIRMWARE_FAULTS
from simulators.scenario.fault_values import allowed
from simulators.scenario.faults import FAULTS, OF_LINES, SHOE_ALIASES, WIRE, FaultError, known_to
from tests.faults.virtual import run_virtual
from tests.support.lives import LIVES, lived

ROOT = Path(__file__).resolve().parents[3]
GIVEN = {
    "identity": ":serial=other", "flood": ":rate=20:for=1", "stuck": ":seat=3", "bounce": ":times=7",
    "unit_restart": "@1:unit=1", "watchdog_fires": "@1:unit=1", "curtain": "@1:for=0.5",
    "wire_drop": ":rate=0.1", "wire_corrupt": ":rate=0.1", "wire_double": ":rate=0.1", "wire_insert": ":rate=0.1",
    "wire_swap": ":rate=0.1", "wire_zero": ":rate=0.1", "wire_ones": ":rate=0.1", "wire_mark": ":rate=0.1",
    "wire_flow": ":rate=0.1", "frame_tick": ":rate=2.0", "log_kept": "@1",
}  # fmt: skip
"""Particulars with which a fault shows in these lives, where its defaults are too rare, or happen before anything does."""
BY_HAND = ("drawn_double", "drawn_untold", "told_twice", "key_turned", "cutting_card_missing")
SIMULATORS = {
    "shuffler": "shuffler",
    "shoe": "shoe",
    "progressive": "progressive",
    "remote-io": "remote_io",
    "bee-tek": "bee-tek",
}
"""Command -> the device that its faults are of."""


@cache
def without(life: str) -> str:
    return str(run_virtual(lived(life)))


def life_of(device: str, fault: str) -> str:
    """The life in which a fault of this device shows."""
    if device == "shoe":
        return "reader" if fault in BY_HAND else "reshuffler" if fault == "cycle_in_deal" else "shoe"
    return next(life for life, kind in LIVES.items() if kind == device)


def short() -> list[tuple[str, str]]:
    """(life, fault): cable and firmware are the same in every machine, so they are tried in one."""
    shared = {*WIRE, *FIRMWARE_FAULTS}
    return [
        (life_of(device, name), name)
        for device in SIMULATORS.values()
        for name in known_to(device)
        if name not in shared or device not in ("shuffler", "shoe")
    ]


@pytest.mark.parametrize(("life", "fault"), short())
def test_a_fault_happens_and_breaks_no_simulator(life: str, fault: str) -> None:
    """It is armed before power, as the command line does it; what comes of that life is not what comes without it."""
    assert run_virtual(lived(life, fault + GIVEN.get(fault, ""))) != without(life)


@pytest.mark.full
@pytest.mark.parametrize("life", LIVES)
@pytest.mark.parametrize("fault", FAULTS)
def test_no_value_of_a_fault_breaks_a_simulator(life: str, fault: str) -> None:
    """Each life with each fault that its device can have: with its defaults, each word, and the ends of each number."""
    if fault not in known_to(LIVES[life]):
        return
    run_virtual(lived(life, fault))
    for key, value in FAULTS[fault].parameters.items():
        for end in value.split("|") if "|" in value else (f"{end:.15g}" for end in allowed(fault, key)):
            nobody = suppress(FaultError) if life == "bus" and key in ("unit", "seat") else nullcontext()
            with nobody:  # a unit or seat that this bus does not have is refused in words
                run_virtual(lived(life, f"{fault}:{key}={end}"))


def test_the_lists_of_faults_agree() -> None:
    """What the help of each command lists, what its device can have, and what the page describes are the same."""
    page = (ROOT / "docs" / "faults.md").read_text()
    described = set(re.findall(r"^\| `([a-z_]+)[:`]", page, re.M))
    for command, device in SIMULATORS.items():
        epilog = sim.commands[command].epilog or ""
        listed = set(re.findall(r"^  ([a-z_]+)", epilog, re.M))
        names = {SHOE_ALIASES.get(name, name) for name in listed} if device == "shoe" else listed
        assert names == set(known_to(device)), command
        assert names <= described, command
    assert described == set(FAULTS)
    assert isinstance(sim, click.Group)
    assert set(SIMULATORS) == set(sim.commands) - {"table", "do"}, "all devices at once have the faults of each"


def test_every_parameter_has_a_range() -> None:
    """A number without one could break the simulator in the middle of a run."""
    for name, kind in FAULTS.items():
        for key, value in kind.parameters.items():
            if "|" not in value:
                least, most = allowed(name, key)
                assert least <= float(value) <= most, (name, key)
    assert set(OF_LINES) <= set(FAULTS)
