"""A closed day as a file: proved by itself, with the days beside it, and with the live file that goes on behind them."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli
from controller.clock import ManualClock
from controller.journal.archive.boundary import Boundary, Mark
from controller.journal.archive.keep import seal_days
from controller.journal.archive.segment import Segment, SegmentUnfit
from controller.journal.archive.shelf import all_in, beside
from controller.journal.errors import JournalDamaged, JournalForeign, JournalMissing, JournalNewer
from controller.journal.opening import opened
from controller.journal.proof.keys import PublicKey, SigningKey, make_key
from controller.journal.proof.verify_segments import verify_days, verify_segment
from controller.journal.record import Stream, Transaction
from controller.journal.seal import Head
from controller.journal.store import Journal
from tests.support.closed_days import close_day, mark, say_pruned

Event = Callable[..., Transaction]
BEGINNING_DAYS = ("2026-01-01", "2026-01-02", "2026-01-03")


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    make_key(tmp_path / "k")
    return SigningKey.load(tmp_path / "k")


@pytest.fixture
def public(key: SigningKey) -> PublicKey:
    return key.public


@pytest.fixture
def days(journal: Journal, event: Event, clock: ManualClock, key: SigningKey) -> list[Boundary]:
    """Three closed days, and some records of the fourth."""
    closed, begin, counter = [], mark(journal), 0
    for day in BEGINNING_DAYS:
        for _ in range(5):
            counter += 1
            journal.append([event(counter, Stream.MAIN, Stream.DIAG)], clock.stamp())
        closed.append(close_day(journal, day, begin, clock, key))
        begin = closed[-1].end
    journal.append([event(counter + 1)], clock.stamp())
    say_pruned(journal, closed, clock)
    return closed


@pytest.fixture
def sealed(days: list[Boundary], journal: Journal) -> list[Path]:
    seal_days(journal.path)
    return [named.path for named in all_in(beside(journal.path, journal.id))]


def test_each_closed_day_becomes_a_file_that_holds_its_records_and_no_others(
    sealed: list[Path], days: list[Boundary], journal: Journal
) -> None:
    """Named by day, place and heads; record by record what the live file has; a second run has nothing to do."""
    assert [path.name for path in sealed] == [boundary.file_name for boundary in days]
    assert [path.name[:10] for path in sealed] == [*BEGINNING_DAYS]
    with opened(journal.path) as view:
        whole = list(view.merged(Stream))
    split = [list(Segment.open(path).records()) for path in sealed]
    assert [r for part in split for r in part] == whole[: days[-1].order]
    assert [len(part) for part in split] == [15, 17, 17], "the closing of a day is of the next one"
    assert seal_days(journal.path) == []
    assert not list(sealed[0].parent.glob("*.part"))


def test_every_flipped_byte_of_a_segment_is_found(sealed: list[Path], public: PublicKey) -> None:
    """Of its words, its statement, its signature, its records and its sum; with the sum made anew the signature tells."""
    path, whole = sealed[1], sealed[1].read_bytes()
    assert verify_segment(path, keys=[public]).ok
    for at in range(len(whole)):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << at % 8
        assert _is_found(path, bytes(flipped), public), f"byte {at}"
        body = bytes(flipped[:-65])
        if at < len(whole) - 65 and at % 5 == 0:
            assert _is_found(path, body + sha256(body).hexdigest().encode() + b"\n", public), (
                f"byte {at}, summed anew"
            )
    path.write_bytes(whole)
    assert verify_segment(path, keys=[public]).ok


def _is_found(path: Path, data: bytes, public: PublicKey) -> bool:
    path.write_bytes(data)
    try:
        report = verify_segment(path, keys=[public])
    except (JournalForeign, JournalNewer):
        return True
    return not report.ok or bool(report.seals.strange)


def test_a_segment_proves_alone_and_says_what_it_is(sealed: list[Path], public: PublicKey, tmp_path: Path) -> None:
    """On another machine, with the public key and nothing else; every cut of it is found."""
    alone = tmp_path / "elsewhere.segment"
    alone.write_bytes(sealed[2].read_bytes())
    report = verify_segment(alone, keys=[public])
    assert report.ok
    assert (report.records, report.seals.found, report.seals.proved, report.seals.through) == (
        17,
        1,
        1,
        report.order,
    )
    for length in (0, 10, 30, 400, len(sealed[2].read_bytes()) - 1):
        alone.write_bytes(sealed[2].read_bytes()[:length])
        try:
            assert not verify_segment(alone).ok
        except JournalForeign:
            assert length < 20
    make_key(tmp_path / "other")
    alone.write_bytes(sealed[2].read_bytes())
    other = verify_segment(alone, keys=[PublicKey.load(tmp_path / "other.pub")])
    assert (other.ok, other.seals.proved, sum(other.seals.strange.values())) == (True, 0, 1)


def test_days_and_live_file_are_one_chain(sealed: list[Path], journal: Journal, public: PublicKey) -> None:
    """A day that is missing, or of another record, is a fault of the one that follows it."""
    named = all_in(sealed[0].parent)
    assert all(r.ok for r in verify_days(named, None, keys=[public]))
    journal.prune(Segment.open(sealed[2]).boundary.end)
    reports = verify_days(named, journal.path, keys=[])
    assert [r.ok for r in reports] == [True] * 4
    assert sum(r.records for r in reports) == journal.order
    reports = verify_days([named[0], named[2]], journal.path)
    assert [[str(f) for f in r.faults] for r in reports] == [
        [], [f"file: anchor (it does not begin where {sealed[0].name} ends)"], []
    ]  # fmt: skip
    reports = verify_days(named[:2], journal.path)
    assert [r.ok for r in reports] == [True, True, False]


def test_a_head_is_held_against_the_part_that_has_its_record(
    sealed: list[Path], journal: Journal, tmp_path: Path
) -> None:
    """Also one that was kept long ago; where its record is not in what was given, that is said, and is no 'sound'."""
    with opened(journal.path) as view:
        old = next(iter(view.read(Stream.MAIN, 6, 1)))
    right, wrong = f"main:7:{old.recordhash.hex()}", f"main:7:{'0' * 64}"
    journal.prune(Segment.open(sealed[2]).boundary.end)
    while journal.remove_some():
        pass
    folder = [str(journal.path), "--whole"], [str(sealed[0].parent)]
    for arguments in folder:
        assert _verify(*arguments, "--against", right).exit_code == 0
        done = _verify(*arguments, "--against", wrong)
        assert done.exit_code == 1
        assert "main/7: changed (this number had another hash when the head was kept)" in done.output
    for path in (journal.path, sealed[2]):
        done = _verify(str(path), "--against", wrong)
        assert done.exit_code == 3, done.output
        assert "NOT COMPARED  main/7: not in this file" in done.output
        assert json.loads(_verify(str(path), "--against", wrong, "--json").output)["not_compared"] == ["main/7"]


def _verify(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["journal", "verify", *arguments])


def test_a_record_that_is_not_what_was_closed_is_not_sealed(
    days: list[Boundary], journal: Journal, tamper: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that would have come of it is not left behind; the days before it are sealed."""
    monkeypatch.setattr("controller.journal.proof.verify.TAIL", 1)  # as after years: a start does not look there
    journal.close()
    tamper(journal.path, "UPDATE main SET recordhash = zeroblob(32) WHERE sequence = 10")
    with pytest.raises(SegmentUnfit, match=r"2026-01-02-.* not sealed: its records do not lead"):
        seal_days(journal.path)
    assert [n.day for n in all_in(beside(journal.path, journal.id))] == ["2026-01-01"]
    assert not list(journal.path.parent.rglob("*.part"))


