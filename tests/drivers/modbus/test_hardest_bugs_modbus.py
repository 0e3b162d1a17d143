"""The hardest things that can go wrong on a bus: the real daemon, a real pseudo-terminal, and units that act for themselves."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from drivers.modbus.frame import Function, Request, Wrong, crc16
from drivers.modbus.master import Master
from drivers.modbus.timing import DIE_S, RESPONSE_S, WATCHDOG_MS
from tests.e2e.conftest import Refused, rig

__all__ = ["rig"]

WATCHDOG_S = WATCHDOG_MS / 1000
LATE_S = 2.0
"""A machine with both cores busy lets every process wait now and then."""

Make = Callable[..., Awaitable[Any]]


def fell(table: Any) -> list[int]:
    """When the relay fell, as the bus itself recorded it: CLOCK_MONOTONIC in ns."""
    return [line["t"] for line in table.device_log("progressive", "relay") if line["lockout"] == "engaged"]


def pulled(table: Any) -> list[int]:
    """When the relay was pulled."""
    return [line["t"] for line in table.device_log("progressive", "relay") if line["lockout"] == "released"]


async def unit_1(table: Any) -> dict[str, int]:
    """The unit with the relay, as an onlooker sees it."""
    return dict((await table.device("progressive"))["units"]["1"])


async def begin_round(table: Any) -> None:
    for back in ("red", "blue"):
        await table.act("bring_set", "floorperson", back=back, preshuffled=True)
    await table.act("open_table", "floorperson")
    await table.act("begin_round", back="red")


async def with_bets_open(rig: Make) -> Any:
    """A table in which wagers are taken: the relay holds the lock-out released."""
    table = await rig(progressive="modbus", seats=3)
    await table.up()
    await table.open_betting()

    async def released() -> bool:
        """The last release is confirmed; where a unit's process had no time to answer, a person asks again."""
        last = table.facts("level_wanted")[-1]
        if last["value"] == "engaged":
            await table.act("release_lockout")
            return False
        return any(f["operation"] == last["operation"] for f in table.facts("level_confirmed"))

    await table.until(released, "the daemon knows that it is released")
    return table


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
async def test_the_relay_that_stays_released(rig: Make, signum: signal.Signals) -> None:
    """The daemon dies, or stands still, with bets open: the units' own watchdog lets the relay fall within its time."""
    table = await with_bets_open(rig)
    before = len(fell(table))
    at = time.monotonic_ns()
    os.kill(table.daemon.pid, signum)
    await table.until(lambda: len(fell(table)) > before, "the relay falls")
    took_s = (fell(table)[-1] - at) / 1e9
    assert took_s <= WATCHDOG_S + LATE_S
    assert table.device_log("progressive", "coils")[-1]["off"] == "watchdog"
    times = len(pulled(table))
    if signum is signal.SIGSTOP:
        os.kill(table.daemon.pid, signal.SIGCONT)
        await table.until(lambda: len(table.facts("lockout_engaged")) > before, "the daemon finds out")
        assert table.facts("lockout_engaged")[-1]["cause"] == "watchdog"
    assert len(pulled(table)) == times, "nobody released it again"


@pytest.mark.parametrize("after_s", [pytest.param(0.0, marks=pytest.mark.full), 0.03])
async def test_a_daemon_that_is_stopped_while_it_releases_does_not_release_when_it_wakes(
    rig: Make, after_s: float
) -> None:
    """Stopped in the middle of a release for longer than the watchdog: what fell stays down until a person acts anew."""
    table = await rig(progressive="modbus", seats=3)
    await table.up()
    await begin_round(table)  # which wants the release
    await asyncio.sleep(after_s)  # not a wait for anything: the moment of the stop
    os.kill(table.daemon.pid, signal.SIGSTOP)
    await asyncio.sleep(WATCHDOG_S + LATE_S)
    fallen, asked = len(pulled(table)), (await unit_1(table))["asked"]
    os.kill(table.daemon.pid, signal.SIGCONT)

    async def is_asked() -> bool:
        return bool((await unit_1(table))["asked"] > asked + 20)

    await table.until(is_asked, "the daemon goes on, with a new link or the old one")
    assert len(pulled(table)) == fallen
    assert (await unit_1(table))["coils"] == 0


