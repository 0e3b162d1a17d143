"""Parameters of progressive meters in a table's file: what the document does not allow is refused with line and remedy."""

import re
from pathlib import Path

import pytest

from controller.config.load import load_config, read_config
from controller.games.settling.meters import MeterTerms
from controller.table.state.recorded_setup import setup_from, setup_told

EXAMPLE = (Path(__file__).resolve().parents[3] / "config" / "tables" / "example.toml").read_text()
LOCAL = EXAMPLE.replace('meter_source = "person"', 'meter_source = "local"')
METERS = "[meters]\nmeter = { base = 1000000, rise = 2000, reserve = 500, limit = 0 }\n"


def _file(folder: Path, meters: str, text: str = LOCAL) -> Path:
    path = folder / "table.toml"
    path.write_text(f"{text}\n{meters}")
    return path


def test_parameters_reach_the_core_and_its_record(tmp_path: Path) -> None:
    setup = load_config(_file(tmp_path, METERS)).setup()
    assert setup.meters == {"meter": MeterTerms(1_000_000, 2_000, 500)}
    assert setup_from(setup_told(setup), setup.site, setup.table, setup.law.rulebook) == setup


def test_a_table_where_people_type_the_meters_has_none(tmp_path: Path) -> None:
    setup = load_config(_file(tmp_path, "", EXAMPLE)).setup()
    assert (setup.meters, setup_told(setup).meters) == ({}, None)


WRONG = {
    "a base below the document's": ("base = 1000000", "base = 999999", r"set base to 1000000 or more \(12.D\(3\)\(b\)\(i\)\)"),
    "more than the wager": ("reserve = 500", "reserve = 8001", r"reserve: is 8001, and with the rise of 2000 more than all"),
    "an increment over 100 %": ("rise = 2000", "rise = 10001", r"rise: must be from 1 to 10000"),
    "a limit below the base": ("limit = 0", "limit = 999999", r"limit: is 999999, below the base of 1000000; raise it, or"),
    "cents below nothing": ("base = 1000000", "base = -1", r"base: must be from 1 to"),
    "a part of a cent": ("base = 1000000", "base = 1000000.5", r"base: must be a whole number"),
    "a meter of another table": ("meter = {", "mega = {", r"mega.*no wager is paid from such a meter"),
    "a meter that is missing": (METERS, "", r"meter.*is missing; say with what it starts"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_what_cannot_be_is_refused_with_line_and_remedy(tmp_path: Path, wrong: str) -> None:
    old, new, told = WRONG[wrong]
    path = _file(tmp_path, METERS.replace(old, new))
    faults = read_config(path).faults
    found = [fault for fault in faults if re.search(told, fault)]
    assert found, faults
    if new:
        assert (found[0].line or 0) > len(LOCAL.splitlines())


def test_the_better_hand_has_the_higher_meter(tmp_path: Path) -> None:
    text = LOCAL.replace('progressive_table = { choice = "A"', 'progressive_table = { choice = "B"')
    two = "[meters]\nmajor = { base = 100000, rise = 2000 }\nminor = { base = 100000, rise = 500 }\n"
    faults = read_config(_file(tmp_path, two, text)).faults
    assert any("not below the 100000 of major" in fault for fault in faults), faults


def test_parameters_that_nobody_uses_are_refused(tmp_path: Path) -> None:
    (fault,) = read_config(_file(tmp_path, METERS, EXAMPLE)).faults
    assert "a person types each meter" in fault
    off = LOCAL.replace('offered  = ["trips", "progressive"]', 'offered  = ["trips"]')
    assert any(
        "offers no progressive wager" in fault for fault in read_config(_file(tmp_path, METERS, off)).faults
    )
