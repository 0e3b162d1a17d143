"""The requests that the control socket, and later the panel, may make of a running table."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from controller.control.desk import ErrorCode, Refused
from controller.daemon.engine import Engine, RecordFailed, Told, refusal
from controller.daemon.record.archivist import Keeper
from controller.daemon.record.key_desk import naming
from controller.daemon.record.vault_desk import erasure, more_to_erase, opening
from controller.daemon.views.displays import Displays
from controller.daemon.views.offer_document import announced_document, offer_document
from controller.daemon.views.status import device_document, next_document, table_document, without_record
from controller.journal.disk.free_space import room_problem
from controller.journal.proof.keys import SigningKey
from controller.journal.record import Record, Stream
from controller.journal.store import Journal
from controller.publish.publisher import NotParked, Publisher
from controller.rules.applies import silent
from controller.rules.explain.coverage import Coverage, prompts
from controller.table.acts.irregularities import reportable
from controller.table.acts.permissions import allowed
from controller.table.acts.registry import WHILE_HELD
from controller.table.acts.seen import marks
from controller.table.acts.seen import told as rested_on
from controller.table.card_sets.time_in_play import change_us
from controller.table.fold.ruling import here
from controller.table.words.acts import Act, ReportIrregularity
from controller.table.words.codec import builtins
from controller.table.words.facts import Fact
from controller.table.words.inputs import Actor, Seen, ServiceEvent
from controller.table.words.refusal import HELD
from controller.text.instructions import wagers_of
from controller.text.next_act import to_elect
from drivers.session.session import DeviceSession

Document = dict[str, Any]
READABLE = tuple(Stream)


class RunningTable:
    """One table while its journal is open: engine, sessions with displays, publisher, archivist."""

    def __init__(
        self,
        engine: Engine,
        journal: Journal,
        sessions: dict[str, DeviceSession],
        displays: Displays,
        publisher: Publisher,
        keeper: Keeper | None = None,
        key: SigningKey | None = None,
    ) -> None:
        self.engine, self.journal, self.publisher = engine, journal, publisher
        self.sessions, self.displays = sessions, displays
        self.keeper, self.key = keeper, key


class TableDesk:
    """The daemon's desk. It outlives the table: while the record cannot be written it says so and refuses acts."""

    def __init__(self, version: str, coverage: Coverage | None = None) -> None:
        self.table: RunningTable | None = None
        self._coverage = coverage
        self.failed = "the daemon is starting"
        self._version = version
        self._news = asyncio.Event()
        self._places: dict[int, dict[Stream, int]] = {}

    def closed(self, reason: str) -> None:
        """Notes that no table runs. `reason`: the answer to every request until one runs again."""
        self.table, self.failed = None, reason
        self.woken()

    def woken(self) -> None:
        """Wakes the watchers after a commit."""
        self._news.set()
        self._news = asyncio.Event()

    def status(self) -> Document:
        """Returns the whole status document; see `docs/control.md`."""
        if self.table is None:
            return {
                "version": self._version,
                "record": {"ok": False, "reason": self.failed},
                **without_record(self.failed),
            }
        engine, journal = self.table.engine, self.table.journal
        document = table_document(engine.setup, engine.state)
        document["version"] = self._version
        document["next_act"] = next_document(engine.setup, engine.state)
        document["seats"] = engine.setup.seats
        for back, card_set in document["sets"].items():
            card_set["change_us"] = change_us(engine.setup, engine.state, back)
        for duty in document["duties"]:
            duty["wagers"] = wagers_of(engine.state, engine.state.duties[duty["duty"]])
        document["triggers"] = reportable(engine.setup)
        document["marks"] = marks(engine.setup, engine.state)
        missing = to_elect(engine.setup, engine.state)
        document["to_elect"] = [
            {"reading": q.id, "choices": [c.id for c in q.choices], "cautious": q.cautious, "problem": q.problem}
            for q in missing
        ]
        document["prompts"] = [] if missing else self._prompts(engine, allowed(engine.state))
        document["devices"] = {name: self._device(name) for name in engine.state.devices}
        document["announce"] = announced_document(engine.setup, engine.state)
        document["offer"] = offer_document(engine.setup, engine.state)
        document["record"] = {
            "ok": engine.failed is None,
            "reason": engine.failed or "",
            "journal": journal.id,
            "heads": {stream.value: head for stream, head in journal.heads().items()},
            "order": engine.order,
            "room": room_problem(journal.path),
            "kept": self.table.keeper.document() if self.table.keeper else None,
        }
        document["broker"] = self.table.publisher.status()
        return document

    def _prompts(self, engine: Engine, acts: list[str]) -> list[Document]:
        """Returns what the document wants people to do before the acts of this phase."""
        if self._coverage is None:
            return []
        if engine.state.round is None:  # what the clauses have people report happens in a round
            acts = [act for act in acts if act != ReportIrregularity.kind]
        law = engine.setup.law
        elections = {question: elected.choice for question, elected in law.elections.items()}
        unsaid = silent(law.rulebook.applies, elections, here(engine.setup, engine.state))
        told = prompts(self._coverage, law.rulebook, engine.state.method, unsaid)
        wanted = set(acts) - WHILE_HELD if engine.state.round else set(acts)
        return [{"act": p.act, "text": p.text, "cite": list(p.cite)} for p in told if p.act in wanted]

    def _device(self, name: str) -> Document:
        assert self.table is not None
        document = device_document(name, self.table.engine.state.devices[name])
        session = self.table.sessions.get(name)
        if session is not None:
            status, now = session.status, asyncio.get_running_loop().time()
            document["display"] = self.table.displays.document(name)
            document["link"] = {
                "path": session.config.path,
                "state": status.state.value,
                "since_s": round(now - status.since, 1),
                "reason": status.reason,
                "detail": status.detail,
                "counters": dict(session.counters),
                **_proven(session, now),
                "recording": session.recorder.document() if session.recorder else None,
            }
        return document

    async def act(self, act: Act, actor: Actor, seen: Seen | None = None) -> list[Document]:
        """Returns the facts of an act, once they are durable. Raises `Refused` with the reason and the clauses."""
        if self.table is None:
            raise Refused(ErrorCode.RECORD_FAILED, self.failed)
        try:
            told = await self.table.engine.act(act, actor, rested_on(act, seen) if seen else None)
        except RecordFailed as error:
            raise Refused(ErrorCode.RECORD_FAILED, str(error)) from error
        _raise_refusal(t.fact for t in told)
        return [_told(t) for t in told]

    def try_act(self, act: Act, actor: Actor) -> list[Document]:
        """Returns the facts that would follow from an act; nothing happens. Raises `Refused`."""
        if self.table is None:
            raise Refused(ErrorCode.RECORD_FAILED, self.failed)
        facts = self.table.engine.try_act(act, actor)
        _raise_refusal(facts)
        return [_fact(fact) for fact in facts]

    async def open_round(self, round_id: str, reason: str, actor: Actor) -> Document:
        """Opens the sealed cards of a round. Raises `Refused`."""
        return await self._noted(lambda table: opening(table.journal, round_id, reason, actor))

    async def erase_cards(self, before_us: int, reason: str, actor: Actor) -> Document:
        """Erases the sealed cards of all rounds before a time (Unix, microseconds). Raises `Refused`."""
        told = await self._noted(
            lambda table: erasure(table.journal, before_us, reason, actor, table.engine.state.disputes)
        )
        return {**told, "more": self.table is not None and more_to_erase(self.table.journal, before_us)}

    async def next_key(self, public: str, reason: str, actor: Actor) -> Document:
        """Makes the signing key name its successor. Raises `Refused`."""
        return await self._noted(lambda table: naming(table.journal, table.key, public, reason, actor))

    async def _noted(self, event: Callable[[RunningTable], ServiceEvent]) -> Document:
        if self.table is None:
            raise Refused(ErrorCode.RECORD_FAILED, self.failed)
        try:
            (told, *_) = await self.table.engine.note(event(self.table))
        except RecordFailed as error:
            raise Refused(ErrorCode.RECORD_FAILED, str(error)) from error
        return _told(told)

    def head(self) -> int:
        """Returns the order number of the last record; 0 while no table runs."""
        return self.table.engine.order if self.table else 0

    def read(self, after: int, limit: int, streams: tuple[str, ...]) -> list[Document]:
        """Returns records of these streams in global order after `after`."""
        if self.table is None:
            return []
        wanted = [s for s in READABLE if s.value in streams]
        places = self._places.get(after) or {s: _behind(self.table.journal, s, after) for s in READABLE}
        found = sorted(
            (r for s in wanted for r in self.table.journal.read(s, places[s], limit)), key=lambda r: r.order
        )[:limit]
        for record in found:
            places = {**places, record.stream: record.sequence}
        if found:
            self._places[found[-1].order] = places
            while len(self._places) > 64:
                self._places.pop(next(iter(self._places)))
        return [_record(r, self.table.journal.id) for r in found]

    async def wait_news(self, after: int) -> None:
        """Waits until a record after `after` is durable."""
        while self.head() <= after:
            await self._news.wait()

    def outbox_status(self) -> Document:
        """Returns the publisher's status; why the table does not run, while there is none."""
        return self.table.publisher.status() if self.table else {"connected": False, "reason": self.failed}

    async def outbox_release(self, stream: str, first: int, last: int, who: str) -> Document:
        """Sends the parked events of a range again. Raises `Refused` if none of them is parked."""
        if self.table is None:
            raise Refused(ErrorCode.RECORD_FAILED, self.failed)
        try:
            count = await self.table.publisher.release(stream, first, last)
        except NotParked as error:
            raise Refused(ErrorCode.REFUSED, str(error)) from error
        return {"released": count, "by": who}


