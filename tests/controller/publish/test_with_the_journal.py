"""Publisher and journal together, as the daemon joins them: what is on disk is what is told."""

import json
from pathlib import Path

import jsonschema
import pytest

from controller.catalogue.documents import shown
from controller.clock import ManualClock
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal
from controller.publish.broker.link import Code
from controller.publish.broker.memory import MemoryBroker

BASE = "tablewarden/v1/lv01/lv01-bj-017"
SCHEMA = json.loads((Path(__file__).parents[3] / "docs/schema/envelope.json").read_text())


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.journal"


def opened(path):
    return Journal.open(path, site="lv01", table="lv01-bj-017")


def commit(journal, count=1):
    """Commits inputs with a fact about play and a fact about a device each."""
    clock = ManualClock()
    checked, online = (json.dumps(shown(name).example).encode() for name in ("set_checked.v1", "device_online.v1"))
    records = []
    for _ in range(count):
        transaction = Transaction(
            clock.stamp(),
            Draft(Stream.INPUT, "shuffle_completed", 1, "shuffler-1", "r-1", b'{"back":"red","count":51}'),
            facts=(
                Draft(Stream.MAIN, "set_checked", 1, "shuffler-1", "r-1", checked),
                Draft(Stream.DIAG, "device_online", 1, "shuffler-1", None, online),
            ),
        )
        records += journal.append([transaction], clock.stamp())
    return records


def events(broker, stream):
    return [json.loads(d.payload) for d in broker.deliveries if d.topic == f"{BASE}/evt/{stream}"]


async def test_what_the_journal_holds_is_what_is_told(run, path, until):
    """Ids, chain, cause and body of each event are those on disk, inputs stay at home, and all fit the schema."""
    journal, broker = opened(path), MemoryBroker()
    records = commit(journal, 3)
    running = run(broker, keep=journal)
    await until(lambda: running.publisher.status()["acked"] == 6)
    records += commit(journal)
    running.publisher.wake()
    for stream in (Stream.MAIN, Stream.DIAG):
        told = events(broker, stream)
        kept = [r for r in records if r.stream is stream]
        assert [e["id"] for e in told] == [r.id(journal.id) for r in kept]
        assert [e["recordhash"] for e in told] == [r.recordhash.hex() for r in kept]
        assert [e["prevhash"] for e in told] == [r.prevhash.hex() for r in kept]
        assert [e["cause"] for e in told] == [r.cause for r in kept]
        assert [e["data"] for e in told] == [json.loads(r.data) for r in kept]
        for event in told:
            jsonschema.validate(event, SCHEMA)
    assert {d.topic.removeprefix(BASE) for d in broker.deliveries} == {
        "/conn", "/evt/main", "/evt/diag", "/tele/heartbeat",
    }  # fmt: skip
    await running.stop()
    journal.close()


async def test_positions_holes_and_session_numbers_are_durable(run, path, until):
    """A second process knows what is settled and parked, and never reuses a session number."""
    journal = opened(path)
    commit(journal, 5)
    broker = MemoryBroker(judge=lambda d: Code.NOT_AUTHORIZED if b"-main-2" in d.payload[:60] else Code.SUCCESS)
    first = run(broker, keep=journal)
    await until(lambda: first.publisher.status()["acked"] == 9)
    await first.stop()
    journal.close()

    journal = opened(path)
    commit(journal)
    broker.deliveries.clear()
    second = run(broker, keep=journal)
    await until(lambda: second.publisher.status()["acked"] == 2)
    assert [int(e["sequence"]) for e in events(broker, "main")] == [6]
    assert [p["first"] for p in second.publisher.status()["streams"]["main"]["parked"]] == [2]
    assert second.publisher.status()["session"] == 2
    await second.stop()
    journal.close()
