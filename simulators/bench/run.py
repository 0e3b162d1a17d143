"""One run: starts everything in order, watches while it plays, stops in order, and judges."""

import asyncio
import itertools
import json
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import field
from pathlib import Path
from random import Random
from typing import Any

from drivers.protocol.records import dataclass
from simulators.bench.broker import Broker, choose
from simulators.bench.children import Child, ChildFailed, start
from simulators.bench.observer.evidence import Evidence, Line, Verdict
from simulators.bench.observer.instant import AtOnce
from simulators.bench.observer.judge import judge
from simulators.bench.observer.record import RecordReader
from simulators.bench.options import Options
from simulators.bench.possible import never_decided, not_as_written
from simulators.bench.recorder import Recorder
from simulators.bench.rig import Rig, serial
from simulators.bench.slow_disk import slow_sync
from simulators.bench.subscriber import Delivered, Subscriber
from simulators.bench.watch import Scroll

UP_S = 60.0
"""How long a device or the daemon may take until it is there."""
DRAIN_S = 5.0
"""How long the record may stand still behind the devices, or the subscriber behind the record, before the daemon is stopped."""
SCROLL_S = 0.1
AGAIN = 200
"""Looks after which the panel's address is printed again, because it scrolls away."""
KILL_AFTER_S = (0.3, 2.5)
"""Between two kills of the daemon: real seconds, drawn evenly."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run. `failed` "" = it ran to its end. `recorder`: what it holds, {} = none ran."""

    evidence: Evidence
    verdicts: tuple[Verdict, ...]
    broker: str
    journal: Path
    duration_s: float
    failed: str = ""
    people: tuple[dict[str, Any], ...] = ()
    recorder: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Ears:
    """Everything that is recorded while the run goes on."""

    evidence: Evidence
    at_once: AtOnce
    people: list[dict[str, Any]] = field(default_factory=list)
    plugged: dict[str, asyncio.Event] = field(default_factory=dict)
    astray: asyncio.Event = field(default_factory=asyncio.Event)  # a scenario did not come out

    def device(self, kind: str, text: bytes) -> None:
        data = json.loads(text)
        line = Line(f"{kind}-1", data.pop("t"), data.pop("what"), data)
        self.evidence.lines.append(line)
        self.at_once.see(line, serial(kind))
        if line.what == "step" and not line.data["ok"]:
            self.astray.set()
        if line.what == "link" and line.data.get("state") == "plugged":
            self.plugged[kind].set()

    def delivered(self, message: Delivered) -> None:
        assert self.evidence.delivered is not None
        self.evidence.delivered.append(message)


async def run(options: Options, say: Say = lambda _: None) -> Outcome:
    """Plays as requested and judges. Raises `ChildFailed`, `BrokerUnusable` if the run could not begin."""
    directory = options.keep or Path(tempfile.mkdtemp(prefix="tw-"))
    directory.mkdir(parents=True, exist_ok=True)
    rig = Rig(options, directory)
    record = RecordReader(rig.journal)
    evidence = Evidence(
        options.rulebook, options.dealt_by, options.elected, {serial(kind): f"{kind}-1" for kind in options.kinds}
    )
    evidence.began = record.last_order()
    ears = _Ears(evidence, AtOnce(evidence, record), plugged={kind: asyncio.Event() for kind in options.kinds})
    bench = _Bench(rig, record, ears, say)
    try:
        return await bench.run()
    finally:
        record.close()
        if options.keep is None:
            shutil.rmtree(directory)


