"""Events a second of one recorder into PostgreSQL, beside what COPY alone does with the very rows, in the same run.

COPY alone: batches of 2,000 ready-made lines into the same table, each a transaction. Drain: a day's backlog waits at the broker.
Live: publishers in C send to the broker while the recorder reads. Broker, publishers, recorder and PostgreSQL share the machine.

    python -m tests.bench.recorder_rate [--events 40000] [--tables 8] [--reps 3]
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from controller.backoffice.row import Row, read
from controller.backoffice.store import postgresql
from tests.bench.broker import free_port
from tests.support.postgres import Postgres
from tests.support.told_table import ToldTable

BODY = json.dumps({"cards": 3, "text": "x" * 150}).encode()
"""With it an event has the mean size of a real one."""
BATCH = 2_000
PATIENCE_S = 120.0


def told(tables: int, events: int) -> list[ToldTable]:
    """Returns tables that have `events` together."""
    made = [ToldTable(name=f"bj-{number:03}", spacing_us=1_000) for number in range(tables)]
    for each in made:
        each.grow(events // tables, body=BODY)
    return made


def copy_alone(url: str, rows: list[Row]) -> float:
    """Returns events a second of COPY, without broker and recorder."""
    db = postgresql.connect(url)
    for day in {row.day for row in rows}:
        postgresql.make_partition(db, "main", day)
    batches = ["".join(map(postgresql.line, rows[at : at + BATCH])) for at in range(0, len(rows), BATCH)]
    began = time.monotonic()
    for each in batches:
        with db.transaction(), db.cursor() as cursor, cursor.copy(postgresql.COPY.format("event")) as copy:
            copy.write(each)
    took = time.monotonic() - began
    db.close()
    return len(rows) / took


class Broker:
    """A mosquitto that loses nothing while it lives."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        conf = folder / "mosquitto.conf"
        conf.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n"
            "max_inflight_messages 5000\nset_tcp_nodelay true\nlog_type none\nuser root\n"
        )
        self._process = subprocess.Popen(
            [shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", str(conf)], stderr=subprocess.DEVNULL
        )
        time.sleep(0.5)

    def publish(self, folder: Path, tables: list[ToldTable]) -> list["subprocess.Popen[bytes]"]:
        """Sends all events of each table, in a process each."""
        made = []
        for each in tables:
            path = folder / each.name
            if not path.exists():
                path.write_bytes(b"\n".join(each.event(n + 1) for n in range(each.heads()["main"])) + b"\n")
            topic = each.topics.events("main")
            with path.open("rb") as lines:
                made.append(
                    subprocess.Popen(
                        ["mosquitto_pub", "-p", str(self.port), "-q", "1", "-t", topic, "-l"], stdin=lines
                    )
                )
        return made

    def end(self) -> None:
        """Ends the broker."""
        self._process.kill()
        self._process.wait()


def recorder(port: int, url: str, log: Path) -> "subprocess.Popen[bytes]":
    """Starts a recorder."""
    with log.open("wb") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "controller.cli", "backoffice", "record", "--from", f"mqtt://127.0.0.1:{port}", "--to", url],
            stdout=out, stderr=out,
        )  # fmt: skip


def until(db: postgresql.Connection, count: int) -> None:
    """Returns when the recorder has stored so many."""
    end = time.monotonic() + PATIENCE_S
    while (db.execute("SELECT coalesce(sum(through), 0) FROM stream_position").fetchone() or (0,))[0] < count:
        if time.monotonic() > end:
            raise TimeoutError(f"not {count} within {PATIENCE_S} s")
        time.sleep(0.05)


def recorded(cluster: Postgres, name: str, tables: list[ToldTable], folder: Path, *, is_live: bool) -> float:
    """Returns events a second of one recorder."""
    cluster.execute(f"CREATE DATABASE {name}")
    broker, url = Broker(folder), cluster.url(name)
    count = sum(each.heads()["main"] for each in tables)
    db = postgresql.connect(url)
    running = recorder(broker.port, url, folder / "log")
    try:
        while b"records from" not in (folder / "log").read_bytes():
            time.sleep(0.05)
        time.sleep(1.0)
        if not is_live:
            running.terminate()
            running.wait()
        began = time.monotonic()
        sending = broker.publish(folder, tables)
        if not is_live:
            for each in sending:
                each.wait()
            began = time.monotonic()
            running = recorder(broker.port, url, folder / "log")
        until(db, count)
        took = time.monotonic() - began
        for each in sending:
            each.wait()
        return count / took
    finally:
        running.terminate()
        running.wait()
        db.close()
        broker.end()


def main() -> None:
    """Prints events a second of each, and the recorder's part of COPY alone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=40_000)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--reps", type=int, default=3)
    given = parser.parse_args()
    tables = told(given.tables, given.events)
    bodies = [each.event(n + 1) for n in range(given.events // given.tables) for each in tables]
    rows = [read(json.loads(body)["source"], None, body, "2026-01-02T00:00:00.000000Z") for body in bodies]
    size = statistics.mean(map(len, bodies))
    print(f"{len(rows)} events of {size:.0f} B on average, {given.tables} tables")
    cluster, found = Postgres(), []
    try:
        for rep in range(given.reps):
            cluster.execute(f"CREATE DATABASE copy{rep}")
            with tempfile.TemporaryDirectory() as folder:
                copied = copy_alone(cluster.url(f"copy{rep}"), rows)
                drain = recorded(cluster, f"drain{rep}", tables, Path(folder), is_live=False)
                live = recorded(cluster, f"live{rep}", tables, Path(folder), is_live=True)
            found.append((drain / copied, live / copied))
            print(
                f"COPY alone {copied:,.0f}/s, drain {drain:,.0f}/s ({found[-1][0]:.2f}), live {live:,.0f}/s ({found[-1][1]:.2f})"
            )
    finally:
        cluster.remove()
    drained, lived = (statistics.median(each) for each in zip(*found, strict=True))
    print(f"median part of COPY alone: drain {drained:.2f}, live {lived:.2f}")


if __name__ == "__main__":
    main()
