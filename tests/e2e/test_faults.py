"""What goes wrong inside: a slow restart, an error in the core, a journal that cannot be written."""

import asyncio
import resource
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from controller.table.fold.ruling import AT_ONCE

PLANT = """
import controller.table.decide as core
honest = core.decide_report
def planted(draft, name, report):
    if report.kind == "door_opened":
        raise RuntimeError("planted")
    honest(draft, name, report)
core.decide_report = planted
"""
"""An error in the core that one kind of report brings to light."""
STILL_S = 3.0
IDLE_S = 3.0
"""How long processor time is measured."""

Make = Callable[..., Awaitable[Any]]


async def test_a_restart_slower_than_the_watchdog_leaves_the_lockout_engaged_until_a_person_releases_it(
    rig: Make,
) -> None:
    """The device locks by itself while bets are taken; the daemon that comes back takes the round up, and no release."""
    table = await rig()
    await table.up()
    await table.open_betting()
    await table.act("place_wager", "player-1", seat=1, wager="trips", cents=500)
    await table.hands("progressive", "put_chip", seat=1)

    async def is_accepted() -> bool:
        return bool((await table.status())["round"]["accepted"])

    await table.until(is_accepted, "the chip is accepted")
    await table.kill_daemon()
    killed = table.device_log("progressive")[-1]["t"]
    await table.hands("progressive", "await", key="lockout", value="engaged", timeout_s=10)
    engaged = [r for r in table.device_log("progressive", "report") if r["kind"] == "lockout_engaged"]
    assert engaged[-1]["body"]["cause"] == "watchdog"

    await table.start_daemon()
    await table.all_online()
    status = await table.status()
    assert (status["round"]["number"], status["round"]["phase"]) == (1, "betting")
    assert status["round"]["accepted"] == [[1, 1]]
    assert not status["held"]

    async def is_locked() -> bool:
        return (await table.levels("progressive-1")).get("lockout") == "engaged"

    await table.until(is_locked, "the level is read back from the device that came online")
    await table.act("place_wager", "player-2", seat=2, wager="ante", cents=1000)  # life goes on, the lock stays
    assert (await table.device("progressive"))["lockout"] == "engaged"
    asked = [c for c in table.device_log("progressive", "command") if c["t"] > killed]
    assert "released" not in [c["value"] for c in asked]

    await table.act("release_lockout")
    await table.hands("progressive", "await", key="lockout", value="released")
    table.assert_nothing_was_opened_off_the_record()


async def test_an_error_in_the_core_holds_the_table_once_and_outlives_a_restart(rig: Make) -> None:
    """One `decision_failed` and one hold; the report is acknowledged, nothing loops, and only a supervisor goes on."""
    table = await rig()
    await table.up(plant=PLANT)
    await table.open_betting()
    await table.hands("shoe", "open_lid")

    async def holds() -> list[dict[str, Any]]:
        return list((await table.status()).get("held", []))

    (hold,) = await table.until(holds, "the table is held")
    assert "door_opened" in hold["reason"]
    assert (await table.status())["next"].startswith("HELD")
    await table.hands("progressive", "await", key="lockout", value="engaged", timeout_s=2)
    (opened,) = [r for r in table.device_log("shoe", "report") if r["kind"] == "door_opened"]
    await table.until(
        lambda: any(a["counter"] >= opened["counter"] for a in table.device_log("shoe", "acknowledged")), "the ack"
    )
    before = table.cpu_s(), await table.order()
    await asyncio.sleep(IDLE_S)  # the span that is measured
    assert table.cpu_s() - before[0] < 0.1 * IDLE_S
    few = 20  # the levels of three devices are read anew, at most twice, an input and a fact each
    assert await table.order() - before[1] < few, "whatever follows comes to rest"

    await table.kill_daemon()
    await table.start_daemon()
    await table.all_online()
    assert [h["hold"] for h in await holds()] == [hold["hold"]]
    (failed,) = table.facts("decision_failed")
    assert failed["error"] == "RuntimeError: planted"
    with pytest.raises(Exception, match="refused"):
        await table.act("resolve_hold", "dealer", hold=hold["hold"], resolution="go_on")
    await table.act("resolve_hold", "supervisor", hold=hold["hold"], resolution="go_on", note="the lid was opened")
    assert not await holds()
    table.assert_journal_verifies()


@pytest.mark.timeout(120)
async def test_a_journal_that_cannot_be_written_stops_play_and_says_so(rig: Make) -> None:
    """Every device gets its safe side, acts are refused with the reason, and play goes on once the cause is gone."""
    table = await rig()
    await table.up()
    await table.open_betting()
    limits = resource.prlimit(table.daemon.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(table.daemon.pid, resource.RLIMIT_FSIZE, (1, limits[1]))  # no file of the daemon takes a byte
    with pytest.raises(Exception, match="record_failed"):
        await table.act("place_wager", "player-2", seat=2, wager="ante", cents=1000)

    await table.hands("progressive", "await", key="lockout", value="engaged", timeout_s=2)
    last = [c for c in table.device_log("progressive", "command") if c["level"] == "lockout"][-1]
    assert last["value"] == "engaged"
    assert last["operation"] & AT_ONCE, "the safe side does not wait for the record"

    async def is_told() -> bool:
        status = await table.status()
        return not status["record"]["ok"] and status["next"].startswith("HELD")

    await table.until(is_told, "the status says that the record failed")
    assert "not recorded" in (await table.status())["record"]["reason"]
    with pytest.raises(Exception, match="record_failed"):
        await table.act("place_wager", "player-2", seat=2, wager="ante", cents=1000)
    assert table.daemon.is_running

    resource.prlimit(table.daemon.pid, resource.RLIMIT_FSIZE, limits)
    await table.all_online()
    status = await table.status()
    assert status["record"]["ok"]
    assert "2" not in status["round"]["seats"], "a wager that was refused was not placed"
    await table.act("place_wager", "player-2", seat=2, wager="ante", cents=1000)
    await table.act("release_lockout")
    await table.hands("progressive", "await", key="lockout", value="released")
    table.assert_journal_verifies()
    await table.assert_everything_is_told()
    table.assert_reports_are_on_record()


async def test_a_daemon_that_stood_still_takes_the_round_up_where_it_was(rig: Make) -> None:
    """Frozen for longer than any watchdog: the devices save themselves, their logs close the gap, nothing is released."""
    table = await rig()
    await table.up()
    await table.open_betting()
    frozen = table.daemon.process
    frozen.send_signal(signal.SIGSTOP)
    await table.hands("progressive", "await", key="lockout", value="engaged", timeout_s=10)
    await table.hands("progressive", "put_chip", seat=1)
    await table.hands("shoe", "open_lid")
    await asyncio.sleep(STILL_S)  # the span for which it stands still
    frozen.send_signal(signal.SIGCONT)

    async def knows_the_lid() -> bool:
        return (await table.levels("shoe-1")).get("door_open") is True

    await table.until(knows_the_lid, "the daemon knows what happened meanwhile")
    await table.all_online()
    status = await table.status()
    assert (status["round"]["phase"], status["devices"]["progressive-1"]["levels"]["lockout"]) == (
        "betting",
        "engaged",
    )
    assert (await table.device("progressive"))["lockout"] == "engaged"
    assert not table.facts("events_lost")
    assert all(fact["gap_closed"] for fact in table.facts("device_online"))
    late = [d for d in table.facts("disposition_made") if d["trigger"] == "progressive_late"]
    assert len(late) == 1, "the chip came under the lock"
    table.assert_reports_are_on_record()
    table.assert_journal_verifies()