def test_bodies_that_are_no_line_of_text_survive(
    journal: Journal, event: Event, clock: ManualClock, now: object
) -> None:
    """Whatever another writer put there comes out as it went in."""
    bodies = [b"", b"\x00\xff\n\t", b"=", b'{"a":"\xc3\xa4"}', b"plain", b'{"a":\n1}']
    for n, body in enumerate(bodies, 1):
        draft = event(n)
        changed = draft.facts[0].__class__(Stream.MAIN, "x", 1, "shoe-1", None, body)
        journal.append([Transaction(draft.at, draft.input, draft.unique, (changed,))], clock.stamp())
    close_day(journal, "2026-01-01", _beginning(journal), clock)
    (name,) = seal_days(journal.path)
    segment = Segment.open(beside(journal.path, journal.id) / name)
    assert [r.data for r in segment.records() if r.stream is Stream.MAIN] == bodies
    assert [b.data for s, b in segment.briefs() if s is Stream.MAIN] == bodies


def _beginning(journal: Journal) -> Mark:
    with opened(journal.path) as view:
        return Mark({s: Head(a.sequence, a.recordhash) for s, a in view.anchors.items()}, 0)


@pytest.mark.parametrize("command", ["verify", "export", "tail"])
def test_the_commands_read_a_segment_and_a_folder_of_them(
    command: str, sealed: list[Path], journal: Journal, tmp_path: Path
) -> None:
    """As they read a live file."""
    run = CliRunner()
    arguments = {"verify": ["--key", str(tmp_path / "k.pub")], "export": [], "tail": ["--all"]}[command]
    one = run.invoke(cli, ["journal", command, str(sealed[1]), *arguments])
    assert one.exit_code == 0, one.output
    folder = run.invoke(cli, ["journal", command, str(sealed[0].parent), *arguments])
    assert folder.exit_code == 0, folder.output
    expected = {"verify": (1, 4), "export": (17, 49), "tail": (17, 49)}[command]
    found = [
        sum(
            "sound" in line if command == "verify" else not line.startswith(("journal", "anchor", "segment"))
            for line in lines
        )
        for lines in (one.output.splitlines(), folder.output.splitlines())
    ]
    assert tuple(found) == expected
    sealed[1].unlink()
    gap = run.invoke(cli, ["journal", command, str(sealed[0].parent), *arguments])
    assert gap.exit_code == 1
    assert "2026-01-0" in gap.output


