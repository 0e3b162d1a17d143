"""Closes gaming days, has them sealed and copied in a process of its own, and prunes what is copied.

It prunes nothing before the record says that a copy was read back in the second place, nor what the back office
has not got or a dispute holds, nor while the date is unknown. Failures are reported and tried again.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import structlog

from controller.clock import Clock
from controller.config.gaming_day import calendar
from controller.config.retention import Retention
from controller.daemon.engine import Engine
from controller.daemon.subprocess_json import NoAnswer, answer_of
from controller.journal.archive.boundary import Boundary, Mark, closed_day
from controller.journal.archive.keep import open_day, prunable
from controller.journal.proof.keys import SigningKey
from controller.journal.record import FACTS
from controller.journal.recorder import Recorder
from controller.journal.store import Journal
from controller.limits.descriptors import in_words
from controller.table.state.state_json import carried
from controller.table.words.inputs import (
    CheckpointSigned,
    GamingDayTold,
    RecordDayClosed,
    RecordPruned,
    SegmentCopied,
    ServiceStarted,
)
from drivers.protocol.records import dataclass

log = structlog.get_logger()
P = ParamSpec("P")
T = TypeVar("T")

FIRST_S = 90.0
"""After a start other things come first."""
AGAIN_S = 60.0
"""A record that cannot be looked at is tried again so often."""
EVERY_S = 3600.0
"""A second place that was away is looked for again so often."""
APART_NS = 3600 * 1_000_000_000
"""Two days are closed at least so far apart, whatever becomes of the wall clock."""
COMMAND = ("-I", "-m", "controller.cli", "journal", "keep", "--json")
REST = 4.0
"""Between two steps of a prune the table has its record for so many times as long as a step took."""
OUTBOX = "outbox"
ANY_DAY = calendar("00:00", "+00:00")
"""Where the house has not said when its gaming day begins."""


@dataclass(frozen=True, slots=True)
class _Open:
    """The open day: where it begins in the record, and its date."""

    begin: Mark
    day: GamingDayTold


class Keeper:
    """Keeps the days of one open journal. `started`: the recorded start; `vault`: key file for copying round keys;
    `sign`: makes a checkpoint."""

    def __init__(
        self,
        engine: Engine,
        journal: Journal,
        recorder: Recorder,
        clock: Clock,
        retention: Retention,
        started: ServiceStarted,
        key: SigningKey | None = None,
        *,
        vault: Path | None = None,
        sign: Callable[[], CheckpointSigned] | None = None,
        first_s: float = FIRST_S,
        command: tuple[str, ...] = COMMAND,
    ) -> None:
        self._engine, self._journal, self._recorder, self._clock = engine, journal, recorder, clock
        self._retention, self._started, self._key, self._vault = retention, started, key, vault
        self._sign = sign
        self._calendar = retention.calendar or ANY_DAY
        self._wait_s, self._command = first_s, command
        self._open: _Open | None = None
        self._closed_ns: int | None = None
        self._news = asyncio.Event()
        self._told: dict[str, Any] = {}
        self._kept_by = ""

    def document(self) -> dict[str, Any]:
        """Returns for `status` how far the copies are, and what keeps them or a prune from going on."""
        return {
            "place": str(self._retention.copy) if self._retention.copy else None,
            "behind_days": self._told.get("behind"),
            "oldest_not_copied": self._told.get("oldest"),
            "same_disk": self._told.get("same_disk", False),
            "problem": self._told.get("problem", ""),
            "first_in_live": self._journal.description.order_before + 1,
            "kept_by": self._kept_by,
        }

    def wake(self) -> None:
        """Closes a day at the first moment between two rounds; call it after each commit."""
        if self._open is None or self._engine.state.round is not None:
            return
        now, day = self._clock.stamp(), self._open.day
        is_soon = self._closed_ns is not None and now.mono_ns - self._closed_ns < APART_NS
        if day.begins_us <= now.wall_us < day.ends_us or is_soon:
            return
        heads, order = self._journal.last()
        end = Mark(dict(heads), order)
        text, signature = closed_day(self._key, self._journal.description, day.day, self._open.begin, end, now)
        folded = carried(self._engine.state)
        self._engine.submit("table", RecordDayClosed(day.day, self._started, folded, text, signature))
        log.info("record_day_closed", day=day.day, order=order)
        self._closed_ns, self._open = now.mono_ns, _Open(end, self._calendar.day_at(now.wall_us))
        self._news.set()

    async def run(self) -> None:
        """Runs until cancelled. Raises `JournalWriteFailed` if a prune could not be written."""
        begin, first_us = await self._open_day()
        began_us = self._clock.stamp().wall_us if first_us is None else first_us
        self._open = _Open(begin, self._calendar.day_at(began_us))
        self.wake()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._wait_s):
                    await self._news.wait()
                await asyncio.sleep(1)  # the closing itself is to be on record
            self._news.clear()
            self._wait_s = EVERY_S
            await self._keep()
            await self._prune()

    async def _open_day(self) -> tuple[Mark, int | None]:
        """Finds where the open day begins; tries again until the record can be read."""
        while True:
            try:
                return await _aside(open_day, self._journal.path)
            except OSError as exc:
                self._told = {**self._told, "problem": f"the record cannot be looked at: {in_words(exc)}"}
                log.error("record_not_kept", said=self._told["problem"])
            await asyncio.sleep(AGAIN_S)
            self._told = {**self._told, "problem": ""}

    async def _keep(self) -> None:
        """Seals and copies, and records what lies in the second place."""
        told = await self._child()
        if told is None:
            return
        for copied in told["copied"]:
            await self._engine.note(
                SegmentCopied(copied["segment"], copied["sha256"], str(self._retention.copy), copied["through"])
            )
        self._told = told
        if told["keys"]:
            log.info("round_keys_copied", files=len(told["keys"]))
        if told["problem"]:
            log.warning("record_not_copied", problem=told["problem"], behind_days=told["behind"])

    async def _child(self) -> dict[str, Any] | None:
        where = ["--copy", str(self._retention.copy)] if self._retention.copy else []
        where += ["--vault", str(self._vault)] if self._vault else []
        try:
            return await answer_of(*self._command, str(self._journal.path), *where)
        except NoAnswer as exc:
            self._told = {**self._told, "problem": f"days could not be sealed: {exc.said}"}
            log.error("record_not_kept", code=exc.code, said=exc.said)
            return None

    async def _prune(self) -> None:
        """Removes pruned rows from the live file, those of an earlier prune first."""
        boundary = await self._may_go()
        if boundary is not None:
            log.info("record_pruned", through=boundary.order, segment=boundary.file_name)
            await self._engine.note(RecordPruned(boundary.order, boundary.file_name))
            if self._sign is not None:
                await self._engine.note(self._sign())  # by which a proof accepts that the file begins late
            await self._recorder.run(lambda: self._journal.prune(boundary.end))
        is_more = self._journal.description.order_before > 0
        while is_more:
            before_ns = self._clock.mono_ns()
            is_more = await self._recorder.run(self._journal.remove_some)
            await asyncio.sleep(REST * (self._clock.mono_ns() - before_ns) / 1e9)

    async def _may_go(self) -> Boundary | None:
        """Returns the newest day that may be pruned with all days before it; None = none."""
        keep_days, now = self._retention.keep_days, self._clock.stamp()
        if keep_days is None:
            return None
        if now.clock == "unsynced":
            self._kept_by = "nobody knows the date: the clock of this PC is not synchronised"
            return None
        today = date.fromisoformat(self._calendar.day_at(now.wall_us).day)
        before = (today - timedelta(days=keep_days)).isoformat()
        outbox = self._journal.position(OUTBOX)
        floors = {s: outbox[s].through if s in outbox else 0 for s in FACTS}
        held = tuple({dispute.round for dispute in self._engine.state.disputes.values()})
        try:
            may_go, self._kept_by = await _aside(prunable, self._journal.path, before, floors, held)
        except OSError as exc:
            self._kept_by = f"the record cannot be looked at: {in_words(exc)}"
            return None
        return may_go


async def _aside(work: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
    """Runs a reader of the record in a thread of its own, because a day's segment takes long."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="keeper")
    try:
        return await asyncio.get_running_loop().run_in_executor(thread, partial(work, *args, **more))
    finally:
        thread.shutdown(wait=False)
