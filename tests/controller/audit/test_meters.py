"""`journal meters` proves the ledger of a table from its record, and names each entry that does not fit what stands beside it."""

import json
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from controller.audit.meters import PARTS, proved
from controller.cli.main import cli
from controller.clock import Stamp
from controller.games.settling.meters import MeterTerms
from controller.games.settling.settled import Outcome
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal, opened
from controller.rules.vocabulary import Area, Role, Trigger
from controller.table.words import acts as a
from controller.table.words.codec import encode
from tests.controller.table.conftest import table_of

SEALED = {"hand_recorded"}


@pytest.fixture(scope="module")
def played():
    """Three rounds: a straight flush and a royal, a void, and one without a prize; then a prize is put right."""
    table = table_of(
        elect={"R-27": "best_of_seven"}, meters={"meter": MeterTerms(1_000_000, 1_999, 501, 1_000_150)}
    ).ready()
    for number in range(3):
        table.begin("red" if number % 2 == 0 else "blue", seats=(1, 3), trips=())
        table.chip(1)
        table.chip(3)
        table.let_out().deal()
        if number == 1:
            table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER), Role.FLOORPERSON)
            break
        table.to_showdown()
        hands = ("9h 8h", "Ah Kh") if number == 0 else ("2c 3d", "4c 5d")
        told = (
            (Area.COMMUNITY, "Qh Jh Th 7c 6d", 0),
            (Area.DEALER, "7d 7s", 0),
            (Area.PLAYER, hands[0], 1),
            (Area.PLAYER, hands[1], 3),
        )
        for area, cards, seat in told:
            table.act(a.RecordHand(area, cards, seat))
        for seat in (1, 3):
            table.act(a.ValidateProgressive(seat, True), Role.FLOORPERSON)
        table.act(a.SettleOffered(), Role.FLOORPERSON)
        if number == 0:
            wrong = a.CorrectSettlement(1, "progressive", Outcome.WIN, "a tenth of less", 99_000)
            table.act(wrong, Role.SUPERVISOR)
        table.act(a.CollectCards())
        table.act(a.EndRound())
    return table


def written(path, facts, change=lambda kind, body: body):
    """A record of these facts; `change` gives another body, or None for none."""
    journal, at, round_id = Journal.open(path, site="bench", table="t1"), Stamp(0, 0, "b0", "synced"), None
    drafts = []
    getattr(change, "done", []).clear()
    for fact in facts:
        event = fact.event
        if event.kind == "round_begun":
            round_id = event.round
        if event.kind in SEALED:
            continue
        body = change(event.kind, json.loads(encode(event)))
        if body is not None:
            drafts.append(Draft(Stream.MAIN, event.kind, 1, fact.subject, round_id, msgspec.json.encode(body)))
    said = Draft(Stream.INPUT, "set_due", 1, "table", None, b"{}")
    journal.append([Transaction(at, said, None, tuple(drafts))], at)
    journal.close()
    return path


def test_a_record_proves_its_meter(played, tmp_path):
    path = written(tmp_path / "t1.journal", played.all)
    with opened(path) as view:
        proof = proved(view)
    assert proof.faults == []
    one, ledger = proof.meters["meter"], played.state.meters["meter"].ledger
    assert {name: parts for name, parts in one.accounts.items() if parts} == {
        x.value: n for x, n in ledger.accounts.items() if n
    }
    assert (one.generation, one.hits) == (2, 2)
    told = CliRunner().invoke(cli, ["journal", "meters", str(path)])
    assert told.exit_code == 0, told.output
    assert "OK: every entry sums to nothing" in told.output


