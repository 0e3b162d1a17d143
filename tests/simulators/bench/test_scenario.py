"""`bench --scenario`: what befalls a device is part of a run, and a run in which it does not come out is no success."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HEAD = 'about = "x"\ndevice = "remote-io"\n'
SEEN = "[[step]]\nexpect = {plugged = true}\n"
ASTRAY = "[[step]]\nexpect = {plugged = false}\nwithin = 1\n"


def run_of(bench, scenario, rounds="2"):
    return bench(
        "--rounds", rounds, "--speed", "200", "--progressive", "modbus", "--broker", "memory", "--scenario", str(scenario),
    )  # fmt: skip


@pytest.mark.timeout(160)
def test_a_scenario_befalls_its_device_while_people_play(bench):
    """The watchdog bites while wagers are taken: told, and every promise held."""
    ran = run_of(bench, ROOT / "config" / "scenarios" / "bus-watchdog-bites.toml")
    assert ran.code == 0, ran.why() + ran.errors + ran.told["failed"]


@pytest.mark.timeout(160)
@pytest.mark.parametrize(
    ("steps", "says", "rounds"),
    [
        (SEEN + ASTRAY, "step 2: after 1 s plugged is True and not False", "50"),
        ('record = ["jammed"]\n' + SEEN, "not on record: jammed", "1"),
        (SEEN + "[[step]]\nat = 3600\n", "the run was over before step 2; play more rounds", "1"),
    ],
    ids=["astray", "record", "over"],
)
def test_a_scenario_that_does_not_come_out_fails_the_run(bench, tmp_path, steps, says, rounds):
    """By its name, with what was wanted and what was there. A run ends with its scenario; 50 rounds last a second."""
    path = tmp_path / "astray.toml"
    path.write_text(HEAD + steps)
    ran = run_of(bench, path, rounds)
    assert ran.code == 3
    assert f"astray.toml: {says}" in ran.told["failed"]
