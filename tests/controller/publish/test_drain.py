"""A long backlog on a real broker: the second stream gets its part of the way, and the loop stays free for an act."""

import asyncio

from controller.journal.record import Stream
from controller.publish.broker.link import Code
from controller.publish.broker.memory import MemoryBroker
from tests.controller.publish.conftest import FakeJournal

WINDOW = 20


async def test_a_long_backlog_does_not_starve_the_second_stream(mosquitto, listen, run, journal, until):
    """What the health of the devices says must not wait for a day of play; the order within each stream stays."""
    heard = await listen(mosquitto.port)
    journal.add("main", count=1_000)
    journal.add("diag", count=50)
    run(mosquitto.port)
    await until(lambda: len(heard.sequences("diag")) == 50)
    assert len(heard.sequences("main")) < 400, "it waited for a fifth of the other one at least"
    await until(lambda: len(heard.sequences("main")) == 1_000)
    assert heard.sequences("diag") == list(range(1, 51))
    assert heard.sequences("main") == list(range(1, 1_001))


async def test_a_stream_alone_has_the_whole_way(run, journal, until):
    """Nothing is kept free for who has nothing to say."""
    broker = MemoryBroker(answering=False)
    journal.add("diag", count=100)
    running = run(broker)
    await until(lambda: broker.links)
    broker.answer_held()
    await until(lambda: running.publisher.status()["streams"]["diag"]["acked"] == 100)


async def test_a_drain_leaves_each_turn_of_the_loop_after_a_window(mosquitto, listen, run, journal, until):
    """An act, or a chip, is decided in the next turn: one turn sends a window or two, however long the backlog is."""
    await listen(mosquitto.port)
    journal.add("main", count=3_000)
    running = run(mosquitto.port)
    most = before = turns = 0
    while before < 3_000:
        await asyncio.sleep(0)
        sent = running.publisher.status()["sent"]
        most, before, turns = max(most, sent - before), sent, turns + 1
    assert most <= 2 * WINDOW
    assert max(journal.reads) <= WINDOW


class Endless(FakeJournal):
    """Two hundred thousand events wait in `evt/main`; which were read is counted."""

    COUNT = 200_000

    def heads(self):
        return super().heads() | {Stream.MAIN: self.COUNT}

    def read(self, stream, after, limit):
        if stream is not Stream.MAIN:
            return self.rows[stream][after : after + limit]
        self.reads.append(limit)
        self.rows[stream].clear()
        self.add()
        (row,) = self.rows[stream]
        return [row._replace(sequence=n) for n in range(after + 1, min(after + limit, self.COUNT) + 1)]


async def test_a_start_reads_none_of_the_events_that_wait(run, until):
    """The first window is out after one read, and a stream that the broker denies is set aside without reading it."""
    journal, broker = Endless(), MemoryBroker(away=True)
    running = run(broker, keep=journal)
    await until(lambda: running.reports)
    assert journal.reads == []
    broker.listeners.append(lambda d: setattr(broker, "losing", "/evt/main" in d.topic))
    broker.away = False
    await until(lambda: running.publisher.status()["sent"] == WINDOW)
    assert journal.reads == [WINDOW]
    broker.judge = lambda d: Code.NOT_AUTHORIZED if "/evt/main" in d.topic else Code.SUCCESS
    broker.listeners.clear()
    broker.losing = False
    broker.drop()
    await until(lambda: running.publisher.status()["parked_topics"])
    await until(lambda: running.publisher.status()["streams"]["main"]["lag"] == 0)
    assert sum(journal.reads) <= 4 * WINDOW