@pytest.mark.parametrize("round_ended", [False, True])
def test_a_prize_that_was_settled_as_lost_and_corrected_is_proved(tmp_path, round_ended):
    table = table_of(elect={"R-27": "best_of_seven"}, meters={"meter": MeterTerms(1_000_000, 2_000)}).ready()
    table.begin(seats=(3,), trips=()).chip(3)
    table.let_out().deal().to_showdown()
    for area, cards, seat in (
        (Area.COMMUNITY, "Qh Jh Th 7c 6d", 0),
        (Area.DEALER, "7d 7s", 0),
        (Area.PLAYER, "Ah Kh", 3),
    ):
        table.act(a.RecordHand(area, cards, seat))
    table.act(a.ValidateProgressive(3, True), Role.FLOORPERSON)
    for wager, won in (("ante", 1_000), ("play", 1_000), ("blind", 500_000)):
        table.act(a.SettleWager(3, wager, Outcome.WIN, won))
    table.act(a.SettleWager(3, "progressive", Outcome.LOSE))
    if round_ended:
        (hold,) = table.state.holds
        for act in (a.ResolveHold(hold, a.Resolution.GO_ON), a.SettleRound(), a.CollectCards(), a.EndRound()):
            table.act(act, Role.FLOORPERSON)
    table.act(a.CorrectSettlement(3, "progressive", Outcome.WIN, "a royal", 1_000_100), Role.SUPERVISOR)
    with opened(written(tmp_path / "t1.journal", table.all)) as view:
        assert proved(view).faults == []


def changed(entry, **values):
    done = []

    def change(kind, body):
        if kind == "meter_booked" and body["entry"] == entry and not done:
            done.append(body)
            return {**body, **values}
        return body

    change.done = done  # for the next record
    return change


def without(which):
    return lambda kind, body: None if which(kind, body) else body


FALSE = {
    "an entry that sums to something": (changed("start", posts={"meter": 1}), "sums to 1 parts"),
    "an increment that is another": (
        changed("contribution", posts={"meter": PARTS, "wagers": -PARTS}), "add something else by the terms"),
    "a wager that nobody placed": (changed("contribution", wagers=[[2, 1000]]), "no progressive wager of 1000 cents"),
    "a meter that shows something else": (changed("contribution", cents=1), "the meter shows 1 cents"),
    "a prize that nobody settled": (changed("paid", prize=5), "pays another claim"),
    "a lost contribution": (without(lambda k, b: k == "meter_booked" and b["entry"] == "contribution"), "no accepted wager"),
    "a lost start": (without(lambda k, b: k == "meter_booked" and b["entry"] == "reseed"), "entries before it are missing"),
    "a lost payment": (without(lambda k, b: k == "meter_booked" and b["entry"] == "paid"), "is not paid"),
    "a lost correction": (without(lambda k, b: k == "settlement_corrected"), "no correction to 99000 cents"),
    "a lost void": (without(lambda k, b: k == "wager_decided"), "did not go back"),
    "a lowered meter": (changed("void", posts={"meter": -PARTS, "voided": PARTS}), "only a claim does"),
}  # fmt: skip


@pytest.mark.parametrize("false", FALSE)
def test_what_does_not_fit_is_named(played, tmp_path, false):
    change, told = FALSE[false]
    with opened(written(tmp_path / "t1.journal", played.all, change)) as view:
        faults = proved(view).faults
    assert any(told in fault for fault in faults), faults


def test_a_fault_is_exit_code_one(played, tmp_path):
    path = written(tmp_path / "t1.journal", played.all, changed("paid", prize=5))
    told = CliRunner().invoke(cli, ["journal", "meters", str(path), "--json"])
    assert told.exit_code == 1
    assert json.loads(told.stdout)["proved"] is False


def test_the_proof_names_the_head_that_it_rests_on_and_a_record_that_lost_a_row_is_damaged(played, tmp_path):
    path = written(tmp_path / "t1.journal", played.all)
    told = CliRunner().invoke(cli, ["journal", "meters", str(path), "--json"])
    chain = CliRunner().invoke(cli, ["journal", "verify", str(path), "--json"])
    assert json.loads(told.stdout)["head"] == json.loads(chain.stdout)["heads"]["main"]
    by_hand(path, "main_no_delete", "DELETE FROM main WHERE sequence = 12")
    lost = CliRunner().invoke(cli, ["journal", "meters", str(path)])
    assert (lost.exit_code, "are missing" in lost.output) == (1, True), lost.output


def by_hand(path, guard, statement):
    """Somebody with a tool changes the record and puts its guard back."""
    with closing(sqlite3.connect(path)) as db:
        ((trigger,),) = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (guard,)).fetchall()
        db.execute(f"DROP TRIGGER {guard}")
        db.execute(statement)
        db.execute(trigger)
        db.commit()


