"""A whole table of real parts: broker, simulated devices, daemon and people, each a process of its own.

`rig` makes tables. Nothing of one runs until its test starts it, and all of it ends with the test.
"""

import asyncio
import contextlib
import inspect
import itertools
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from controller.audit.replay import Difference, differences
from controller.backoffice.envelope import read
from controller.backoffice.proof import look_at
from controller.journal.proof.verify import verify
from controller.journal.record import Record, Stream
from controller.journal.store import Journal, opened
from controller.journal.vault.vault_keys import VaultKeys
from simulators.bench.broker import Broker, choose
from simulators.bench.children import Child, start, tail
from simulators.bench.options import SITE, TABLE, Options
from simulators.bench.rig import RUN_CLI, serial
from simulators.bench.rig import Rig as Names
from simulators.bench.subscriber import Delivered, Subscriber
from tests.e2e.nursery import Nursery
from tests.support.forked import Mother
from tests.support.reported import as_recorded

MOSQUITTO = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
PATIENCE_S = 40.0
"""Longer than anything takes that works, also where other programs keep both cores busy."""
LOOK_S = 0.02
LINE_LIMIT = 4 * 1024 * 1024
BASE = f"tablewarden/v1/{SITE}/{TABLE}"
SAFE = ("inhibited", "engaged")

Document = dict[str, Any]


class Refused(Exception):
    """The daemon, or a device under somebody's hands, said no."""


async def ask(path: Path, **request: object) -> Document:
    """One question to a control socket, of the daemon or of a simulator. Raises `OSError` where nobody is there."""
    reader, writer = await asyncio.open_unix_connection(path, limit=LINE_LIMIT)
    try:
        writer.write(json.dumps(request).encode() + b"\n")
        line = await reader.readline()
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    if not line:
        raise ConnectionResetError(f"{path.name} hung up")
    answer: Document = json.loads(line)
    return answer


