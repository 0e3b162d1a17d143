"""docs/modbus.md says what the code does: every fault has its verdict there, and its configuration is one."""

import re
from pathlib import Path

from controller.config.load import read_config
from simulators.bus.faults import BUS_FAULTS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "modbus.md").read_text()
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
"""


def test_every_fault_of_a_bus_has_its_verdict_on_the_page():
    """A fault without an expected outcome is no test of anything."""
    rows = re.findall(r"^\| ?(?:[MD]\d\d)? ?\| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
    told = {name for faults, _ in rows for name in re.findall(r"`([a-z_]+)`", faults)}
    assert set(BUS_FAULTS) - told == set()
    numbers = re.findall(r"^\| (M\d\d) ", PAGE, re.MULTILINE)
    assert numbers == [f"M{n:02}" for n in range(1, 16)]


def test_the_configuration_on_the_page_is_one(tmp_path):
    """It can be copied into a table's file as it stands."""
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "table.toml"
    path.write_text(TABLE + block)
    assert read_config(path).faults == ()
