"""The daemon: puts the rooms together, opens the record, and runs the table until it is stopped.

If the journal cannot be written, the table is held and the daemon tries again; a missing device, broker or person
is a state. Only a signal ends the daemon. It does not start if another daemon runs the table.
"""

import asyncio
import os
import random
import signal
import time
from collections.abc import Coroutine, Iterator
from functools import partial
from importlib.metadata import version as installed_version
from typing import Any, TypeVar

import structlog

from controller.clock import Clock, SystemClock
from controller.config.model import Config
from controller.control.server import ControlServer
from controller.daemon.clock_watch import ClockWatch
from controller.daemon.desk import RunningTable, TableDesk
from controller.daemon.engine import Engine, RecordFailed, last_reported
from controller.daemon.firmware_check import Measuring
from controller.daemon.link_log import LinkLog
from controller.daemon.record.archivist import Keeper
from controller.daemon.record.card_release import Opener
from controller.daemon.record.checkpointer import Sealer
from controller.daemon.record.proof_run import Checker
from controller.daemon.record.record_loss import RecordLoss
from controller.daemon.record.room_watch import RoomWatch
from controller.daemon.record.snapshot import Snapshots
from controller.daemon.story import tell
from controller.daemon.systemd import Notifier
from controller.daemon.table_publisher import publisher_of
from controller.daemon.timer import Deadlines
from controller.daemon.views.displays import Displays
from controller.daemon.watched_task import TaskEnded, lasting
from controller.journal.day_state import last_day
from controller.journal.errors import JournalDamaged, JournalError, JournalLocked
from controller.journal.proof.key_change import changed_key, known_keys
from controller.journal.proof.keys import SigningKey
from controller.journal.recorder import Recorder
from controller.journal.store import Journal
from controller.journal.vault.key_rows import known_vaults
from controller.journal.vault.vault_keys import VaultKeys
from controller.limits.descriptors import Spare
from controller.publish.publisher import Publisher
from controller.rules.read.library import find, find_coverage
from controller.table.fold.disputes import room_is_low
from controller.table.state.recorded_setup import setup_told
from controller.table.words.codec import UnknownKind
from controller.table.words.inputs import CardsUnread, ServiceStarted, ServiceStopping
from drivers.device import Delivery, DeviceConfig
from drivers.recording.tap import recorder_in
from drivers.session.session import DeviceSession

log = structlog.get_logger()
VERSION = installed_version("tablewarden")
E = TypeVar("E", bound=Exception)

RETRY_S = 5.0
"""Wait before a journal that failed is opened again."""
SAFE_S = 0.5
"""How long the links stay open after the record failed at least, so that every device hears its safe side."""
FAREWELL_S = 4.5
"""And at most, so that what is durable reaches the back office, and after it why nothing follows."""
POSITIONS_S = 1.0
"""How often, while nothing is committed, readers' positions are made durable and the record is looked for at its path."""
PULSE_S = 1.0
"""How often the daemon looks at itself: loop lag, and the watchdog of the service manager."""
AGAIN_NS = 600 * 1_000_000_000
"""A part of the daemon that ends twice within this time is not begun again here."""
SPARE = 8
"""Descriptors kept for putting a record back."""
LAG_LIMIT_S = 1.0
"""A loop that is later than this is not healthy: the watchdog is not fed."""


