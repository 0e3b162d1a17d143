"""A record played again: the table at a moment, every input decided anew, and what is said where that cannot be done."""

import dataclasses
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.audit.replay import Difference, NotReplayable, Sealed, TableUnfit, differences, table_at
from controller.cli.main import cli
from controller.clock import ManualClock, Stamp
from controller.journal.record import Draft, Record, Stream, Transaction
from controller.journal.store import Journal, opened
from controller.journal.vault.vault_keys import VaultKeys, make_vault
from controller.journal.view import JournalView
from controller.rules.read.library import find
from controller.rules.vocabulary import Area, Role
from controller.table.state.recorded_setup import setup_from, setup_told
from controller.table.state.table import DeviceSetup, Fate
from controller.table.words import codec
from controller.table.words import facts as f
from controller.table.words.acts import RecordHand
from controller.table.words.inputs import Actor, Input, Moment, ServiceStarted
from controller.table.words.structs import replace
from drivers.events import DeviceKind
from tests.journals.test_journals import FOLDER

KEPT = FOLDER / "0.1.0" / "md-uth.journal.gz"


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """Four rounds of Maryland's game, the second one void after a jam."""
    path = tmp_path / "played.journal"
    path.write_bytes(gzip.decompress(KEPT.read_bytes()))
    return path


@pytest.fixture
def view(played: Path) -> Iterator[JournalView]:
    with opened(played) as view:
        yield view


def test_a_void_round_is_shown_with_what_became_of_its_wagers(view: JournalView) -> None:
    """By its number as by its id, as it was before it ended."""
    seen = table_at(view, round_id="2")
    round_ = seen.state.round
    assert round_ is not None
    assert (round_.number, round_.void) == (2, True)
    assert {w.fate for _, _, w in round_.wagers(*Fate)} == {Fate.RETURNED}
    assert table_at(view, round_id=round_.id) == seen


def test_a_moment_is_all_that_came_before_it(view: JournalView) -> None:
    """The record at that very microsecond belongs to it, the next one does not."""
    begun = [r for r in view.merged([Stream.MAIN]) if r.kind == "round_begun"][2]
    at = table_at(view, time_us=begun.time_us)
    assert at.state.round is not None
    assert at.state.round.number == 3
    before = table_at(view, time_us=begun.time_us - 1)
    assert before.state.rounds == 2
    assert before.record.order < begun.order <= at.record.order


def test_the_setup_of_a_start_makes_the_same_table(view: JournalView) -> None:
    """What is put on record is all by which the core decides."""
    setup = table_at(view, round_id="1").setup
    assert setup_from(setup_told(setup), setup.site, setup.table, find("md-uth")) == setup


