"""How the daemon ends, and how a second one never begins."""

import asyncio
import resource
import signal
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest

from controller.journal.record import Stream
from controller.journal.store import Journal

ENDS = 3
END_S = 10.0

Make = Callable[..., Awaitable[Any]]


@pytest.mark.timeout(180)
async def test_sigterm_at_random_moments_ends_the_daemon_cleanly(rig: Make) -> None:
    """Exit 0 in time, `offline` retained for whoever asks, lock-out engaged at once, and nothing left behind."""
    table = await rig(seed=8)
    await table.up(people=True)
    chance = Random(8)
    for _ in range(ENDS):
        await table.play_on(chance.randint(1, 60))
        await asyncio.sleep(chance.uniform(0, 0.05))
        assert await _stopped(table) == 0
        assert (await table.device("progressive"))["lockout"] == "engaged"
        assert (await table.device("shoe"))["dispensing"] == "inhibited"
        conn = await table.retained("conn")
        await table.until(lambda conn=conn: conn().get("state") == "offline", "offline is retained")
        assert not table.names.control.exists()
        Journal.open(table.names.journal, site="bench", table="uth-1").close()  # its lock is free
        table.assert_journal_verifies()
        await table.start_daemon()
        await table.all_online()
    await table.child("people").stop()
    assert await _stopped(table) == 0
    assert table.records(Stream.MAIN)[-1].kind == "service_stopping"
    await table.assert_everything_is_told()
    table.assert_reports_are_on_record()


async def _stopped(table: Any) -> int:
    """Exit code after SIGTERM; fails where it does not come in time."""
    async with asyncio.timeout(END_S):
        return int(await table.daemon.stop())


async def test_sigterm_ends_the_daemon_in_time_though_the_broker_hangs(rig: Make) -> None:
    """A goodbye that nobody answers is not waited for beyond its time; what it did not tell stays in the journal."""
    table = await rig()
    await table.up()
    table.child("mosquitto").process.send_signal(signal.SIGSTOP)
    await table.act("open_table", "floorperson")
    assert await _stopped(table) == 0
    assert table.facts("table_opened")
    assert table.records(Stream.MAIN)[-1].kind == "service_stopping"
    table.child("mosquitto").process.send_signal(signal.SIGCONT)
    await table.start_daemon()
    await table.assert_everything_is_told()


async def test_sigterm_ends_the_daemon_in_time_though_its_record_cannot_be_written(rig: Make) -> None:
    """It cannot even note that it stops, and stops all the same, with every device on its safe side."""
    table = await rig()
    await table.up()
    await table.open_betting()
    _, most = resource.prlimit(table.daemon.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(table.daemon.pid, resource.RLIMIT_FSIZE, (1, most))
    assert await _stopped(table) == 0
    await table.hands("progressive", "await", key="lockout", value="engaged", timeout_s=5)
    table.assert_journal_verifies()
    await table.start_daemon()
    await table.all_online()
    assert (await table.status())["round"]["phase"] == "betting"


async def test_sigterm_leaves_no_damage_of_a_line_untold(rig: Make) -> None:
    """Of a cable that makes noise what was found since the last word of it is on record before the daemon says that it stops."""
    table = await rig(method="manual_shoe", reader="bee-tek")
    await table.up()
    await table.hands("shoe", "bring_deck", back="red")
    await table.hands("shoe", "load", back="red")

    async def found() -> int:
        counters = (await table.status())["devices"]["shoe-1"]["link"]["counters"]
        return sum(counters.get(name, 0) for name in ("non_ascii", "oversize", "partial"))

    def told() -> int:
        return sum(
            body[cause] for body in table.facts("lines_damaged") for cause in ("not_text", "too_long", "cut_off")
        )

    for _ in range(20):
        await table.hands("shoe", "inject", fault="wire_noise:text=baud:bytes=60")
        await table.hands("shoe", "draw", cards=1)
        if (damaged := await found()) >= told() + 2:
            break
    else:
        pytest.fail("nothing is being gathered")
    assert await _stopped(table) == 0
    assert told() >= damaged
    assert table.records(Stream.MAIN)[-1].kind == "service_stopping"


async def test_a_second_daemon_of_the_same_table_is_refused(rig: Make) -> None:
    """It names the process that has the socket, exits with 3, and the first one does not notice."""
    table = await rig()
    await table.up()
    second = await table.start_daemon(name="second", wait=False)
    assert await _ended(second) == 3
    assert f"process {table.daemon.pid}" in second.log.read_text()
    await table.all_online()


async def test_a_second_daemon_on_the_same_journal_is_refused(rig: Make) -> None:
    """With a socket of its own it gets as far as the journal, names who has it, and exits with 3."""
    table = await rig()
    await table.up()
    config = table.names.config
    config.write_text(config.read_text().replace(str(table.names.control), f"{table.names.control}2"))
    second = await table.start_daemon(name="second", wait=False)
    assert await _ended(second) == 3
    assert f"process {table.daemon.pid} has this journal open" in second.log.read_text()
    await table.all_online()
    table.assert_journal_verifies()


async def _ended(child: Any) -> int:
    async with asyncio.timeout(END_S):
        return int(await child.ended())
