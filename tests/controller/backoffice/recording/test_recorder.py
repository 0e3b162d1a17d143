"""The recorder on a real broker: stored, acknowledged, confirmed; and what it says of all that is missing or wrong."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from controller.backoffice.intake import Broker, Intake
from controller.backoffice.recorder import Recorder
from controller.backoffice.shares import share_of
from controller.backoffice.store.batch import Occupied
from controller.backoffice.store.database import database, store
from controller.backoffice.store.upkeep import Alarm, acknowledge, alarms
from tests.controller.publish.conftest import Mosquitto
from tests.support.far_table import FarTable, until
from tests.support.told_table import ToldTable


class Running:
    """A recorder in a thread."""

    def __init__(
        self,
        port: int,
        url: str,
        name: str = "recorder",
        share: int = 1,
        shares: int = 1,
        broker: Broker | None = None,
    ) -> None:
        self.url = url
        made = store(url, name, share, shares)
        made.open()
        at = broker or Broker("127.0.0.1", port)
        client = name if shares == 1 else f"{name}-{share}of{shares}"
        self.recorder = Recorder(lambda filters: Intake(at, client, filters), made, name, share, shares)
        self._ended = threading.Event()
        self.failure: Exception | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.recorder.run(self._ended.is_set)
        except Exception as exc:
            self.failure = exc

    def end(self) -> None:
        self._ended.set()
        self._thread.join(20)
        assert not self._thread.is_alive()

    def bodies(self, stream: str = "main") -> list[bytes]:
        with database(self.url) as db:
            order = "SELECT body FROM event WHERE stream = ? ORDER BY source, journal, sequence"
            return [body.encode() for (body,) in db.execute(order, [stream])]

    def alarms(self, *, is_all: bool = True) -> dict[str, Alarm]:
        with database(self.url) as db:
            return {each.code: each for each in alarms(db, is_all=is_all)}


@pytest.fixture
def record(mosquitto: Mosquitto) -> Iterator[Callable[..., Running]]:
    running: list[Running] = []

    def start(url: str, **rest) -> Running:
        running.append(Running(mosquitto.port, url, **rest))
        until(lambda: running[-1].recorder.broker_state == "connected")
        return running[-1]

    yield start
    for each in running:
        each.end()
    running.clear()  # paho's sockets go with their client


@pytest.fixture
def far(mosquitto: Mosquitto) -> Iterator[Callable[..., FarTable]]:
    made: list[FarTable] = []

    def make(told: ToldTable, **rest) -> FarTable:
        made.append(FarTable(told, mosquitto.port, **rest))
        return made[-1]

    yield make
    for each in made:
        each.end()
    made.clear()


def test_what_is_published_is_stored_as_it_came_and_confirmed(
    record, far, table: ToldTable, store_url: str
) -> None:
    running = record(store_url)
    sender = far(table)
    sent = [*table.grow(500), *table.grow(20, stream="diag")]
    sender.publish()
    until(lambda: sender.through() == 500 and sender.through("diag") == 20)
    assert running.bodies() == sent[:500]
    assert running.bodies("diag") == sent[500:]
    assert sender.confirmed[-1]["journal"] == table.journal
    assert running.alarms() == {}


def test_what_is_missing_is_asked_for_and_its_alarm_has_a_whole_life(
    record, far, table: ToldTable, store_url: str
) -> None:
    running = record(store_url)
    sender = far(table, drops=frozenset({3, 4, 40}))
    table.grow(50)
    sender.publish()
    began = time.monotonic()
    until(lambda: sender.through() == 50)
    assert time.monotonic() - began < 10
    assert (sender.asked[0]["from"], sender.asked[0]["to"]) == (3, 40)
    assert running.bodies() == [table.event(each) for each in range(1, 51)]
    until(lambda: running.alarms()["gap"].filled)
    gap = running.alarms()["gap"]
    assert (gap.first, gap.last, gap.closed) == (3, 40, None)
    assert gap.opened <= gap.asked < gap.filled
    with database(running.url) as db:
        assert acknowledge(db, gap.id, "ada")
        assert not acknowledge(db, gap.id, "ben"), "an alarm is acknowledged once"
    gap = running.alarms()["gap"]
    assert gap.acknowledged_by == "ada"
    assert gap.closed == gap.acknowledged


def test_a_missing_tail_a_declared_hole_and_a_new_journal(
    record, far, table: ToldTable, store_url: str, monkeypatch
) -> None:
    monkeypatch.setattr("controller.backoffice.watch.LATE_S", 1.0)
    running = record(store_url)
    sender = far(table, drops=frozenset({5, 9, 10}))
    table.parked = {"main": [(5, 5)]}
    table.grow(10)
    sender.publish()
    sender.beat()
    until(lambda: sender.asked)
    assert (sender.asked[0]["from"], sender.asked[0]["to"]) == (9, 10), "5 is declared"
    until(lambda: running.alarms()["tail"].filled)
    assert sender.confirmed[-1]["streams"]["main"]["through"] == 4
    until(lambda: sender.confirmed[-1]["streams"]["main"]["have"] == [[6, 10]])
    other = ToldTable(journal="fedcba9876543210")
    sender.send("evt/main", other.grow()[0])
    until(lambda: "new_journal" in running.alarms())
    assert set(running.alarms()) == {"tail", "new_journal"}


def test_two_contents_of_one_number_are_a_fork_and_the_first_stays(
    record, far, table: ToldTable, store_url: str
) -> None:
    running = record(store_url)
    sender = far(table)
    table.grow(5)
    sender.publish()
    other = ToldTable()
    other.grow(2)
    other.grow(4, body=b'{"cards":4}')
    until(lambda: sender.through() == 5)
    sender.send("evt/main", other.event(3))
    sender.send("evt/main", other.event(2))
    until(lambda: "fork" in running.alarms())
    until(lambda: running.recorder.counters.repeats == 2)
    sender.send("evt/main", other.event(6))
    until(lambda: running.alarms()["fork"].first == 6)
    with database(running.url) as db:
        assert [each.first for each in alarms(db)] == [3, 6], "6 does not follow from 5"
        assert db.execute("SELECT payload FROM refused") == [(other.event(3),)]
    assert running.bodies() == [*map(table.event, range(1, 6)), other.event(6)]


def test_what_is_no_event_is_kept_apart_and_holds_up_nothing(
    record, far, table: ToldTable, store_url: str
) -> None:
    running = record(store_url)
    sender = far(table)
    good = table.grow(2)
    foreign = ToldTable(name="bj-018").grow()[0]
    large = b'{"specversion":"1.0","data":"' + b"x" * 65_506 + b'"}'
    assert len(large) == 65_537
    odd = table.event(1).replace(b'"shuffler-1"', rb'"\u0000"')
    bad = [b"", b"{", b"\xff", foreign, large, odd, b"[" * 60_000, table.event(1).replace(b"01-01T", b"13-45T")]
    for each in bad:
        sender.send("evt/main", each)
    sender.send("evt/diag", good[0])
    sender.send("conn", b"[]")
    sender.publish()
    sender.send("tele/heartbeat", b'{"session":1,"journal":"x","heads":{}}', 0)
    until(lambda: sender.through() == 2)
    until(lambda: running.recorder.counters.refused >= len(bad) + 3)
    assert running.bodies() == good
    with database(running.url) as db:
        kept = db.execute("SELECT size, payload, reason FROM refused ORDER BY id")
        assert [size for size, _, _ in kept][: len(bad)] == [len(each) for each in bad]
        assert bytes(kept[4][1]) == large[:4096]
    assert "65537 bytes are more than 65536" in [reason for _, _, reason in kept]
    assert running.alarms()["refused"].closed is None


def test_a_table_is_silent_or_lost_or_says_goodbye(
    record, far, table: ToldTable, store_url: str, monkeypatch
) -> None:
    monkeypatch.setattr("controller.backoffice.watch.SILENT_S", 1.0)
    running = record(store_url)
    sender = far(table)
    table.grow(1)
    sender.publish()
    sender.beat()
    until(lambda: "silent" in running.alarms())
    sender.beat()
    until(lambda: running.alarms()["silent"].filled)
    sender.send("conn", b'{"state":"offline","session":9,"reason":"update"}')
    time.sleep(2.5)
    with database(running.url) as db:
        assert len(alarms(db)) == 1, "a goodbye is no silence"
        assert db.execute("SELECT state, reason FROM table_seen") == [("offline", "update")]
    sender.send("conn", b'{"state":"lost","session":8}')
    sender.send("conn", b'{"state":"lost","session":9}')
    until(lambda: running.alarms()["silent"].filled is None)


def test_checkpoints_are_kept_and_a_table_that_goes_back_is_an_alarm(
    record, far, table: ToldTable, store_url: str
) -> None:
    running = record(store_url)
    sender = far(table)
    statement = '{"what":"tablewarden checkpoint","format":1,"journal":"0123456789abcdef","order":1,"key":"c6f7fde8ec918288"}'
    signed = {"statement": statement, "signature": "ab" * 64}
    table.grow(1, "diag", msgspec.json.encode(signed), kind="checkpoint_signed", subject="table")
    table.grow(7)
    sender.publish()
    until(lambda: sender.through() == 7)
    sender.beat(heads={"main": 6, "diag": 1})
    until(lambda: "went_back" in running.alarms())
    with database(running.url) as db:
        assert db.execute("SELECT statement, ord, key FROM checkpoint") == [(statement, 1, "c6f7fde8ec918288")]


def test_of_two_clients_by_one_name_one_ends_with_a_reason(record, tmp_path, postgres_url: str) -> None:
    running = record(url=postgres_url)
    other = record(url=f"sqlite:{tmp_path / 'other.db'}")
    until(lambda: running.failure or other.failure, 40)
    assert "another client of the broker seems to connect as this recorder" in str(
        running.failure or other.failure
    )
    left = other if running.failure else running
    until(lambda: left.recorder.broker_state == "connected")
    assert left.failure is None


def _free(record: Callable[..., Running], **asked: Any) -> Running | None:
    """The recorder; None while the server has not freed the lock of one whose connection just ended."""
    with contextlib.suppress(Occupied):
        return record(**asked)
    return None


def test_recorders_share_the_tables(record, far, postgres_url: str) -> None:
    tables = [ToldTable(name=f"bj-{number:03}") for number in range(8)]
    shares = {share_of(each.source, 2) for each in tables}
    assert shares == {1, 2}
    first, second = (record(url=postgres_url, share=share, shares=2) for share in (1, 2))
    senders = [far(each) for each in tables]
    for each in senders:
        each.told.grow(40)
        each.publish()
    until(lambda: all(each.through() == 40 for each in senders), 40)
    first.end()
    for each in senders:
        each.told.grow(40)
        each.publish()
    while not (third := _free(record, url=postgres_url, share=1, shares=2)):
        time.sleep(0.05)
    until(lambda: all(each.through() == 80 for each in senders), 40)
    expected = [each.told.event(number) for each in senders for number in range(1, 81)]
    assert sorted(third.bodies()) == sorted(expected)
    assert second.recorder.counters.repeats == 0
