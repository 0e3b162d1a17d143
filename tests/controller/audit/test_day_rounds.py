"""What was worked out of closed days says to a look-back what the record says, or is passed over."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest
from click.testing import CliRunner

from controller.audit import day_rounds
from controller.audit.day_rounds import DayRounds, by_set, newest_first, note_rounds
from controller.audit.lookback import Evidence, Lookback, lookback
from controller.audit.rounds_of_set import Touched, empty_table, touched_in
from controller.cli.main import cli
from controller.journal.archive.keep import seal_days
from controller.journal.archive.shelf import all_in, beside
from controller.journal.disk.file import Anchor, Description
from controller.journal.opening import opened
from controller.journal.proof.keys import SigningKey, make_key
from controller.journal.record import Stream
from controller.journal.seal import Head
from controller.journal.view import Brief
from controller.table.fold.fold import evolve
from controller.table.state.table import Round, State
from controller.table.words import facts as f
from controller.table.words.codec import decode_fact
from tests.controller.audit.test_lookback import DAYS, recorded
from tests.controller.audit.test_pruned_play import Recording
from tests.kept import days as kept

PARTS = 9


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Four closed days and an open one, sealed; nothing worked out."""
    folder = tmp_path_factory.mktemp("table")
    make_key(folder / "k")
    play = Recording(folder / "j", SigningKey.load(folder / "k"))
    play.play()
    seal_days(play.journal.path)
    return play


@pytest.fixture
def folder(play: Recording) -> Path:
    """Where the segments lie; what a test before worked out is gone."""
    folder = beside(play.journal.path.resolve(), play.journal.id)
    for left in folder.glob("*.rounds*"):
        left.unlink()
    return folder


