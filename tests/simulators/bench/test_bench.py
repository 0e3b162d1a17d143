"""Whole runs: the figures of the first table's issue, and that a run leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(160)
ROOT = Path(__file__).resolve().parents[3]
FAST = ("--speed", "40", "--rounds", "3")


def at(ran, number):
    """Round `number` of the run."""
    assert ran.told is not None, ran.errors
    return next(one for one in ran.told["rounds"] if one["number"] == number)


def held(ran):
    """Nothing broke and the run came to its end."""
    assert ran.code == 0, ran.why() + ran.errors + ran.told["failed"]
    return True


def test_rounds_go_on_over_kills_of_the_daemon(bench):
    """After each restart people go on from the status, and what was delivered is still exactly the record."""
    ran = bench("--kill", "4", "--speed", "20", "--rounds", "3", "--seed", "3")
    assert held(ran)
    assert ran.told["counts"]["restarts"] >= 1
    assert ran.state("delivery") == ran.state("6") == ran.state("8") == "held"


def test_a_run_says_what_never_happened_and_what_it_could_not_check(bench):
    """What was asked for and did not come about proves nothing, and the record alone is no proof of a delivery.

    A hand-forming shuffler deals, with a misdeal that only the stub count finds.
    """
    faults = ("--fault", "misdeal@2", "--fault", "stub@9")
    ran = bench("--broker", "memory", "--method", "shuffler", *faults, *FAST)
    assert (ran.code, ran.broken) == (3, []), ran.why() + ran.errors
    assert "never happened: stub@9" in ran.told["failed"]
    assert ran.told["broker"].startswith("memory")
    assert ran.state("delivery") == "not_checked"
    assert [m["trigger"] for m in at(ran, 2)["dispositions"]] == ["stub_wrong"]


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("--fault", "shoe_jm@2"), 2, "shoe_jam"),
        (("--rulebook", "md-ut"), 2, "md-uth"),
        (("--broker", "http://localhost"), 2, "mqtt://"),
        (("--elect", "R-22"), 2, "READING=CHOICE"),
        (("--elect", "R-99=return"), 2, "no such reading"),
        (("--rulebook", "nj-pikit", "--fault", "late_wager@2"), 2, "39.3(a)"),
        (("--rulebook", "fast-action", "--method", "shuffler"), 2, "manual_shoe, dealing_shoe"),
        (("--rulebook", "fast-action", "--method", "dealing_shoe"), 2, "R-18"),
        (("--broker", "mqtt://127.0.0.1:1"), 3, "broker"),
    ],
)
def test_what_cannot_be_run_is_told_with_its_reason(bench, arguments, code, word):
    """2 for a wrong question, 3 for a broker that is not there."""
    ran = bench(*arguments, "--rounds", "1")
    assert ran.code == code, ran.errors
    assert word in ran.errors


def _left(directory):
    """Processes that still have this directory in their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if str(directory).encode() in command and process.name != str(os.getpid()):
            found.append(command.replace(b"\0", b" ").decode())
    return found


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGKILL, -9)])
def test_a_run_that_is_stopped_leaves_no_process_behind(tmp_path, signum, code):
    """Asked to stop, it judges what was played; killed, the kernel ends its children with it."""
    command = [
        sys.executable, "-c", "from controller.cli.main import main; main()", "bench", "--rounds", "0", "--speed", "40",
        "--watch", "--keep", str(tmp_path / "kept"),
    ]  # fmt: skip
    bench = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert bench.stdout is not None
    for line in bench.stdout:
        if "round_begun" in line:
            break
    assert _left(tmp_path), "devices, daemon and people run"
    bench.send_signal(signum)
    rest = bench.stdout.read()
    bench.stdout.close()
    assert bench.wait(30) == code, rest
    end = time.monotonic() + 10
    while (left := _left(tmp_path)) and time.monotonic() < end:
        time.sleep(0.05)
    assert left == []
    assert "\nPASS: " in rest or code
