"""A store that takes nothing: nothing is acknowledged, the reason is said, and all is there once it takes again."""

import sqlite3
import threading
from collections.abc import Callable, Iterator

import pytest

from controller.backoffice.intake import Broker, Intake, Message
from controller.backoffice.recorder import Recorder
from controller.backoffice.row import ROOT
from controller.backoffice.store.batch import Batch, StoreAway
from controller.backoffice.store.database import database, store
from tests.support.postgres import Postgres
from tests.support.told_table import ToldTable


class FakeIntake(Intake):
    """Messages from a list; notes which are acknowledged."""

    def __init__(self) -> None:
        super().__init__(Broker("127.0.0.1", 1), "fake", lambda: [])
        self.waiting: list[Message] = []
        self.acknowledged: list[int] = []

    def take(self, most: int, wait_s: float) -> list[Message]:
        taken, self.waiting = self.waiting[:most], self.waiting[most:]
        return taken

    @property
    def has_more(self) -> bool:
        return bool(self.waiting)

    def acknowledge(self, messages) -> None:
        self.acknowledged += [each.mid for each in messages]


@pytest.fixture
def made(store_url: str, table: ToldTable) -> Iterator[tuple[Recorder, FakeIntake, Callable[[int], None]]]:
    opened = store(store_url, "recorder")
    opened.open()
    intake = FakeIntake()
    recorder = Recorder(lambda _: intake, opened, "recorder")

    def come(count: int) -> None:
        base = f"{ROOT}{table.site}/{table.name}"
        for each in table.grow(count):
            intake.waiting.append(Message(f"{base}/evt/main", each, 1, False, len(intake.waiting) + 1, 1))

    yield recorder, intake, come
    recorder.close()


def _rows(url: str) -> int:
    with database(url) as db:
        return int(db.execute("SELECT count(*) FROM event")[0][0])


def _name(url: str) -> str:
    return url.partition("@/")[2].partition("?")[0]


class Attempts:
    """Stops a recorder after some attempts, so that a test needs no thread."""

    def __init__(self, count: int, then: Callable[[], None] = lambda: None) -> None:
        self.count, self.then = count, then

    def __call__(self) -> bool:
        self.count -= 1
        if self.count == 0:
            self.then()
        return False


@pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
def test_a_read_only_database_is_waited_for(
    made, postgres: Postgres, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.backoffice.recorder.WAIT_FIRST_S", 0.01)
    recorder, intake, come = made
    name = _name(store_url)
    come(5)
    postgres.execute(
        f"ALTER DATABASE {name} SET default_transaction_read_only = on",
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
    )
    states: list[str] = []

    def again() -> None:
        assert intake.acknowledged == []
        states.append(recorder.store_state)
        postgres.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = off")

    recorder.step(Attempts(3, again), 0.0)
    assert "read-only" in states[0]
    assert intake.acknowledged == [1, 2, 3, 4, 5]
    assert (_rows(store_url), recorder.store_state) == (5, "open")


def test_a_batch_is_acknowledged_when_it_is_durable_though_the_next_is_read(
    made, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.backoffice.recorder.WAIT_FIRST_S", 0.01)
    monkeypatch.setattr("controller.backoffice.recorder.MOST", 5)
    recorder, intake, come = made
    recorder._confirmed = recorder._ticked = float("inf")
    real, may_end = recorder._store.write, threading.Event()

    def slow(batch: Batch) -> int:
        may_end.wait(10)
        if not states:
            states.append("away")
            recorder._store._drop()
            raise StoreAway("the store is being moved")
        return real(batch)

    states: list[str] = []
    monkeypatch.setattr(recorder._store, "write", slow)
    come(12)
    recorder.step(wait_s=0.0)
    assert recorder._writing is not None
    assert intake.acknowledged == []
    may_end.set()
    recorder.step(wait_s=0.0)
    assert intake.acknowledged[:5] == [1, 2, 3, 4, 5]
    recorder.step(wait_s=0.0)
    assert (intake.acknowledged, _rows(store_url)) == (list(range(1, 13)), 12)
    assert (recorder.counters.store_away, recorder.counters.stored, recorder.store_state) == (1, 12, "open")


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_full_file_acknowledges_nothing(made, store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.backoffice.recorder.WAIT_FIRST_S", 0.01)
    recorder, intake, come = made
    come(200)
    real, states = sqlite3.connect, []

    def small(*given, **named) -> sqlite3.Connection:
        db = real(*given, **named)
        db.execute("PRAGMA max_page_count = 60")
        return db

    monkeypatch.setattr("controller.backoffice.store.sqlite.sqlite3.connect", small)
    recorder._store._drop()
    recorder._store.open()

    def again() -> None:
        assert intake.acknowledged == []
        states.append(recorder.store_state)
        monkeypatch.setattr("controller.backoffice.store.sqlite.sqlite3.connect", real)

    recorder.step(Attempts(2, again), 0.0)
    assert "full" in states[0]
    assert (len(intake.acknowledged), _rows(store_url)) == (200, 200)


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_locked_file_or_table_is_waited_for(made, store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.backoffice.recorder.WAIT_FIRST_S", 0.01)
    monkeypatch.setattr("controller.backoffice.store.sqlite.BUSY_S", 0.05)
    recorder, intake, come = made
    recorder._store._drop()
    recorder._store.open()
    come(3)
    other = sqlite3.connect(store_url.removeprefix("sqlite:"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    recorder.step(Attempts(2, lambda: other.execute("ROLLBACK")), 0.0)
    other.close()
    assert (intake.acknowledged, _rows(store_url)) == ([1, 2, 3], 3)


@pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
def test_who_wrote_while_the_store_was_lost_is_noticed(made, postgres: Postgres, store_url: str) -> None:
    recorder, _, come = made
    name = _name(store_url)
    postgres.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    other = store(store_url, "recorder")
    other.open()
    other.close()
    come(1)
    with pytest.raises(Exception, match="another recorder recorder wrote"):
        recorder.step(wait_s=0.0)


def test_a_row_that_the_store_refuses_holds_up_no_other(
    made, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder, intake, come = made
    come(3)
    real = recorder._watch.event

    def spoilt(row, batch, now) -> None:
        real(row._replace(mono_ns=2**70) if row.sequence == 2 else row, batch, now)

    monkeypatch.setattr(recorder._watch, "event", spoilt)
    recorder.step(wait_s=0.0)
    assert (intake.acknowledged, _rows(store_url)) == ([1, 2, 3], 2)
    with database(store_url) as db:
        ((reason,),) = db.execute("SELECT reason FROM refused")
    assert "the store cannot hold it" in reason
