"""The figures of `make bench`: what the daemon costs beside the two scripts that a user would write instead.

Every case runs once, then every case again; a ratio is taken inside one repetition and the median of the repetitions is
printed. Frames go into a pseudo-terminal, messages come out of a real mosquitto at a subscriber in this process.

    python -m tests.bench.figures [--reps 3] [--frames 600] [--flood 4000] [--json]
"""

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from simulators.bench.slow_disk import slow_sync
from tests.bench.broker import Mosquitto
from tests.bench.core_rate import core_rate, report
from tests.bench.daemon import command as daemon_command
from tests.bench.frame_cost import frame_costs
from tests.bench.frame_cost import report as frame_report
from tests.bench.hands import hand_rates
from tests.bench.hands import report as hands_report
from tests.bench.journal_cost import measure as journal_costs
from tests.bench.journal_cost import report as journal_report
from tests.bench.listener import listen
from tests.bench.panel import panel_speed
from tests.bench.panel import report as panel_report
from tests.bench.record_size import measured
from tests.bench.record_size import report as size_report
from tests.bench.settle_rate import report as settle_report
from tests.bench.settle_rate import settle_rates
from tests.bench.tdp import tdp_rate
from tests.bench.ten_devices import report as ten_report
from tests.bench.ten_devices import ten_devices
from tests.bench.writer import frame, stamp

HERE = Path(__file__).resolve().parent
PACE = 200
"""Frames a second for the latency: near the most that a line of 115,200 baud can carry."""
PATIENCE_S = 30.0
JOURNAL_ON = "/var/tmp"
"""A disk, not memory: a sync must cost what it costs."""


