"""`make bench` in short: each figure comes out and is told. What it comes to on a good machine only the full form says."""

import subprocess
import sys
from pathlib import Path

import pytest

from controller.rules.read.library import available
from tests.bench import core_rate, frame_cost, journal_cost, settle_rate, tdp, ten_devices


def test_what_the_record_costs(tmp_path: Path) -> None:
    """A month is looked through from its last good verdict on: 30 closed days and the open one.

    Of the four rounds of a play two are dealt from this set.
    """
    plays = journal_cost.PLAYS_AN_HOUR + 1
    costs = journal_cost.measure(tmp_path, 20, 1, 200, plays)
    assert costs["lookback_month_rounds"] == 31 * plays * 2
    assert all(cost > 0 for cost in costs.values())
    assert all(name in journal_cost.report(costs) for name in costs)


def test_how_many_inputs_the_core_decides() -> None:
    rates = core_rate.core_rate(rounds=20)
    assert set(rates) == set(available())
    assert all(name in core_rate.report(rates) for name in rates)


def test_how_many_rounds_are_settled() -> None:
    rates = settle_rate.settle_rates(rounds=5)
    assert all(name in settle_rate.report(rates) for name in available())


def test_how_many_hands_are_ranked() -> None:
    """In a process of its own: the rankers of others warn of what they import."""
    told = "from tests.bench.hands import hand_rates, report; print(report(hand_rates(reps=1, hands=50)))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert "hands ranked a second" in done.stdout


@pytest.mark.timeout(120)
def test_what_a_frame_costs() -> None:
    assert "us of processor time" in frame_cost.report(frame_cost.frame_costs(reps=1))


async def test_how_many_reports_a_device_that_never_rests_makes() -> None:
    rate = await tdp.tdp_rate(50)
    assert rate["per_s"] > 0


async def test_what_ten_devices_cost() -> None:
    assert "10 devices" in ten_devices.report(await ten_devices.ten_devices(seconds=1.0))
