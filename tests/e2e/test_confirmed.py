"""`confirm = "consumer"` with real parts: daemon and broker are killed at random moments, and the consumer has it all."""

import asyncio
import json
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest

from controller.journal.record import Stream
from tests.e2e.conftest import BASE

SHORT, FULL = 6, int(os.environ.get("KILLS", "100"))
BROKER_KILLS = 2
REPEATS = 20
"""Events of one table that a reconnect may send again."""


async def confirm(table: Any) -> None:
    """Confirms for ever what the subscriber of the rig keeps; retained, so that it stands there for a daemon that comes."""
    said = b""
    while True:
        if (body := _kept(table)) != said and body:
            where = ("-p", str(table.broker.port), "-t", f"{BASE}/ack/recorder", "-i", "recorder", "-q", "1", "-r")
            sending = await asyncio.create_subprocess_exec(
                "mosquitto_pub", *where, "-s", stdin=PIPE, stderr=DEVNULL
            )
            await sending.communicate(body)
            said = body if sending.returncode == 0 else b""
        await asyncio.sleep(0.05)  # not a wait for anything: how often a recorder commits


def _kept(table: Any) -> bytes:
    streams, journal = {}, ""
    for stream in ("main", "diag"):
        told = table.told(stream)
        numbers = {int(event["sequence"]) for event in told}
        journal = told[0]["journal"] if told else journal
        through = 0
        while through + 1 in numbers:
            through += 1
        streams[stream] = {"through": through, "have": [[n, n] for n in sorted(numbers) if n > through]}
    return (
        json.dumps({"consumer": "recorder", "journal": journal, "streams": streams}).encode() if journal else b""
    )


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(SHORT, marks=pytest.mark.timeout(400), id="short"),
        pytest.param(FULL, marks=[pytest.mark.full, pytest.mark.timeout(120 + 30 * FULL)], id="full"),
    ],
)
async def test_a_consumer_that_confirms_misses_nothing_and_hears_little_twice(
    rig: Callable[..., Awaitable[Any]], kills: int
) -> None:
    """At most twenty repeats for each life of daemon or broker; the rows are the journal's, byte for byte."""
    table = await rig(seed=kills, rulebook="md-uth", method="dealing_shoe")
    chance = Random(kills)
    await table.all_but_the_daemon_up()
    wanted = '[mqtt]\nconfirm = "consumer"\nconsumers = ["recorder"]\nconfirm_s = 1'
    table.names.config.write_text(table.names.config.read_text().replace("[mqtt]", wanted))
    await table.start_daemon()
    await table.all_online()
    await table._start("people", table.names.people_command())
    confirming = asyncio.create_task(confirm(table))
    try:
        for number in range(kills):
            await table.play_on(chance.randint(1, 60))
            await asyncio.sleep(chance.uniform(0, 0.3))  # not a wait for anything: the moment of the kill
            before = table.repeats
            await table.kill_daemon()
            if number * BROKER_KILLS // kills != (number + 1) * BROKER_KILLS // kills:
                await table.child("mosquitto").stop(signal.SIGKILL)
                await table.start_broker()
                await table.start_daemon()  # what the broker took with it comes again
                continue
            await table.start_daemon()
            await table.until(lambda: table.latest("conn").get("state") == "online", "it is there again")
            await table.play_on(20)
            assert table.repeats - before <= REPEATS
        await table.child("people").stop()
        await table.assert_everything_is_told()
        heads = {stream: len(table.records(stream)) for stream in (Stream.MAIN, Stream.DIAG)}

        async def is_confirmed() -> bool:
            said = (await table.status()).get("broker", {}).get("streams", {})
            return bool(said) and all(said[s.value]["settled"] >= head for s, head in heads.items())

        await table.until(is_confirmed, "all is confirmed")
    finally:
        confirming.cancel()
        await asyncio.gather(confirming, return_exceptions=True)
    assert table.facts("confirmations_refused") == []