@dataclass(frozen=True, slots=True)
class Figures:
    """One case, once. Latencies from the write of a frame's last byte to its arrival at the subscriber."""

    case: str
    p50_us: float
    p99_us: float
    flood_per_s: float
    lost: int
    first_message_s: float
    rss_mib: float


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def rss_mib(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


class Arrivals:
    """What came to the subscriber: when, and which frames."""

    def __init__(self) -> None:
        self.latencies_us: list[float] = []
        self.numbers: set[int] = set()
        self.last_ns = 0
        self._more = asyncio.Event()

    def heard(self, topic: bytes, payload: bytes) -> None:
        if b"$" not in payload:
            return
        number, sent_ns = stamp(payload)
        self.last_ns = time.monotonic_ns()
        if number not in self.numbers:
            self.numbers.add(number)
            self.latencies_us.append((self.last_ns - sent_ns) / 1e3)
        self._more.set()

    def clear(self) -> None:
        self.latencies_us.clear()
        self.numbers.clear()

    async def until(self, count: int, patience_s: float = PATIENCE_S) -> bool:
        """True once so many frames have arrived."""
        try:
            async with asyncio.timeout(patience_s):
                while len(self.numbers) < count:
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            return False
        return True


@asynccontextmanager
async def running(command: list[str], env: dict[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(process.wait(), 8)
            except TimeoutError:
                process.kill()
                await process.wait()


async def write(fd: int, count: int, rate: float, first: int) -> None:
    writer = await asyncio.create_subprocess_exec(
        sys.executable, str(HERE / "writer.py"), str(fd), str(count), str(rate), str(first), pass_fds=[fd]
    )
    await writer.wait()


def peer_command(case: str, terminal: str, port: int, work: Path) -> list[str]:
    peers = HERE / "peers"
    if case == "plain":
        return [sys.executable, str(peers / "plain.py"), terminal, str(port)]
    if case == "durable":
        return [sys.executable, str(peers / "durable.py"), terminal, str(port), str(work / "peer.db")]
    return daemon_command(terminal, port, work)


async def measure(case: str, frames: int, flood: int, sync_ms: int) -> Figures:
    """One case from its start to its end, with a broker, a terminal and a directory of its own."""
    work = Path(tempfile.mkdtemp(prefix="figures-"))
    master, slave = os.openpty()
    tty.setraw(slave)
    arrivals = Arrivals()
    try:
        async with Mosquitto() as broker:
            listener = await listen(broker.port, "#", arrivals.heard)
            env = dict(os.environ)
            env |= slow_sync(work, sync_ms)
            began = time.monotonic()
            async with running(peer_command(case, os.ttyname(slave), broker.port, work), env) as process:
                first_s = await first_message(master, arrivals, began)
                await asyncio.sleep(1.0)  # whatever a start leaves behind is not part of the latency
                arrivals.clear()
                await write(master, frames, PACE, 0x10000)
                await arrivals.until(frames)
                latencies, lost = list(arrivals.latencies_us), frames - len(arrivals.numbers)
                arrivals.clear()
                begin_ns = time.monotonic_ns()
                await write(master, flood, 0, 0x1000000)
                await arrivals.until(flood)
                rate = len(arrivals.numbers) / ((arrivals.last_ns - begin_ns) / 1e9)
                lost += flood - len(arrivals.numbers)
                memory = rss_mib(process.pid)
            assert listener.transport is not None
            listener.transport.close()
    finally:
        os.close(master)
        os.close(slave)
        shutil.rmtree(work, ignore_errors=True)
    p50, p99 = percentile(latencies, 0.5), percentile(latencies, 0.99)
    return Figures(case, p50, p99, rate, lost, first_s, memory)


async def first_message(master: int, arrivals: Arrivals, began: float) -> float:
    """Seconds from the start of the process to the first frame at the subscriber; frames are offered all the time."""
    os.set_blocking(master, False)
    number = 0
    while not arrivals.numbers:
        if time.monotonic() - began > PATIENCE_S:
            raise SystemExit("nothing arrived")
        with contextlib.suppress(BlockingIOError):
            os.write(master, frame(number))
        number += 1
        await arrivals.until(1, 0.005)
    os.set_blocking(master, True)
    return time.monotonic() - began


def table(repetitions: list[dict[str, Figures]], title: str) -> dict[str, dict[str, float]]:
    """Prints medians and, repetition by repetition, the ratios to the plain script."""
    result: dict[str, dict[str, float]] = {}
    heads = ("", "p50 us", "p99 us", "flood/s", "lost", "first s", "MiB")
    line = "".join(f"{head:>{width}}" for head, width in zip(heads, (10, 9, 9, 9, 6, 9, 7), strict=True))
    print(f"\n{title}\n{line}   ratios to plain: p50, p99, flood")
    for case in repetitions[0]:
        runs = [repetition[case] for repetition in repetitions]
        base = [repetition["plain"] for repetition in repetitions]
        medians = {k: statistics.median(asdict(r)[k] for r in runs) for k in asdict(runs[0]) if k != "case"}
        ratios = {
            k: statistics.median(asdict(r)[k] / asdict(b)[k] for r, b in zip(runs, base, strict=True))
            for k in ("p50_us", "p99_us", "flood_per_s")
        }
        durable = [repetition["durable"].flood_per_s for repetition in repetitions]
        flood_x = statistics.median(r.flood_per_s / d for r, d in zip(runs, durable, strict=True))
        print(
            f"{case:10}{medians['p50_us']:9.0f}{medians['p99_us']:9.0f}{medians['flood_per_s']:9.0f}"
            f"{medians['lost']:6.0f}{medians['first_message_s']:9.2f}{medians['rss_mib']:7.1f}   "
            f"{ratios['p50_us']:.2f}, {ratios['p99_us']:.2f}, {ratios['flood_per_s']:.2f};  "
            f"flood {flood_x:.2f} x the durable script's"
        )
        result[case] = {**medians, **{f"{k}_ratio": v for k, v in ratios.items()}, "flood_x_durable": flood_x}
    return result


async def all_figures(reps: int, frames: int, flood: int) -> dict[str, object]:
    cases = ("plain", "durable", "ours")
    runs = []
    for repetition in range(reps):
        print(f"repetition {repetition + 1} of {reps}", file=sys.stderr)
        runs.append({case: await measure(case, frames, flood, 0) for case in cases})
    out: dict[str, object] = {"fast_disk": table(runs, f"{reps} repetitions, the disk as it is")}
    slow = [{case: await measure(case, max(100, frames // 5), max(200, flood // 8), 5) for case in cases}]
    out["slow_disk"] = table(slow, "1 repetition, 5 ms added to each sync")
    out["tdp"] = rate = await tdp_rate(2000)
    print(
        f"\nTDP/1 with its acknowledgements: {rate['per_s']:.0f} events a second, window of {rate['window']:.0f}"
    )
    out["journal"] = costs = journal_costs(Path(JOURNAL_ON), 1500, reps, 1_000_000)
    print(f"\nthe record\n{journal_report(costs)}")
    weighed = await measured(Path(JOURNAL_ON), 40)
    out["record_size"] = asdict(weighed)
    print(f"\nthe record of five years\n{size_report(weighed)}")
    out["core"] = core = core_rate()
    print(f"\n{report(core)}")
    frames_cost = await asyncio.to_thread(frame_costs)
    out["frame"] = asdict(frames_cost)
    print(f"\n{frame_report(frames_cost)}")
    ten = await ten_devices()
    out["ten_devices"] = asdict(ten)
    print(f"\n{ten_report(ten)}")
    panel = await panel_speed()
    out["panel"] = asdict(panel)
    print(f"\n{panel_report(panel)}")
    hands = hand_rates()
    out["hands"] = asdict(hands)
    print(f"\n{hands_report(hands)}")
    out["settlement"] = settled = settle_rates()
    print(f"\n{settle_report(settled)}")
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--frames", type=int, default=600)
    parser.add_argument("--flood", type=int, default=4000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = asyncio.run(all_figures(given.reps, given.frames, given.flood))
    if given.json:
        print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
