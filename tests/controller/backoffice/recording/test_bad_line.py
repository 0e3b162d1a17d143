"""A line between broker and recorder that freezes, doubles, swallows and cuts; other versions of MQTT; TLS; a slow PostgreSQL."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from controller.backoffice.intake import UNACKNOWLEDGED, Broker
from controller.backoffice.recorder import MOST
from controller.cli.certificate import certificate
from tests.controller.backoffice.recording.test_recorder import Running
from tests.controller.publish.conftest import Mosquitto, free_port
from tests.support.bad_relay import BadRelay
from tests.support.far_table import FarTable, until
from tests.support.told_table import ToldTable


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'house.db'}"


@pytest.fixture
def started() -> Iterator[Callable[..., Running]]:
    made: list[Running] = []

    def start(port: int, url: str, **rest) -> Running:
        made.append(Running(port, url, **rest))
        until(lambda: made[-1].recorder.broker_state == "connected")
        return made[-1]

    yield start
    for each in made:
        each.end()
    made.clear()


@pytest.fixture
def far(mosquitto: Mosquitto, table: ToldTable) -> Iterator[Callable[[], FarTable]]:
    made: list[FarTable] = []

    def make() -> FarTable:
        made.append(FarTable(table, mosquitto.port))
        return made[-1]

    yield make
    for each in made:
        each.end()
    made.clear()  # paho's sockets go with their client


@pytest.fixture
def relay(mosquitto: Mosquitto) -> Iterator[BadRelay]:
    made = BadRelay(mosquitto.port)
    yield made
    made.end()


def _all_there(running: Running, sender: FarTable, count: int) -> None:
    until(lambda: sender.through() == count)
    assert running.bodies() == [sender.told.event(number) for number in range(1, count + 1)]


def test_a_relay_that_freezes_doubles_cuts_and_swallows(
    started, relay: BadRelay, far, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.backoffice.watch.LATE_S", 0.5)
    running, sender = started(relay.port, sqlite_url), far()
    relay.fault = "freeze"
    sender.told.grow(20)
    sender.publish()
    time.sleep(1.0)
    assert (sender.through(), running.recorder.counters.stored) == (0, 0)
    relay.thaw()
    _all_there(running, sender, 20)
    relay.fault = "double"
    sender.told.grow(20)
    sender.publish()
    _all_there(running, sender, 40)
    assert running.recorder.counters.repeats >= 20
    relay.fault = "truncate"
    sender.told.grow(20)
    sender.publish()
    _all_there(running, sender, 60)
    assert running.alarms() == {}, "what the broker sends again is no gap"
    relay.fault = "swallow"
    sender.told.grow(20)
    sender.publish()
    time.sleep(0.5)
    relay.fault = ""
    sender.told.grow(1)
    sender.publish()
    _all_there(running, sender, 81)
    until(lambda: running.alarms()["gap"].filled)
    assert (running.alarms()["gap"].first, running.alarms()["gap"].last) == (61, 80)
    assert running.recorder.counters.forks == 0


def test_a_broker_that_speaks_3_1_1(started, mosquitto: Mosquitto, far, sqlite_url: str) -> None:
    sender = far()
    sender.drops = frozenset({3})
    running = started(mosquitto.port, sqlite_url, broker=Broker("127.0.0.1", mosquitto.port, is_old=True))
    sender.told.grow(20)
    sender.publish()
    _all_there(running, sender, 20)
    assert "gap" in running.alarms(), "without a response topic a replay is asked for, too"


def test_a_broker_that_asks_for_a_certificate(
    make_mosquitto, started, table: ToldTable, tmp_path: Path, sqlite_url: str
) -> None:
    for words in (["authority"], ["broker", "127.0.0.1"], ["consumer", "recorder"]):
        assert CliRunner().invoke(certificate, [*words, "--in", str(tmp_path)]).exit_code == 0
    files = {"cafile": "authority.pem", "certfile": "broker.pem", "keyfile": "broker.key"}
    broker = make_mosquitto()
    broker.stop()
    port = free_port()
    broker.tail = [
        f"listener {port} 127.0.0.1", "allow_anonymous true", "require_certificate true",
        *(f"{word} {tmp_path / name}" for word, name in files.items()),
    ]  # fmt: skip
    broker.start()
    given = {"ca": "authority.pem", "certificate": "recorder.pem", "key": "recorder.key"}
    by = Broker.of(f"mqtts://127.0.0.1:{port}", **{word: str(tmp_path / name) for word, name in given.items()})
    stranger = Running(port, f"sqlite:{tmp_path / 'other.db'}", broker=Broker("127.0.0.1", port, True, ca=by.ca))
    running = started(port, sqlite_url, broker=by)
    sender = FarTable(table, broker.port)
    try:
        table.grow(20)
        sender.publish()
        _all_there(running, sender, 20)
        assert stranger.recorder.broker_state != "connected"
        assert stranger.bodies() == []
    finally:
        sender.end()
        stranger.end()


def test_a_slow_database_acknowledges_nothing_and_memory_has_a_bound(
    started, mosquitto: Mosquitto, far, postgres_url: str
) -> None:
    running, sender = started(mosquitto.port, postgres_url), far()
    sender.told.grow(20)
    sender.publish()
    _all_there(running, sender, 20)
    with psycopg.connect(postgres_url) as slow:
        slow.execute("LOCK TABLE stream_position IN ACCESS EXCLUSIVE MODE")
        sender.told.grow(UNACKNOWLEDGED + 2 * MOST)
        sender.publish()
        time.sleep(3.0)
        assert sender.through() == 20
        held = running.recorder._intake._queue.qsize()
        assert held <= UNACKNOWLEDGED, "the broker sends no more than may be unacknowledged"
        assert running.recorder.store_state == "open", "slow is not away"
    _all_there(running, sender, 20 + UNACKNOWLEDGED + 2 * MOST)
