"""`sim table` starts what a configuration names, and `sim do` carries its cards from one device to another."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from simulators.bench import table as sims
from simulators.bench.table import Hands, TableUnusable, simulated
from simulators.cli.main import sim

UP_S = 40.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    assert CliRunner().invoke(cli, ["init", "--bench", str(path)]).exit_code == 0
    return path


def test_each_device_of_the_configuration_has_its_simulator(file: Path) -> None:
    shuffler, shoe = simulated(file)
    assert (shuffler.name, shoe.name) == ("shuffler-1", "shoe-1")
    assert {"shuffler", "none", "red,blue", "SIM-shuffler-1"} <= set(shuffler.command)
    assert shoe.command[shoe.command.index("--backs") :][:2] == (
        "--backs",
        "none",
    )  # its cards come from the shuffler


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('path   = "shoe-1"', 'path   = "usb:1209:0002/S-1@1-2"', "start `tablewarden sim` for it by hand"),
        ('rulebook = "md-uth"', "", "tablewarden check"),
        ('kind   = "shoe"', 'kind   = "pump"', "tablewarden check"),
    ],
)
def test_what_cannot_be_simulated_says_what_to_do(file: Path, old: str, new: str, told: str) -> None:
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(TableUnusable, match=told):
        simulated(file)


async def test_cards_that_one_device_gave_are_loaded_into_another(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def ask(socket: Path, request: dict) -> dict:
        asked.append((socket.name, request))
        return {"ok": True, "cards": request.get("cards") or ["2c/red/S.1", "3c/red/S.2"]}

    monkeypatch.setattr(sims, "ask", ask)
    hands = Hands({"a": Path("a"), "b": Path("b")})
    await hands.do({"device": "a", "act": "unload"})
    await hands.do({"device": "b", "act": "load", "back": "red"})
    assert asked[-1] == ("b", {"act": "load", "back": "red", "cards": ["2c/red/S.1", "3c/red/S.2"]})
    assert hands.held == {"red": []}
    assert not (await hands.do({"device": "c", "act": "state"}))["ok"]


def test_hands_without_a_table_are_told_to_start_one(file: Path) -> None:
    told = CliRunner().invoke(sim, ["do", str(file), "shoe-1", "state"])
    assert told.exit_code == 1
    assert "tablewarden sim table" in told.output


def test_no_sentence_of_the_help_is_cut() -> None:
    assert "..." not in CliRunner().invoke(sim, ["--help"]).output.partition("Commands:")[2]


@pytest.mark.timeout(160)
def test_a_whole_table_runs_and_shares_its_cards(file: Path) -> None:
    command = [sys.executable, "-m", "simulators", "table", str(file), "--speed", "100"]
    hub = sims.hub_of(file)

    def do(device: str, act: str, **more: str) -> dict:
        return asyncio.run(sims.ask(hub, {"device": device, "act": act, **more}))

    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            end = time.monotonic() + UP_S
            while not hub.exists():
                assert process.poll() is None, process.stderr and process.stderr.read()
                assert time.monotonic() < end
                time.sleep(0.05)
            first = do("shuffler-1", "load", back="red")["cards"]
            assert do("shuffler-1", "unload")["ok"]
            second = do("shoe-1", "load", back="red")["cards"]
            assert Counter(second) == Counter(first)
            assert do("shoe-1", "inject", fault="jam@1") == {"ok": True}
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    left = {path.name for path in file.parent.iterdir()} - {"table.toml"}
    assert not [name for name in left if not name.endswith(".log")], json.dumps(sorted(left))