class Daemon:
    """One table from start to stop. Raises `KeyUnusable` where the record cannot be signed or sealed as configured."""

    def __init__(self, config: Config, clock: Clock | None = None) -> None:
        self.config = config
        self._key = SigningKey.load(config.journal_key, known_keys(config.journal)) if config.journal_key else None
        self._vault = VaultKeys.load(config.vault, partial(known_vaults, config.journal)) if config.vault else None
        self.setup = config.setup()
        self.clock = clock or SystemClock()
        # Of the elected rulebook, clauses that do not speak of this table are left out.
        whole = find(config.table.rulebook)
        self.desk = TableDesk(VERSION, find_coverage(whole))
        self._began_again_ns: int | None = None
        public = self._key.public if self._key else None
        self._loss = RecordLoss(config.journal, self._held, public, config.retention.copy)
        self._stop = asyncio.Event()
        self._notify = Notifier()
        self._spare = Spare(SPARE)
        self._rng = random.Random()  # noqa: S311  # spreads waits, decides nothing

    async def serve(self) -> int:
        """Runs until SIGTERM or SIGINT. Returns the exit code. Raises `ControlUnavailable`, `JournalLocked`."""
        structlog.contextvars.bind_contextvars(site=self.setup.site, table=self.setup.table)
        loop = asyncio.get_running_loop()
        for signum in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(signum, self._stop.set)
        async with ControlServer(self.desk, self.config.control):
            self._spare.keep()
            pulse = asyncio.create_task(self._pulse(), name="pulse")
            try:
                while not self._stop.is_set():
                    await self._one_record()
            finally:
                pulse.cancel()
                await asyncio.gather(pulse, return_exceptions=True)
                self._notify.stopping("stopped")
                self._spare.free()
        return 0

    async def _one_record(self) -> None:
        """Opens the journal and plays until stopped or until the record fails; then waits for a new try. Raises
        `JournalLocked` if another daemon runs this table.

        Raises `JournalLocked`: another daemon plays this table, and there is nothing to wait for.
        """
        damage: JournalDamaged | None = None
        is_saved = False
        try:
            journal = Journal.open(
                self.config.journal, site=self.setup.site, table=self.setup.table, vault=self._vault
            )
        except JournalLocked:
            raise
        except JournalDamaged as error:
            damage = error
        except JournalError as error:
            self._held(error)
        else:
            recorder = Recorder(journal, self.clock)
            try:
                await self._play(journal, recorder)
            except* (JournalError, RecordFailed, UnknownKind) as failed:
                self._held(failed.exceptions[0])
                damage = next(_leaves(failed, JournalDamaged), None)
            except* TaskEnded as ended:
                self._begin_again(ended)
            else:
                self.desk.closed("the daemon is stopping")
            finally:
                with self._spare.given_up():
                    is_saved = await self._loss.rescue(journal, recorder)
                await recorder.close()
        if is_saved or (damage is not None and self._loss.put_aside(damage)):
            return
        await _unless(self._stop, RETRY_S)

    def _held(self, cause: BaseException) -> None:
        """Tells everybody the cause first, because closing the failed parts may take time."""
        self.desk.closed(_in_words(cause))
        self._notify.status(f"HELD: {self.desk.failed}")
        log.error("record_failed", reason=str(cause), retry_s=RETRY_S)

    async def _play(self, journal: Journal, recorder: Recorder) -> None:
        self._loss.compare(journal)
        engine = Engine(self.setup, journal, recorder, self.clock)
        snapshots = Snapshots(journal.path, self._key, self.setup, self._vault) if self._key else None
        snapshot = snapshots.load(journal) if snapshots else None
        facts = engine.fold_record(snapshot or last_day(journal, self.setup))
        sessions: dict[str, DeviceSession] = {}
        displays = Displays(engine, sessions)
        sessions.update((c.name, self._session(c, engine, displays, journal)) for c in self.config.devices)
        engine.devices.update(sessions)
        signs = self._key.public if self._key else None
        publisher = publisher_of(self.config, VERSION, engine, journal, self.clock, self._rng, signs, _in_words)
        deadlines = Deadlines(engine, self.clock, self.config.table.calendar)
        sealer = None
        if self._key and snapshots:
            sealer = Sealer(self._key, engine, journal, self.clock, snapshots, folded=facts)
        engine.told = lambda facts: tell(facts, engine.state.round.id if engine.state.round else "")
        engine.on_news(publisher.wake)
        engine.on_news(self.desk.woken)
        engine.on_news(deadlines.wake)
        engine.on_news(displays.wake)
        engine.on_news(Measuring(engine, sessions).wake)
        engine.on_held(displays.held)
        if sealer is not None:
            engine.on_news(sealer.wake)
        if self._vault is not None:
            engine.on_news(Opener(engine, journal).wake)
        book = self.setup.law.rulebook
        started = ServiceStarted(VERSION, book.id, book.edition, book.sha256, setup_told(self.setup))
        keeping = (recorder, self.clock, self.config.retention, started, self._key)
        sign = sealer.checkpoint if sealer else None
        keeper = Keeper(engine, journal, *keeping, vault=self.config.vault, sign=sign)
        engine.on_news(keeper.wake)
        self.desk.table = RunningTable(engine, journal, sessions, displays, publisher, keeper, self._key)
        for event in (news := self._loss.news(journal)):
            engine.submit("table", event)
        if news:
            engine.on_news(self._loss.on_record)
        for vault in sorted({row.vault for row in journal.unread}):
            rounds = tuple(row.round_id for row in journal.unread if row.vault == vault)
            log.error(
                "vault_key_missing", vault=vault, rounds=rounds, remedy="put its line back into the vault's file"
            )
            engine.submit("table", CardsUnread(vault, rounds))
        if changed := changed_key(journal.view, self._key.public if self._key else None):
            log.error("signing_key_changed", before=changed.before, key=changed.key)
            engine.submit("table", changed)
        engine.submit("table", started)
        log.info("table_up", table=self.setup.table, journal=journal.id, facts=facts, rulebook=book.id)
        self._notify.ready(f"table {self.setup.table} under {book.id}")
        await self._together(engine, recorder, sessions, displays, publisher, deadlines, sealer, keeper)

    async def _together(
        self,
        engine: Engine,
        recorder: Recorder,
        sessions: dict[str, DeviceSession],
        displays: Displays,
        publisher: Publisher,
        deadlines: Deadlines,
        sealer: Sealer | None,
        keeper: Keeper,
    ) -> None:
        """Runs all parts of a table in one group: an exception of one ends all."""
        async with asyncio.TaskGroup() as group:

            def start(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
                return group.create_task(self._lasting(work, name, engine), name=name)

            links = [start(s.run(), f"session-{name}") for name, s in sessions.items()]
            outbox = start(publisher.run(), "publisher")
            public = self._key.public if self._key else None
            on_record = {
                "engine": engine.run(),
                "positions": self._keep_positions(recorder),
                "keeper": keeper.run(),
            }
            writers = [
                start(self._held_if_it_fails(w, engine, publisher, outbox), n) for n, w in on_record.items()
            ]
            rest = [
                start(deadlines.run(), "deadlines"),
                start(displays.run(), "displays"),
                start(Checker(engine, self.config.journal, public).run(), "checker"),
                start(ClockWatch(engine, self.clock).run(), "clock"),
                start(RoomWatch(engine, self.config.journal, low=room_is_low(engine.state)).run(), "room"),
            ]
            await self._stop.wait()
            log.info("stopping")
            for session in sessions.values():
                session.finish()
            stopping = ServiceStopping("a signal asked for it")
            await engine.end(stopping, sealer.checkpoint if sealer else None)
            if sealer is not None:
                sealer.snapshot()
            for task in (*links, *writers, *rest):
                task.cancel()
            publisher.stop("stopped")
            await outbox

    async def _lasting(self, work: Coroutine[Any, Any, None], name: str, engine: Engine) -> None:
        """Runs a part that must not end by itself; if it does, play stops first."""
        try:
            await lasting(work, name, lambda: self._stop.is_set() or engine.failed is not None)
        except TaskEnded as ended:
            self.desk.closed(engine.fail(str(ended), str(ended)))
            await asyncio.sleep(SAFE_S)
            raise

    def _begin_again(self, ended: BaseExceptionGroup[TaskEnded]) -> None:
        """Allows one new start of the table; a second one soon after is left to the service manager. Raises
        `TaskEnded`."""
        cause = next(_leaves(ended, TaskEnded))
        self._held(cause)
        if not cause.is_fault:
            return  # as long as the machine lacks what it needs, it is tried again
        now_ns, before_ns = self.clock.mono_ns(), self._began_again_ns
        self._began_again_ns = now_ns
        if before_ns is not None and now_ns - before_ns < AGAIN_NS:
            raise cause

    async def _held_if_it_fails(
        self, writes: Coroutine[Any, Any, None], engine: Engine, publisher: Publisher, outbox: asyncio.Task[None]
    ) -> None:
        """Tells devices, people and back office that the record failed, before the links end."""
        try:
            await writes
        except (JournalError, RecordFailed) as error:
            reason = _in_words(engine.record_failed(error))
            self.desk.closed(reason)
            publisher.stop(f"HELD: {reason}")  # the state topic says so too, before it
            await asyncio.gather(asyncio.sleep(SAFE_S), asyncio.wait({outbox}, timeout=FAREWELL_S))
            raise

    async def _keep_positions(self, recorder: Recorder) -> None:
        while True:
            await asyncio.sleep(POSITIONS_S)
            await recorder.flush()

    def _session(
        self, config: DeviceConfig, engine: Engine, displays: Displays, journal: Journal
    ) -> DeviceSession:
        def deliver(delivery: Delivery) -> bool:
            return displays.heard(delivery) or engine.submit(
                delivery.device, delivery.body, origin=delivery.origin, received_ns=delivery.received_ns
            )

        last = last_reported(journal, config.serial) if config.serial else None
        recorder = None
        if config.record:
            clock = asyncio.get_running_loop().time
            recorder = recorder_in(config.record, config, f"tablewarden {VERSION}", clock)
        return DeviceSession(
            config,
            deliver=deliver,
            entropy=os.urandom,
            rng=self._rng,
            last=(last.boot, last.counter) if last else None,
            chain=last.chain if last else None,
            on_state=LinkLog(config.name, log.info, time.monotonic),
            recorder=recorder,
            frames=self.config.frames,
        )

    async def _pulse(self) -> None:
        """Feeds the service manager's watchdog while the loop is on time and the engine takes its queue."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due += PULSE_S
            await asyncio.sleep(max(0.0, due - loop.time()))
            lag = loop.time() - due
            if lag > LAG_LIMIT_S:
                log.warning("loop_lag", lag_s=round(lag, 2))
                due = loop.time()
            elif self.desk.table is None or not self.desk.table.engine.stuck:
                self._feed()

    def _feed(self) -> None:
        """Feeds the watchdog, also without a free descriptor: otherwise the manager would kill a playing table."""
        if not self._notify.alive() and self._notify.watchdog_s is not None:
            with self._spare.given_up():
                self._notify.alive()


def _in_words(cause: object) -> str:
    if isinstance(cause, TaskEnded):
        return str(cause)
    done = "read" if isinstance(cause, UnknownKind) else "written"
    return f"the record cannot be {done}: {cause}"


def _leaves(group: BaseExceptionGroup[Exception], kind: type[E]) -> Iterator[E]:
    """Yields the exceptions of this kind in a group of groups."""
    for inner in group.exceptions:
        if isinstance(inner, BaseExceptionGroup):
            yield from _leaves(inner, kind)
        elif isinstance(inner, kind):
            yield inner


async def _unless(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return


async def serve(config: Config) -> int:
    """Runs the daemon of this configuration until it is stopped."""
    return await Daemon(config).serve()
