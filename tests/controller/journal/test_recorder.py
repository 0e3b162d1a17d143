"""The asyncio side: fast disks inline, slow ones in a thread, no half transaction whoever is cancelled."""

import asyncio
import random
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.clock import ManualClock, Stamp
from controller.journal.errors import JournalRepeat, JournalWriteFailed
from controller.journal.proof.verify import verify
from controller.journal.record import FACTS, Position, Stream, Transaction
from controller.journal.recorder import FIRST, WINDOW, Recorder
from controller.journal.store import Journal

MAIN, DIAG = Stream.MAIN, Stream.DIAG
Event = Callable[..., Transaction]


class PacedClock(ManualClock):
    """A disk of a known speed: each commit takes `commit_s` by this clock. Notes the threads that commit."""

    def __init__(self, commit_s: float) -> None:
        super().__init__()
        self.commit_s = commit_s
        self.threads: list[threading.Thread] = []
        self.permits: threading.Semaphore | None = None  # how many commits may begin; None = all

    def stamp(self) -> Stamp:
        assert self.permits is None or self.permits.acquire(timeout=10)
        self.threads.append(threading.current_thread())
        return super().stamp()

    def mono_ns(self) -> int:
        self.advance(self.commit_s)
        return super().mono_ns()


@pytest.fixture
def disk() -> PacedClock:
    return PacedClock(0.0001)


@pytest.fixture
async def recorder(path: Path, disk: PacedClock) -> AsyncIterator[Recorder]:
    recorder = Recorder(Journal.open(path, site="lv01", table="uth-017"), disk)
    yield recorder
    await recorder.close()


async def test_a_fast_disk_is_written_in_the_loop_once_it_has_shown_it(
    recorder: Recorder, disk: PacedClock, event: Event
) -> None:
    """The first commits go through the thread, the later ones save the hop."""
    for n in range(FIRST + 3):
        assert recorder.is_inline == (n >= FIRST)
        await recorder.commit([event(n)])
    here = [thread is threading.current_thread() for thread in disk.threads]
    assert here == [False] * FIRST + [True] * 3


async def test_a_slow_disk_is_written_in_one_thread(recorder: Recorder, disk: PacedClock, event: Event) -> None:
    """The loop is not stopped by it, and no second thread ever commits."""
    disk.commit_s = 0.005
    for n in range(WINDOW):
        await recorder.commit([event(n)])
    assert not recorder.is_inline
    assert len(set(disk.threads)) == 1
    assert disk.threads[0] is not threading.current_thread()


async def test_five_slow_commits_in_a_hundred_are_let_pass_and_six_are_not(
    recorder: Recorder, disk: PacedClock, event: Event
) -> None:
    """The 95th of 100 decides; a hundred fast ones later the loop has the disk back."""
    slow = [WINDOW + 10 * i for i in range(6)]
    for n in range(3 * WINDOW):
        disk.commit_s = 0.005 if n in slow else 0.0001
        await recorder.commit([event(n)])
        if n == slow[4]:
            assert recorder.is_inline
        if n == slow[5]:
            assert not recorder.is_inline
    assert recorder.is_inline


async def test_a_cancelled_commit_is_there_whole_or_not_at_all(
    recorder: Recorder, disk: PacedClock, event: Event
) -> None:
    """200 times, at any step of the wait: the next commit succeeds at once, and each transaction is whole."""
    disk.commit_s = 0.002  # stays with the thread
    chance = random.Random(20260102)
    for n in range(200):
        task = asyncio.create_task(recorder.commit([event(2 * n, MAIN, DIAG, MAIN, MAIN)]))
        for _ in range(chance.randrange(6)):
            await asyncio.sleep(0)
        task.cancel()
        async with asyncio.timeout(1):
            await recorder.commit([event(2 * n + 1)])
        try:
            await task
        except asyncio.CancelledError:
            assert task.cancelled()
    reader = Journal.open_readonly(recorder.path)
    inputs, facts = list(reader.records((Stream.INPUT,), {})), list(reader.records(FACTS, {}))
    of = {said.id(reader.id): said.origin for said in inputs}
    reader.close()
    counters = [said.origin[2] for said in inputs if said.origin]
    assert set(range(1, 400, 2)) <= set(counters)
    assert len(facts) == sum(4 if counter % 2 == 0 else 1 for counter in counters)
    assert all(fact.cause in of for fact in facts)
    assert verify(recorder.path).ok