def _proven(session: DeviceSession, now: float) -> Document:
    """Returns what the device has proven on this connection: its key, its firmware."""
    authenticated, measured_at = session.proven
    who = session.identity
    return {
        "authenticated": authenticated,
        "measured_s": None if measured_at is None else round(now - measured_at, 1),
        "firmware": None if who is None else who.firmware,
        "firmware_sha256": None if who is None else who.firmware_hash.hex(),
    }


def _behind(journal: Journal, stream: Stream, after: int) -> int:
    """Returns a stream's last number whose order is not after `after`."""
    low, high = journal.oldest()[stream] - 1, journal.heads()[stream]
    while low < high:
        middle = (low + high + 1) // 2
        (record,) = journal.read(stream, middle - 1, 1)
        low, high = (middle, high) if record.order <= after else (low, middle - 1)
    return low


def _raise_refusal(facts: Iterable[Fact]) -> None:
    """Raises `Refused` if a fact is the refusal of the act."""
    if (no := refusal(facts)) is not None:
        raise Refused(ErrorCode.HELD if no.code == HELD else ErrorCode.REFUSED, no.reason, no.cite, no.code)


def _told(told: Told) -> Document:
    place = {"order": told.order, "stream": told.stream, "sequence": told.sequence}
    return {**place, **_fact(told.fact)}


def _fact(fact: Fact) -> Document:
    return {"subject": fact.subject, "kind": fact.event.kind, "data": builtins(fact.event)}


def _record(record: Record, journal: str) -> Document:
    return {
        "order": record.order,
        "id": record.id(journal),
        "stream": record.stream.value,
        "sequence": record.sequence,
        "kind": record.kind,
        "subject": record.subject,
        "round": record.round_id,
        "time_us": record.time_us,
        "cause": record.cause,
        "data": msgspec.json.decode(record.data),
    }