class _Bench:
    """The processes of one run."""

    def __init__(self, rig: Rig, record: RecordReader, ears: _Ears, say: Say) -> None:
        self.rig, self.options, self.directory = rig, rig.options, rig.directory
        self.record, self.ears, self.say = record, ears, say
        self.stop_wanted = asyncio.Event()
        self.daemon: Child | None = None
        self._again = ""

    async def run(self) -> Outcome:
        began = time.monotonic()
        async with AsyncExitStack() as stack:
            self._take_signals(stack)
            broker = await self._broker(stack)
            self.say(f"broker: {broker.says}")
            await self._devices(stack)
            kept = {file for file in self.rig.keys if file.exists()}
            self.rig.write_config(broker)
            env = slow_sync(self.directory, self.options.slow_sync_ms)
            recorder = await self._recorder(stack, broker)
            try:
                await self._start_daemon(env)
            except ChildFailed:
                self._take_back({*self.rig.keys} - kept)
                raise
            stack.push_async_callback(self._stop_daemon)
            await self._panel(stack)
            scrolling = asyncio.create_task(self._scroll(), name="scroll")
            stack.push_async_callback(_cancel, scrolling)
            failed = await self._play(env)
            await self._stop_daemon()
            held = (
                await recorder.holds(sum(self.record.heads()[name] for name in ("main", "diag")))
                if recorder
                else {}
            )
            if held and not held["complete"]:
                failed = failed or "the recorder does not hold every event"
        self._take_back({*self.rig.keys} - kept)
        evidence = self.ears.evidence
        evidence.rows = self.record.rows()
        evidence.journal_id = self.record.about()[0]
        log = (self.directory / "daemon.log").read_bytes()
        verdicts = judge(evidence, self.record.anchors(), log)
        failed = not_as_written(self.options, evidence) or failed or never_decided(self.options, evidence)
        return Outcome(
            evidence, verdicts, broker.says, self.rig.journal, time.monotonic() - began, failed,
            tuple(self.ears.people), held,
        )  # fmt: skip

    def _take_back(self, made: set[Path]) -> None:
        """Removes keys that were made for a record that never began, or that is somebody's."""
        is_somebodys = b"a journal has one writer" in (self.directory / "daemon.log").read_bytes()
        if is_somebodys or self.record.last_order() == self.ears.evidence.began:
            for file in made:
                file.unlink(missing_ok=True)

    def _take_signals(self, stack: AsyncExitStack) -> None:
        """Makes Ctrl-C and SIGTERM end the run in order; the played rounds are judged."""
        loop = asyncio.get_running_loop()
        for signum in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(signum, self.stop_wanted.set)
            stack.callback(loop.remove_signal_handler, signum)

    async def _broker(self, stack: AsyncExitStack) -> Broker:
        broker = await choose(self.options.broker, self.directory)
        if broker.child is not None:
            stack.push_async_callback(broker.child.stop)
        if broker.host:
            self.ears.evidence.delivered = []
            subscriber = Subscriber(broker.host, broker.port, "bench-observer", self.ears.delivered, broker.level)
            listening = asyncio.create_task(subscriber.run(), name="subscriber")
            stack.push_async_callback(_cancel, listening)
            try:
                async with asyncio.timeout(UP_S):
                    await subscriber.ready()
            except TimeoutError as exc:
                raise ChildFailed("broker", f"gave no subscription at {broker.host}:{broker.port}") from exc
        return broker

    async def _recorder(self, stack: AsyncExitStack, broker: Broker) -> Recorder | None:
        if not self.options.recorder or not broker.host:
            return None
        recorder = await Recorder.start(self.rig, broker)
        stack.push_async_callback(recorder.stop)
        return recorder

    async def _panel(self, stack: AsyncExitStack) -> None:
        if self.options.panel:
            from simulators.bench.panel import start_panel  # noqa: PLC0415  # its packages are an extra

            panel, says = await start_panel(self.rig)
            stack.push_async_callback(panel.stop)
            self.say(says)
            self._again = says

    async def _devices(self, stack: AsyncExitStack) -> None:
        for kind in self.options.kinds:
            fresh = self.ears.evidence.began == 0
            child = await start(
                f"{kind}-1", self.rig.device_command(kind, seeded=fresh), self.directory, read=True
            )
            reading = asyncio.create_task(self._hear(kind, child), name=f"ears at {kind}")
            stack.push_async_callback(_cancel, reading)
            stack.push_async_callback(child.stop)
            there = {asyncio.create_task(self.ears.plugged[kind].wait()), asyncio.create_task(child.ended())}
            await asyncio.wait(there, timeout=UP_S, return_when=asyncio.FIRST_COMPLETED)
            for task in there:
                await _cancel(task)
            if not self.ears.plugged[kind].is_set():
                why = f"was not there within {UP_S:g} s" if child.is_running else "ended at once"
                raise child.failed(why)

    async def _hear(self, kind: str, child: Child) -> None:
        async for line in _lines(child, self.directory):
            self.ears.device(kind, line)

    async def _start_daemon(self, env: dict[str, str]) -> None:
        self.daemon = await start("daemon", self.rig.daemon_command(), self.directory, env=env)
        try:
            async with asyncio.timeout(UP_S + self.options.slow_sync_ms / 100):
                while not await _takes_connections(self.rig.control):
                    if not self.daemon.is_running:
                        raise self.daemon.failed("ended at once")
                    await asyncio.sleep(0.02)
        except TimeoutError as exc:
            raise self.daemon.failed("did not open its control socket") from exc

    async def _play(self, env: dict[str, str]) -> str:
        """Lets people play until they are done, somebody stops the run, or something fails."""
        people = await start("people", self.rig.people_command(), self.directory, read=True)
        hearing = asyncio.create_task(self._hear_people(people), name="ears at people")
        watching = {
            "people": asyncio.create_task(people.ended()),
            "stop": asyncio.create_task(self.stop_wanted.wait()),
            "scenario": asyncio.create_task(self.ears.astray.wait()),
            "daemon": asyncio.create_task(self._daemon_ended()),
            "kills": asyncio.create_task(self._kill(env), name="kills"),
        }
        limit = self.options.seconds or None
        done, _ = await asyncio.wait(watching.values(), timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        ended = next((name for name, task in watching.items() if task in done), "time")
        await _cancel(watching["kills"])
        failed = self._why(ended, people) if ended != "kills" else str(watching["kills"].exception())
        await people.stop()
        await hearing
        for task in watching.values():
            await _cancel(task)
        return failed

    def _why(self, ended: str, people: Child) -> str:
        """Returns why the run failed; "" if it succeeded."""
        match ended:
            case "people" if people.process.returncode:
                return str(people.failed(f"ended with code {people.process.returncode}"))
            case "daemon":
                assert self.daemon is not None
                self._daemon_died()
                return str(self.daemon.failed(f"ended with code {self.daemon.process.returncode}"))
            case "time" if self.options.rounds:
                return f"{self.options.rounds} rounds were not played within {self.options.seconds:g} s"
            case _:
                return ""

    def _daemon_died(self) -> None:
        """Handles a daemon that ended by itself: nothing after its last record is judged."""
        evidence = self.ears.evidence
        evidence.stop_ns = max((row.mono_ns for row in self.record.rows(evidence.began)), default=1)
        evidence.stopped_heads = dict.fromkeys(self.record.heads(), 0)

    async def _hear_people(self, people: Child) -> None:
        async for line in _lines(people, self.directory):
            told = json.loads(line)
            self.ears.people.append(told)
            if told["what"] == "brought":
                about = {"cards": told["cards"], "to": "table"}
                self.ears.evidence.lines.append(Line("people", told["at"], "brought", about))

    async def _daemon_ended(self) -> None:
        """Waits until the daemon has ended and nobody is about to restart it."""
        while True:
            daemon = self.daemon
            assert daemon is not None
            await daemon.ended()
            if daemon is self.daemon and not self.ears.evidence.stop_ns and not self._being_killed:
                return
            await asyncio.sleep(0.05)

    _being_killed = False

    async def _kill(self, env: dict[str, str]) -> None:
        """Kills the daemon at random moments and restarts it. Ends only by `ChildFailed`."""
        rng = Random(self.options.seed)  # noqa: S311  # when to kill is no secret
        for _ in range(self.options.kills):
            await asyncio.sleep(rng.uniform(*KILL_AFTER_S))
            assert self.daemon is not None
            self._being_killed = True
            await self.daemon.stop(signal.SIGKILL)
            self.ears.evidence.restarts += 1
            await self._start_daemon(env)
            self._being_killed = False
        await asyncio.Event().wait()

    async def _stop_daemon(self) -> None:
        """Stops the daemon once all reports are on record and delivered, or after a time limit; only once."""
        evidence = self.ears.evidence
        if evidence.stop_ns or self.daemon is None:
            return
        await self._drain()
        evidence.stopped_heads = self.record.heads()
        evidence.stop_ns = time.monotonic_ns()
        await self.daemon.stop()

    async def _drain(self) -> None:
        """Waits until nothing is under way, nothing moved for `DRAIN_S`, or `UP_S` are over."""
        last, began = self._under_way(), time.monotonic()
        moved = began
        while any(last) and time.monotonic() < min(moved + DRAIN_S, began + UP_S):
            await asyncio.sleep(0.05)
            if (now := self._under_way()) != last:
                last, moved = now, time.monotonic()

    def _under_way(self) -> tuple[int, int]:
        """Returns how many events are undelivered (repeats counted), and which boots have reports not yet on
        record."""
        heads, evidence = self.record.heads(), self.ears.evidence
        told = len([m for m in evidence.delivered or () if "/evt/" in m.topic])
        hears = evidence.delivered is not None and not evidence.began
        newest = {
            (line.device, line.data["boot"]): line.data["counter"] for line in evidence.device_lines("report")
        }
        serials = {device: number for number, device in evidence.serials.items()}
        unrecorded = sum(
            self.record.last_counter(serials[device], boot) < counter for (device, boot), counter in newest.items()
        )
        return max(heads["main"] + heads["diag"] - told, 0) if hears else 0, unrecorded

    async def _scroll(self) -> None:
        scroll = Scroll(self.record, self.ears.evidence.began)
        for look in itertools.count(1):
            for line in scroll.lines():
                self.say(line)
            if self._again and look % AGAIN == 0:
                self.say(self._again)
            await asyncio.sleep(SCROLL_S)


async def _lines(child: Child, directory: Path) -> AsyncIterator[bytes]:
    """Yields a child's output line by line; a copy goes into `<name>.jsonl`."""
    assert child.process.stdout is not None
    with (directory / f"{child.name}.jsonl").open("ab", buffering=0) as copy:
        while line := await child.process.stdout.readline():
            copy.write(line)
            yield line


async def _cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _takes_connections(socket: Path) -> bool:
    try:
        _, writer = await asyncio.open_unix_connection(str(socket))
    except OSError:
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True
