"""A desk with a small record of its own, a server before it, and peers that speak bytes."""

import asyncio
import json
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.control.desk import ControlConfig, ErrorCode, Person, Refused, Voucher
from controller.control.server import ControlServer
from controller.rules.vocabulary import Role
from controller.table.words.acts import Act
from controller.table.words.inputs import Actor, Seen

WAIT_S = 10.0
"""Longest wait for anything in these tests; nothing takes that long unless it is wrong."""

PEOPLE = {
    "ada": Person("ada", frozenset({Role.DEALER})),
    "flo": Person("flo", frozenset({Role.FLOORPERSON, Role.DEALER})),
    "tek": Person("tek", frozenset({Role.TECHNICIAN})),
    "sam": Person("sam", frozenset({Role.SUPERVISOR})),
    "far": Person("far", frozenset({Role.DEALER}), uid=os.getuid() + 1),
    "own": Person("own", frozenset({Role.DEALER}), uid=os.getuid()),
}


class MemoryDesk:
    """A desk whose record is a list. `refuse` answers the next acts; `gate` keeps acts from becoming durable."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.acts: list[tuple[Act, Actor]] = []
        self.seen: Seen | None = None
        self.released: list[tuple[str, int, int, str]] = []
        self.vault: list[tuple[Any, ...]] = []
        self.refuse: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()
        self.reads: list[int] = []
        self.waiting = 0
        self._news = asyncio.Event()

    def record(self, kind: str, stream: str = "main", **data: object) -> dict[str, Any]:
        sequence = sum(r["stream"] == stream for r in self.records) + 1
        made: dict[str, Any] = {
            "order": len(self.records) + 1, "stream": stream, "sequence": sequence, "kind": kind, "subject": "table",
            "round": None, "time_us": 1_767_225_600_000_000, "cause": None, "data": data,
        }  # fmt: skip
        self.records.append(made)
        self.wake()
        return made

    def wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def status(self) -> dict[str, Any]:
        if self.refuse is not None:
            raise self.refuse
        return {"table": "t1", "open": True}

    async def act(self, act: Act, actor: Actor, seen: Seen | None = None) -> list[dict[str, Any]]:
        if self.refuse is not None:
            raise self.refuse
        self.acts.append((act, actor))
        self.seen = seen
        await self.gate.wait()
        return [self.record(f"{act.kind}_done", by=actor.who)]

    def try_act(self, act: Act, actor: Actor) -> list[dict[str, Any]]:
        return [{"kind": f"{act.kind}_tried", "by": actor.who}]

    def head(self) -> int:
        return len(self.records)

    def read(self, after: int, limit: int, streams: tuple[str, ...]) -> list[dict[str, Any]]:
        self.reads.append(after)
        if self.refuse is not None:
            raise self.refuse
        return [r for r in self.records if r["order"] > after and r["stream"] in streams][:limit]

    async def wait_news(self, after: int) -> None:
        self.waiting += 1
        try:
            while self.head() <= after:
                await self._news.wait()
        finally:
            self.waiting -= 1

    def outbox_status(self) -> dict[str, Any]:
        return {"parked": [17]}

    async def open_round(self, round_id: str, reason: str, actor: Actor) -> dict[str, Any]:
        self.vault.append(("open", round_id, reason, actor))
        return {"round": round_id}

    async def erase_cards(self, before_us: int, reason: str, actor: Actor) -> dict[str, Any]:
        self.vault.append(("erase", before_us, reason, actor))
        return {"through": 7}

    async def next_key(self, public: str, reason: str, actor: Actor) -> dict[str, Any]:
        self.vault.append(("next key", public, reason, actor))
        return {"key": "0" * 16}

    async def outbox_release(self, stream: str, first: int, last: int, who: str) -> dict[str, Any]:
        if first != 17:
            raise Refused(ErrorCode.REFUSED, f"{stream} {first} is not set aside")
        self.released.append((stream, first, last, who))
        return {"released": 1 + last - first}


class Peer:
    """One connection that writes bytes and reads lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, data: bytes | dict[str, Any]) -> None:
        self.writer.write(data if isinstance(data, bytes) else json.dumps(data).encode() + b"\n")

    async def line(self) -> dict[str, Any]:
        async with asyncio.timeout(WAIT_S):
            line = await self.reader.readline()
        assert line.endswith(b"\n"), f"the server closed after {line!r}"
        told: dict[str, Any] = json.loads(line)
        return told

    async def ask(self, data: bytes | dict[str, Any]) -> dict[str, Any]:
        self.send(data)
        return await self.line()

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()


async def _until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.001)


@pytest.fixture
def until() -> Callable[[Callable[[], object]], Any]:
    """Waits for a condition, with a deadline."""
    return _until


@pytest.fixture
def socket_path(tmp_path: Path) -> Path:
    return tmp_path / "control.sock"


@pytest.fixture
def desk() -> MemoryDesk:
    return MemoryDesk()


@pytest.fixture
def config(socket_path: Path) -> ControlConfig:
    return ControlConfig(socket_path, PEOPLE, (Voucher("panel", os.getuid(), frozenset({Role.DEALER})),))


@pytest.fixture
async def server(desk: MemoryDesk, config: ControlConfig) -> AsyncIterator[ControlServer]:
    async with ControlServer(desk, config) as serving:
        yield serving


@pytest.fixture
async def connect(server: ControlServer) -> AsyncIterator[Callable[[], Any]]:
    """Connects a new peer; all are closed at the end."""
    peers: list[Peer] = []

    async def connect() -> Peer:
        peers.append(Peer(*await asyncio.open_unix_connection(str(server.path), limit=1 << 20)))
        return peers[-1]

    yield connect
    for peer in peers:
        await peer.close()


@pytest.fixture
def live(config: ControlConfig) -> Iterator[tuple[Path, MemoryDesk, Callable[[Callable[[], object]], None]]]:
    """A server in a thread of its own, for blocking clients: its path, its desk, and a way to run something there."""
    made: list[tuple[asyncio.AbstractEventLoop, MemoryDesk, asyncio.Event]] = []
    started = threading.Event()

    async def serve() -> None:
        desk, stop = MemoryDesk(), asyncio.Event()
        async with ControlServer(desk, config):
            made.append((asyncio.get_running_loop(), desk, stop))
            started.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="control-server")
    thread.start()
    assert started.wait(WAIT_S)
    loop, desk, stop = made[0]

    def there(call: Callable[[], object]) -> None:
        done = threading.Event()
        loop.call_soon_threadsafe(call)
        loop.call_soon_threadsafe(done.set)
        assert done.wait(WAIT_S)

    yield config.socket, desk, there
    loop.call_soon_threadsafe(stop.set)
    thread.join(WAIT_S)
    assert not thread.is_alive()
