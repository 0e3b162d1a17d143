"""A table whose devices are on USB, each in a socket of its own: killed, frozen, unplugged, and one plugged in elsewhere."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from controller.journal.record import Stream
from drivers.protocol.constants import HOST_WATCHDOG_S

LATE_S = 2.0
"""A machine with both cores busy lets every process wait now and then."""

Make = Callable[..., Awaitable[Any]]


@pytest.mark.timeout(180)
async def test_a_table_on_usb_plays_through_a_kill_and_a_replug(rig: Make) -> None:
    """What the devices were told is durable is on record, once; every gap is closed from their logs."""
    table = await rig(link="usb")
    await table.up(people=True)
    await table.play_on(60)
    await table.kill_daemon()
    await table.start_daemon()
    await table.all_online()
    await table.play_on(40)
    await table.hands("shoe", "unplug", for_s=0.5)
    await table.until(lambda: table.facts("device_offline"), "the loss is on record")
    await table.all_online()
    assert table.facts("device_offline")[0]["reason"] == "link_eof"
    await table.play_on(40)
    await table.child("people").stop()
    assert await table.daemon.stop() == 0
    table.assert_journal_verifies()
    table.assert_reports_are_on_record()
    table.assert_nothing_was_opened_off_the_record()
    assert all(fact["gap_closed"] for fact in table.facts("device_online"))


async def test_a_shoe_in_another_socket_is_rejected_and_nothing_of_it_is_on_record(rig: Make) -> None:
    """The status names the fault and where the device is; the other devices serve on."""
    table = await rig(link="usb")
    await table.up()
    before = len([r for r in table.records(Stream.INPUT) if r.origin and r.origin[0] == "SIM-shoe"])
    shoe = table.child("shoe-1")
    await shoe.stop(signal.SIGTERM)
    command = table.names.device_command("shoe", seeded=False)
    command[command.index("--usb") + 1] = "1-4"
    await table._start("shoe-1", command)

    async def is_rejected() -> bool:
        devices = (await table.status())["devices"]
        link = devices["shoe-1"]["link"]
        return (link["state"], link["reason"]) == ("rejected", "auth_wrong_port") and "1-4" in link["detail"]

    await table.until(is_rejected, "the shoe is rejected")
    devices = (await table.status())["devices"]
    assert not devices["shoe-1"]["online"]
    assert devices["shuffler-1"]["online"]
    assert devices["progressive-1"]["online"]
    await table.until(lambda: table.facts("device_rejected"), "the rejection is on record")
    assert [fact["reason"] for fact in table.facts("device_rejected")] == ["auth_wrong_port"]
    assert len([r for r in table.records(Stream.INPUT) if r.origin and r.origin[0] == "SIM-shoe"]) == before


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
async def test_the_lockout_on_usb_engages_by_itself_when_the_daemon_is_gone(
    rig: Make, signum: signal.Signals
) -> None:
    """A killed daemon's transfers are cancelled, a frozen one's stay open and are never read: either way the device's watchdog
    engages the lock-out in its time, and nobody releases it again. Of a release that is on its way when a daemon freezes,
    `tests/drivers/protocol/test_host_pause.py` and `test_what_waited_while_we_stood_still_is_not_sent` speak: one that stands
    right before its system call may be sent all the same (D-62)."""
    table = await rig(link="usb")
    await table.up()
    await table.open_betting()
    await table.until(
        lambda: _releases(table, "wanted")[-1] in _releases(table, "confirmed"), "no release is on its way"
    )
    before = len(_engaged(table))
    at = time.monotonic_ns()
    os.kill(table.daemon.pid, signum)
    await table.until(lambda: len(_engaged(table)) > before, "the lock-out is engaged")
    last = _engaged(table)[-1]
    assert last["body"]["cause"] == "watchdog"
    assert (last["t"] - at) / 1e9 <= HOST_WATCHDOG_S + LATE_S
    if signum is signal.SIGSTOP:
        await asyncio.sleep(HOST_WATCHDOG_S)  # the span for which it stands still
        os.kill(table.daemon.pid, signal.SIGCONT)
        await table.until(lambda: _by_watchdog(table), "the daemon finds out")
        await table.all_online()
    else:
        await table.daemon.stop(signal.SIGKILL)
        await table.start_daemon()
        await table.all_online()
        await table.until(lambda: _by_watchdog(table), "the log tells the next daemon")
    assert (await table.device("progressive"))["lockout"] == "engaged"
    since = [c for c in table.device_log("progressive", "command") if c["t"] > last["t"]]
    done = [c for c in since if c["outcome"] == "executed"]
    assert "released" not in [c["value"] for c in done]


def _engaged(table: Any) -> list[dict[str, Any]]:
    """The lock-out engaged, as the device itself recorded it; `t`: CLOCK_MONOTONIC in ns."""
    return [r for r in table.device_log("progressive", "report") if r["kind"] == "lockout_engaged"]


def _releases(table: Any, what: str) -> list[int]:
    """Operations that were to release the lock-out, or did, in order. One that was overtaken by the next is never confirmed."""
    found = (fact for fact in table.facts(f"level_{what}") if fact["level"] == "lockout")
    return [fact["operation"] for fact in found if fact["value"] == "released"]


def _by_watchdog(table: Any) -> list[Any]:
    return [fact for fact in table.facts("lockout_engaged") if fact["cause"] == "watchdog"]
