"""The commands of `device` as people type them, against a simulated device on a pseudo-terminal."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import serial
from click.testing import Result

Command = Callable[..., Result]


def test_probe_tells_a_technician_what_stands_there(command: Command, shoe: Path) -> None:
    """In words, with what to do next; for a program the same as JSON."""
    done = command("device", "probe", shoe)
    assert done.exit_code == 0, done.output
    assert f"{shoe}  shoe, serial number SIM-shoe-1" in done.output
    assert "now      dispensing inhibited" in done.output
    assert "10 of 10 pings answered" in done.output
    assert "waits    report 1: powered up" in done.output
    assert "nothing was changed" in done.output
    told = json.loads(command("device", "probe", shoe, "--json").output)
    assert told["identity"]["kind"] == "shoe"
    assert told["log"]["first"] == 1
    assert told["line"]["echoed"] == 10


def test_a_port_that_somebody_has_is_named_with_its_holder(command: Command, shoe: Path) -> None:
    """And nothing is opened a second time."""
    with serial.Serial(str(shoe), exclusive=True):
        done = command("device", "probe", shoe)
    assert done.exit_code == 3
    assert "has this port (" in done.output
    assert "end it first" in done.output


def test_a_port_that_is_none(command: Command, tmp_path: Path) -> None:
    """Missing, and not a serial port at all."""
    assert command("device", "probe", tmp_path / "none").exit_code == 3
    plain = tmp_path / "plain"
    plain.touch()
    done = command("device", "probe", plain)
    assert (done.exit_code, "this is not a serial port" in done.output) == (3, True)


def test_list_without_a_daemon_names_the_devices_of_a_configuration(command: Command, tmp_path: Path) -> None:
    """Exit code 1: none of them is served."""
    example = Path(__file__).resolve().parents[3] / "config" / "tables" / "example.toml"
    done = command("device", "list", "--config", example, "--socket", tmp_path / "none")
    assert done.exit_code == 1
    assert "no daemon" in done.output
    assert "shoe-1  shoe" in done.output
    told = json.loads(command("device", "list", "--socket", tmp_path / "none", "--json").output)
    assert told["daemon"]["running"] is False
    assert told["devices"] == []


@pytest.mark.parametrize("name", ["list", "probe"])
def test_help_shows_an_example(command: Command, name: str) -> None:
    """For whoever has not seen it before."""
    assert "tablewarden device" in command("device", name, "--help").output
