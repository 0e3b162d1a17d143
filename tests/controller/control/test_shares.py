"""Whoever asks much at the control socket waits; the table and everybody else do not."""

import asyncio
import time
from typing import Any

import pytest

from controller.control.shares import BURST_S, PART, Shares

PEERS = 6
LINES = 300


async def most_in_a_turn(count: Any, is_done: Any) -> int:
    """The largest step of `count` from one turn of the loop to the next."""
    most, before = 0, count()
    async with asyncio.timeout(50):
        while not is_done():
            await asyncio.sleep(0)
            most, before = max(most, count() - before), count()
    return most


async def test_requests_without_end_leave_a_turn_to_the_table_after_each(connect: Any, desk: Any) -> None:
    """Some logins send their next requests before they have read an answer: one look in a turn, in the order of asking."""
    looks = 0

    def status() -> dict[str, Any]:
        nonlocal looks
        looks += 1
        return {"table": "t1"}

    desk.status = status
    peers = [await connect() for _ in range(PEERS)]
    for peer in peers:
        peer.send(b'{"id":1,"do":"status"}\n' * LINES)
    assert await most_in_a_turn(lambda: looks, lambda: looks == PEERS * LINES) == 1
    for peer in peers:
        assert [(await peer.line())["ok"] for _ in range(LINES)] == [True] * LINES


async def test_a_chip_is_decided_in_time_while_clients_starve_the_loop(connect: Any, desk: Any) -> None:
    """Each look costs 5 ms, and thousands wait: what comes every 10 ms gets its turn within 200 ms at p99, in real time."""

    def status() -> dict[str, Any]:
        time.sleep(0.005)
        return {"table": "t1"}

    desk.status = status
    for _ in range(PEERS):
        (await connect()).send(b'{"id":1,"do":"status"}\n' * 10 * LINES)
    late, loop = [], asyncio.get_running_loop()
    while len(late) < 200:
        due = loop.time() + 0.01
        await asyncio.sleep(0.01)
        late.append(loop.time() - due)
    assert sorted(late)[197] < 0.2


async def test_lines_that_are_no_requests_are_refused_a_few_in_a_turn(connect: Any, monkeypatch: Any) -> None:
    """A refusal costs nothing to wait for, so it must give way by itself."""
    refused = 0

    def counted(*what: Any) -> bytes:
        nonlocal refused
        refused += 1
        return b"no\n"

    monkeypatch.setattr("controller.control.server.failure", counted)
    peers = [await connect() for _ in range(PEERS)]
    for peer in peers:
        peer.send(b"nothing\n" * LINES)
    assert await most_in_a_turn(lambda: refused, lambda: refused == PEERS * LINES) <= PEERS


async def test_many_watches_from_the_beginning_are_staggered(connect: Any, desk: Any) -> None:
    """One piece of one backlog in a turn; each gets all."""
    for n in range(450):
        desk.record("a", n=n)
    peers = [await connect() for _ in range(PEERS)]
    for peer in peers:
        peer.send({"id": 1, "do": "watch", "after": 0})
    wanted = 5 * PEERS
    assert await most_in_a_turn(lambda: len(desk.reads), lambda: len(desk.reads) >= wanted) == 1
    for peer in peers:
        told = [await peer.line() for _ in range(451)]
        assert [line["event"]["data"]["n"] for line in told[:-1]] == list(range(450))
        assert told[-1]["caught_up"] == 450


async def test_a_login_that_used_its_part_waits_and_another_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it used above the burst it rests for, at its part of the loop."""
    now, slept = [0.0], []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    shares = Shares(lambda: now[0])
    monkeypatch.setattr("controller.control.shares.asyncio.sleep", sleep)
    async with shares.act(1000):
        now[0] += BURST_S + 0.1
    await shares.rest(1001)
    assert slept == [0.0]
    await shares.rest(1000)
    assert slept[1] == pytest.approx(0.1 / PART)
    await shares.rest(1000)
    assert slept[2] == 0.0