def test_a_body_that_is_none_is_named(played, tmp_path):
    path = written(tmp_path / "t1.journal", played.all)
    first = "SELECT ord FROM main WHERE kind = 'meter_booked' LIMIT 1"
    by_hand(path, "body_no_update", f"UPDATE body SET data = CAST('{{}}, {{}}' AS BLOB) WHERE ord = ({first})")
    told = CliRunner().invoke(cli, ["journal", "meters", str(path)])
    assert told.exit_code == 1
    assert "this is no body of a meter_booked" in told.output


@pytest.mark.full
def test_half_a_million_wagers_are_proved_in_seconds(tmp_path):
    """Beside twice as many other wagers. The bound is loose for a busy machine; docs/progressive.md says what was measured."""
    path = many(tmp_path / "many.journal", 83_334, others=("ante", "blind"))
    begin = time.process_time()
    with opened(path) as view:
        proof = proved(view)
    assert proof.faults == []
    assert proof.meters["meter"].accounts["meter"] == 1_000_000 * PARTS + 83_334 * 3_000 * 2_000
    assert time.process_time() - begin < 10


def many(path, rounds, others=()):
    """A record of rounds of six progressive wagers, and nothing else."""
    journal, meter, terms = (
        Journal.open(path, site="bench", table="t1"),
        1_000_000 * PARTS,
        MeterTerms(1_000_000, 2_000, 500),
    )

    def fact(kind, round_, **body):
        return Draft(Stream.MAIN, kind, 1, "table", round_, msgspec.json.encode(body))

    def booked(entry, posts, round_=None, **body):
        body |= {
            "meter": "meter",
            "generation": 1,
            "entry": entry,
            "posts": posts,
            "cents": meter // PARTS,
            "round": round_,
        }
        return fact("meter_booked", round_, **{name: value for name, value in body.items() if value is not None})

    facts = [booked("start", {"meter": meter, "base": -meter}, terms=terms)]
    for number in range(rounds):
        name = f"20260101-{number:06d}"
        facts += [
            fact("wager_placed", name, seat=seat, wager=wager, cents=500, currency="USD", by="a dealer")
            for seat in range(1, 7)
            for wager in (*others, "progressive")
        ]
        meter += 3_000 * 2_000
        posts = {"meter": 3_000 * 2_000, "reserve": 3_000 * 500, "wagers": -3_000 * 2_500}
        facts.append(booked("contribution", posts, name, wagers=[[seat, 500] for seat in range(1, 7)]))
        facts.append(fact("round_settled", name, by="a dealer"))
        if len(facts) > 5_000 or number == rounds - 1:
            at = Stamp(number, number, "b0", "synced")
            said = Draft(Stream.INPUT, "set_due", 1, "table", None, b"{}")
            journal.append([Transaction(at, said, None, tuple(facts))], at)
            facts = []
    journal.close()
    return path


def test_a_meter_is_proved_over_many_bunches(tmp_path):
    with opened(many(tmp_path / "many.journal", 2_000)) as view:
        proof = proved(view)
    assert (proof.faults, proof.meters["meter"].entries) == ([], 2_001)


SEEN_BY_SHELL = (
    None, "an entry that sums to something", "a meter that shows something else", "a lost payment", "a lowered meter",
)  # fmt: skip
SCRIPT = Path(__file__).parents[3] / "docs/verify-meters.sh"


@pytest.mark.parametrize("false", SEEN_BY_SHELL)
def test_the_shell_proves_the_same_without_the_product(played, tmp_path, false):
    change = FALSE[false][0] if false else lambda kind, body: body
    path = written(tmp_path / "t1.journal", played.all, change)
    export = tmp_path / "t1.tsv"
    export.write_text(CliRunner().invoke(cli, ["journal", "export", str(path)]).stdout)
    told = subprocess.run(["bash", SCRIPT, export], capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (1 if false else 0, ""), told.stdout
    if false is None:
        with opened(path) as view:
            (one,) = proved(view).meters.values()
        shown = one.accounts["meter"] // PARTS
        assert f"meter: {shown} cents, {one.hits} claims, {one.entries} entries" in told.stdout
        export.write_text(export.read_text().replace('"entry":"claim"', '"entry":"claim" ', 1))
        changed_by_hand = subprocess.run(["bash", SCRIPT, export], capture_output=True, text=True, check=False)
        assert "this is not the body that its hash names" in changed_by_hand.stdout
    else:
        assert "WRONG" in told.stdout
