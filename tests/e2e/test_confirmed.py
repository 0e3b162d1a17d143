"""`confirm = "consumer"` with real parts: daemon and broker are killed at random moments, and the consumer has it all."""

import asyncio
import json
import os
import signal
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest

from controller.clock import rfc3339
from controller.journal.record import Stream
from tests.e2e.conftest import BASE

SHORT, FULL = 6, int(os.environ.get("KILLS", "100"))
BROKER_KILLS = 2
REPEATS = 20
"""Events of one table that a reconnect may send again."""


class Confirming:
    """Confirms for ever what the subscriber of the rig keeps; retained, so that it stands there for a daemon that comes."""

    def __init__(self, table: Any) -> None:
        self._table, self._read, self._journal = table, 0, ""
        self._numbers: dict[str, set[int]] = {"main": set(), "diag": set()}
        self._through = {"main": 0, "diag": 0}

    async def run(self) -> None:
        said: tuple[bytes, int] | None = None
        while True:
            body, repeats = self._kept(), self._table.repeats
            if (body, repeats) != said and body:  # a repeat says that a confirmation may be lost
                port = str(self._table.broker.port)
                where = ("-p", port, "-t", f"{BASE}/ack/recorder", "-i", "recorder", "-q", "1", "-r", "-s")
                sending = await asyncio.create_subprocess_exec("mosquitto_pub", *where, stdin=PIPE, stderr=DEVNULL)
                await sending.communicate(body)
                said = (body, repeats) if sending.returncode == 0 else None
            await asyncio.sleep(0.05)  # not a wait for anything: how often a recorder commits

    def _kept(self) -> bytes:
        fresh, self._read = self._table.delivered[self._read :], len(self._table.delivered)
        for message in fresh:
            if "/evt/" in message.topic:
                event = json.loads(message.payload)
                self._journal = event["journal"]
                self._numbers[event["stream"]].add(int(event["sequence"]))
        streams = {}
        for stream, numbers in self._numbers.items():
            while self._through[stream] + 1 in numbers:
                self._through[stream] += 1
                numbers.discard(self._through[stream])
            streams[stream] = {"through": self._through[stream], "have": [[n, n] for n in sorted(numbers)]}
        body = {"consumer": "recorder", "journal": self._journal, "streams": streams}
        return json.dumps(body).encode() if self._journal else b""


async def _replays_the_same_bytes(table: Any, last: int) -> None:
    """A copy from the journal is the event as it was published by an earlier process."""
    events = {m.payload for m in table.delivered if m.topic == f"{BASE}/evt/main"}
    expires = rfc3339(time.time_ns() // 1000 + 60_000_000)
    journal = table.told("main")[0]["journal"]
    asked = {"id": "all", "consumer": "recorder", "stream": "main", "journal": journal, "from": 1, "to": last}
    where = ("-p", str(table.broker.port), "-t", f"{BASE}/cmd/replay", "-q", "1", "-s")
    sending = await asyncio.create_subprocess_exec("mosquitto_pub", *where, stdin=PIPE)
    await sending.communicate(json.dumps({**asked, "expires": expires}).encode())
    await table.until(lambda: table.latest("rsp/recorder").get("state") == "done", "the replay is done")
    copies = [m.payload for m in table.delivered if m.topic == f"{BASE}/rpl/recorder"]
    assert [int(json.loads(copy)["sequence"]) for copy in copies] == list(range(1, last + 1))
    assert set(copies) <= events


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
    confirming = asyncio.create_task(Confirming(table).run())
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
        await _replays_the_same_bytes(table, min(heads[Stream.MAIN], 200))
    finally:
        confirming.cancel()
        await asyncio.gather(confirming, return_exceptions=True)
    assert table.facts("confirmations_refused") == []
