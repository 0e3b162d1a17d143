"""Hands and faults over the socket: every request has an answer, and nobody can hold up the device."""

import asyncio
import json
import socket
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest

from drivers.protocol.reports import Level
from simulators.cable.port import LinkTaken
from simulators.firmware.control import answer, control_socket
from simulators.firmware.log import WATCHER_LINES, EventLog
from simulators.scenario.faults import FaultError

Make = Callable[..., Any]
"""A fixture that makes something when it is called."""


async def test_a_fault_can_be_injected_while_it_runs(start: Make, connect: Make) -> None:
    """The next deal jams; a name nobody knows is refused with a hint; a wire fault acts at once."""
    sim = await start("shoe")
    assert (await sim.ask(act="inject", fault="jam:stack=1"))["ok"]
    assert "did you mean jam" in (await sim.ask(act="inject", fault="jamm"))["error"]
    assert (await sim.ask(act="inject", fault="wire_drop:rate=0.5"))["ok"]
    assert (await sim.ask(act="inject", fault="wire_drop:rate=0"))["ok"]
    with pytest.raises(FaultError):
        sim.simulator.inject("nonsense")
    async with connect(sim.link) as host:
        await host.online()
        await host.want(Level.DISPENSING, "allowed")
        sim.simulator.act("load", {"back": "red"})
        sim.simulator.act("green", {})
        assert (await sim.ask(act="await", key="jammed", value=True))["ok"]
        assert sim.noted("fault", fault="jam_dealing:stack=1")


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({}, "a request is a line"),
        ({"act": 7}, "a request is a line"),
        ({"act": "fly"}, "nobody can do"),
        ({"act": "wake"}, "does not hang"),
        ({"act": "replug"}, "in already"),
        ({"act": "power_on"}, "power is on"),
        ({"act": "hang", "for_s": "long"}, "number of seconds"),
        ({"act": "hang", "for_s": -1}, "number of seconds"),
        ({"act": "hang", "for_s": 10**400}, "number of seconds"),
        ({"act": "unplug", "for_s": float("nan")}, "number of seconds"),
        ({"act": "reboot", "cause": "boredom"}, "cause must be"),
        ({"act": "await", "key": "jammed", "value": True, "timeout_s": 0.05}, "in time"),
    ],
)
async def test_what_can_not_be_done_is_an_answer(start: Make, request_: dict[str, Any], error: str) -> None:
    """Never an exception, never silence."""
    sim = await start("shoe")
    answered = await answer(sim.simulator, request_)
    assert answered["ok"] is False
    assert error in answered["error"]


async def test_the_socket_survives_nonsense_and_clients_that_leave(start: Make) -> None:
    """A line that is no JSON is answered, an endless one ends that client, others are served on."""
    sim = await start("shoe")
    reader, writer = await asyncio.open_unix_connection(sim.control)
    writer.write(b"nonsense\n[1]\n")
    for _ in range(2):
        assert json.loads(await reader.readline())["ok"] is False
    writer.write(b"x" * 200_000 + b"\n")
    assert await reader.read() == b""
    writer.close()
    _, rude = await asyncio.open_unix_connection(sim.control)
    rude.write(b'{"act": "await", "key": "jammed", "value": true}\n')
    rude.transport.abort()
    assert (await sim.ask(act="state"))["ok"]


async def test_a_watcher_sees_every_line_from_then_on(start: Make) -> None:
    """The record as it is written, for people and benches that follow along."""
    sim = await start("progressive")
    reader, writer = await asyncio.open_unix_connection(sim.control)
    writer.write(b'{"act": "watch"}\n')
    assert json.loads(await reader.readline()) == {"ok": True}
    await sim.ask(act="put_chip", seat=1)
    lines = [json.loads(await reader.readline()) for _ in range(3)]
    assert [line["what"] for line in lines] == ["chip", "act", "report"]
    writer.close()
    await writer.wait_closed()


def test_a_watcher_that_does_not_read_is_cut_off() -> None:
    """It must never hold up the device or fill its memory."""
    log = EventLog(StringIO())
    with log.watch() as lines:
        for n in range(WATCHER_LINES + 10):
            log("x", {"n": n})
        assert lines.qsize() == WATCHER_LINES + 1
        assert [lines.get_nowait() for _ in range(lines.qsize())][-1] is None


async def test_a_second_simulator_takes_no_running_ones_place(start: Make) -> None:
    """It is refused with what to do, and the first one is reached as before; a socket that nobody serves is replaced."""
    sim = await start("shoe")
    with pytest.raises(LinkTaken, match="another simulator runs here"):
        async with control_socket(sim.simulator, sim.control):
            pass
    assert (await sim.ask(act="state"))["ok"]
    left = sim.control.with_name("left.ctl")
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(left))
    async with control_socket(sim.simulator, left):
        _, writer = await asyncio.open_unix_connection(left)
        writer.close()
        await writer.wait_closed()