def asked(play: Recording, folder: Path | None) -> list[Lookback]:
    """Look-backs to verdicts of each day and to none, as far as days were worked out in this folder."""
    found = []
    with opened(play.journal.path) as view, pytest.MonkeyPatch.context() as patch:
        last = view.last()[0][Stream.MAIN].sequence
        for back, part in product(play.setup.backs, range(PARTS + 1)):
            patch.setattr("controller.audit.lookback._is_good", until(last * part // PARTS))
            found.append(lookback(view, back, days=newest_first(folder) if folder else ()))
    return found


def until(sequence: int) -> Callable[[Brief, str, Evidence], bool]:
    """Verdicts are good up to there, and no later one is."""
    return lambda verdict, back, by: (
        verdict.sequence <= sequence and msgspec.json.decode(verdict.data)["back"] == back
    )


def same(one: list[Lookback], other: list[Lookback]) -> bool:
    return [(x.back, x.since, x.rounds) for x in one] == [(x.back, x.since, x.rounds) for x in other]


def test_days_that_were_worked_out_say_what_the_record_says(play: Recording, folder: Path) -> None:
    """Whichever of them are there, before anything is pruned."""
    wanted = asked(play, None)
    assert any(found.rounds for found in wanted)
    note_rounds(folder)
    files = sorted(folder.glob("*.rounds"))
    assert len(files) == 4
    far = 0
    for there in product((True, False), repeat=4):
        for path, is_there in zip(files, there, strict=True):
            away = path.with_suffix(".away")
            (away if is_there and away.exists() else path if path.exists() else away).rename(
                path if is_there else away
            )
        found = asked(play, folder)
        assert same(found, wanted), there
        far = max(far, *(one.days for one in found))
    for away in folder.glob("*.away"):
        away.unlink()
    assert far == 4, "a look-back over all of them was among these"


def test_rounds_are_what_folding_every_fact_makes_of_them(tmp_path: Path) -> None:
    """In days of random play under each document, although other sets and devices are passed over."""
    for number, day in enumerate(DAYS):
        setup, lines = kept.read(day)
        path = tmp_path / f"{number}.journal"
        recorded(path, setup, lines, len(lines))
        with opened(path) as view:
            through = view.last()[0][Stream.MAIN].sequence
            state = empty_table(view)
            for back in setup.backs:
                found = list(touched_in(view, state, (back,), 0, through))
                assert [plain(t) for t in found] == whole(lines, State.initial(setup), back), (
                    f"{back} in {day.name}"
                )
            assert list(touched_in(view, state, setup.backs, 0, through))


def plain(touched: Touched) -> tuple[object, ...]:
    return (touched.id, touched.number, touched.void, msgspec.to_builtins(touched.seats))


def whole(lines: list[kept.Line], state: State, back: str) -> list[tuple[object, ...]]:
    """The rounds of a set by the table's own state, before each ends."""
    found: list[Round] = []
    for line in lines:
        for told in line["facts"]:
            fact = decode_fact(told["kind"], told["subject"], msgspec.json.encode(told["data"]))
            if (
                isinstance(fact.event, f.RoundEnded)
                and state.round
                and state.round.back == back
                and state.round.played
            ):
                found.append(state.round)
            state = evolve(state, fact)
    if state.round is not None and state.round.back == back and state.round.played:
        found.append(state.round)
    return [(r.id, r.number, r.void, {str(n): seat(s) for n, s in r.in_play.items()}) for r in found]


def seat(seat_: object) -> dict[str, object]:
    told = msgspec.to_builtins(seat_)
    wagers = {}
    for name, wager in told["wagers"].items():
        kept_ = {key: wager[key] for key in ("cents", "fate", "player", "outcome") if wager.get(key)}
        money = {key: wager[key] for key in ("returned", "paid")} if wager.get("outcome") else {}
        wagers[name] = {"cents": wager["cents"], **kept_, **money}
    return {"folded": told["folded"], "void": told["void"], "wagers": wagers}


def test_what_is_not_whole_or_of_another_release_is_passed_over_and_made_anew(
    play: Recording, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte that changed, a file of another day, one that an older release made, one that was cut off."""
    wanted = asked(play, None)
    note_rounds(folder)
    first, second, third, fourth = sorted(folder.glob("*.rounds"))
    data = bytearray(first.read_bytes())
    data[-20] ^= 1
    first.write_bytes(data)
    second.write_bytes(third.read_bytes())
    third.write_bytes(third.read_bytes()[:-7])
    fourth.write_bytes(fourth.read_bytes().replace(b"rounds 3 ", b"rounds 3 0", 1))
    found = asked(play, folder)
    assert [one.days for one in found] == [0] * len(found)
    assert same(found, wanted)
    assert note_rounds(folder) == [fourth.name], "of another release; the others say that they are of this one"


def test_so_many_days_are_worked_out_at_once_the_newest_first(
    play: Recording, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An update has five years to work out, and a table to play."""
    monkeypatch.setattr(day_rounds, "MOST", 3)
    names = [named.path.with_suffix(".rounds").name for named in all_in(folder)]
    assert note_rounds(folder) == names[:0:-1]
    assert note_rounds(folder) == names[:1]
    assert note_rounds(folder) == []


def test_pruned_days_are_looked_back_over_without_their_segments_being_read(
    play: Recording, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And by the command, that says of how many days; --anew reads the record itself."""
    wanted = asked(play, None)
    run, path = CliRunner(), str(play.journal.path)
    kept_ = run.invoke(cli, ["journal", "keep", path])
    assert "the rounds of 4 days were worked out for look-backs" in kept_.output
    play.journal.prune(play.closed[-1].end)
    assert same(asked(play, None), wanted)
    assert same(asked(play, folder), wanted)
    back = max(wanted, key=lambda one: len(one.rounds)).back
    monkeypatch.setattr("controller.audit.lookback._is_good", until(0))
    said = [
        msgspec.json.decode(
            run.invoke(cli, ["journal", "lookback", path, back, "--by", "reading", "--json", *more]).output
        )
        for more in ((), ("--anew",))
    ]
    assert said[0]["rounds"] == said[1]["rounds"]
    assert said[0]["rounds"]
    assert (said[0]["days_worked_out"] > 0, said[1]["days_worked_out"]) == (True, 0)


@pytest.mark.parametrize(
    ("begun", "counted", "read", "by", "is_touched"),
    [
        (10, False, False, "count", True),
        (10, True, False, "count", False),
        (10, False, True, "reading", False),
        (10, True, False, "reading", True),
        (16, True, True, "count", True),
    ],
)
def test_the_round_of_the_verdict_is_touched_unless_its_cards_were_gathered_by_then(
    begun: int,
    counted: bool,
    read: bool,
    by: str,
    is_touched: bool,
    play: Recording,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As the day says of it, for this kind of verdict; what answers for a later round is no answer to this one."""
    round_ = Touched("t-1", 1, "red", False, begun, counted, read, 0, 0, {})
    body = '{"back":"red","count_right":true,"identities_complete":true}'
    day = DayRounds("s", 0, 50, ((15, "set_checked", 1, "table", "t-1", 0, body),), by_set([round_]))
    monkeypatch.setattr("controller.audit.lookback.empty_table", lambda view: State.initial(play.setup))
    found = lookback(Empty(), "red", Evidence(by), [day])  # type: ignore[arg-type]
    assert (found.since and found.since.sequence, found.rounds) == (15, (round_,) if is_touched else ())


class Empty:
    """A record of which everything is in a day that was worked out."""

    description = Description("j", "s", "t", 0, 0)
    anchors: ClassVar = {Stream.MAIN: Anchor(0, b"")}

    def last(self) -> tuple[dict[Stream, Head], int]:
        return {Stream.MAIN: Head(50, b"")}, 50
