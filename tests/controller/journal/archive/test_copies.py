"""Copies in the second place: whatever befalls the medium or the power, what counts as copied is there, whole."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.clock import ManualClock
from controller.journal.archive import medium
from controller.journal.archive.boundary import Boundary
from controller.journal.archive.keep import copy_segments, not_copied, prunable, seal_days
from controller.journal.archive.medium import NotCopied
from controller.journal.archive.segment import Segment
from controller.journal.archive.shelf import all_in, beside, in_place
from controller.journal.opening import opened_alone
from controller.journal.record import Stream, Transaction
from controller.journal.store import Journal
from controller.table.words.inputs import SegmentCopied
from tests.support.closed_days import close_day, mark, note, say_pruned

Event = Callable[..., Transaction]
EVERYTHING = {Stream.MAIN: 10**9, Stream.DIAG: 10**9}


@pytest.fixture
def days(journal: Journal, event: Event, clock: ManualClock) -> list[Boundary]:
    """Three closed days."""
    closed, begin = [], mark(journal)
    for n, day in enumerate(("2026-01-01", "2026-01-02", "2026-01-03")):
        for counter in range(4):
            journal.append([event(10 * n + counter + 1, Stream.MAIN, Stream.DIAG)], clock.stamp())
        closed.append(close_day(journal, day, begin, clock))
        begin = closed[-1].end
    say_pruned(journal, closed, clock)
    return closed


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "medium").mkdir()
    return tmp_path / "medium"


def names(place: Path, journal: Journal) -> list[str]:
    return [n.path.name for n in all_in(in_place(place, journal.description))]


def copied(journal: Journal, place: Path) -> list[str]:
    return [one.segment for one in copy_segments(journal.path, place)]


def are_whole(journal: Journal, place: Path) -> bool:
    """What has its name there has its bytes there."""
    here = beside(journal.path, journal.id)
    there = all_in(in_place(place, journal.description))
    return all(n.path.read_bytes() == (here / n.path.name).read_bytes() for n in there)


def test_what_is_copied_is_the_same_file_and_is_copied_once(
    journal: Journal, days: list[Boundary], place: Path, clock: ManualClock
) -> None:
    """What is not yet noted in the record is proved there again and told again; what is noted is left alone."""
    seal_days(journal.path)
    wanted = [day.file_name for day in days]
    assert copied(journal, place) == wanted == names(place, journal)
    assert are_whole(journal, place)
    times = [n.path.stat().st_mtime_ns for n in all_in(in_place(place, journal.description))]
    assert copied(journal, place) == wanted, "not noted: told again"
    note(journal, SegmentCopied(wanted[1], "", str(place), days[1].order), clock)
    assert copied(journal, place) == wanted[2:]
    assert [n.path.stat().st_mtime_ns for n in all_in(in_place(place, journal.description))] == times
    assert [n.day for n in not_copied(journal.path, 0)] == ["2026-01-03"]


def test_an_empty_medium_gets_everything_that_is_here(
    journal: Journal, days: list[Boundary], place: Path, clock: ManualClock
) -> None:
    """Also what was noted for the one before it; as many at once as are asked for, the oldest first."""
    seal_days(journal.path)
    note(journal, SegmentCopied("x", "", "another", days[2].order), clock)
    assert [c.segment for c in copy_segments(journal.path, place, most=2)] == [d.file_name for d in days[:2]]
    assert copied(journal, place) == [days[2].file_name]


def test_a_copy_that_lost_its_bytes_is_made_again(journal: Journal, days: list[Boundary], place: Path) -> None:
    """Cut, changed, or taken away; so is one that a power cut left under its passing name."""
    seal_days(journal.path)
    copied(journal, place)
    folder = in_place(place, journal.description)
    cut, changed, gone = (folder / day.file_name for day in days)
    cut.write_bytes(cut.read_bytes()[:100])
    changed.write_bytes(bytes(len(changed.read_bytes())))
    gone.rename(gone.with_name(gone.name + ".part"))
    assert copied(journal, place) == [day.file_name for day in days]
    assert are_whole(journal, place)
    assert not list(folder.glob("*.part"))


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.ENOSPC, "it is full: put in an empty medium"), (errno.EROFS, "mount it for writing"),
     (errno.EACCES, "the right to write there"), (errno.EIO, "the medium is failing")],
)  # fmt: skip
def test_a_medium_that_takes_nothing_is_said_with_what_to_do(
    code: int, words: str, journal: Journal, days: list[Boundary], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What went well before is told; nothing half is left under a name that counts; it goes on where it stopped."""
    seal_days(journal.path)
    write, done = medium.write, []

    def failing(path: Path, data: bytes) -> None:
        done.append(path)
        if len(done) == 2:
            path.write_bytes(data[: len(data) // 2])
            raise OSError(code, os.strerror(code))
        write(path, data)

    monkeypatch.setattr(medium, "write", failing)
    copies = copy_segments(journal.path, place)
    assert next(copies).segment == days[0].file_name
    with pytest.raises(NotCopied, match=words):
        next(copies)
    assert names(place, journal) == [days[0].file_name]
    assert are_whole(journal, place)
    assert copied(journal, place) == [day.file_name for day in days]


def test_a_medium_that_gives_other_bytes_back_is_said(
    journal: Journal, days: list[Boundary], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took them without a complaint; the file never gets a name that counts."""
    seal_days(journal.path)
    monkeypatch.setattr(medium, "write", lambda path, data: path.write_bytes(data[:-1] + b"?"))
    with pytest.raises(NotCopied, match="does not read back as it was written; the medium is failing, replace it"):
        copied(journal, place)
    assert names(place, journal) == []


def test_a_place_that_is_not_there_is_never_made(journal: Journal, days: list[Boundary], tmp_path: Path) -> None:
    """Where a medium is not mounted its folder would lie on the table's own disk."""
    seal_days(journal.path)
    with pytest.raises(NotCopied, match="is not there; put the medium in, or mount it"):
        copied(journal, tmp_path / "media" / "record")
    assert not (tmp_path / "media").exists()


class Cut(BaseException):
    """The power goes."""


STEPS = ("open", "fsync", "rename", "mkdir", "unlink", "replace")


@pytest.mark.parametrize("at", range(1, 56, 2))
def test_a_power_cut_at_any_line_costs_only_time(
    at: int, journal: Journal, days: list[Boundary], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sealing and copying stop at one call of the system after another, and are taken up again from what lies there."""
    calls = 0

    def cutting(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == at:
                raise Cut
            return real(*args, **more)

        return call

    with monkeypatch.context() as patch:
        for step in STEPS:
            patch.setattr(os, step, cutting(getattr(os, step)))
        try:
            seal_days(journal.path)
            copied(journal, place)
        except Cut:
            pass
    assert calls >= at, "there is no such line: ask for fewer"
    assert are_whole(journal, place)
    for named in all_in(beside(journal.path, journal.id)):
        assert list(Segment.open(named.path).records())
    seal_days(journal.path)
    assert copied(journal, place) == [day.file_name for day in days] == names(place, journal)
    assert are_whole(journal, place)


def test_only_what_is_noted_and_wanted_by_nobody_may_go(
    journal: Journal, days: list[Boundary], clock: ManualClock, event: Event
) -> None:
    """By day, by copy, by what the back office has got, by held rounds; and with words for what keeps the next one."""
    seal_days(journal.path)

    def may_go(
        before: str = "2026-02-01", through: Any = EVERYTHING, held: tuple[str, ...] = ()
    ) -> tuple[str | None, str]:
        found, why = prunable(journal.path, before, through, held)
        return (found.day if found else None), why

    assert may_go() == (None, "no copy of 2026-01-01 is on record")
    note(journal, SegmentCopied(days[1].file_name, "", "x", days[1].order), clock)
    assert may_go() == ("2026-01-02", "no copy of 2026-01-03 is on record")
    note(journal, SegmentCopied(days[2].file_name, "", "x", days[2].order), clock)
    assert may_go() == ("2026-01-03", "")
    assert may_go("2026-01-02") == ("2026-01-01", "")
    most = {**EVERYTHING, Stream.DIAG: days[1].end.heads[Stream.DIAG].sequence}
    assert may_go(through=most) == ("2026-01-02", "the back office has not got 2026-01-03")
    assert may_go(held=("r-0007",)) == (None, "a dispute holds a round of 2026-01-01")
    assert may_go(held=("r-none",)) == ("2026-01-03", "")
    first = beside(journal.path, journal.id) / days[0].file_name
    whole = first.read_bytes()
    first.write_bytes(whole[:-1] + b"?")
    assert may_go()[0] is None
    assert "get another copy" in may_go()[1], "a damaged segment keeps its day, and is no damage of the live file"
    first.write_bytes(whole)
    journal.prune(days[0].end)
    assert may_go("2026-01-02") == (None, "")
    assert may_go("2026-01-03") == ("2026-01-02", "")
    (beside(journal.path, journal.id) / days[1].file_name).unlink()
    assert may_go() == (None, f"the segment before {days[2].file_name} is not there")
    assert [name[:10] for name in seal_days(journal.path)] == ["2026-01-02"], "it is still in the live file"
    assert may_go() == ("2026-01-03", "")
    with opened_alone(journal.path) as view:
        assert view.first_of(["r-0007"]) == days[0].order + 4, "behind the closing, and the first report"


def test_the_command_does_what_the_daemon_does(journal: Journal, days: list[Boundary], place: Path) -> None:
    """With what it did, what waits, and an exit code that says whether all is well."""
    run = CliRunner()
    done = run.invoke(cli, ["journal", "keep", str(journal.path)])
    assert done.exit_code == 0
    assert done.output.count("sealed 2026-01-0") == 3
    assert "3 gaming days are in no second place, from 2026-01-01 on" in done.output
    done = run.invoke(cli, ["journal", "keep", str(journal.path), "--copy", str(place)])
    assert done.exit_code == 0
    assert done.output.count("copied 2026-01-0") == 3
    assert "lies on the same disk as the record" in done.output
    done = run.invoke(cli, ["journal", "keep", str(journal.path), "--copy", str(place / "none")])
    assert done.exit_code == 1
    assert "NOT COPIED" in done.output
    assert run.invoke(cli, ["journal", "keep", str(place / "none")]).exit_code == 3
