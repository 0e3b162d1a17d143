"""The shipped scenarios of a bus and of a shoe that writes lines, at a whole table on virtual time."""

import asyncio
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from drivers.device import SessionState
from simulators.scenario.run import play
from simulators.scenario.script import BUS, LINES, Script, load
from tests.faults.machine import LineShoe
from tests.faults.rig import CALM_S, Rig, table
from tests.faults.virtual import run_virtual

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = [p for p in sorted((ROOT / "config" / "scenarios").glob("*.toml")) if load(p).device in (BUS, LINES)]


async def _hands(rig: Rig) -> None:
    """Cards are drawn, one after another; in the end the dealer's button locks what is released."""
    shoe, unit = rig.devices["shoe-1"].simulator, rig.devices["progressive-1"].simulator
    if isinstance(rig.devices["shoe-1"], LineShoe):
        shoe.act("bring_deck", {"back": "red"})
        shoe.act("load", {"back": "red"})
        while True:
            await asyncio.sleep(0.5)
            shoe.act("draw", {"cards": 1})
    await asyncio.sleep(2.0)
    unit.act("lockout", {})


async def _played(room: Path, script: Script) -> list[str]:
    """The kinds of facts on record that the subscriber got, too."""
    asked = {"progressive": "modbus"} if script.device == BUS else {"method": "manual_shoe", "reader": "bee-tek"}
    async with table(room, **asked) as rig:
        await rig.up()
        await rig.open_betting()
        device = rig.devices["progressive-1" if script.device == BUS else "shoe-1"]
        hands = asyncio.create_task(_hands(rig))
        await play(device.simulator, script.steps)
        await asyncio.sleep(CALM_S)
        hands.cancel()
        await asyncio.gather(hands, return_exceptions=True)
        serving = (SessionState.ONLINE, SessionState.FAULTED)
        await rig.until(lambda: all(d.session.state in serving for d in rig.devices.values()), "back again", 20.0)
        await rig.until(rig.settled, "all is on record", 20.0)
        heads = rig.journal.heads()
        await rig.until(
            lambda: all(len(rig.told(s)) >= n for s, n in heads.items() if s != "input"), "all is told"
        )
        return [event["type"].split(".")[-2] for s in heads if s != "input" for event in rig.told(s)]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_scenario_comes_out_and_is_on_record_and_told(path: Path, room: Path) -> None:
    """Its steps go as they are written, and what it says must be on record is, there and at the subscriber."""
    script = load(path)
    told = run_virtual(_played(room, script))
    assert set(script.record) <= set(told), set(script.record) - set(told)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_command_on_top_of_it_is_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an unknown mishap more, it gets as far as that: scenario and options go together."""
    monkeypatch.chdir(ROOT)
    words = shlex.split(path.read_text().splitlines()[0].removeprefix("# tablewarden "))
    assert f"config/scenarios/{path.name}" in words
    shown = CliRunner().invoke(cli, [*words, "--offer", "nothing_like_it"])
    assert "no optional wager 'nothing_like_it'" in shown.output, shown.output
    alone = CliRunner().invoke(cli, ["bench", "--scenario", words[-1]])
    assert alone.exit_code == 2
    assert "stands here; add --" in alone.output
