"""Plays one fault at a running table and keeps what came of it for the judge."""

import asyncio
import contextlib
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.journal.record import Record, Stream
from controller.table.words.link_news import LINK_NEWS
from drivers.device import SessionState
from simulators.devices.model import ActImpossible
from tests.faults import drives
from tests.faults.catalogue import Row
from tests.faults.machine import Device
from tests.faults.real_broker import RealBroker
from tests.faults.rig import Rig, table
from tests.faults.verbs import Undo, inject

from tests.faults import host_verbs, line_verbs  # noqa: F401  # isort: skip  # more verbs

ORDINARY = {
    "wager_sensed", "wager_removed", "button_pressed", "level_wanted", "level_confirmed", "levels_read",
    "lockout_released", "dispensing_allowed", *LINK_NEWS, "firmware_measured", "service_due", "wager_placed",
}  # fmt: skip
"""Facts that every table has all the time: they say nothing of a fault."""
SETTLE_S = 20.0
PRESS_S = 10.0


@dataclass(frozen=True, slots=True)
class Played:
    """What came of one fault. `facts`: those out of the ordinary; `kinds`: of all facts; `back_s`: until it was online again."""

    facts: tuple[str, ...]
    kinds: frozenset[str]
    counts: Mapping[str, int]
    device_counts: Mapping[str, int]
    state: str
    reasons: tuple[str, ...]
    back_s: float
    unproven: bool
    turns_per_s: float
    frames_per_s: float
    reports_per_s: float


def named(record: Record) -> str:
    """A fact with the one particular that tells it from others of its kind."""
    body: dict[str, Any] = json.loads(record.data)
    match record.kind:
        case "device_offline" | "device_rejected" | "security_alarm":
            return f"{record.kind}:{body['reason']}"
        case "device_suspect":
            return "device_suspect:half_dead" if body["half_dead"] else "device_suspect"
        case "device_online":
            more = "rebooted" * body["rebooted"] or ("gap" if not body["gap_closed"] else "")
            return f"device_online:{more}" if more else "device_online"
        case "lockout_engaged" | "dispensing_inhibited":
            return f"{record.kind}:{body['cause']}"
        case kind:
            return kind


def _remarkable(records: list[Record]) -> tuple[str, ...]:
    facts = [named(r) for r in records if r.stream is not Stream.INPUT and r.kind not in ORDINARY]
    usual = ("lockout_engaged:command", "lockout_engaged:button", "dispensing_inhibited:command")
    return tuple(dict.fromkeys(fact for fact in facts if fact not in usual))


async def play(
    row: Row,
    room: Path,
    judge: Callable[[Row, Played, Rig], list[str]],
    *,
    seed: int = 1,
    cue: Callable[[Rig, Device], Awaitable[None]] | None = None,
    broker: int = 0,
) -> tuple[Played, list[str]]:
    """One run of one fault at a table with an open round, and what the judge finds wrong while all still stands there.

    `cue`: returns in the turn in which the fault shall come. `broker`: port of a real one, 0 = one in memory.
    """
    async with AsyncExitStack() as stack:
        real = await stack.enter_async_context(RealBroker(broker).listening()) if broker else None
        rig = await stack.enter_async_context(table(room, seed=seed, keyed=row.keyed, broker=real, **row.table))
        await rig.up()
        device, drive = rig.devices[row.on], drives.DRIVES[row.drive]
        await drive.prepare(rig, device)
        if cue is not None:
            await cue(rig, device)
        before, counters, turns = len(rig.records()), dict(device.session.counters), rig.loop.turns
        began, seen = rig.loop.time(), len(device.states)
        driving = asyncio.create_task(drive.go_on(rig, device))
        undos: list[Undo | None] = []
        try:
            for line in row.inject:
                undos.append(await inject(rig, device, line))
            await asyncio.sleep(row.lasts_s)
        except BaseException:  # what was done to the system must not meet whoever comes next
            await _end(device, undos)
            raise
        finally:
            driving.cancel()
            (ended,) = await asyncio.gather(driving, return_exceptions=True)
        if isinstance(ended, Exception):
            raise ended
        device_counts = device.simulator.device.counters
        during = device.session.counters.get("reports", 0) - counters.get("reports", 0)
        busy = (rig.loop.turns - turns) / row.lasts_s
        await _end(device, undos)
        back_s = await _back(rig, device, row)
        await _life_goes_on(rig, device, row)
        rose = {k: n - counters.get(k, 0) for k, n in device.session.counters.items() if n > counters.get(k, 0)}
        round_ = rig.engine.state.round
        played = Played(
            facts=_remarkable(rig.records()[before:]),
            kinds=frozenset(r.kind for r in rig.records()[before:]),
            counts=rose,
            device_counts=device_counts,
            state=device.session.state.value,
            reasons=tuple(dict.fromkeys(s.reason for s in device.states[seen:] if s.reason)),
            back_s=back_s,
            unproven=bool(round_ and round_.unproven),
            turns_per_s=busy,
            frames_per_s=rose.get("frames_out", 0) / (rig.loop.time() - began),
            reports_per_s=during / row.lasts_s,
        )
        return played, judge(row, played, rig)


async def _end(device: Device, undos: list[Undo | None]) -> None:
    """The fault is over: what was done is undone, and nothing is left armed."""
    for undo in filter(None, undos):
        try:
            done = undo()
            if inspect.isawaitable(done):
                await done
        except ActImpossible:
            continue  # it came back by itself
    device.simulator.heal()


async def _back(rig: Rig, device: Device, row: Row) -> float:
    wanted = SessionState(row.verdict.ends)
    if wanted is not SessionState.ONLINE:
        return await rig.until(lambda: device.session.state is wanted, f"{row.id} ends as {wanted}", 60.0)
    return await rig.until(rig.all_online, f"{row.id}: online again", row.verdict.within_s)


async def _life_goes_on(rig: Rig, device: Device, row: Row) -> None:
    """Somebody presses a button at the device: it is on record and told, and everything before it is."""
    await asyncio.sleep(device.rest_s)
    if row.verdict.ends == "online":
        await _press(rig, device, row)
        await rig.until(rig.settled, f"{row.id}: every report is on record", SETTLE_S)
    heads = rig.journal.heads
    await rig.until(
        lambda: all(len(rig.told(s)) == heads()[s] for s in (Stream.MAIN, Stream.DIAG)), "all is told", SETTLE_S
    )


async def _press(rig: Rig, device: Device, row: Row) -> None:
    def heard() -> int:
        return device.delivered[device.heard_as]

    before = heard()
    # The first true report under a number that was told falsely before brings that to light, and is not heard itself.
    for _ in range(device.presses + row.lies):
        device.press()
        with contextlib.suppress(AssertionError):
            await rig.until(lambda: heard() > before, "the button is heard", PRESS_S)
            return
    raise AssertionError(f"{row.id}: the button was not heard; {rig.last_words()}")
