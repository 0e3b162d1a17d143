"""Days of real play, pruned and in segments: every reader says what it said before, and a restore is practised."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.audit.drill import drill, journals_in
from controller.audit.lookback import lookback
from controller.audit.replay import NotReplayable, differences, table_at
from controller.cli.main import cli
from controller.clock import Stamp
from controller.journal.archive.boundary import Boundary, closed_day, read_boundary
from controller.journal.archive.keep import copy_segments, seal_days
from controller.journal.archive.keep_keys import copy_keys
from controller.journal.archive.shelf import all_in, beside, in_place
from controller.journal.opening import opened
from controller.journal.proof.keys import PublicKey, SigningKey, make_key
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal
from controller.journal.vault.day_keys import key_file_of
from controller.journal.vault.vault_keys import VaultKeys, make_vault
from controller.rules.vocabulary import Area, Role
from controller.table.fold.fold import evolve
from controller.table.state.recorded_setup import setup_told
from controller.table.state.state_json import carried
from controller.table.state.table import Setup, State
from controller.table.words.acts import RecordHand
from controller.table.words.codec import decode_fact, encode, encode_input
from controller.table.words.facts import HandRecorded
from controller.table.words.inputs import Actor, Input, Moment, RecordDayClosed, RecordPruned, ServiceStarted
from tests.support.closed_days import mark
from tests.support.played_day import played_day

DAYS = 4


class Recording:
    """A day of play written as its daemon would have, as several gaming days; with a vault the dealer's hands too."""

    def __init__(self, path: Path, key: SigningKey, vault: VaultKeys | None = None) -> None:
        self.setup, self.lines = played_day()
        self.vault = vault
        self.journal = Journal.open(path, site=self.setup.site, table=self.setup.table, vault=vault)
        self.state, self.key, self.closed = State.initial(self.setup), key, list[Boundary]()
        book = self.setup.law.rulebook
        self.started = ServiceStarted("1", book.id, book.edition, book.sha256, setup_told(self.setup))
        self.begin = mark(self.journal)
        self.at = Stamp(0, 0, "b0", "synced")
        self._put(self.started, Stream.MAIN)

    @property
    def told(self) -> set[str]:
        """The rounds in which somebody tells cards anyway."""
        facts = [told for line in self.lines for told in line["facts"]]
        return {told["data"]["round"] for told in facts if told["kind"] == "hand_recorded"}

    def play(self) -> None:
        for number, line in enumerate(self.lines):
            given, drafts = line["input"], []
            at = given["at"]
            self.at = Stamp(at["wall_us"], at["mono_ns"], at["boot"], at["clock"])
            name = self.state.round.id if self.state.round else None
            for told in line["facts"]:
                body = msgspec.json.encode(told["data"])
                name = told["data"].get("round") or name
                drafts.append(Draft(Stream(told["stream"]), told["kind"], 1, told["subject"], name, body))
                self.state = evolve(self.state, decode_fact(told["kind"], told["subject"], body))
            data = msgspec.json.encode(given["data"])
            said = Draft(Stream.INPUT, given["kind"], 1, given["subject"], name, data)
            self.journal.append([Transaction(self.at, said, None, tuple(drafts))], self.at)
            is_told = self.state.round is not None and self.state.round.id in self.told
            if self.vault and not is_told and any(told["kind"] == "dealer_revealed" for told in line["facts"]):
                self._tell()
            is_due = number > (len(self.closed) + 1) * len(self.lines) // (DAYS + 1)
            if is_due and self.state.round is None:
                self._close()

    def _tell(self) -> None:
        assert self.state.round
        name, act = self.state.round.id, RecordHand(Area.DEALER, "As Kd")
        at = Moment(self.at.wall_us, self.at.mono_ns, self.at.boot, self.at.clock)
        body = encode_input(Input(at, "table", act, None, Actor("dealer", Role.DEALER)))
        fact = HandRecorded(name, Area.DEALER, 0, "As Kd", "", "", "dealer")
        draft = Draft(Stream.MAIN, fact.kind, 1, "table", name, encode(fact))
        said = Draft(Stream.INPUT, act.kind, 1, "table", name, body)
        self.journal.append([Transaction(self.at, said, None, (draft,))], self.at)
        self.state = evolve(self.state, decode_fact(fact.kind, "table", encode(fact)))

    def _close(self) -> None:
        day, end = f"2026-01-{len(self.closed) + 1:02d}", mark(self.journal)
        text, signature = closed_day(self.key, self.journal.description, day, self.begin, end, self.at)
        self._put(RecordDayClosed(day, self.started, carried(self.state), text, signature), Stream.DIAG)
        self.closed.append(read_boundary(text))
        self._put(RecordPruned(self.closed[-1].order, self.closed[-1].file_name), Stream.DIAG)
        self.begin = end

    def _put(self, event: RecordDayClosed | RecordPruned | ServiceStarted, stream: Stream) -> None:
        at = Moment(self.at.wall_us, self.at.mono_ns, self.at.boot, self.at.clock)
        said = Draft(Stream.INPUT, event.kind, 1, "table", None, encode_input(Input(at, "table", event)))
        fact = Draft(stream, event.kind, 1, "table", None, encode(event))
        self.journal.append([Transaction(self.at, said, None, (fact,))], self.at)
        self.state = evolve(self.state, decode_fact(event.kind, "table", encode(event)))