class Rig:
    """One table in a directory of its own. `delivered`: every message that a subscriber got, equal repeats counted only."""

    def __init__(self, options: Options, directory: Path, nursery: Nursery | None = None) -> None:
        self.options, self.directory = options, directory
        self.names = Names(options, directory)
        self.broker = Broker("none yet")
        self.delivered: list[Delivered] = []
        self.repeats = 0
        self._seen: set[bytes] = set()
        self._children: list[Child] = []
        self._listening: list[asyncio.Task[None]] = []
        self._ids = itertools.count(1)
        self._nursery = nursery
        self._fork_planted = False

    # -- starting and ending ----------------------------------------------------------------------------------------

    async def up(self, *, people: bool = False, plant: str = "") -> None:
        """Everything but people, and a subscriber; returns when every device is online, then lets people play."""
        await self.all_but_the_daemon_up()
        await self.start_daemon(plant)
        await self.all_online()
        if people:
            await self._start("people", self.names.people_command())

    async def all_but_the_daemon_up(self) -> None:
        await self.start_broker()
        await self.listen("keeper", self._keep)
        self.names.write_config(self.broker)
        for kind in self.options.kinds:
            await self._start(f"{kind}-1", self.names.device_command(kind, seeded=True))
        for kind in self.options.kinds:
            await self.until(self.names.device_socket(kind).is_socket, f"{kind} listens")
            await self.until(self.names.link(kind).exists, f"{kind} is plugged in")  # a moment later, by its name

    async def start_broker(self) -> None:
        """A mosquitto with an empty store; whenever it is started again it has the port that it had at first."""
        if self.broker.child is None:
            self.broker = await choose("auto", self.directory)
            assert self.broker.child is not None, "a table is only proven with a real broker: install mosquitto"
            self._children.append(self.broker.child)
            return
        await self._start("mosquitto", [MOSQUITTO, "-c", str(self.directory / "mosquitto.conf")])

    def _keep(self, message: Delivered) -> None:
        if "/evt/" in message.topic:
            if message.payload in self._seen:
                self.repeats += 1
                return
            self._seen.add(message.payload)
        self.delivered.append(message)

    async def listen(self, client_id: str, on_message: Callable[[Delivered], None]) -> None:
        """A subscriber with a session of its own at the broker, from now to the end of the test."""
        subscriber = Subscriber("127.0.0.1", self.broker.port, client_id, on_message)
        self._listening.append(asyncio.create_task(subscriber.run(), name=client_id))
        async with asyncio.timeout(PATIENCE_S):
            await subscriber.ready()

    async def start_daemon(
        self, plant: str = "", *, name: str = "daemon", through: tuple[str, ...] = (), wait: bool = True
    ) -> Child:
        """Starts the daemon. `plant`: Python that runs in it before anything of ours; `through`: a command before it."""
        command = [*through, *self.names.daemon_command()]
        if plant:
            command[command.index(RUN_CLI)] = f"{plant}\n{RUN_CLI}"
        await self._start(name, command, fork=not plant or self._fork_planted)
        return await self._playing(wait)

    def fork_daemons(self) -> None:
        """From now on daemons with a plant, too, have their code in memory before: for tests that need many."""
        self._fork_planted = True

    async def _playing(self, wait: bool) -> Child:
        if wait:
            await self.until(self._is_playing, "the daemon answers with its table")
        return self._children[-1]

    @property
    def daemon(self) -> Child:
        return self.child("daemon")

    async def _is_playing(self) -> bool:
        assert self.daemon.is_running, f"the daemon ended: {tail(self.daemon.log)}"
        return bool((await self.status()).get("devices"))

    async def _start(self, name: str, command: list[str], *, fork: bool = True) -> Child:
        if self._nursery is not None and fork and command[0] == sys.executable:
            child = await self._nursery.bear(name, command[1:], self.directory / f"{name}.log")
        else:
            child = await start(name, command, self.directory)
        self._children.append(child)
        return self._children[-1]

    def child(self, name: str) -> Child:
        """The one of this name that was started last."""
        return next(c for c in reversed(self._children) if c.name == name)

    async def kill_daemon(self) -> None:
        await self.daemon.stop(signal.SIGKILL)

    async def close(self) -> None:
        for task in self._listening:
            task.cancel()
        await asyncio.gather(*self._listening, return_exceptions=True)
        for child in self._children:
            await child.stop(signal.SIGKILL)

    # -- waiting and asking -----------------------------------------------------------------------------------------

    async def until(self, true: Callable[[], Any], what: str, within_s: float = PATIENCE_S) -> Any:
        """Returns what `true` says once it says anything; fails with the last words of everybody after the deadline."""
        end = time.monotonic() + within_s
        while True:
            said = true()
            said = await said if inspect.isawaitable(said) else said
            if said:
                return said
            assert time.monotonic() < end, f"not within {within_s:g} s: {what}\n{await self.last_words()}"
            await asyncio.sleep(LOOK_S)

    async def last_words(self) -> str:
        status = await self.status()
        said = [f"status: {json.dumps(status)}"]
        return "\n".join([*said, *(f"{c.name}: {tail(c.log, 5)}" for c in self._children if c.is_running)])

    async def status(self) -> Document:
        """The status document; empty while no daemon answers."""
        try:
            return dict((await ask(self.names.control, id=1, do="status"))["result"])
        except OSError:
            return {}

    async def act(self, act: str, who: str = "dealer", **args: object) -> list[Document]:
        """What a person tells the daemon; the facts of it. Raises `Refused`."""
        role = who.partition("-")[0]
        request = {"id": next(self._ids), "do": "act", "act": act, "args": args, "who": who, "role": role}
        answer = await ask(self.names.control, **request)
        if not answer["ok"]:
            raise Refused(f"{act}: {answer['error']}")
        return list(answer["result"]["facts"])

    async def hands(self, kind: str, act: str, **given: object) -> Document:
        """What hands do at a device, or what befalls it. Raises `Refused`."""
        answer = await ask(self.names.device_socket(kind), act=act, **given)
        if not answer["ok"]:
            raise Refused(f"{kind} {act}: {answer['error']}")
        return answer

    async def device(self, kind: str) -> Document:
        return dict((await self.hands(kind, "state"))["state"])

    async def open_betting(self) -> None:
        """A round in which wagers are taken and the lock-out is released, by people's acts."""
        for back in ("red", "blue"):
            await self.act("bring_set", "floorperson", back=back, preshuffled=True)
        await self.act("open_table", "floorperson")
        await self.act("begin_round", back="red")
        await self.act("place_wager", "player-1", seat=1, wager="ante", cents=1000)
        await self.act("place_wager", "player-1", seat=1, wager="blind", cents=1000)
        await self.act("release_lockout")
        await self.hands("progressive", "await", key="lockout", value="released")

    async def play_on(self, records: int) -> None:
        """Returns when so many more records are durable."""
        goal = await self.order() + records

        async def reached() -> bool:
            assert self.child("people").is_running, f"the people ended: {tail(self.child('people').log)}"
            return await self.order() >= goal

        await self.until(reached, f"{records} more records")

    async def order(self) -> int:
        """How many records are durable, as the daemon says; 0 while none answers."""
        return int((await self.status()).get("record", {}).get("order", 0))

    async def all_online(self) -> None:
        await self.until(self._all_online, "every device is online")

    async def levels(self, device: str) -> dict[str, Any]:
        """As `status` tells them; {} while it tells of no device, because the record is being opened again."""
        return dict((await self.status()).get("devices", {}).get(device, {}).get("levels", {}))

    async def _all_online(self) -> bool:
        devices = (await self.status()).get("devices", {})
        return bool(devices) and all(d["online"] for d in devices.values())

    def cpu_s(self) -> float:
        """Processor time of the daemon so far."""
        fields = Path(f"/proc/{self.daemon.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # -- evidence ---------------------------------------------------------------------------------------------------

    def records(self, *streams: Stream) -> list[Record]:
        """What stands in the journal, in order, read from outside."""
        journal = Journal.open_readonly(self.names.journal)
        try:
            return list(journal.records(streams or tuple(Stream), {}))
        finally:
            journal.close()

    def facts(self, kind: str) -> list[Document]:
        """Bodies of all facts of a kind, with the subject and the order of each."""
        found = [r for r in self.records(Stream.MAIN, Stream.DIAG) if r.kind == kind]
        return [{**json.loads(r.data), "subject": r.subject, "order": r.order} for r in found]

    def device_log(self, kind: str, what: str | None = None) -> list[Document]:
        """The device's own record of what happened; a line that is half written is left for the next look."""
        text = (self.directory / f"{kind}-1.log").read_text()
        lines = [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
        return [line for line in lines if what in (None, line["what"])]

    def told(self, stream: str) -> list[Document]:
        """The events of a stream as a consumer holds them that proves each, and drops repeats by their id."""
        topic = f"{BASE}/evt/{stream}"
        payloads = [m.payload for m in self.delivered if m.topic == topic]
        wrong = [finding.says for payload in payloads for finding in look_at(read(payload))]
        assert not wrong, wrong[:5]
        events = [json.loads(payload) for payload in payloads]
        told = {event["id"]: event for event in events}
        assert len(told) == len(events), "two events of one id differ"
        return events

    def _came(self, stream: str) -> int:
        return sum(m.topic == f"{BASE}/evt/{stream}" for m in self.delivered)

    def _more_than(self, came: int, stream: str) -> bool:
        return self._came(stream) > came

    def latest(self, topic: str) -> Document:
        """The last word under a topic of the table, as one who was there all the time has it."""
        said = [m.payload for m in self.delivered if m.topic == f"{BASE}/{topic}" and m.payload]
        return dict(json.loads(said[-1])) if said else {}

    async def retained(self, topic: str) -> Callable[[], Document]:
        """What the broker has kept under a topic, as one who comes now gets it, and what follows; {} until it has come."""
        kept: list[bytes] = []

        def keep(message: Delivered) -> None:
            if message.topic == f"{BASE}/{topic}" and (message.retained or kept):
                kept.append(message.payload)

        await self.listen(f"late-{next(self._ids)}", keep)
        return lambda: dict(json.loads(kept[-1])) if kept else {}

    def assert_journal_verifies(self) -> None:
        report = verify(self.names.journal)
        assert report.ok, [str(fault) for fault in report.faults]

    def assert_it_is_decided_as_it_was(self) -> None:
        """Each input on record has all the facts that the rules make of it, and no others: none was recorded in part."""
        with opened(self.names.journal) as view:
            found = [d for _, d in differences(view, keys=VaultKeys.load(self.names.vault)) if d is not None]
            differ = [line for d in found for line in (d.lines() if isinstance(d, Difference) else [str(d)])]
        assert not differ, differ[:20]

    async def assert_everything_is_told(self) -> None:
        """The consumer holds exactly the journal's events, in order, byte for byte and chained."""
        await self._assert_told(Stream.MAIN)
        await self._assert_told(Stream.DIAG)

    async def _assert_told(self, stream: Stream) -> None:
        records = self.records(stream)
        came = self._came(stream)
        while came < len(records):  # a long backlog takes its time, but it never stands still
            await self.until(partial(self._more_than, came, stream), f"{len(records)} of {stream} are delivered")
            came = self._came(stream)
        told = self.told(stream)
        if self.daemon.is_running:
            told = told[: len(records)]  # what came after our look at the journal
        journal = told[0]["journal"]
        assert [e["id"] for e in told] == [r.id(journal) for r in records]
        assert [e["data"] for e in told] == [json.loads(r.data) for r in records]
        assert [e["recordhash"] for e in told] == [r.recordhash.hex() for r in records]
        assert [e["prevhash"] for e in told[1:]] == [e["recordhash"] for e in told[:-1]]

    def assert_reports_are_on_record(self) -> None:
        """What a device was told is durable stands in the journal once, as the device said it; nothing stands twice."""
        recorded = {r.origin: r for r in self.records(Stream.INPUT) if r.origin}
        times = Counter(r.origin for r in self.records(Stream.INPUT) if r.origin)
        assert max(times.values()) == 1
        for kind in self.options.kinds:
            reports = self.device_log(kind, "report")
            acknowledged: dict[str, int] = {}
            for line in self.device_log(kind, "acknowledged"):
                acknowledged[line["boot"]] = max(line["counter"], acknowledged.get(line["boot"], 0))
            known = {(serial(kind), line["boot"], line["counter"]): line for line in reports}
            due = [key for key in known if key[2] <= acknowledged.get(key[1], 0)]
            assert due, f"{kind} was never told that anything is durable"
            assert [key for key in due if key not in recorded] == []
            for key in (k for k in recorded if k[0] == serial(kind)):
                name = known[key]["kind"]
                body = as_recorded(name, known[key]["body"])
                assert (recorded[key].kind, json.loads(recorded[key].data)["body"]) == (name, body)

    def assert_nothing_was_opened_off_the_record(self) -> None:
        """No device released or allowed anything that the journal did not want first."""
        wanted = {(w["device"], w["level"], w["value"], w["operation"]) for w in self.facts("level_wanted")}
        for kind in self.options.kinds:
            done = [c for c in self.device_log(kind, "command") if c["outcome"] == "executed"]
            opened = {
                (f"{kind}-1", c["level"], c["value"], c["operation"])
                for c in done
                if c["value"] not in SAFE and c["level"] != "display"  # its text follows from the state
            }
            assert opened - wanted == set()


@asynccontextmanager
async def _table(nursery: Nursery, **options: Any) -> AsyncIterator[Rig]:
    directory = Path(tempfile.mkdtemp(prefix="tw-"))  # short: names of sockets have at most 107 bytes
    table = Rig(Options(**{"speed": 50.0, "rounds": 0, **options}), directory, nursery)
    try:
        yield table
    finally:
        await table.close()
        shutil.rmtree(directory)


@pytest.fixture
async def rig(mother: Mother) -> AsyncIterator[Callable[..., Any]]:
    """Makes tables: `table = await rig(speed=50.0)`; the options are those of a bench run."""
    nursery = Nursery(mother)
    async with AsyncExitStack() as stack:
        stack.callback(nursery.close)

        async def make(**options: Any) -> Rig:
            return await stack.enter_async_context(_table(nursery, **options))

        yield make
