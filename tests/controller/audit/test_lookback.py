"""Which rounds are touched when a set turns out wrong: found from the end of the record, as the table remembers them."""

import gzip
import json
from collections.abc import Callable, Sequence
from itertools import permutations, product
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.audit.lookback import lookback
from controller.audit.replay import NotReplayable
from controller.audit.rounds_of_set import WagerTold
from controller.cli.filters.decide import example_setup
from controller.cli.journal.lookback import _wager
from controller.cli.main import cli
from controller.clock import Stamp
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal, opened
from controller.rules.elections import proposals
from controller.rules.vocabulary import Action, Role, Trigger
from controller.table.fold.fold import evolve
from controller.table.state.recorded_setup import setup_told
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.codec import decode_fact, encode
from controller.table.words.inputs import Actor, Input, ServiceStarted
from controller.table.words.rounds_since_check import KEPT
from drivers import events as e
from tests.controller.table.conftest import Table
from tests.journals.test_journals import FOLDER
from tests.kept import days
from tests.soak.tables import book

DAYS = sorted(days.FOLDER.glob("*-2.jsonl.gz"))


def recorded(path: Path, setup: Setup, lines: list[days.Line], until: int) -> State:
    """Writes a kept day as its daemon would have; gives the state that follows from it."""
    book = setup.law.rulebook
    started = ServiceStarted("1", book.id, book.edition, book.sha256, setup_told(setup))
    journal = Journal.open(path, site=setup.site, table=setup.table)
    state, at = State.initial(setup), Stamp(0, 0, "b0", "synced")
    said = Draft(Stream.INPUT, started.kind, 1, "table", None, b"{}")
    fact = Draft(Stream.MAIN, started.kind, 1, "table", None, encode(started))
    written = [Transaction(at, said, None, (fact,))]
    for line in lines[:until]:
        given, drafts = line["input"], []
        at = Stamp(given["at"]["wall_us"], given["at"]["mono_ns"], given["at"]["boot"], given["at"]["clock"])
        round_id = state.round.id if state.round else None
        for told in line["facts"]:
            body = msgspec.json.encode(told["data"])
            event = decode_fact(told["kind"], told["subject"], body)
            round_id = getattr(event.event, "round", "") or round_id
            drafts.append(Draft(Stream(told["stream"]), told["kind"], 1, told["subject"], round_id, body))
            state = evolve(state, event)
        said = Draft(
            Stream.INPUT, given["kind"], 1, given["subject"], round_id, msgspec.json.encode(given["data"])
        )
        written.append(Transaction(at, said, None, tuple(drafts)))
    journal.append(written, at)
    journal.close()
    return state


def remembered(state: State, back: str) -> list[tuple[str, tuple[int, ...]]]:
    """What the table itself says was played since the set was last counted right."""
    played, round_ = state.sets[back].uncounted, state.round
    if round_ is not None and round_.back == back and round_.played and not round_.count_proven:
        played = played.followed_by(round_.as_played())
    return [(r.round, r.seats) for r in played.rounds]