@pytest.fixture
def public(tmp_path: Path) -> PublicKey:
    return make_key(tmp_path / "k")


@pytest.fixture
def play(tmp_path: Path, public: PublicKey) -> Iterator[Recording]:
    recording = Recording(tmp_path / "j", SigningKey.load(tmp_path / "k"))
    recording.play()
    assert len(recording.closed) == DAYS
    yield recording
    recording.journal.close()


def said(path: Path, setup: Setup) -> list[object]:
    """What look-back and replay say, at many places of the record."""
    with opened(path) as view:
        records = list(view.merged([Stream.MAIN, Stream.DIAG]))
        times = sorted(r.time_us for r in records)[5 :: len(records) // 5]
        begun = [msgspec.json.decode(r.data)["round"] for r in records if r.kind == "round_begun"]
        rounds = [*begun[:: max(1, len(begun) // 3)], begun[0].rpartition("-")[2]]
        return [
            [lookback(view, back) for back in setup.backs],
            [table_at(view, time_us=at) for at in times],
            [table_at(view, round_id=name) for name in rounds],
        ]


def test_replay_and_look_back_say_the_same_from_segments(play: Recording) -> None:
    """Whichever days are pruned; and no input is decided otherwise, nor does any day begin with another state."""
    before = said(play.journal.path, play.setup)
    seal_days(play.journal.path)
    for day in (play.closed[0], play.closed[-1]):
        play.journal.prune(day.end)
        assert said(play.journal.path, play.setup) == before
    with opened(play.journal.path) as view:
        assert [d for _, d in differences(view) if d] == []


def test_each_day_is_decided_again_by_itself(play: Recording) -> None:
    """From the state that it begins with, with no other day beside it."""
    seal_days(play.journal.path)
    inputs = 0
    for named in all_in(beside(play.journal.path, play.journal.id)):
        with opened(named.path) as view:
            found = list(differences(view))
            inputs += len(found)
            assert [d for _, d in found if d] == [], named.day
    with opened(play.journal.path) as view:
        assert inputs == sum(r.order <= play.closed[-1].order for r in view.merged([Stream.INPUT]))


def test_what_lies_in_a_segment_that_is_not_here_is_never_passed_over(play: Recording) -> None:
    """Neither a look-back nor a replay makes do with what is left."""
    seal_days(play.journal.path)
    play.journal.prune(play.closed[2].end)
    first_us = play.closed[0].time_us - 1
    for named in all_in(beside(play.journal.path, play.journal.id)):
        named.path.rename(named.path.with_suffix(".away"))
    with opened(play.journal.path) as view:
        assert view.description.order_before == play.closed[2].order
        with pytest.raises(NotReplayable, match="its segments do not lie beside this record"):
            table_at(view, time_us=first_us)
        assert table_at(view, time_us=2**60).state == play.state
        assert [d for _, d in differences(view) if d] == [], "what is here begins with the state of that day"


@pytest.fixture
def place(tmp_path: Path, play: Recording) -> Path:
    (tmp_path / "second").mkdir()
    seal_days(play.journal.path)
    assert len(list(copy_segments(play.journal.path, tmp_path / "second"))) == DAYS
    return tmp_path / "second"


def test_a_restore_is_practised(play: Recording, place: Path, public: PublicKey, tmp_path: Path) -> None:
    """From the second place alone: proved with the public key, every input decided anew, the newest days or all."""
    (folder,) = journals_in(place)
    assert folder == in_place(place, play.journal.description)
    for days, count in ((2, 2), (None, DAYS)):
        scratch = tmp_path / f"scratch-{count}"
        scratch.mkdir()
        result = drill(folder, scratch, days=days, keys=[public], told=lambda line: None)
        assert result.wrong == ()
        assert (result.restored, result.copied) == (count, DAYS)
    assert result.records == play.closed[-1].order
    assert result.inputs > len(play.lines) * DAYS // (DAYS + 1), "those of all closed days"


def test_a_drill_shows_that_cards_can_be_read_again(tmp_path: Path, public: PublicKey) -> None:
    """With the vault's copy every round is decided, from the second place alone; a key that is lost there is a fault."""
    vault = make_vault(tmp_path / "vault")
    play = Recording(tmp_path / "j", SigningKey.load(tmp_path / "k"), vault)
    play.play()
    place = tmp_path / "second"
    place.mkdir()
    seal_days(play.journal.path)
    list(copy_segments(play.journal.path, place))
    list(copy_keys(play.journal.path, place, vault))
    play.journal.close()
    run, arguments = CliRunner(), ["journal", "drill", str(place), "--all", "--key", str(tmp_path / "k.pub")]
    done = run.invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    assert "sealed and not decided, as no vault key was given" in done.output
    arguments += ["--vault", str(tmp_path / "vault")]
    done = run.invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    assert "sealed" not in done.output
    (folder,) = journals_in(place)
    lost = key_file_of(all_in(folder)[2].path)
    lost.unlink()
    done = run.invoke(cli, arguments)
    assert done.exit_code == 1
    assert "WRONG  2026-01-03: cards cannot be read: no keys of rounds lie beside its segment" in done.output


@pytest.mark.parametrize("fault", ["byte", "gap", "key", "state"])
def test_a_drill_finds_what_a_restore_would(
    fault: str, play: Recording, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed byte, a day that is missing, another key, a day that begins with a state that no facts lead to."""
    run, arguments = CliRunner(), ["--key", str(tmp_path / "k.pub")]
    (folder,) = journals_in(place)
    second = all_in(folder)[1].path
    if fault == "byte":
        data = bytearray(second.read_bytes())
        data[-200] ^= 4
        second.write_bytes(data)
    elif fault == "gap":
        second.unlink()
    elif fault == "key":
        make_key(tmp_path / "other")
        arguments = ["--key", str(tmp_path / "other.pub")]
    else:
        monkeypatch.setattr("controller.audit.replay.state_from", lambda closed, setup: State.initial(setup))
    done = run.invoke(cli, ["journal", "drill", str(place), "--scratch", str(tmp_path), *arguments])
    assert done.exit_code == 1
    words = {"byte": "not the bytes that were sealed", "gap": "the segment before", "key": "a key that was not given",
             "state": "would be decided otherwise today"}  # fmt: skip
    assert words[fault] in done.output
    assert not list(tmp_path.glob("tablewarden-drill-*"))


def test_a_drill_says_in_words_and_codes(play: Recording, place: Path, tmp_path: Path) -> None:
    """For a timer, and for whoever reads its log."""
    run = CliRunner()
    done = run.invoke(cli, ["journal", "drill", str(place), "--key", str(tmp_path / "k.pub"), "--all"])
    assert done.exit_code == 0, done.output
    assert "can be restored: 4 of 4 days, 2026-01-01 to 2026-01-04" in done.output
    told = msgspec.json.decode(run.invoke(cli, ["journal", "drill", str(place), "--json", "--days", "1"]).stdout)
    assert [(d["reliable"], d["restored"]) for d in told["drills"]] == [(True, 1)]
    assert run.invoke(cli, ["journal", "drill", str(tmp_path / "none")]).exit_code == 3
