"""Batches of any size go into the record whole, by few statements, and by nothing but the record's own files."""

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from controller.clock import Stamp
from controller.journal.disk.inserts import AT_ONCE
from controller.journal.errors import JournalRepeat
from controller.journal.proof.verify import verify
from controller.journal.record import Stream, Transaction
from controller.journal.store import Journal

Event = Callable[..., Transaction]


@pytest.mark.parametrize("count", [1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE - 1])
def test_a_batch_of_any_size_is_read_back_as_it_was_appended(
    journal: Journal, event: Event, now: Stamp, count: int
) -> None:
    """Also where its streams grow by different numbers of records."""
    batch = [event(n, *([Stream.MAIN, Stream.DIAG] if n % 3 else [Stream.MAIN])) for n in range(1, count + 1)]
    records = [*journal.append(batch, now), *journal.append([event(count + 1)], now)]
    with closing(Journal.open_readonly(journal.path)) as other:
        assert sorted(other.records(list(Stream), {}), key=lambda r: r.order) == records
    assert verify(journal.path).ok


@pytest.mark.parametrize("place", [0, AT_ONCE // 2, 2 * AT_ONCE, 2 * AT_ONCE + 3])
def test_a_repeat_anywhere_in_a_long_batch_writes_nothing_of_it(
    journal: Journal, event: Event, now: Stamp, place: int
) -> None:
    """In the first statement, in a later one, or behind the last of them; the journal goes on."""
    journal.append([event(1)], now)
    batch = [event(n) for n in range(2, 2 * AT_ONCE + 6)]
    batch[place] = event(1)
    with pytest.raises(JournalRepeat):
        journal.append(batch, now)
    assert [r.origin for r in journal.records((Stream.INPUT,), {})] == [event(1).unique]
    journal.append([event(2)], now)
    assert journal.heads()[Stream.INPUT] == 2
    assert verify(journal.path).ok


@pytest.fixture
def no_more_files() -> Iterator[Callable[[], None]]:
    """Once it is called this process can open no further file."""
    held: list[int] = []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    def take() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 32, hard))
        with suppress(OSError):
            while True:
                held.append(os.open("/dev/null", os.O_RDONLY))

    yield take
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    for fd in held:
        os.close(fd)


def test_a_commit_of_long_bodies_needs_no_other_file(
    journal: Journal, path: Path, event: Event, now: Stamp, no_more_files: Callable[[], None]
) -> None:
    """SQLite may put into a file for the time being what one statement changes; where none can be opened, it fails."""
    journal.append([event(1)], now)
    long = b'{"text":"%s"}' % (b"x" * 60_000)
    batch = [replace(t, input=replace(t.input, data=long)) for t in (event(n) for n in range(2, 2 + 3 * AT_ONCE))]
    no_more_files()
    journal.append(batch, now)
    assert journal.heads()[Stream.INPUT] == 1 + 3 * AT_ONCE
