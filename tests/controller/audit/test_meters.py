"""`journal meters` proves the ledger of a table from its record, and names each entry that does not fit what stands beside it."""

import json

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


def changed(entry, **values):
    done = []

    def change(kind, body):
        if kind == "meter_booked" and body["entry"] == entry and not done:
            done.append(body)
            return {**body, **values}
        return body

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