def test_the_rounds_are_those_that_the_table_remembers(tmp_path: Path) -> None:
    """In days of random play, for each set: found without folding what came before."""
    touched = 0
    for number, day in enumerate(DAYS):
        setup, lines = days.read(day)
        path = tmp_path / f"{number}.journal"
        state = recorded(path, setup, lines, len(lines) * (2 + number % 2) // 3)
        with opened(path) as view:
            for back in setup.backs:
                rounds = [(t.id, tuple(map(int, t.seats))) for t in lookback(view, back).rounds]
                assert rounds[-KEPT:] == remembered(state, back), f"{back} in {day.name}"
                touched += len(rounds)
    assert touched, "else nothing was compared"


class Heard:
    """Every input of a table, to be decided again for a record."""

    def __init__(self) -> None:
        self.given: list[Input] = []

    def saw(self, before: State, given: Input, facts: Sequence[f.Fact], after: State) -> None:
        self.given.append(given)


def say(table: Table, verdict: str) -> None:
    """What may be told of the red set at any moment; an act that has no place here is refused, and changes nothing."""
    supervisor = Actor("eve", Role.SUPERVISOR)
    match verdict:
        case "counted" | "miscounted" | "uncounted":
            table.shuffled("red", {"counted": 52, "miscounted": 51, "uncounted": None}[verdict])
        case "read":
            table.shuffled("red", None, identities=e.Identities.COMPLETE)
        case "stub" | "wrong stub":
            right = table.right_stub() if table.state.round else 52
            table.put(a.RecordStubCount(right - (verdict == "wrong stub")), actor=supervisor)
        case "brought":
            table.put(a.BringSet("red"), actor=supervisor)
        case "removed":
            for duty in [d for d in table.state.duties.values() if d.action is Action.REMOVE_SET]:
                table.put(a.ConfirmDuty(duty.id), actor=supervisor)


def ready(table: Table) -> bool:
    return table.state.sets["red"].armed and not table.state.duties


VERDICTS = ("counted", "miscounted", "read", "stub", "wrong stub", "brought")
COURSE: tuple[tuple[str, Callable[[Table], object]], ...] = (
    ("betting", lambda table: table.begin("red")),
    ("dealing", lambda table: table.let_out().deal(1)),
    ("stopped", lambda table: table.act(a.ReportIrregularity(Trigger.SHOE_JAM))),
    ("collected", lambda table: table.act(a.CollectCards())),
    ("ended", lambda table: table.act(a.EndRound())),
)


@pytest.mark.parametrize("at", [name for name, _ in COURSE])
def test_the_record_and_the_table_agree_whenever_a_verdict_comes(at: str, tmp_path: Path) -> None:
    """Each verdict on the set in every part of a round that is stopped, and each two once its cards are gathered."""
    rulebook = book("md-uth")
    setup = example_setup(rulebook, {q: (choice, "bench") for q, choice in proposals(rulebook).items()})
    found = set()
    pairs = permutations(VERDICTS, 2) if at == "collected" else ()
    for said in (*product(VERDICTS), *pairs, ("uncounted",), ("miscounted", "removed")):
        heard, table = Heard(), Table(setup)
        table.watch = heard  # type: ignore[assignment]
        table.ready().whole_round("blue")
        for name, goes_on in COURSE:
            if table.state.held or (name == "dealing" and not ready(table)):
                break
            goes_on(table)
            if name == at:
                for verdict in said:
                    say(table, verdict)
        path = tmp_path / f"{'-'.join(said)}.journal"
        state = recorded(path, setup, list(days.decide_all(setup, heard.given)), len(heard.given))
        with opened(path) as view:
            rounds = [(t.id, tuple(map(int, t.seats))) for t in lookback(view, "red").rounds]
        assert rounds == remembered(state, "red"), f"{at}: {said}"
        found.add(bool(rounds))
    assert True in found, "else there was nothing to answer for"
    assert (False in found) is (at != "dealing"), "no verdict answers for cards that lie before the players"


def test_of_chips_that_nobody_counted_no_sum_is_listed() -> None:
    told = _wager("ante", WagerTold(0, "settled", None, "win", 0, 0))
    assert told == "ante not counted settled win"


def test_the_command_lists_seats_wagers_and_results(tmp_path: Path) -> None:
    """Of a round that was settled, and says since when; a set that is not at the table is named."""
    path = tmp_path / "j"
    path.write_bytes(gzip.decompress((FOLDER / "0.1.0" / "md-uth.journal.gz").read_bytes()))
    done = CliRunner().invoke(cli, ["journal", "lookback", str(path), "blue", "--json"])
    assert done.exit_code == 0
    told = json.loads(done.output)
    assert told["since"]["kind"] == "set_checked"
    assert told["rounds"]
    for round_ in told["rounds"]:
        assert round_["ended"] > round_["began"] > told["since"]["time"]
        assert all("ante" in seat["wagers"] for seat in round_["seats"].values())
    page = CliRunner().invoke(cli, ["journal", "lookback", str(path), "blue"]).output
    assert page.startswith(f"blue set: {len(told['rounds'])} rounds dealt, since set_checked at ")
    with (
        opened(path) as view,
        pytest.raises(NotReplayable, match="no set green is at this table; there are: red, blue"),
    ):
        lookback(view, "green")