@pytest.mark.parametrize(
    ("fault", "says"),
    [("watchdog_zero:unit=1", "reads 0 after 1500"), ("watchdog_ignored:unit=1", "reads 60000 after 1500")],
)
async def test_a_lock_out_without_a_watchdog_is_never_released(rig: Make, fault: str, says: str) -> None:
    """Register 0, or a write that is ignored: rejected, told, and no act of a person opens it. The base game goes on."""
    table = await rig(progressive="modbus", seats=3)
    await table.all_but_the_daemon_up()

    async def injected() -> bool:
        with suppress(OSError):  # its socket is there and not yet listened at
            return bool((await table.hands("progressive", "inject", fault=fault))["ok"])
        return False

    await table.until(injected, "the fault is there")
    await table.start_daemon()
    await table.until(lambda: table.facts("device_rejected"), "it is rejected")
    (rejected,) = table.facts("device_rejected")
    assert rejected["reason"] == "auth_not_approved"
    assert says in rejected["detail"]
    await begin_round(table)
    await table.act("release_lockout")
    assert [f for f in table.facts("level_wanted") if f["value"] == "released"] == []
    await table.hands("progressive", "put_chip", seat=1)
    assert pulled(table) == []
    assert table.facts("lockout_released") == []
    assert table.facts("device_online")[-1]["device_kind"] != "progressive"


async def test_a_lock_out_with_a_welded_relay_is_never_released_again(rig: Make) -> None:
    """It welds with bets open: held, told as broken, and neither this daemon nor the next one releases it or calls it engaged."""
    table = await with_bets_open(rig)
    times, engaged = len(pulled(table)), len(table.facts("lockout_engaged"))
    await table.hands("progressive", "inject", fault="relay_welded")
    await table.act("announce_no_more_bets")
    await table.until(lambda: table.facts("self_test_failed"), "the self-test fails")
    assert table.facts("self_test_failed")[0]["code"] == 1
    await table.until(lambda: table.facts("device_rejected"), "it is rejected")
    assert "contact" in table.facts("device_rejected")[0]["detail"]
    assert len(table.facts("lockout_engaged")) == engaged
    assert table.facts("hold_placed")
    with pytest.raises(Refused):
        await table.act("start_dealing")
    await table.kill_daemon()
    await table.start_daemon()
    before = len(table.facts("device_online"))
    await table.until(
        lambda: len(table.facts("device_rejected")) > 1 or len(table.facts("device_online")) >= before, "it looks"
    )
    with suppress(Refused):
        await table.act("release_lockout")
    assert len(pulled(table)) == times


@pytest.mark.parametrize("late_s", [0.001, 0.05, 0.1, RESPONSE_S, RESPONSE_S + DIE_S - 0.001])
def test_late_answer_to_an_old_question(late_s: float) -> None:
    """A's answer comes after its time-out; B has the same form and asks for something else. B's caller never gets A."""
    master = Master(byte_time_s=11 / 19200)
    master.start(0.0)
    first, second = (Request(1, Function.READ_INPUTS, at, 8) for at in (0, 8))
    now = master.next_deadline()
    master.ask(first, now)
    failed_at = master.next_deadline()
    failed = master.tick(failed_at)
    assert failed is not None
    assert failed.wrong is Wrong.SILENT
    assert not master.is_free(failed_at + late_s), "nothing is asked before it has died"
    master.receive(_answer(0xAA), failed_at + late_s)
    now = master.next_deadline()
    assert now > failed_at + late_s, "and it ends with a silence of its own"
    master.ask(second, now)
    master.receive(_answer(0x01), now + 0.02)
    outcome = master.tick(master.next_deadline())
    assert outcome is not None
    assert (outcome.request, outcome.values) == (second, (1, 0, 0, 0, 0, 0, 0, 0))


async def test_a_late_answer_on_a_real_bus_is_no_chip(rig: Make) -> None:
    """A unit answers a quarter of a second late, again and again, while a chip comes and goes: each is told once, rightly."""
    table = await with_bets_open(rig)
    await table.hands("progressive", "inject", fault="bus_late:unit=2:by=0.25:times=3")
    await table.hands("progressive", "put_chip", seat=1)
    await table.until(lambda: table.facts("wager_sensed"), "the chip is sensed")
    await table.hands("progressive", "lift_chip", seat=1)
    await table.until(lambda: table.facts("wager_removed"), "the chip is gone")
    assert [f["seat"] for f in table.facts("wager_sensed")] == [1]
    assert [f["seat"] for f in table.facts("wager_removed")] == [1]
    counters = (await table.status())["devices"]["progressive-1"]["link"]["counters"]
    assert counters["silent"] >= 1
    assert counters["stray_bytes"] >= 1


def _answer(bits: int) -> bytes:
    body = bytes((1, 2, 1, bits))
    return body + crc16(body).to_bytes(2, "little")