async def test_a_cancelled_commit_that_still_waits_for_its_turn_is_carried_out(
    recorder: Recorder, disk: PacedClock, event: Event
) -> None:
    """Once handed over it is on its way to the disk, whoever stops waiting for it."""
    disk.permits = threading.Semaphore(0)
    first, second = (asyncio.create_task(recorder.commit([event(n)])) for n in (1, 2))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    disk.permits.release(9)
    await first
    await recorder.commit([event(3)])
    with pytest.raises(JournalRepeat):
        await recorder.commit([event(2)])


async def test_the_loop_never_overtakes_the_thread(recorder: Recorder, disk: PacedClock, event: Event) -> None:
    """While a commit is in the thread, the next one queues behind it, however fast the disk has become."""
    for n in range(FIRST - 1):
        await recorder.commit([event(n)])
    disk.permits = threading.Semaphore(1)
    first, second = (asyncio.create_task(recorder.commit([event(n)])) for n in (100, 101))
    await first
    assert recorder.is_inline
    third = asyncio.create_task(recorder.commit([event(102)]))
    await asyncio.sleep(0)
    disk.permits.release(2)
    orders = [records[0].order for records in await asyncio.gather(second, third)]
    assert orders == sorted(orders)
    assert threading.current_thread() not in disk.threads


async def test_a_commit_over_its_limit_is_a_failed_record(path: Path, event: Event) -> None:
    """The caller is told in time, nothing more is written, and after a reopen the journal says what became of it."""
    recorder = Recorder(Journal.open(path, site="lv01", table="uth-017"), ManualClock(), limit_s=0.1)
    with closing(sqlite3.connect(path, isolation_level=None)) as tool:
        tool.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        with pytest.raises(JournalWriteFailed, match=r"the commit took over 0\.1 s"):
            await recorder.commit([event(1, MAIN, DIAG)])
        assert time.monotonic() - began < 0.8  # well before the file's own limit for a lock
        with pytest.raises(JournalWriteFailed, match=r"the commit took over 0\.1 s"):
            await recorder.commit([event(2)])
        tool.execute("ROLLBACK")
    await recorder.close()
    journal = Journal.open(path, site="lv01", table="uth-017")
    heads = journal.heads()
    journal.close()
    assert heads in ({Stream.INPUT: 0, MAIN: 0, DIAG: 0}, {Stream.INPUT: 1, MAIN: 1, DIAG: 1})
    assert verify(path).ok


async def test_a_commit_in_the_loop_over_its_limit_is_a_failed_record_too(
    recorder: Recorder, disk: PacedClock, event: Event
) -> None:
    """A disk that was fast and then hangs: told as soon as it can be."""
    for n in range(FIRST):
        await recorder.commit([event(n)])
    disk.commit_s = 2.5
    with pytest.raises(JournalWriteFailed, match=r"the commit took 2\.5 s"):
        await recorder.commit([event(100)])
    with pytest.raises(JournalWriteFailed, match=r"the commit took 2\.5 s"):
        await recorder.commit([event(101)])


async def test_a_repeat_is_told_and_the_recorder_goes_on(recorder: Recorder, event: Event) -> None:
    """From the thread as from the loop."""
    for n in range(FIRST):
        await recorder.commit([event(n)])
        with pytest.raises(JournalRepeat):
            await recorder.commit([event(n)])
    with pytest.raises(JournalRepeat):
        await recorder.commit([event(0)])


async def test_one_call_is_one_commit(recorder: Recorder, event: Event) -> None:
    """A group of transactions is on record together, in its order."""
    records = await recorder.commit([event(n) for n in range(1, 65)])
    assert [r.order for r in records] == list(range(1, 129))
    assert len({r.recorded_us for r in records}) == 1


async def test_positions_are_flushed_and_closing_waits_for_the_running_commit(path: Path, event: Event) -> None:
    """An orderly end loses nothing that was begun."""
    journal = Journal.open(path, site="lv01", table="uth-017")
    recorder = Recorder(journal, ManualClock())
    journal.move("mqtt", MAIN, 7)
    await recorder.flush()
    reader = Journal.open_readonly(path)
    assert reader.position("mqtt") == {MAIN: Position(7)}
    running = asyncio.create_task(recorder.commit([event(n) for n in range(500)]))
    await asyncio.sleep(0)
    await recorder.close()
    assert len(await running) == 1000
    assert reader.heads()[MAIN] == 500
    reader.close()
