"""The one path, with a real journal: durable before told, groups, repeats, failure of the record."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from controller.clock import SystemClock
from controller.daemon.engine import BOOTS_KEPT, GROUP_LIMIT, Engine, RecordFailed, last_reported, refusal
from controller.journal.errors import JournalWriteFailed
from controller.journal.record import Stream
from controller.journal.recorder import Recorder
from controller.journal.store import Journal
from controller.rules.elections import proposals
from controller.rules.model import Election, Law
from controller.rules.read.loader import load_rulebook
from controller.rules.vocabulary import Method, Role
from controller.table.state.table import DeviceSetup, Setup
from controller.table.words import acts as a
from controller.table.words.inputs import Actor, ServiceStarted, ServiceStopping
from drivers import events as e
from drivers.commands import WantedLevel

ROOT = Path(__file__).resolve().parents[3]
FLOOR = Actor("ada", Role.SUPERVISOR)
SHOE = "shoe-1"


@dataclass
class Spy:
    """A device session that notes what it was told, and whether the record held it at that instant."""

    journal: Journal
    wanted: list[WantedLevel] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)
    early: list[int] = field(default_factory=list)

    def want(self, wanted: WantedLevel) -> None:
        self.wanted.append(wanted)

    def acknowledge(self, boot: str, counter: int) -> None:
        self.acknowledged.append(counter)
        if not self.journal.has("SIM-1", boot, counter):
            self.early.append(counter)


def setup_of() -> Setup:
    book = load_rulebook(ROOT / "config" / "rulebooks" / "md-uth.toml")
    elections = {question: Election(question, choice, "bench") for question, choice in proposals(book).items()}
    devices = {SHOE: DeviceSetup(SHOE, e.DeviceKind.SHOE)}
    return Setup(
        "bench", "t1", 6, ("red",), Method.DEALING_SHOE, devices, Law(book, elections), frozenset({"trips"}), "USD"
    )


class Bench:
    def __init__(self, path: Path) -> None:
        self.closed = False
        self.clock = SystemClock()
        self.journal = Journal.open(path / "j.db", site="bench", table="t1")
        self.recorder = Recorder(self.journal, self.clock)
        self.engine = Engine(setup_of(), self.journal, self.recorder, self.clock)
        self.folded = self.engine.fold_record()
        self.spy = Spy(self.journal)
        self.engine.devices[SHOE] = self.spy
        self.task = asyncio.create_task(self.engine.run())

    async def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        await self.recorder.close()

    def report(self, counter: int, boot: str = "00000000000000aa") -> bool:
        origin = e.Origin("SIM-1", boot, counter, counter * 10)
        return self.engine.submit(SHOE, e.DoorOpened(), origin=origin)

    async def settled(self) -> None:
        await self.engine.note(ServiceStarted("0", "md-uth", "1.4", ""))


@pytest.fixture
async def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    await made.close()


async def test_a_device_is_acknowledged_only_when_the_record_holds_its_report(bench):
    """Acknowledged means durable: at that instant the row is there."""
    for counter in range(1, 300):
        bench.report(counter)
    await bench.settled()
    assert bench.spy.acknowledged == list(range(1, 300))
    assert not bench.spy.early


async def test_many_inputs_share_a_commit_and_keep_their_order(bench):
    """A group is limited, and the order of the queue is the order of the record."""
    commits = []
    append = bench.journal.append
    bench.journal.append = lambda transactions, at: commits.append(len(transactions)) or append(transactions, at)
    for counter in range(1, 3 * GROUP_LIMIT):
        bench.report(counter)
    await bench.settled()
    assert max(commits) == GROUP_LIMIT
    assert len(commits) <= 5
    counters = [r.origin[2] for r in bench.journal.read(Stream.INPUT, 0, 1000) if r.origin]
    assert counters == list(range(1, 3 * GROUP_LIMIT))


async def test_nothing_comes_on_record_behind_the_last_news(bench):
    """What is on record was told before `run` returns, so an orderly stop leaves nothing that its readers have not seen."""
    told = []
    bench.engine.on_news(lambda: told.append(bench.journal.last()[0][Stream.INPUT].sequence))
    bench.report(1)
    ending = asyncio.create_task(bench.engine.end(ServiceStopping("")))
    await asyncio.sleep(0)
    bench.report(2)
    assert [fact.fact.event.kind for fact in await ending] == ["service_stopping"]
    await asyncio.wait_for(bench.task, 5)
    inputs = bench.journal.read(Stream.INPUT, 0, 100)
    assert [record.kind for record in inputs] == ["door_opened", "service_stopping"]
    assert told[-1] == inputs[-1].sequence
    assert bench.spy.acknowledged == [1]


async def test_nothing_comes_on_record_between_the_last_news_and_its_seal(bench):
    """The checkpoint of an orderly stop signs a record that ends with the stop."""
    seal = ServiceStopping("sealed")
    ending = asyncio.create_task(bench.engine.end(ServiceStopping(""), lambda: (bench.report(2), seal)[1]))
    await asyncio.sleep(0)
    bench.report(1)
    part = asyncio.create_task(bench.engine.note(ServiceStopping("of a part")))
    with pytest.raises(RecordFailed, match="stopping"):
        await bench.engine.act(a.OpenTable(), FLOOR)
    assert [fact.fact.event.reason for fact in await ending] == ["", "sealed"]
    await asyncio.wait_for(bench.task, 5)
    assert [r.kind for r in bench.journal.read(Stream.INPUT, 0, 100)] == ["service_stopping"] * 2
    assert bench.spy.acknowledged == []
    assert not part.done()
    part.cancel()


async def test_a_repeated_report_is_acknowledged_again_and_recorded_once(bench, tmp_path):
    """A device that did not hear the acknowledgement sends again; so it does to the next run of the daemon."""
    bench.report(1)
    bench.report(1)
    await bench.settled()
    assert bench.spy.acknowledged == [1, 1]
    await bench.close()
    again = Bench(tmp_path)
    again.report(1)
    again.report(2)
    await again.settled()
    assert sorted(again.spy.acknowledged) == [1, 2]
    rows = [r.origin for r in again.journal.read(Stream.INPUT, 0, 100) if r.origin]
    assert [row[2] for row in rows] == [1, 2]
    await again.close()


async def test_where_the_record_of_a_device_ends_is_read_back_with_its_evidence(bench, tmp_path):
    """Its session begins there, at the report's value in the chain over the device's log."""
    boot, chain = "00000000000000aa", "0123456789abcdef"
    assert last_reported(bench.journal, "SIM-1") is None
    for counter in (1, 2):
        told = e.Origin("SIM-1", boot, counter, counter * 10, chain=chain if counter == 2 else None)
        bench.engine.submit(SHOE, e.DoorOpened(), origin=told)
    await bench.settled()
    assert last_reported(bench.journal, "SIM-1") == told
    assert last_reported(bench.journal, "SIM-2") is None


async def test_a_report_that_comes_twice_within_one_commit_is_recorded_once(bench):
    """Out of order and again before anything is durable: the record holds each once, and does not fail over it."""
    for counter in (1, 2, 1, 3, 2):
        bench.report(counter)
    await bench.settled()
    rows = [r.origin for r in bench.journal.read(Stream.INPUT, 0, 100) if r.origin]
    assert [row[2] for row in rows] == [1, 2, 3]
    assert bench.engine.failed is None


async def test_a_device_that_reboots_for_ever_fills_no_memory_and_is_still_known(bench):
    """Only so many boots are remembered; a repeat from a forgotten one is found on record."""
    for boot in range(200):
        bench.report(1, f"{boot:016x}")
    bench.report(1, f"{3:016x}")
    await bench.settled()
    assert len(bench.engine._highest) <= BOOTS_KEPT
    assert len([r for r in bench.journal.read(Stream.INPUT, 0, 1000) if r.origin]) == 200


async def test_a_loss_that_is_on_record_is_acknowledged_up_to_its_end(bench):
    """The device need not offer again what nobody can read any more."""
    bench.engine.submit(SHOE, e.EventsLost("SIM-1", "00000000000000aa", 4, 9))
    bench.engine.submit(SHOE, e.EventsLost("SIM-1", "00000000000000aa", 10, 0))
    await bench.settled()
    assert bench.spy.acknowledged == [9]


async def test_a_loss_under_numbers_that_were_used_before_acknowledges_nothing(bench):
    """It says nothing of what is durable: the reports under these numbers may be on their way, or have been there long ago."""
    bench.engine.submit(SHOE, e.EventsLost("SIM-1", "00000000000000aa", 4, 9, reused=True))
    await bench.settled()
    assert bench.spy.acknowledged == []


async def test_the_state_is_taken_up_from_the_record(bench, tmp_path):
    """A new run folds what the last one recorded, and decides nothing anew."""
    await bench.engine.act(a.OpenTable(), FLOOR)
    before = bench.engine.state
    await bench.close()
    again = Bench(tmp_path)
    assert again.engine.state == before
    assert again.folded > 0
    await again.close()


async def test_a_refused_act_is_on_record_with_its_reason(bench):
    """What was tried is known, too."""
    told = await bench.engine.act(a.BeginRound("red"), FLOOR)
    no = refusal(each.fact for each in told)
    assert no is not None
    assert "not open" in no.reason
    assert bench.journal.read(Stream.MAIN, 0, 100)[-1].kind == "input_refused"


async def test_the_queue_says_when_it_is_three_quarters_full(bench):
    """Devices stop being acknowledged; people still get in."""
    answers = [bench.report(counter) for counter in range(1, 900)]
    assert answers.index(False) == 767
    await bench.settled()
    assert len(bench.spy.acknowledged) == 899


async def test_a_record_that_cannot_be_written_stops_everything_and_goes_safe(tmp_path):
    """Nothing is acknowledged, the waiting person is told, every device gets its safe side."""
    bench = Bench(tmp_path)
    await bench.engine.act(a.OpenTable(), FLOOR)

    def full(*_):
        raise JournalWriteFailed(bench.journal.path, "no space left")

    bench.journal.append = full
    bench.report(7)
    with pytest.raises(RecordFailed, match="no space left"):
        await bench.engine.act(a.CloseTable(), FLOOR)
    with pytest.raises(RecordFailed):
        await bench.task
    assert bench.spy.acknowledged == []
    assert {(w.level, w.value) for w in bench.spy.wanted} == {("dispensing", "inhibited")}
    with pytest.raises(RecordFailed):
        await bench.engine.act(a.CloseTable(), FLOOR)
    await bench.recorder.close()


async def test_a_reader_that_is_woken_finds_the_record_durable(bench):
    """Whoever is woken reads what is committed."""
    seen = []
    bench.engine.on_news(lambda: seen.append(bench.journal.heads()[Stream.MAIN]))
    await bench.engine.act(a.OpenTable(), FLOOR)
    assert seen == [bench.journal.heads()[Stream.MAIN]]


async def test_levels_that_say_nothing_new_are_not_recorded(bench):
    """After each command all levels are read; most reads only repeat the answer. After a chip or a loss each counts."""
    read, other = (e.LevelsRead(e.Levels(dispensing=e.INHIBITED, cards_inside=count)) for count in (1, 2))
    chip, loss = e.WagerRemoved(1, 1, False), e.EventsLost("SIM-1", "00000000000000aa", 1, 2)
    recorded = []
    for body in (read, read, other, other, chip, other, other, loss, other, other):
        before = bench.engine.order
        bench.engine.submit(SHOE, body)
        await bench.settled()
        recorded.append(
            sum(r.kind == "levels_read" and r.order > before for r in bench.journal.read(Stream.DIAG, 0, 99))
        )
    assert recorded == [1, 0, 1, 0, 0, 1, 0, 0, 1, 0]


async def test_a_level_that_is_found_open_again_is_recorded_each_time(bench):
    """What is read is known already, and still it leads to a command."""
    for _ in range(2):
        bench.engine.submit(SHOE, e.LevelsRead(e.Levels(dispensing=e.ALLOWED)))
        await bench.settled()
    kinds = [r.kind for stream in (Stream.DIAG, Stream.MAIN) for r in bench.journal.read(stream, 0, 99)]
    assert kinds.count("levels_read") == kinds.count("level_wanted")
