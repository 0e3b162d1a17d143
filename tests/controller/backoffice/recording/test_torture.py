"""Recorder, database, broker and table are killed again and again: at the end the rows are the journal, byte for byte."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.backoffice.store.database import database
from controller.backoffice.store.upkeep import alarms
from tests.controller.publish.conftest import Mosquitto
from tests.support.far_table import FarTable, until
from tests.support.postgres import Postgres
from tests.support.told_table import ToldTable

TABLES = 3
PATIENCE_S = 90.0


class Process:
    """`tablewarden backoffice record` as a process."""

    def __init__(self, port: int, url: str, log: Path, *more: str) -> None:
        self._arguments = [
            sys.executable, "-m", "controller.cli", "backoffice", "record",
            "--from", f"mqtt://127.0.0.1:{port}", "--to", url, *more,
        ]  # fmt: skip
        self.log = log
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._arguments, stdout=log, stderr=log)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)

    def end(self) -> int:
        self._process.terminate()
        return self._process.wait(20)


@pytest.fixture
def process(mosquitto: Mosquitto, tmp_path: Path) -> Iterator[Callable[..., Process]]:
    made: list[Process] = []

    def start(url: str, *more: str) -> Process:
        made.append(Process(mosquitto.port, url, tmp_path / f"recorder-{len(made)}.log", *more))
        return made[-1]

    yield start
    for each in made:
        each.kill()


def _torture(
    kills: dict[str, int], process: Callable[..., Process], mosquitto: Mosquitto, postgres: Postgres, url: str
) -> None:
    """Kills in any order; between two kills every table grows."""
    chance = random.Random(int(os.environ.get("SEED", "7")))
    order = [what for what, count in kills.items() for _ in range(count)]
    chance.shuffle(order)
    recorder = process(url)
    tolds = [ToldTable(name=f"bj-{number:03}") for number in range(TABLES)]
    senders = [FarTable(each, mosquitto.port) for each in tolds]
    try:
        for what in order:
            for each in senders:
                each.told.grow(chance.randrange(5, 60))
                each.told.grow(chance.randrange(3), "diag")
                each.publish()
            time.sleep(chance.random())
            if what == "recorder":
                recorder.kill()
                recorder.start()
            elif what == "postgres":
                postgres.stop(is_killed=True)
                postgres.start()
            elif what == "broker":
                mosquitto.stop()
                mosquitto.start()
            else:
                at = chance.randrange(TABLES)
                confirmed = senders[at].confirmed
                senders[at].crash()
                senders[at] = FarTable(tolds[at], mosquitto.port)
                senders[at].confirmed = confirmed
        for each in senders:
            each.publish()
        until(lambda: _all_there(senders, url), PATIENCE_S)
    finally:
        for each in senders:
            each.end()
    with database(url) as db:
        for told in tolds:
            for stream, rows in told.records.items():
                query = "SELECT body FROM event WHERE source = ? AND stream = ? ORDER BY sequence"
                found = [body.encode() for (body,) in db.execute(query, [told.source, str(stream)])]
                assert found == [told.event(row.sequence, stream) for row in rows]
        assert [
            each.code for each in alarms(db, is_all=True) if each.code not in ("gap", "tail", "deaf", "silent")
        ] == []
        assert db.execute("SELECT * FROM refused") == []
    assert recorder.end() == 0


def _all_there(senders: list[FarTable], url: str) -> bool:
    for each in senders:
        each.beat()
    time.sleep(0.5)
    with database(url) as db:
        wanted = sum(sum(each.told.heads().values()) for each in senders)
        return db.execute("SELECT count(*) FROM event") == [(wanted,)]


def test_a_few_kills_lose_nothing(process, mosquitto: Mosquitto, postgres: Postgres, postgres_url: str) -> None:
    _torture({"recorder": 3, "postgres": 2, "broker": 1, "table": 1}, process, mosquitto, postgres, postgres_url)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_torture(process, mosquitto: Mosquitto, postgres: Postgres, postgres_url: str) -> None:
    count = int(os.environ.get("KILLS", "100"))
    _torture(
        {"recorder": count, "postgres": count, "broker": 4, "table": 9}, process, mosquitto, postgres, postgres_url
    )


def test_a_standby_takes_over_and_a_second_recorder_is_refused(
    process, mosquitto: Mosquitto, postgres_url: str, table: ToldTable
) -> None:
    first = process(postgres_url)
    sender = FarTable(table, mosquitto.port)
    try:
        until(lambda: "records from" in first.log.read_text())
        standby = process(postgres_url, "--standby")
        refused = process(postgres_url)
        assert refused._process.wait(20) == 1
        assert "is being recorded by process" in refused.log.read_text()
        assert "--standby" in refused.log.read_text()
        table.grow(20)
        sender.publish()
        until(lambda: sender.through() == 20)
        first.kill()
        table.grow(20)
        sender.publish()
        until(lambda: sender.through() == 40)
        assert "records from" in standby.log.read_text()
    finally:
        sender.end()
    assert standby.end() == 0
    assert "20 events stored" in standby.log.read_text()
