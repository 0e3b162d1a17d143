"""Checks sections 3.4 and 6.7 of docs/protocol.md: the echo of a PING, and the safe side that a device takes by
itself."""

import asyncio

from drivers.conformance.trial import Check, Fails, NotTried, Trial, check
from drivers.protocol import messages as m
from drivers.protocol.constants import HOST_WATCHDOG_S
from drivers.protocol.reports import Cause, Level

CLOCK_TOLERANCE = 0.05
"""Of the device's clock beside ours over a second: what is worse is no clock."""


async def _let_go(t: Trial) -> tuple[Level, str]:
    """Sets a level that has a safe side to its other side; returns the level and its safe value."""
    level, safe, other = await t.latch()
    if not isinstance(answer := await t.set(level, other), m.Response):
        raise NotTried(f"{level.value} does not become {other}: {answer.text or answer.code}")
    return level, safe


async def _is(t: Trial, level: Level, value: str) -> bool:
    return t.value_of((await t.levels())[0], level) == value


@check("3.4", "a PONG carries the nonce, the boot, the end of the log and a clock that runs")
async def pong(t: Trial) -> None:
    welcome = await t.fresh()
    loop = asyncio.get_running_loop()
    first, began = await t.ping(), loop.time()
    await t.host.quiet(1.0)
    second, took_s = await t.ping(), loop.time() - began
    if first.boot != welcome.boot:
        raise Fails("a PONG names another boot than the WELCOME")
    theirs_s = (second.tick_us - first.tick_us) / 1e6
    if abs(theirs_s - took_s) > CLOCK_TOLERANCE * took_s + 0.05:
        raise Fails(f"its clock went {theirs_s:.2f} s in {took_s:.2f} s")
    await t.reports(1)
    if (third := await t.ping()).log_last != second.log_last + 1:
        raise Fails(f"log_last went from {second.log_last} to {third.log_last} with one report")


@check("6.7", "three seconds without a frame of its session make it take its safe side; HELLOs do not feed it")
async def watchdog(t: Trial) -> None:
    await t.fresh()
    level, safe = await _let_go(t)
    since = t.host.mark
    late = int.from_bytes(t.host.entropy(4), "little") or 1
    for _ in range(int(HOST_WATCHDOG_S / 0.5) + 2):
        t.host.send(m.Hello(t.host.entropy(16)), session=late)
        await t.host.quiet(0.5)
    await t.fresh(acknowledge=False)
    if not await _is(t, level, safe):
        raise Fails(f"{level.value} is not {safe} after {HOST_WATCHDOG_S + 1:g} s without a host")
    await t.host.quiet(0.4)
    causes = [getattr(h.frame.message.record.report, "cause", None) for h in t.events(since)]  # type: ignore[union-attr]
    if Cause.WATCHDOG not in causes:
        raise Fails("no report with the cause watchdog came")


@check("6.7", "two seconds without a frame change nothing")
async def patience(t: Trial) -> None:
    await t.fresh()
    level, safe = await _let_go(t)
    await t.host.quiet(2.0)
    if await _is(t, level, safe):
        raise Fails(f"{level.value} is {safe} after 2 s of silence")


@check("6.7", "BYE makes it take its safe side at once, and it keeps that when a host returns")
async def bye(t: Trial) -> None:
    await t.fresh()
    level, safe = await _let_go(t)
    t.host.send(m.Bye())
    await t.host.quiet(0.3)
    await t.fresh()
    if not await _is(t, level, safe):
        raise Fails(f"{level.value} is not {safe} after BYE")


CHECKS: tuple[Check, ...] = (pong, watchdog, patience, bye)
