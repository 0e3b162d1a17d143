"""Many tables into one recorder and PostgreSQL: from the table's record to the commit, loss, memory, a backlog, a late recorder.

Latency: the commit's time in PostgreSQL less the event's `recordedtime`. Lost: a table whose newest stored hash is not its own.

    python -m tests.bench.crowd [--tables 1000] [--rate 1.15] [--seconds 600] [--storm 60] [--backlog 200000] [--late 30]
"""

import argparse
import asyncio
import json
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from controller.backoffice.store import postgresql
from simulators.crowd.run import run, split
from simulators.crowd.worker import Orders
from tests.bench.recorder_rate import Broker, recorder
from tests.support.postgres import Postgres

_DELAYS = (
    "SELECT count(*), coalesce(percentile_cont(ARRAY[0.5, 0.99, 1.0]) WITHIN GROUP "
    "(ORDER BY extract(epoch FROM pg_xact_commit_timestamp(xmin) - recorded)), '{0,0,0}') FROM event WHERE source <> %s "
    "AND recorded BETWEEN %s AND %s"
)
_DRAIN = (
    "SELECT extract(epoch FROM max(pg_xact_commit_timestamp(xmin)) - min(pg_xact_commit_timestamp(xmin))), count(*), "
    "min(pg_xact_commit_timestamp(xmin)), max(pg_xact_commit_timestamp(xmin)) FROM event WHERE source = %s AND stream = 'main'"
)
_HEADS = (
    "SELECT DISTINCT ON (source, stream) source, stream, sequence, encode(recordhash, 'hex'), count(*) OVER "
    "(PARTITION BY source, stream) FROM event ORDER BY source, stream, sequence DESC"
)
FIRST = "urn:tablewarden:crowd:t-00000"


@dataclass
class Figures:
    """`delays_s`: p50, p99 and longest of the live tables; `in_drain_s`: the same while the backlog drained."""

    tables: int
    events: int
    seconds: float
    per_s: float
    lost: int
    connects: int
    unsent: int
    delays_s: list[float]
    rss_mib: list[float]
    drain_per_s: float = 0.0
    in_drain_s: list[float] | None = None


def rss_mib(pid: int) -> float:
    """Returns the memory of a process."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return 0.0


async def measure(orders: Orders, processes: int, late_s: float = 0.0) -> Figures:
    """Runs a crowd beside broker, recorder and PostgreSQL. `late_s`: how long the recorder is away after five seconds."""
    cluster, memory = Postgres("track_commit_timestamp = on", "max_wal_size = 4GB"), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cluster.execute("CREATE DATABASE house")
        url, broker = cluster.url("house"), Broker(folder)
        running = recorder(broker.port, url, folder / "log")
        try:
            await _subscribed(url, broker.port)
            given = msgspec.structs.replace(orders, port=broker.port)
            crowd = asyncio.create_task(run(split(given, processes)))
            if late_s:
                await asyncio.sleep(5.0)
                running.terminate()
                running.wait()
                await asyncio.sleep(late_s)
                running = recorder(broker.port, url, folder / "log2")
            while not crowd.done():
                memory.append(rss_mib(running.pid))
                await asyncio.wait([crowd], timeout=5.0)
            told = await crowd
            return _figures(url, orders, told, memory)
        finally:
            running.terminate()
            running.wait()
            broker.end()
            cluster.remove()


async def _subscribed(url: str, port: int) -> None:
    """Returns when the recorder reads: what came before that would come by replay alone."""
    said, topic = '{"state":"offline","session":1}', "tablewarden/v1/crowd/probe/conn"
    subprocess.run(["mosquitto_pub", "-p", str(port), "-r", "-q", "1", "-t", topic, "-m", said], check=True)
    with postgresql.connect(url) as db:
        while not db.execute("SELECT 1 FROM table_seen").fetchone():  # noqa: ASYNC110  # another process: nothing wakes us
            await asyncio.sleep(0.1)


def _figures(url: str, orders: Orders, told: dict[str, Any], memory: list[float]) -> Figures:
    heads = told["heads"]
    with postgresql.connect(url) as db:
        stored = {
            (source, stream): [number, digest, count]
            for source, stream, number, digest, count in db.execute(_HEADS)
        }
        lost = sum(
            stored.get((source, stream), [0, "", 0]) != [number, digest, number]
            for source, streams in heads.items()
            for stream, (number, digest) in streams.items()
            if number
        )
        skip = FIRST if orders.backlog else ""
        events, delays = db.execute(_DELAYS, [skip, "-infinity", "infinity"]).fetchone() or (0, [])
        made = Figures(
            orders.tables,
            events,
            orders.seconds,
            events / orders.seconds,
            lost,
            told["connects"],
            told["unconfirmed"],
            list(map(float, delays)),
            memory,
        )
        if orders.backlog:
            took, count, began, ended = db.execute(_DRAIN, [FIRST]).fetchone() or (1, 0, None, None)
            made.drain_per_s = count / float(took)
            made.in_drain_s = list(
                map(float, (db.execute(_DELAYS, [FIRST, began, ended]).fetchone() or (0, [0.0]))[1])
            )
    return made


def report(found: Figures) -> str:
    """Returns the figures in words."""
    p50, p99, most = found.delays_s
    lines = [
        f"{found.tables} tables, {found.events:,} events in {found.seconds:.0f} s ({found.per_s:,.0f}/s), tables with loss: "
        f"{found.lost}, connections made: {found.connects}, "
        f"not confirmed: {found.unsent}",
        f"from the record to the commit: p50 {p50 * 1e3:.0f} ms, p99 {p99 * 1e3:.0f} ms, longest {most * 1e3:.0f} ms",
    ]
    if found.rss_mib:
        lines.append(
            f"memory of the recorder: {found.rss_mib[0]:.0f} MiB at first, {max(found.rss_mib):.0f} at most, "
            f"{found.rss_mib[-1]:.0f} in the end"
        )
    if found.in_drain_s:
        p50, p99, most = found.in_drain_s
        lines.append(
            f"backlog of one table: {found.drain_per_s:,.0f} events/s; the other tables meanwhile: p50 {p50 * 1e3:.0f} ms, "
            f"p99 {p99 * 1e3:.0f} ms"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=1.15)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--storm", type=float, action="append", default=[])
    parser.add_argument("--backlog", type=int, default=0)
    parser.add_argument("--late", type=float, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    g = parser.parse_args()
    orders = Orders("127.0.0.1", 0, 0, g.tables, g.rate, g.seconds, tuple(g.storm), g.backlog)
    found = asyncio.run(measure(orders, g.processes, g.late))
    print(json.dumps(asdict(found)) if g.json else report(found), flush=True)


if __name__ == "__main__":
    main()
