"""Long work on a record says how far it is: in the live file, in segments of pruned days, and in all of them together."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.cli.progress import progress
from controller.journal.archive.keep import seal_days
from controller.journal.archive.shelf import all_in, beside
from controller.journal.opening import opened
from controller.journal.record import Stream
from tests.support.recorded import FLUSH, Recorded

Told = list[tuple[int, int]]


@pytest.fixture(scope="module")
def pruned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Recorded, str, int]:
    """A record whose first day is in a segment only; a round of that day, and how many records there are in all."""
    table = Recorded(tmp_path_factory.mktemp("table"))
    table.ready()
    name = table.round_of("red")
    table.alarm()
    day = table.close_day()
    table.round_of("blue", FLUSH)
    seal_days(table.path)
    table.journal.prune(day.end)
    count = table.journal.order
    table.journal.close()
    return table, name, count


@pytest.mark.parametrize(
    ("command", "module"),
    [(["lookback", "{path}", "red", "--by", "reading"], "lookback"), (["alarms", "{path}"], "alarms"),
     (["prove", "{path}", "{round}"], "prove"), (["evidence", "{path}", "{round}", "--out", "{out}"], "evidence"),
     (["verify", "{path}", "--whole"], "verify"), (["export", "{path}"], "journal"),
     (["replay", "{path}", "--verify"], "replay")],
)  # fmt: skip
def test_each_command_says_how_far_it_is(
    command: list[str],
    module: str,
    pruned: tuple[Recorded, str, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the whole record, from the days that were pruned on; never more than there is."""
    table, name, count = pruned
    told: Told = []

    @contextmanager
    def watched(what: str) -> Iterator[object]:
        assert what == "records"
        yield lambda done, of: told.append((done, of))

    monkeypatch.setattr(f"controller.cli.journal.{module}.progress", watched)
    words = [word.format(path=table.path, round=name, out=tmp_path / "e.zip") for word in command]
    done = CliRunner().invoke(cli, ["journal", *words])
    assert done.exit_code in (0, 1), done.output
    assert told
    assert all(0 <= done <= of <= count for done, of in told)
    assert any(of == count for _, of in told), "of all days"


def test_a_reader_goes_on_from_segments_into_the_live_file(pruned: tuple[Recorded, str, int]) -> None:
    """Forwards it is told of what lies before, backwards of what lies behind."""
    told: Told = []
    with opened(pruned[0].path, lambda done, of: told.append((done, of))) as view:
        list(view.merged(Stream))
        assert told[0] == (0, pruned[2])
        assert any(done == of for done, of in told), "the live file to its end"
        told.clear()
        day = all_in(beside(pruned[0].path, view.description.id))[-1]
        list(view.backwards(Stream.MAIN, ("round_begun",)))
        assert told == [(pruned[2] - day.last, pruned[2])]


def test_the_line_is_for_a_terminal_and_is_taken_back(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program sees nothing of it."""
    with progress("records") as told:
        told(1, 2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress("records") as told:
        told(1000, 2000)
        told(1001, 2000)
    assert capsys.readouterr().err == "\rrecords: 1,000 of 2,000\x1b[K\r\x1b[K"
