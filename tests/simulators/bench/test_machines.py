"""Each machine that shuffles or deals on the bench: modes, a batch of eight decks, a shoe that reshuffles, unlike stacks."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from simulators.bench.observer.record import RecordReader, Row

FAST = ("--speed", "1000", "--broker", "memory")


@pytest.fixture
def played(bench: Callable[..., Any], tmp_path: Path) -> Callable[..., list[Row]]:
    """Plays on the bench, wants every promise held, and gives back the record."""

    def play(*arguments: str) -> list[Row]:
        journal = tmp_path / "journal.sqlite"
        ran = bench(*arguments, *FAST, "--journal", str(journal))
        assert ran.code == 0, ran.errors if ran.told is None else ran.why() + ran.errors + ran.told["failed"]
        assert ran.state("2 only armed") == "held"
        reader = RecordReader(journal)
        try:
            return reader.rows()
        finally:
            reader.close()

    return play


def facts(rows: list[Row], kind: str) -> list[Row]:
    return [row for row in rows if row.kind == kind and row.stream != "input"]


def cycles(rows: list[Row]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each cycle that a device completed, with what the set counts as after it."""
    checked = {row.cause: row.data for row in facts(rows, "set_checked")}
    for row in facts(rows, "shuffle_completed"):
        yield row.data, checked[row.cause]


@pytest.mark.timeout(160)
def test_each_mode_of_a_hand_forming_shuffler(played: Callable[..., list[Row]]) -> None:
    """Cover All arms a set and finds the hands; sort, count and demonstration never arm one. Clause: ma-uth 13(d), 13(e)."""
    mistakes = ("sorted@2", "counted@3", "demonstrated@4")
    rows = played(
        "--rulebook", "ma-uth", "--method", "shuffler", "--offer", "cover_all", "--rounds", "5",
        *(word for mistake in mistakes for word in ("--fault", mistake)),
    )  # fmt: skip
    armed: dict[str, set[bool]] = {}
    for told, counts_as in cycles(rows):
        assert told["count"] == 52
        armed.setdefault(told["mode"], set()).add(counts_as["mode_shuffle"])
    assert armed == {"cover_all": {True}, "sort": {False}, "count": {False}, "demo": {False}}
    found = facts(rows, "hands_found")
    assert found
    assert all(one.data["right"] for one in found)
    placed = [row.data["wager"] for row in facts(rows, "wager_placed")]
    assert "cover_all" in placed


@pytest.mark.timeout(160)
def test_what_a_reading_shuffler_finds_wrong_is_told_by_name_and_keeps_the_set_from_the_table(
    played: Callable[..., list[Row]],
) -> None:
    """Missing and doubled, a foreign back, a worn card, one face up: each disarms the set, and none names a card."""
    mishaps = ("identities@2", "foreign@3", "unreadable@4", "flipped@5")
    rows = played("--recognition", "--rounds", "6", *(word for one in mishaps for word in ("--fault", one)))
    wrong = [counts_as for _, counts_as in cycles(rows) if counts_as.get("identities_complete") is False]
    assert [counts_as["defects"] for counts_as in wrong] == [
        ["missing", "duplicate"], ["missing", "foreign_back"], ["unreadable"], ["flipped"]
    ]  # fmt: skip
    assert all(counts_as["count_right"] for counts_as in wrong)
    made = [row.data["trigger"] for row in facts(rows, "disposition_made")]
    assert made.count("shuffler_identities_wrong") == len(wrong)


@pytest.mark.timeout(160)
def test_two_batches_of_eight_decks_take_turns_by_the_shoe(played: Callable[..., list[Row]]) -> None:
    """A batch is dealt on from until its cutting card comes; then the other one is. Clause: fast-action (b)(4)(ii), (iv), (v)."""
    rows = played(
        "--rulebook", "fast-action", "--elect", "decks=eight", "--elect", "R-18=house_procedure", "--method",
        "manual_shoe", "--rounds", "4", "--fault", "cutting_card@2",
        "--recognition",
    )  # fmt: skip
    assert [row.data["back"] for row in facts(rows, "round_begun")] == ["red", "red", "blue", "blue"]
    told = {(done["back"], done["count"], done["identities"]) for done, _ in cycles(rows)}
    assert told == {("red", 416, "complete"), ("blue", 416, "complete")}


