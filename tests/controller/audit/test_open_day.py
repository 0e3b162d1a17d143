"""What was worked out of the open day says to a look-back what the record says, hour by hour, or is passed over."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from click.testing import CliRunner

from controller.audit.day_rounds import DayRounds, known_days, note_open_day, note_rounds, write_day
from controller.audit.lookback import Lookback, lookback
from controller.cli.main import cli
from controller.journal.archive.keep import seal_days
from controller.journal.archive.shelf import beside
from controller.journal.opening import opened
from controller.journal.proof.keys import SigningKey, make_key
from controller.journal.record import Stream
from tests.controller.audit.test_day_rounds import same, until
from tests.controller.audit.test_pruned_play import Recording
from tests.support.played_day import played_day

PARTS = 3


class Hours(NamedTuple):
    """After how many inputs: `closed`, the first round is over, and with it the closed day; `after_2`, `after_3`, these rounds
    are over; `in_3`, `in_4`, two moments in these rounds."""

    closed: int
    after_2: int
    in_3: tuple[int, int]
    after_3: int
    in_4: tuple[int, int]

    def ends(self) -> tuple[int, ...]:
        """When an hour is over: between rounds, twice in the third one, between rounds, twice in the fourth one."""
        return (self.after_2, *self.in_3, self.after_3, *self.in_4)


@cache
def hours() -> Hours:
    """Those of the day that is played."""
    begun, over = list[int](), list[int]()
    for number, line in enumerate(played_day()[1], 1):
        kinds = {fact["kind"] for fact in line["facts"]}
        begun += [number] * ("round_begun" in kinds)
        over += [number] * ("round_ended" in kinds)
    in_3, in_4 = (((2 * begun[n] + over[n]) // 3, (begun[n] + 2 * over[n]) // 3) for n in (2, 3))
    return Hours(over[0], over[1], in_3, over[2], in_4)


class Play(Recording):
    is_closing = True

    def _close(self) -> None:
        if self.is_closing:
            super()._close()


class Table:
    """A day of play, the first of it as a closed day; the rest goes on hour by hour."""

    def __init__(self, folder: Path) -> None:
        make_key(folder / "k")
        self.play = Play(folder / "j", SigningKey.load(folder / "k"))
        self._lines, self._done = self.play.lines, 0
        self.folder = beside(self.play.journal.path.resolve(), self.play.journal.id)
        self.file = self.folder / "open.rounds"
        self.go_on(hours().closed)
        self.play.is_closing = False
        seal_days(self.play.journal.path)
        note_rounds(self.folder)

    def go_on(self, until: int) -> None:
        """Until so many inputs came in."""
        self.play.lines = self._lines[self._done : until]
        self._done = until
        self.play.play()

    def note(self) -> bool:
        with opened(self.play.journal.path) as view:
            return note_open_day(view, self.folder)

    def asked(self, *, anew: bool = False) -> list[Lookback]:
        """Look-backs to verdicts in each part of the record."""
        found = []
        with opened(self.play.journal.path) as view, pytest.MonkeyPatch.context() as patch:
            last = view.last()[0][Stream.MAIN].sequence
            for back, part in product(self.play.setup.backs, range(PARTS + 1)):
                patch.setattr("controller.audit.lookback._is_good", until(last * part // PARTS))
                found.append(lookback(view, back, days=() if anew else known_days(view, self.folder)))
        return found

    def close(self) -> None:
        """The day, once no round is in play."""
        while self.play.state.round is not None:
            self.go_on(self._done + 1)
        self.play.is_closing = True
        self.play._close()

    def days(self) -> list[DayRounds]:
        with opened(self.play.journal.path) as view:
            return list(known_days(view, self.folder))

    def is_used(self) -> bool:
        """True if a look-back takes what was worked out of the open day."""
        return len(self.days()) > len(list(self.folder.glob("*.segment")))


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path)
    yield table
    table.play.journal.close()


def test_an_open_day_says_hour_by_hour_what_the_record_says(table: Table) -> None:
    """Worked out from where it was before; then closed, sealed, worked out as a closed one and pruned."""
    for hour in hours().ends():
        table.go_on(hour)
        assert same(table.asked(), table.asked(anew=True)), "an hour was played since it was worked out"
        assert table.note() == (hour not in (hours().in_3[1], hours().in_4[1])), (
            "up to the round in play, which is the same as an hour ago"
        )
        assert table.is_used()
        assert same(table.asked(), table.asked(anew=True)), "it was worked out just now"
        assert not table.note(), "nothing came since"
    table.close()
    wanted = table.asked(anew=True)
    assert same(table.asked(), wanted)
    seal_days(table.play.journal.path)
    assert same(table.asked(), wanted)
    note_rounds(table.folder)
    assert not table.is_used(), "the day is worked out as a whole now"
    assert same(table.asked(), wanted)
    table.play.journal.prune(table.play.closed[-1].end)
    assert same(table.asked(), wanted)
    assert not table.note(), "the new day holds nothing yet"
    table.play._put(table.play.started, Stream.MAIN)
    assert table.note()
    assert table.is_used()
    assert same(table.asked(), table.asked(anew=True))


def test_it_goes_on_from_where_it_was(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """An hour costs an hour and not the day; it ends where no round is in play."""
    from controller.audit import day_rounds

    read: list[int] = []
    whole = day_rounds.touched_in
    monkeypatch.setattr(
        day_rounds, "touched_in", lambda view, state, backs, after, through: read.append(after)
        or whole(view, state, backs, after, through)
    )  # fmt: skip
    ends = []
    for hour in (hours().after_2, hours().in_3[0], hours().after_3, hours().in_4[0]):
        table.go_on(hour)
        assert table.note()
        ends.append(table.days()[0].through)
        own = [r for back in table.play.setup.backs for r in table.days()[0].of(back)]
        assert all(r.ended_us is not None for r in own)
    begin = table.days()[0].after
    assert read == [begin, *ends[:-1]]
    assert begin == table.play.closed[-1].end.heads[Stream.MAIN].sequence


def test_one_that_does_not_belong_here_is_passed_over_and_made_anew(table: Table) -> None:
    """One of another chain, one that ends behind the record, one that is not whole, one behind which the table was started."""
    table.go_on(hours().after_2)
    assert table.note()
    wanted, data = table.asked(anew=True), table.file.read_bytes()
    (day, *_) = table.days()
    for wrong in (
        msgspec.structs.replace(day, segment="00" * 32, rounds={}),
        msgspec.structs.replace(day, through=day.through + 10**6, rounds={}),
        msgspec.structs.replace(day, through=day.after, rounds={}),
    ):
        write_day(table.file, wrong)
        assert not table.is_used()
        assert same(table.asked(), wanted)
        assert table.note()
        assert table.is_used()
    for broken in (data[:-7], data.replace(b"rounds 3 ", b"rounds 3 0", 1), b""):
        table.file.write_bytes(broken)
        assert not table.is_used()
        assert same(table.asked(), wanted)
        assert table.note()
    table.play._put(table.play.started, Stream.MAIN)
    assert not table.is_used()
    assert same(table.asked(), table.asked(anew=True))
    assert table.note()
    assert table.is_used()
    assert same(table.asked(), table.asked(anew=True))


def test_one_that_begins_elsewhere_is_made_anew(table: Table) -> None:
    """Where the days before it are not worked out, it begins with the record."""
    table.go_on(hours().after_2)
    for left in table.folder.glob("*-*.rounds"):
        left.unlink()
    assert table.note()
    assert table.days()[0].after == 0
    assert same(table.asked(), table.asked(anew=True))
    note_rounds(table.folder)
    assert same(table.asked(), table.asked(anew=True))
    table.go_on(hours().in_3[0])
    assert table.note()
    assert table.days()[0].after == table.play.closed[-1].end.heads[Stream.MAIN].sequence


def test_the_daemons_hourly_child_works_it_out_and_the_command_takes_it(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not with --anew; in a folder of segments alone it is passed over."""
    table.go_on(hours().after_2)
    run, path = CliRunner(), str(table.play.journal.path)
    assert run.invoke(cli, ["journal", "keep", path]).exit_code == 0
    assert table.is_used()
    monkeypatch.setattr("controller.audit.lookback._is_good", until(0))
    back = max(table.asked(), key=lambda one: len(one.rounds)).back
    said = [
        msgspec.json.decode(run.invoke(cli, ["journal", "lookback", path, back, "--json", *more]).output)
        for more in ((), ("--anew",))
    ]
    assert said[0]["rounds"] == said[1]["rounds"] != []
    closed = len(list(table.folder.glob("*.segment")))
    assert (said[0]["days_worked_out"], said[1]["days_worked_out"]) == (closed + 1, 0)
    alone = run.invoke(cli, ["journal", "lookback", str(table.folder), back, "--json"])
    assert msgspec.json.decode(alone.output)["days_worked_out"] == closed


def test_a_record_without_a_closed_day_has_an_open_one(tmp_path: Path) -> None:
    """Its folder is made; a table that nobody ever started has nothing to work out."""
    make_key(tmp_path / "k")
    play = Recording(tmp_path / "j", SigningKey.load(tmp_path / "k"))
    folder = tmp_path / "to" / "be" / "made"
    with opened(play.journal.path) as view:
        assert list(known_days(view, folder)) == []
        assert note_open_day(view, folder)
        (day,) = known_days(view, folder)
    play.journal.close()
    assert (day.after, day.through, day.rounds) == (0, 1, {})
