"""Worked rounds, clause by clause: what each wager comes to, worked out from the text by hand, with its clause or reading.

A line reads `seat wager: outcome odds = returned + paid [clauses or reading]`, amounts in cents. All lines of a round
are there in their order, or with `of` all those of the named wagers. `rows` are further rounds like the first, each with
other cards: what a row does not name stays as it is.
"""

import functools
import re
from typing import Any

import pytest

from controller.filters.settle import RoundLine, round_of
from controller.games.settling.engine import Settler
from controller.games.settling.round import RoundRefused, Terms
from controller.games.settling.settled import Cut, Line, Outcome, Settlement
from controller.readers.json import convert, verify
from controller.rules.citation import Cited
from controller.rules.elections import elect, proposals
from controller.rules.model import Rulebook
from controller.rules.pay import Bare, PayHand, Pays, PayTable
from controller.rules.read.library import find
from tests.clauses import texts

CASE = frozenset({"name", "elect", "of", "round", "rows", "then", "refused", "cuts", "back", "meters"})
ROW = frozenset({"cards", "dealer", "community", "box", "shown", "played", "elect", "then"})
OF_SEAT = ("cards", "shown", "played")


@functools.cache
def cases() -> list[Any]:
    found = []
    for path, raw in texts.of_book().items():
        for case in raw.get("settle", []):
            assert set(case) <= CASE, f"{path}: unknown {sorted(set(case) - CASE)}"
            name = f"{path.parent.name}/{path.stem}: {case['name']}"
            found += [
                pytest.param(path.parent.name, each, id=f"{name} {n}".rstrip(" 0"))
                for n, each in enumerate(rounds(case))
            ]
    return found


def rounds(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The case itself, or with `rows` each of its rounds; a row's cards are those of the first seat."""
    if "rows" not in case:
        return [case]
    made = []
    for row in case["rows"]:
        assert set(row) <= ROW, f"unknown {sorted(set(row) - ROW)}"
        first, *others = case["round"]["seats"]
        first = first | {key: row[key] for key in OF_SEAT if key in row}
        table = {key: row[key] for key in ("dealer", "community", "box") if key in row}
        round_ = case["round"] | table | {"seats": [first, *others]}
        then = row["then"] if isinstance(row["then"], list) else [row["then"]]
        elected = case.get("elect", {}) | row.get("elect", {})
        made.append({**case, "round": round_, "then": then, "elect": elected})
    return made


@functools.cache
def book(rulebook: str) -> Rulebook:
    return find(rulebook)


@functools.cache
def settler(rulebook: str, elected: tuple[tuple[str, str], ...]) -> Settler:
    choices = proposals(book(rulebook)) | dict(elected)
    return Settler(elect(book(rulebook), {question: (choice, "test") for question, choice in choices.items()}))


def settled(rulebook: str, case: dict[str, Any]) -> Settlement:
    verify(case["round"], RoundLine, "round")
    given: RoundLine = convert(case["round"], RoundLine, "round")
    return settler(rulebook, tuple(case.get("elect", {}).items())).settle(round_of(given, Terms("USD")))


def in_words(line: Line) -> str:
    holder = f" of seat {line.holder}" if line.holder else ""
    coupon = " coupon" if line.coupon else ""
    pays = f" {line.pays}" if line.pays else ""
    why = line.reading or ", ".join(line.cite)
    return (
        f"{line.seat} {line.wager}{coupon}{holder}: {line.outcome}{pays} = {line.returned} + {line.paid} [{why}]"
    )


def cut_in_words(cut: Cut) -> str:
    held = "held" if cut.held else "cut"
    return f"{cut.seat}: {cut.before} over {cut.limit}, {held} {cut.cut} [{', '.join(cut.cite)}]"


@pytest.mark.parametrize(("rulebook", "case"), cases())
def test_a_round_is_settled_as_worked_out_from_the_text(rulebook, case):
    """Every line of the settlement, in its order, with what is returned, what is paid and by which clause."""
    if "refused" in case:
        with pytest.raises(RoundRefused, match=f"^{re.escape(case['refused'])}$"):
            settled(rulebook, case)
        return
    found = settled(rulebook, case)
    of = case.get("of")
    assert [in_words(line) for line in found.lines if of is None or line.wager in of] == case["then"]
    assert [cut_in_words(cut) for cut in found.cuts] == case.get("cuts", [])
    for seat, back in case.get("back", {}).items():
        assert next(total.back for total in found.seats if total.seat == int(seat)) == back
    if "meters" in case:
        assert dict(found.meters) == case["meters"]
    _adds_up(found)


def _adds_up(found: Settlement) -> None:
    """Totals are the sums of their lines less the cuts, and nothing held is handed back."""
    for total in found.seats:
        lines = [line for line in found.lines if line.seat == total.seat]
        cut = sum(c.cut for c in found.cuts if c.seat == total.seat and not c.held)
        assert total.stake == sum(line.stake for line in lines)
        assert total.back == sum(line.returned + line.paid for line in lines) - cut
        assert all(line.returned + line.paid == 0 for line in lines if line.outcome is Outcome.HELD)


WORKED = sorted({case.values[0] for case in cases()})


@functools.cache
def told(rulebook: str) -> tuple[tuple[tuple[tuple[str, str], ...], Line], ...]:
    """Every line of every worked round, with the elections under which it came."""
    found = []
    for param in cases():
        of, case = param.values
        if of == rulebook and "refused" not in case:
            elected = tuple(sorted((proposals(book(rulebook)) | case.get("elect", {})).items()))
            found += [(elected, line) for line in settled(rulebook, case).lines]
    return tuple(found)


def _reached(
    table: PayTable, hand: PayHand, row: Cited[Pays], wager: str, elected: tuple[tuple[str, str], ...], line: Line
) -> bool:
    same = (line.wager, line.hand, line.cite) == (wager, hand, row.cite) and set(table.when) <= set(elected)
    return same and (row.by_choice is not None or isinstance(row.value, Bare) or line.pays == str(row.value))


@pytest.mark.parametrize("rulebook", WORKED)
def test_every_row_of_every_pay_table_is_worked_at_least_once(rulebook):
    """A row that no worked round reaches could hold any number."""
    missed = []
    for table in book(rulebook).pay.values():
        wager = "envy" if table.envy_for else table.wager
        for hand, row in table.rows.items():
            if not any(_reached(table, hand, row, wager, elected, line) for elected, line in told(rulebook)):
                missed.append(f"{table.name} {hand}")
    assert not missed


@pytest.mark.parametrize("rulebook", WORKED)
def test_every_wager_wins_and_loses_and_goes_back_where_it_can(rulebook):
    """Each wager that the document can settle wins and loses in some worked round, and goes back in another."""
    outcomes: dict[str, set[Outcome]] = {}
    for _, line in told(rulebook):
        outcomes.setdefault(line.wager, set()).add(line.outcome)
    payable = {table.wager for table in book(rulebook).pay.values()}
    for wager in sorted(payable):
        assert {Outcome.WIN, Outcome.LOSE} <= outcomes[wager], wager
        assert outcomes[wager] & {Outcome.PUSH, Outcome.RETURN, Outcome.VOID}, wager