@pytest.mark.timeout(160)
@pytest.mark.parametrize(
    ("rulebook", "elections"), [("md-uth", ()), ("fast-action", ("--elect", "R-18=house_procedure"))]
)
def test_a_shoe_that_reshuffles_is_dealt_from_and_held_when_it_does_so_in_a_round(
    played: Callable[..., list[Row]], rulebook: str, elections: tuple[str, ...]
) -> None:
    """What was dealt goes back, its word arms the set; a cycle while cards are out stops it. Clause: md-uth 5.I, 10.F;
    fast-action (k)(1)."""
    rows = played(
        "--rulebook", rulebook, *elections, "--reshuffling-shoe", "--rounds", "3", "--fault", "cycle_in_deal@2"
    )
    good = [counts_as["cycle_complete"] for _, counts_as in cycles(rows)]
    assert good.count(False) == 1
    assert good.count(True) >= 3
    (held,) = [row.data["reason"] for row in facts(rows, "hold_placed")]
    assert "does not count as shuffled any more" in held
    assert not facts(rows, "set_shuffled_by_hand")


@pytest.mark.timeout(160)
def test_stacks_of_four_five_and_two_come_in_the_order_of_the_document(played: Callable[..., list[Row]]) -> None:
    """Four for the six card box, five for the board, then twos. Clause: md-uth 10.B."""
    rows = played("--rulebook", "md-uth", "--offer", "six_card", "--rounds", "3")
    deals: list[list[int]] = []
    for row in facts(rows, "stack_dispensed"):
        if row.data["stack"] == 1 and row.data["cards"] != 2:
            deals.append([])
        deals[-1].append(row.data["cards"])
    assert any(deal[:2] == [4, 5] for deal in deals)
    assert {cards for deal in deals for cards in deal[2:]} == {2}


READING = (
    "--rulebook",
    "fast-action",
    "--elect",
    "R-18=house_procedure",
    "--method",
    "manual_shoe",
    "--reading-shoe",
)


@pytest.mark.timeout(160)
@pytest.mark.parametrize("speaks", ["bee-tek", pytest.param("tdp", marks=pytest.mark.full)])
def test_a_shoe_that_tells_each_card_is_held_against_the_deal_and_names_no_card(
    played: Callable[..., list[Row]], speaks: str
) -> None:
    """A card untold is found when the deal is compared, a key that was turned at once; promise 1 looks for faces."""
    rows = played(
        *READING, speaks, "--rounds", "4", "--fault", "shoe.drawn_untold@2", "--fault", "shoe.key_turned@3"
    )
    held = [row.data["reason"] for row in facts(rows, "hold_placed")]
    assert any("has reported" in reason and "count the hands" in reason for reason in held)
    assert any("is set to burn cards" in reason for reason in held)
    told = facts(rows, "card_drawn")
    assert len(told) > 50
    assert {row.data["recognition"] for row in told} == {"read"}
    assert {row.data["burned"] for row in told} == {True, False}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--offer", "dragon"), "md-uth has no optional wager 'dragon'; there are: "),
        (("--rulebook", "ma-uth", "--reshuffling-shoe"), "ma-uth knows no shoe that reshuffles"),
        (("--reshuffling-shoe", "--method", "shuffler"), "md-uth knows no shoe that reshuffles, dealt by shuffler"),
        (("--reading-shoe", "tdp"), "add --method manual_shoe"),
        (("--fault", "cycle_in_deal@2"), "add --reshuffling-shoe"),
        (("--reshuffling-shoe", "--fault", "sorted@2"), "there is no shuffler here"),
    ],
)  # fmt: skip
def test_what_cannot_stand_at_this_table_is_refused_before_anything_starts(
    bench: Callable[..., Any], arguments: tuple[str, ...], why: str
) -> None:
    """Usage, with the name of the thing."""
    ran = bench(*arguments)
    assert ran.code == 2
    assert why in " ".join(ran.errors.split())
