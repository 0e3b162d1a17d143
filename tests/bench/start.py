"""How long a start takes with very many events that no broker has had: seconds until the control socket shows the table.

    python -m tests.bench.start [--events 200000] [--directory /var/tmp] [--no-key]

A signed record is folded from its snapshot, so the number of waiting events must not show: an empty record is started beside it.
The first start of the forged record has no snapshot, as after an update of the software, and is printed by itself. Processor time
is the figure to compare: the rest hangs on what else the machine does.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from controller.clock import SystemClock
from controller.journal.proof.keys import make_key
from controller.journal.record import FACTS
from controller.journal.store import Journal
from controller.table.words.inputs import ServiceStarted
from tests.bench.daemon import config_text
from tests.bench.journal_cost import _play, _without

TICKS = os.sysconf("SC_CLK_TCK")
NOBODY = 1
"""A port where no broker is."""


def waiting(work: Path, events: int) -> int:
    """Records so much play that at least so many events wait; how many do."""
    clock, played = SystemClock(), _play(work)
    quiet = _without(played, (ServiceStarted.kind,))
    with closing(Journal.open(work / "journal.db", site="bench", table="t1")) as journal:
        journal.append(played, clock.stamp())
        while sum(journal.heads()[stream] for stream in FACTS) < events:
            journal.append(quiet, clock.stamp())
        return sum(journal.heads()[stream] for stream in FACTS)


def configure(work: Path, *, has_key: bool) -> Path:
    """The table of the kept play, with devices that are not plugged in and a broker that is away."""
    text = config_text("line", "none", NOBODY, work)
    before, _, rest = text.partition("[[device]]")
    devices = "".join(
        f'[[device]]\nname = "{kind}-1"\nkind = "{kind}"\npath = "{work}/{kind}"\n'
        for kind in ("shuffler", "shoe", "progressive")
    )
    text = before + devices + rest[rest.index("[journal]") :]
    key = f'key = "{work}/key"\n' if has_key else ""
    for was, now in (
        ('"manual_shoe"', '"dealing_shoe"'),
        ('backs = ["red"]', 'backs = ["red", "blue"]'),
        ('offered = ["trips"]', 'offered = ["trips", "progressive"]\nprogressive_cents = 500'),
        ("[journal]\n", f"[journal]\n{key}"),
    ):
        text = text.replace(was, now)
    if has_key:
        make_key(work / "key")
    path = work / "t.toml"
    path.write_text(text)
    return path


KEEPS_S = 1.0
"""A daemon that is killed in the instant of its first answer has not kept its state yet, and the next start folds all again."""


def started(config: Path, end: signal.Signals) -> tuple[float, float]:
    """Starts the daemon and ends it with that signal; seconds, and seconds of processor time, until its table was shown."""
    begun = time.monotonic()
    daemon = subprocess.Popen([sys.executable, "-m", "controller.cli", "run", "--config", str(config)])
    while not _shows_table(config.parent / "control.sock"):
        assert daemon.poll() is None, "the daemon ended"
        time.sleep(0.01)
    took = time.monotonic() - begun
    fields = Path(f"/proc/{daemon.pid}/stat").read_text().rpartition(")")[2].split()
    time.sleep(KEEPS_S)
    daemon.send_signal(end)
    daemon.wait()
    return took, (int(fields[11]) + int(fields[12])) / TICKS


def _shows_table(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(str(path))
            asking.sendall(b'{"id": 1, "do": "status"}\n')
            line = asking.makefile("rb").readline()
    except OSError:
        return False
    return bool(line) and bool(json.loads(line)["result"].get("devices"))


def measure(events: int, directory: str, *, has_key: bool) -> None:
    for count in (1, events):
        with tempfile.TemporaryDirectory(dir=directory) as place:
            work = Path(place)
            found = waiting(work, count)
            config = configure(work, has_key=has_key)
            for name, end in (
                ("no snapshot", signal.SIGKILL),
                ("killed before", signal.SIGTERM),
                ("stopped before", signal.SIGTERM),
            ):
                took, cpu = started(config, end)
                print(f"{found:8} waiting, {name:15} {took:6.2f} s, processor {cpu:5.2f} s", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--events", type=int, default=200_000)
    options.add_argument("--directory", default="/var/tmp")
    options.add_argument("--no-key", action="store_true")
    given = options.parse_args()
    measure(given.events, given.directory, has_key=not given.no_key)


if __name__ == "__main__":
    main()
