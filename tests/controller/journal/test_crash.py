"""A writer that is killed, and a disk that fills up: what was told is there, nothing is half there, the chain holds."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controller.journal.proof.verify import verify
from controller.journal.record import FACTS, Stream
from controller.journal.store import Journal

KILLS = 20
"""The short form; the order of kill moments is fixed by a seed, the exact instruction is not."""

SHARED = """
import itertools, resource, sys
from pathlib import Path
from controller.clock import SystemClock
from controller.journal.errors import JournalWriteFailed
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal

clock = SystemClock()

def events(first, count):
    for counter in range(first, first + count):
        facts = tuple(
            Draft(stream, "stub_counted", 1, "shoe-1", "r-1", b'{"of":%d,"pad":"%s"}' % (counter, b"x" * 200))
            for stream in (Stream.MAIN, Stream.MAIN, Stream.DIAG)
        )
        said = Draft(Stream.INPUT, "device_report", 1, "shoe-1", None, b"{}")
        yield Transaction(clock.stamp(), said, ("S", "B", counter), facts)

def open_journal():
    journal = Journal.open(Path(sys.argv[1]), site="lv01", table="uth-017")
    newest = journal.last_of("S")
    return journal, newest[1] + 1 if newest else 1

def tell(*words):
    print(*words, flush=True)
"""

WRITER = (
    SHARED
    + """
tell(0)  # a kill after this line hits the opening
journal, counter = open_journal()
for turn in itertools.count():
    size = 1 + turn % 3
    journal.append(list(events(counter, size)), clock.stamp())
    tell(counter + size - 1)
    counter += size
    journal.move("mqtt", Stream.MAIN, counter)
    if turn % 7 == 0:
        journal.flush()
        tell(counter - 1, journal.next_session())
"""
)

FILLER = (
    SHARED
    + """
journal, counter = open_journal()
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, hard))
try:
    while True:
        journal.append(list(events(counter, 3)), clock.stamp())
        tell(counter + 2)
        counter += 3
except JournalWriteFailed as exc:
    tell("failed", exc.reason)
try:
    journal.append(list(events(counter, 1)), clock.stamp())
except JournalWriteFailed as exc:
    tell("refused", exc.reason)
journal.close()
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
journal, counter = open_journal()
journal.append(list(events(counter, 1)), clock.stamp())
tell(counter)
journal.close()
"""
)


def _spawn(code: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)


def _assert_whole(path: Path, told: int) -> int:
    """The chain holds, every event up to `told` is there, and each event has all of its facts. Gives the newest event."""
    report = verify(path)
    assert report.ok, [str(fault) for fault in report.faults]
    reader = Journal.open_readonly(path)
    counters = [said.origin[2] for said in reader.records((Stream.INPUT,), {}) if said.origin]
    causes = [fact.cause for fact in reader.records(FACTS, {})]
    ids = [said.id(reader.id) for said in reader.records((Stream.INPUT,), {})]
    reader.close()
    assert counters == list(range(1, len(counters) + 1))
    assert told <= len(counters) <= told + 3  # what was under way may be there, but only whole
    assert causes == [name for name in ids for _ in range(3)]
    return len(counters)


@pytest.mark.timeout(
    240
)  # it starts twenty processes one after another: 10 s alone, over 60 s on a machine that is full
def test_a_killed_writer_leaves_all_that_it_told_and_nothing_half(path: Path) -> None:
    """SIGKILL at 20 moments of one journal's life, between its opening and its hundredth commit."""
    chance, told, sessions = random.Random(20260103), 0, [0]
    Journal.open(path, site="lv01", table="uth-017").close()
    for _ in range(KILLS):
        lines = chance.choice((0, 1, 2, chance.randrange(120)))
        with _spawn(WRITER, path) as child:
            assert child.stdout is not None
            said = [child.stdout.readline() for _ in range(lines)]
            child.send_signal(signal.SIGKILL)
            said += child.stdout.read().splitlines()
        assert child.returncode == -signal.SIGKILL
        for line in said:
            counter, *session = (int(word) for word in line.split())
            told = max(told, counter)
            sessions += session
        told = _assert_whole(path, told)
    assert told > 100
    journal = Journal.open(path, site="lv01", table="uth-017")
    session, position = journal.next_session(), journal.position("mqtt")
    journal.close()
    assert sessions == sorted(set(sessions))
    assert session > sessions[-1]
    assert 0 < position[Stream.MAIN].through <= told + 1


def test_a_full_disk_is_a_failed_write_and_nothing_half(path: Path) -> None:
    """The first commit that finds no room fails, the next is refused, and with room again the reopened journal goes on."""
    with _spawn(FILLER, path) as child:
        assert child.stdout is not None
        lines = child.stdout.read().splitlines()
    assert child.returncode == 0
    (failed,) = [n for n, line in enumerate(lines) if line.startswith("failed")]
    assert failed > 10
    assert lines[failed + 1] == lines[failed].replace("failed", "refused")
    told, after = int(lines[failed - 1]), int(lines[-1])
    assert after in (told + 1, told + 4)
    _assert_whole(path, after)