def test_what_is_decided_otherwise_today_is_listed_by_input_and_breeds_no_others(
    view: JournalView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of the core shows where it was felt, with what was and what is."""
    assert [d for _, d in differences(view) if d] == []
    decide = differences.__globals__["decide"]

    def changed(setup: object, state: object, given: object) -> tuple[f.Fact, ...]:
        facts = decide(setup, state, given)
        return tuple(x for x in facts if not isinstance(x.event, f.CardsCollected))

    monkeypatch.setitem(differences.__globals__, "decide", changed)
    found = [d for _, d in differences(view) if d]
    collected = [r for r in view.merged([Stream.MAIN]) if r.kind == "cards_collected"]
    assert collected
    assert [view.description.id + f"-input-{d.input.sequence}" for d in found] == [r.cause for r in collected]
    assert any("was  table cards_collected" in line for line in found[0].lines())


def _journal(path: Path, *started: ServiceStarted) -> Path:
    clock = ManualClock()
    journal = Journal.open(path, site="bench", table="t1")
    for event in started:
        body = codec.encode(event)
        said = Draft(Stream.INPUT, event.kind, 1, "table", None, b'{"body":%s}' % body)
        at: Stamp = clock.stamp()
        journal.append(
            [Transaction(at, said, None, (Draft(Stream.MAIN, event.kind, 1, "table", None, body),))], at
        )
    journal.close()
    return path


def test_what_cannot_be_replayed_says_what_is_missing(view: JournalView, tmp_path: Path) -> None:
    """No such round or time, no setup on record, a rulebook that is not here."""
    with pytest.raises(NotReplayable, match="no round 99 is in this journal"):
        table_at(view, round_id="99")
    with pytest.raises(NotReplayable, match="nothing was on record by then"):
        table_at(view, time_us=1)
    told = setup_told(table_at(view, round_id="1").setup)
    with (
        opened(_journal(tmp_path / "a", ServiceStarted("1", "md-uth", "1.4", "00"))) as bare,
        pytest.raises(NotReplayable, match="give its configuration"),
    ):
        list(differences(bare))
    with (
        opened(_journal(tmp_path / "b", ServiceStarted("1", "md-uth", "9.9", "ab" * 32, told))) as strange,
        pytest.raises(NotReplayable, match=r"rulebook md-uth 9\.9 with hash abababababababab is not here"),
    ):
        list(differences(strange))


CONFIG = Path(__file__).parents[3] / "config" / "tables" / "example.toml"


@pytest.mark.parametrize(
    ("was", "is_now", "said"),
    [
        (
            'name   = "shoe-1"',
            'name   = "shoe-9"',
            "no device shoe-1 is at this table, of which the record tells; there are: ",
        ),
        (
            '"red", "blue"',
            '"green", "blue"',
            "no red set belongs to this table, of which the record has a round; there are: green",
        ),
    ],
)
@pytest.mark.parametrize("asked", [("--verify",), ("--at", "2")], ids=["verify", "at"])
def test_a_configuration_of_another_table_is_named_with_what_does_not_fit(
    played: Path, tmp_path: Path, asked: tuple[str, ...], was: str, is_now: str, said: str
) -> None:
    """The file, the device or the set, and what to do."""
    other = tmp_path / "other.toml"
    text = CONFIG.read_text()
    assert was in text
    other.write_text(text.replace(was, is_now))
    run = CliRunner().invoke(cli, ["journal", "replay", str(played), *asked, "--config", str(other)])
    assert run.exit_code == 1
    assert f"{other}: {said}" in run.output
    assert "leave it out: each start has put its own on record" in run.output


def test_a_device_of_another_kind_and_a_round_of_another_game_do_not_fit(view: JournalView) -> None:
    """What the names alone do not show."""
    setup = table_at(view, round_id="1").setup
    other = {**setup.devices, "shoe-1": DeviceSetup("shoe-1", DeviceKind.SHUFFLER)}
    with pytest.raises(TableUnfit, match="shoe-1 is a shuffler at this table, and a shoe in the record"):
        list(differences(view, replace(setup, devices=other)))
    law = dataclasses.replace(setup.law, rulebook=find("nj-pikit"))
    with pytest.raises(TableUnfit, match="nj-pikit is the game pikit, and the record has a round of ultimate"):
        list(differences(view, replace(setup, law=law)))


def test_the_command_shows_and_verifies(played: Path) -> None:
    """A page for a person, JSON for a program; a usage error where neither or both are asked."""
    runner = CliRunner()
    page = runner.invoke(cli, ["journal", "replay", str(played), "--at", "2"])
    assert page.exit_code == 0
    assert "number 2" in page.output
    assert "VOID" in page.output
    done = runner.invoke(cli, ["journal", "replay", str(played), "--verify", "--json"])
    assert (done.exit_code, json.loads(done.output)["differences"]) == (0, [])
    assert runner.invoke(cli, ["journal", "replay", str(played)]).exit_code == 2
    late = runner.invoke(cli, ["journal", "replay", str(played), "--at", "1999-01-01T00:00:00Z"])
    assert (late.exit_code, "nothing was on record" in late.stderr) == (1, True)
    assert runner.invoke(cli, ["journal", "replay", str(played.with_name("none")), "--verify"]).exit_code == 3


RENAMED = {"wager_placed": "by", "place_wager": "cents"}
"""Kinds that have a third version in this test, and the field that has another name in the second one."""


@pytest.fixture
def older(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The four rounds as a release before wrote them, when a wager's body had other names; this release has a third version."""
    with opened(played) as view:
        about, records = view.description, list(view.merged(Stream))
    journal = Journal.open(tmp_path / "older.journal", site=about.site, table=about.table)
    for given in _transactions([record._replace(data=_as_before(record)) for record in records]):
        journal.append([given], given.at)
    journal.close()
    for kind, field in RENAMED.items():
        monkeypatch.setitem(codec.VERSIONS, kind, 3)
        monkeypatch.setitem(
            codec.UPCASTS, (kind, 2), lambda body, field=field: _renamed(body, f"old_{field}", field)
        )
    return tmp_path / "older.journal"


def _as_before(record: Record) -> bytes:
    field = RENAMED.get(record.kind)
    if not field:
        return record.data
    whole = json.loads(record.data)
    if record.stream is Stream.INPUT:
        whole["body"] = _renamed(whole["body"], field, f"old_{field}")
        return json.dumps(whole).encode()
    return json.dumps(_renamed(whole, field, f"old_{field}")).encode()


def _renamed(body: dict[str, object], old: str, new: str) -> dict[str, object]:
    return {new if name == old else name: value for name, value in body.items()}


def test_older_bodies_are_raised_before_they_are_compared(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of inputs and of facts; and what is decided otherwise today still shows."""
    with opened(older) as view:
        outcomes = [outcome for _, outcome in differences(view)]
        assert len(outcomes) > 100
        assert [outcome for outcome in outcomes if outcome is not None] == []
        monkeypatch.setitem(
            codec.UPCASTS, ("wager_placed", 2), lambda body: {**_renamed(body, "old_by", "by"), "by": "x"}
        )
        found = [outcome for _, outcome in differences(view) if outcome is not None]
        assert {fact["kind"] for outcome in found if isinstance(outcome, Difference) for fact in outcome.was} >= {
            "wager_placed"
        }
        assert len(found) == len({r.cause for r in view.merged([Stream.MAIN]) if r.kind == "wager_placed"})


def test_a_newer_body_is_refused_by_name(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release that knows an earlier version alone does not take a later one for it."""
    monkeypatch.setitem(codec.VERSIONS, "place_wager", 1)
    with opened(older) as view, pytest.raises(codec.UnknownKind, match="place_wager version 2"):
        list(differences(view))


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """Maryland's four rounds again, with a hand told in the third one, as a table with a vault records it; nothing is let out."""
    source = tmp_path / "source.journal"
    source.write_bytes(gzip.decompress(KEPT.read_bytes()))
    vault = make_vault(tmp_path / "vault")
    with opened(source) as view:
        about, records = view.description, list(view.merged(Stream))
    journal = Journal.open(tmp_path / "sealed.journal", site=about.site, table=about.table, vault=vault)
    for given in _transactions(records):
        journal.append([given], given.at)
        if any(fact.kind == "dealer_revealed" and fact.round_id == "uth-1-3" for fact in given.facts):
            journal.append([_told(given.at)], given.at)
    journal.close()
    return tmp_path / "sealed.journal"


def _transactions(records: list[Record]) -> Iterator[Transaction]:
    """Each input with its facts, without their numbers."""
    said: Record | None = None
    facts: list[Draft] = []
    for record in [*records, None]:
        if record is None or record.stream is Stream.INPUT:
            if said is not None:
                at = Stamp(said.time_us, said.mono_ns, said.boot, said.clock)  # type: ignore[arg-type]
                yield Transaction(at, _draft(said), said.origin, tuple(facts))
            said, facts = record, []
        else:
            facts.append(_draft(record))


def _draft(record: Record) -> Draft:
    return Draft(record.stream, record.kind, record.version, record.subject, record.round_id, record.data)


def _told(at: Stamp) -> Transaction:
    """The dealer's hand, as the core takes it."""
    act = RecordHand(Area.DEALER, "As Kd")
    given = Input(
        Moment(at.wall_us, at.mono_ns, at.boot, at.clock), "table", act, None, Actor("dealer", Role.DEALER)
    )
    fact = f.HandRecorded("uth-1-3", Area.DEALER, 0, "As Kd", "", "", "dealer")
    drafts = (Draft(Stream.MAIN, fact.kind, 1, "table", "uth-1-3", codec.encode(fact)),)
    return Transaction(
        at, Draft(Stream.INPUT, act.kind, 1, "table", "uth-1-3", codec.encode_input(given)), None, drafts
    )


def test_a_sealed_round_is_not_decided_and_that_is_said(sealed: Path, tmp_path: Path) -> None:
    """From the hand on to its end; all other rounds are. With the vault this one is decided too, and as it was."""
    with opened(sealed) as view:
        outcomes = list(differences(view))
        told = next(n for n, (said, _) in enumerate(outcomes) if said.kind == "record_hand")
        over = next(n for n, (said, _) in enumerate(outcomes) if n > told and said.kind == "end_round")
        shut = [n for n, (_, outcome) in enumerate(outcomes) if isinstance(outcome, Sealed)]
        assert shut == list(range(told, over + 1))
        assert {outcome.round_id for _, outcome in outcomes if isinstance(outcome, Sealed)} == {"uth-1-3"}
        assert not any(isinstance(outcome, Difference) for _, outcome in outcomes)
        assert table_at(view, round_id="uth-1-3").sealed
        with_keys = list(differences(view, keys=VaultKeys.load(tmp_path / "vault")))
        assert [outcome for _, outcome in with_keys if outcome is not None] == []
        assert not table_at(view, round_id="uth-1-3", keys=VaultKeys.load(tmp_path / "vault")).sealed


def test_the_command_says_which_rounds_are_sealed(sealed: Path, tmp_path: Path) -> None:
    """For a person and for a program; it is no difference, and the way to decide it is told."""
    runner = CliRunner()
    page = runner.invoke(cli, ["journal", "replay", str(sealed), "--verify"])
    assert page.exit_code == 0
    assert "inputs are sealed, not decided (round uth-1-3): give --vault FILE" in page.output
    told = json.loads(runner.invoke(cli, ["journal", "replay", str(sealed), "--verify", "--json"]).output)
    assert told["sealed"][0]["kind"] == "record_hand"
    shown = runner.invoke(cli, ["journal", "replay", str(sealed), "--at", "3"]).output
    assert "the recorded cards of this round are sealed" in shown
    opened_ = runner.invoke(
        cli, ["journal", "replay", str(sealed), "--verify", "--vault", str(tmp_path / "vault")]
    )
    assert "sealed" not in opened_.output
