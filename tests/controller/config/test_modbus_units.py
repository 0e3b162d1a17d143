"""A progressive of remote I/O in a table's configuration: every terminal named, and what does not fit refused with its remedy."""

from pathlib import Path

import pytest

from controller.config.load import read_config
from controller.config.report import examine, page
from drivers.catalog import Codec
from simulators.bus.terminals import described, wired

EXAMPLE = Path(__file__).resolve().parents[3] / "config" / "tables" / "example.toml"
TABLE = """
[table]
site = "lv01"
id = "t1"
seats = 6
rulebook = "md-uth"
method = "manual_shoe"
backs = ["red"]

[journal]
path = "t1.journal"

[[device]]
name = "progressive-1"
kind = "progressive"
speaks = "modbus"
path = "/dev/table/progressive-1"
"""
UNIT = """
[[device.unit]]
address = 11
identity = { register = 4, words = "00FF 0108" }
serial = { register = 6, words = 2 }
watchdog = { register = 16, tick_ms = 100 }
inputs = { seat1 = 2, seat1_2 = 3, seat7 = 4, contact = 0, button = 1 }
coils = { lockout = 0, lamp1 = 1, lamp7 = 2 }
"""
SENSORS = """
[[device.unit]]
address = 12
identity = { register = 4, words = "00FF" }
inputs = { seat2 = 0 }
"""


def faults(folder: Path, text: str) -> tuple[str, ...]:
    path = folder / "table.toml"
    path.write_text(text)
    return read_config(path).faults


def test_every_terminal_of_a_unit_is_read(tmp_path):
    """Addresses, identity in hex, serial number, watchdog in steps of its own, inputs and coils by their names."""
    assert faults(tmp_path, TABLE + UNIT + SENSORS) == ()
    config = read_config(tmp_path / "table.toml").config
    assert config is not None
    (device,) = config.devices
    assert (device.codec, device.baud) == (Codec.MODBUS, 19200)
    first, second = device.units
    assert (first.address, first.identity_register, first.identity) == (11, 4, (0x00FF, 0x0108))
    assert (first.serial_register, first.serial_words) == (6, 2)
    assert (first.watchdog, first.watchdog_ticks) == (16, 15)
    assert first.sensors == {(1, 1): 2, (1, 2): 3, (7, 1): 4}
    assert (first.contact, first.button, first.lockout) == (0, 1, 0)
    assert first.lamps == {1: 1, 7: 2}
    assert (second.sensors, second.coils, second.watchdog) == ({(2, 1): 0}, (), None)


@pytest.mark.parametrize("units", range(1, 9))
def test_what_the_simulator_prints_is_a_configuration(tmp_path, units):
    """`sim remote-io --show-config` needs no editing."""
    text = TABLE + "\n".join(described(wired(7, 3, units)))
    assert faults(tmp_path, text) == ()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (UNIT, "", "unit: no unit stands on this bus; write a [[device.unit]] for each"),
        ("watchdog = { register = 16, tick_ms = 100 }\n", "", "unit 11: it has coils and no watchdog register"),
        ("tick_ms = 100", "tick_ms = 999999", "tick_ms: must be from 1 to 1000"),
        ("tick_ms = 100", "tick_ms = 1000", ""),
        ("tick_ms = 100", "tick_ms = 700", "unit 11: a watchdog in steps of 700 ms cannot be set near 1500 ms"),
        ("contact = 0, ", "", "unit 11: the relay's coil (lockout) and its auxiliary contact belong to one unit"),
        ("lockout = 0, ", "", "unit 11: the relay's coil (lockout) and its auxiliary contact belong to one unit"),
        ("seat1_2 = 3", "seat1_2 = 2", "unit 11: input 2 is used 2 times"),
        ("lamp1 = 1", "lamp1 = 0", "unit 11: coil 0 is used 2 times"),
        ("seat7 = 4", "seat7 = 400", "unit 11: its inputs lie further apart than 64"),
        ("seat7 = 4", "seat8 = 4", "inputs seat8: unknown key (nearest: seat7)"),
        ("seat7 = 4", "seat1_4 = 4", "inputs seat1_4: unknown key (nearest: seat1_3)"),
        ("lockout = 0", "relay = 0", "coils relay: unknown key (known: lamp1, lamp2"),
        ("address = 11", "address = 0", "address: must be from 1 to 247, not 0"),
        ("address = 11", "address = 12", "unit: address 12 stands at 2 units"),
        ('"00FF 0108"', '"FF 108"', "words: must match"),
        ('"00FF 0108"', '""', "unit 1 identity words: must match"),
        ("seat1 = 2", "seat2 = 2", "unit: sensor 1 of seat 2 stands at 2 units"),
        ('speaks = "modbus"', "", "unit: units stand on a bus; a device that has them speaks"),
        ('kind = "progressive"', 'kind = "shoe"', "speaks: remote I/O is a progressive and no shoe"),
    ],
)  # fmt: skip
def test_a_bus_that_cannot_be_one_progressive_is_refused_by_name(tmp_path, old, new, says):
    """Each with the unit and what to write; a coarse watchdog that still fits is taken."""
    found = faults(tmp_path, (TABLE + UNIT + SENSORS * (old != UNIT)).replace(old, new))
    assert [says in fault for fault in found if says in fault] == [True] * bool(says), found
    assert bool(found) == bool(says)


def test_in_production_remote_io_is_refused(tmp_path):
    """It can prove neither who it is nor that nothing was missed; a bench may try it."""
    production = (TABLE + UNIT).replace("[journal]", "production = true\n[journal]")
    (found,) = [fault for fault in faults(tmp_path, production) if "speaks" in fault]
    assert "remote I/O keeps no log and proves nothing of itself" in found


def test_check_says_what_cannot_be_proved_of_a_bus(tmp_path):
    """The page names the units, and what nobody can know of them."""
    path = tmp_path / "table.toml"
    entry = 'kind   = "progressive"\n'
    example = EXAMPLE.read_text().replace('serial = "SIM-progressive-1"\n', UNIT + SENSORS)
    path.write_text(example.replace(entry, f'{entry}speaks = "modbus"\n'))
    lines = page(examine(path))
    assert any("19200 baud  no key  units 11, 12" in line for line in lines)
    assert any("between two looks" in line and "progressive-1" in line for line in lines)
