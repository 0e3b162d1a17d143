"""A journal in memory, a real mosquitto of our own for each test that wants one, and a relay to break the line with."""

import asyncio
import contextlib
import hashlib
import itertools
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from controller.clock import SystemClock
from controller.journal.record import Position, Record, Stream
from controller.publish.broker.link import Link, Will
from controller.publish.broker.memory import MemoryBroker
from controller.publish.broker.mqtt import MqttLink
from controller.publish.config import PublishConfig
from controller.publish.publisher import Publisher
from controller.table.words.back_office_news import BACK_OFFICE_NEWS
from controller.table.words.codec import body_from
from controller.table.words.link_news import LINK_NEWS

JOURNAL_ID = "0123456789abcdef"
BASE = "tablewarden/v1/lv01/lv01-bj-017"
MOSQUITTO = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
DEADLINE_S = 20.0


class FakeJournal:
    """The read side and the positions of the journal, in memory."""

    def __init__(self) -> None:
        self.id = JOURNAL_ID
        self.description = SimpleNamespace(created_us=1_767_225_000_000_000)
        self.rows: dict[Stream, list[Record]] = {Stream.MAIN: [], Stream.DIAG: []}
        self.positions: dict[Stream, Position] = {}
        self.others: dict[str, dict[Stream, Position]] = {}
        self.sessions = itertools.count(1)
        self.reads: list[int] = []
        self.inputs: dict[int, bytes] = {}

    def add(self, stream: str = "main", count: int = 1, data: bytes = b'{"cards":3}', **changes: Any) -> None:
        for _ in range(count):
            rows = self.rows[Stream(stream)]
            sequence = len(rows) + 1
            prevhash = rows[-1].recordhash if rows else bytes(32)
            fields: dict[str, Any] = {
                "stream": Stream(stream),
                "sequence": sequence,
                "kind": "shuffler_jammed",
                "version": 1,
                "subject": "shuffler-1",
                "round_id": "r-42",
                "cause": f"{JOURNAL_ID}-input-{sequence}",
                "time_us": 1_767_225_600_000_000 + sequence,
                "recorded_us": 1_767_225_600_000_400 + sequence,
                "mono_ns": 1_000_000_000 + sequence,
                "boot": "00000000000000b1",
                "clock": "synced",
                "data": data,
                "prevhash": prevhash,
                "recordhash": hashlib.sha256(prevhash + data).digest(),
                "datahash": hashlib.sha256(data).digest(),
                "salt": bytes(16),
                "order": sequence,
            }
            rows.append(Record(**{**fields, **changes}))

    def heads(self) -> dict[Stream, int]:
        return {stream: len(rows) for stream, rows in self.rows.items()}

    def oldest(self) -> dict[Stream, int]:
        return {stream: 1 if rows else 0 for stream, rows in self.rows.items()}

    def read(self, stream: Stream, after: int, limit: int) -> list[Record]:
        assert type(stream) is Stream, "the journal knows its streams by its own words"
        self.reads.append(limit)
        return self.rows[stream][after : after + limit]

    def input_body(self, sequence: int) -> bytes | None:
        return self.inputs.get(sequence)

    def position(self, reader: str) -> dict[Stream, Position]:
        return dict(self.positions if reader == "outbox" else self.others.get(reader, {}))

    def move(self, reader: str, stream: Stream, through: int, extra: bytes = b"") -> None:
        assert type(stream) is Stream
        own = self.positions if reader == "outbox" else self.others.setdefault(reader, {})
        own[stream] = Position(through, extra)

    def next_session(self) -> int:
        return next(self.sessions)


@pytest.fixture
def journal() -> FakeJournal:
    return FakeJournal()


async def until(condition: Callable[[], object], within_s: float = DEADLINE_S) -> None:
    """Returns as soon as `condition` holds; fails when it does not within the deadline."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, f"not within {within_s} s"
        await asyncio.sleep(0.005)


@pytest.fixture(name="until")
def until_fixture() -> Callable[..., Any]:
    return until


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """A mosquitto child on loopback, and a subscriber with a durable session that notes what arrives, in order."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.lines = ["set_tcp_nodelay true", "max_queued_messages 0", "allow_anonymous true", "log_type none"]
        self.tail: list[str] = []  # lines that belong to the listener
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        conf = self.folder / "mosquitto.conf"
        conf.write_text("\n".join([*self.lines, f"listener {self.port} 127.0.0.1", *self.tail, "user root", ""]))
        self.process = subprocess.Popen([MOSQUITTO, "-c", str(conf)], stderr=subprocess.DEVNULL)
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            assert self.process.poll() is None, "mosquitto ended at once"
            time.sleep(0.01)
        raise AssertionError("mosquitto does not listen")

    def acl(self, *lines: str) -> None:
        """Only what `lines` allow is allowed; takes effect at the next start or SIGHUP."""
        (self.folder / "acl").write_text("\n".join([*lines, ""]))
        if (line := f"acl_file {self.folder / 'acl'}") not in self.lines:
            self.lines.append(line)

    def send_signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)

    def stop(self, number: signal.Signals = signal.SIGKILL) -> None:
        if self.process is not None and self.process.poll() is None:
            self.send_signal(number)
            if number is not signal.SIGCONT:
                self.send_signal(signal.SIGCONT)
            self.process.wait(10)
        self.process = None


@pytest.fixture
def make_mosquitto(tmp_path: Path) -> Iterator[Callable[..., Mosquitto]]:
    """Starts mosquittos with further lines of configuration. There is no skip: without mosquitto the test fails."""
    assert Path(MOSQUITTO).exists(), "mosquitto is not installed; .ci/system-packages installs it"
    made: list[Mosquitto] = []

    def make(*lines: str, start: bool = True) -> Mosquitto:
        folder = tmp_path / f"mosquitto-{len(made)}"
        folder.mkdir()
        broker = Mosquitto(folder)
        broker.lines += lines
        made.append(broker)
        if start:
            broker.start()
        return broker

    yield make
    for broker in made:
        broker.stop()