def test_export_of_a_segment_is_the_text_that_a_stranger_can_prove(sealed: list[Path], journal: Journal) -> None:
    """Line by line what the live file gives for the same records, and behind them what signs where the day begins and ends."""
    run = CliRunner()
    whole = run.invoke(cli, ["journal", "export", str(journal.path)]).output.splitlines()
    part = run.invoke(cli, ["journal", "export", str(sealed[1])]).output.splitlines()
    assert part[4:-1] == whole[4 + 15 : 4 + 15 + 17]
    segment = Segment.open(sealed[1])
    assert part[-1].split("\t") == ["segment", segment.text, segment.signature]
    assert part[0].split("\t")[-1] == "15"


def test_a_verdict_names_the_day_and_a_wrong_one_ends_with_its_code(sealed: list[Path]) -> None:
    """For a program too."""
    run = CliRunner()
    told = json.loads(run.invoke(cli, ["journal", "verify", str(sealed[0]), "--json"]).output)
    assert (told["sound"], told["records"]) == (True, 15)
    data = bytearray(sealed[0].read_bytes())
    data[700] ^= 1
    sealed[0].write_bytes(data)
    done = run.invoke(cli, ["journal", "verify", str(sealed[0])])
    assert done.exit_code == 1
    assert "these are not the bytes that were sealed" in done.output
    assert run.invoke(cli, ["journal", "verify", str(sealed[0].with_name("none"))]).exit_code == 3


def test_what_is_no_segment_is_told_apart(tmp_path: Path) -> None:
    """Another file, a later release, none at all, and an empty folder."""
    path = tmp_path / "x.segment"
    with pytest.raises(JournalMissing):
        Segment.open(path)
    path.write_text("a letter")
    with pytest.raises(JournalForeign, match="not a segment"):
        Segment.open(path)
    body = b"tablewarden segment 2\n{}\n\n"
    path.write_bytes(body + sha256(body).hexdigest().encode() + b"\n")
    with pytest.raises(JournalNewer, match="format 2"):
        Segment.open(path)
    body = b"tablewarden segment 1\n{}\n\n"
    path.write_bytes(body + sha256(body).hexdigest().encode() + b"\n")
    with pytest.raises(JournalDamaged, match="no statement of a closed day"):
        Segment.open(path)
    with pytest.raises(JournalMissing), opened(tmp_path / "none"):
        pass


def test_bunches_hold_what_single_records_do(sealed: list[Path], journal: Journal) -> None:
    """Of segments alone, and of the live file."""
    for path in (sealed[0].parent, journal.path):
        with opened(path) as view:
            records = list(view.merged([Stream.MAIN]))
            kinds = sorted({record.kind for record in records})
            bunches = list(view.bunches(Stream.MAIN, kinds))
        assert [json.loads(r.data) for r in records] == [body for b in bunches for body in json.loads(b.bodies)]
        assert [str(r.sequence) for r in records] == [n for b in bunches for n in b.numbers.split(",") if n]