@pytest.fixture
def mosquitto(make_mosquitto: Callable[..., Mosquitto]) -> Mosquitto:
    return make_mosquitto()


@dataclass
class Heard:
    """What a subscriber got: topic, payload, QoS, retain flag of each message, oldest first."""

    messages: list[tuple[str, bytes, int, bool]] = field(default_factory=list)

    def events(self, stream: str = "main") -> list[dict[str, Any]]:
        return [json.loads(p) for t, p, _, _ in self.messages if t == f"{BASE}/evt/{stream}"]

    def sequences(self, stream: str = "main") -> list[int]:
        return [int(e["sequence"]) for e in self.events(stream)]

    def first_seen(self, stream: str = "main") -> list[int]:
        return list(dict.fromkeys(self.sequences(stream)))

    def conn(self) -> list[dict[str, Any]]:
        return [json.loads(p) for t, p, _, _ in self.messages if t == f"{BASE}/conn" and p]


@pytest.fixture
async def listen() -> AsyncIterator[Callable[..., Any]]:
    """`await listen(port)` starts a subscriber that keeps its session and comes back after each broker death."""
    import aiomqtt

    tasks: list[asyncio.Task[None]] = []

    async def start(port: int, topic: str = "tablewarden/#") -> Heard:
        heard, ready = Heard(), asyncio.Event()

        async def run() -> None:
            while True:
                with contextlib.suppress(aiomqtt.MqttError):
                    client = aiomqtt.Client(
                        "127.0.0.1", port, identifier="listener", clean_session=False, timeout=3, keepalive=60
                    )
                    async with client:
                        await client.subscribe(topic, qos=2)
                        ready.set()
                        async for m in client.messages:
                            heard.messages.append((m.topic.value, bytes(m.payload), m.qos, m.retain))
                await asyncio.sleep(0.02)

        tasks.append(asyncio.create_task(run()))
        async with asyncio.timeout(DEADLINE_S):
            await ready.wait()
        return heard

    yield start
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_default_executor()  # aiomqtt dials in it


class Relay:
    """A TCP relay to a broker. `swallow()` makes the present connections mute without closing them."""

    def __init__(self, to_port: int) -> None:
        self.to_port, self.port, self.mute = to_port, 0, False
        self.connections = 0
        self._held: list[dict[str, bool]] = []
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    def swallow(self) -> None:
        for state in self._held:
            state["mute"] = True

    def cut(self) -> None:
        """Closes the broker's side of the muted connections, as the broker's own keep-alive would in the end."""
        for writer in self._writers:
            writer.close()
        self._writers.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.to_port)
        except OSError:
            writer.close()
            return
        state = {"mute": self.mute}
        self._held.append(state)
        self._writers += [writer, up_writer]
        for source, sink in ((reader, up_writer), (up_reader, writer)):
            task = asyncio.create_task(self._copy(source, sink, state))
            self._tasks.add(task)

    async def _copy(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, state: dict[str, bool]
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                if not state["mute"]:
                    sink.write(data)
        if not state["mute"]:
            sink.close()

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.cut()


@pytest.fixture
async def make_relay() -> AsyncIterator[Callable[[int], Any]]:
    relays: list[Relay] = []

    async def make(to_port: int) -> Relay:
        relay = Relay(to_port)
        await relay.start()
        relays.append(relay)
        return relay

    yield make
    for relay in relays:
        await relay.stop()


@dataclass
class Running:
    """A publisher that runs in a task, and what it reported."""

    publisher: Publisher
    task: asyncio.Task[None]
    reports: list[tuple[str, dict[str, Any]]]
    states: dict[str, dict[str, Any]]

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.reports]

    async def stop(self, reason: str = "test is over") -> None:
        self.publisher.stop(reason)
        async with asyncio.timeout(DEADLINE_S):
            await self.task

    async def kill(self) -> None:
        """Leaves as a process does that is killed: no goodbye."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


@pytest.fixture
async def run(journal: FakeJournal) -> AsyncIterator[Callable[..., Running]]:
    """Starts publishers against a memory broker, or a port where a real one listens."""
    started: list[Running] = []

    def start(broker: MemoryBroker | int, *, keep: FakeJournal = journal, **changes: Any) -> Running:
        port = broker if isinstance(broker, int) else 1
        settings: dict[str, Any] = {
            "site": "lv01",
            "table": "lv01-bj-017",
            "client_id": "lv01-bj-017",
            "host": "127.0.0.1",
            "port": port,
            "backoff_first_s": 0.02,
            "backoff_most_s": 0.2,
            "rewind_s": 0,
            **changes,
        }
        config = PublishConfig(**settings)
        reports: list[tuple[str, dict[str, Any]]] = []
        states: dict[str, dict[str, Any]] = {}

        def factory(will: Will) -> Link:
            return broker.link(will) if isinstance(broker, MemoryBroker) else MqttLink(config, will)

        def report(kind: str, **data: object) -> None:
            body_from(kind, data)  # one of the kinds of news, with its fields and no others
            assert data.keys() <= set({**LINK_NEWS, **BACK_OFFICE_NEWS}[kind].__struct_fields__)
            reports.append((kind, data))

        def give_states() -> Mapping[str, Mapping[str, Any]]:
            return states

        publisher = Publisher(config, keep, give_states, SystemClock(), factory, random.Random(7), report)
        running = Running(publisher, asyncio.create_task(publisher.run()), reports, states)
        started.append(running)
        return running

    yield start
    for one in started:
        await one.kill()
