"""Pay tables and limits: read strictly, elected by name, and worded as the text words them."""

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from controller.rules.elections import cautious, elect, proposals
from controller.rules.model import Rulebook
from controller.rules.pay import Bare, FixedSum, Odds, OfMeter, PayHand, parse_pays
from controller.rules.read.library import available, find

FaultsOf = Callable[..., tuple[str, ...]]

FAULTS = [
    # what breaks, text in the shipped md-uth, its replacement, the one fault
    (
        "unknown hand",
        'full_house      = { value = "9 to 1"',
        'ful_house       = { value = "9 to 1"',
        "[[paytable]] 5 (A) ful_house: word_unknown",
    ),
    (
        "odds in words",
        '{ value = "9 to 1", cite = "12.C(1)(d)" }',
        '{ value = "nine to one", cite = "12.C(1)(d)" }',
        "[[paytable]] 5 (A) full_house value: text_unfit",
    ),
    (
        "row without a clause",
        '{ value = "9 to 1", cite = "12.C(1)(d)" }',
        '{ value = "9 to 1" }',
        "[[paytable]] 5 (A) full_house cite: key_missing",
    ),
    (
        "clause that is not there",
        'cite = "12.C(1)(d)"',
        'cite = "12.C(1)(x)"',
        "[[paytable]] 5 (A) full_house: clause_unknown",
    ),
    (
        "wager that is not there",
        'wager = "bad_beat"\ntable = "A"',
        'wager = "bad_beet"\ntable = "A"',
        "[[paytable]] (bad_beet A): wager_unknown",
    ),
    (
        "election that nobody makes",
        'when  = { six_card_table = "A" }',
        'when  = { six_cards_table = "A" }',
        "[[paytable]] (six_card A): reading_unknown",
    ),
    (
        "choice that is not offered",
        'when  = { six_card_table = "A" }',
        'when  = { six_card_table = "Z" }',
        "[[paytable]] (six_card A): choice_unknown",
    ),
    (
        "two tables under one election",
        'when  = { six_card_table = "A" }',
        'when  = { six_card_table = "B" }',
        "[[paytable]] (six_card A): named_twice",
    ),
    (
        "option without its table",
        'when  = { six_card_table = "A" }',
        'when  = { six_card_table = "B" }',
        "[[paytable]] (six_card): choice_unused",
    ),
    (
        "table that stands twice",
        'table = "E"\ncite  = "12.C(5)"',
        'table = "D"\ncite  = "12.C(5)"',
        "[[paytable]] 9 (D) table: named_twice",
    ),
    (
        "meter without its least",
        'resets = { meter = { value = 1000000, cite = "12.D(3)(b)(i)" } }',
        "",
        "[[paytable]] 10 (A) resets: resets_unfit",
    ),
    (
        "limit of a wager that is not there",
        'value = { named_sections = ["ante",',
        'value = { named_sections = ["anti",',
        "[[limit]] (house limit): wager_unknown",
    ),
    (
        "limit that applies somehow",
        'least = "cut", higher = "house"',
        'least = "always", higher = "house"',
        "[[limit]] 1 (house limit) applies least: word_unknown",
    ),
    (
        "question about a wager that is not there",
        'wager   = "six_card"',
        'wager   = "seven_card"',
        "(six_card_table): wager_unknown",
    ),
]


@pytest.mark.parametrize(("what", "old", "new", "fault"), FAULTS, ids=[fault[0] for fault in FAULTS])
def test_a_fault_of_a_pay_table_is_named_with_its_place(
    what: str, old: str, new: str, fault: str, faults_of: FaultsOf
) -> None:
    """Nobody finds out at the table that a row, an election or a wager is spelt wrong."""
    assert fault in faults_of((old, new))


def test_rows_must_fall(faults_of: FaultsOf) -> None:
    """The first row that fits pays, so that a low row above a high one would pay the wrong hand."""
    flush = 'flush           = { value = "7 to 1", cite = "12.C(1)(e)" }\n'
    full = 'full_house      = { value = "9 to 1", cite = "12.C(1)(d)" }\n'
    assert "[[paytable]] 5 (A) rows: hands_misplaced" in faults_of((full + flush, flush + full))


def test_a_row_that_stands_twice_is_refused(faults_of: FaultsOf) -> None:
    """TOML itself has no table with one key twice; the fault says which line."""
    row = 'full_house      = { value = "9 to 1", cite = "12.C(1)(d)" }\n'
    (fault,) = faults_of((row, row + row))
    assert fault == "file: not_toml"


@pytest.mark.parametrize(
    ("text", "pays"),
    [
        ("3 to 2", Odds(3, 2, keeps=False)), ("300 for 1", Odds(300, 1, keeps=True)), ("10% of major", OfMeter(10, "major")),
        ("sum 1000.05", FixedSum(100_005)), ("push", Bare.PUSH), ("lose", Bare.LOSE), ("ask", Bare.ASK),
        ("0 to 1", None), ("3 to 0", None), ("3:2", None), ("101% of major", None), ("0% of major", None), ("sum 5", None),
        ("1.5 to 1", None),
    ],
)  # fmt: skip
def test_what_a_row_pays_is_read_from_the_form_of_the_law(text: str, pays: object) -> None:
    """ "To" and "for" are told apart, sums and parts of a meter are exact, and nothing is guessed from another form."""
    assert parse_pays(text) == pays
    assert pays is None or str(pays) == text


@pytest.mark.parametrize("name", ["ma-uth", "ma-colorado"])
def test_where_the_text_forbids_the_word_for_no_row_uses_it(name: str) -> None:
    """ma-uth 11(a), ma-colorado 12(a), 13(a): odds are stated as "to" alone."""
    values = [value for table in find(name).pay.values() for row in table.rows.values() for value in _values(row)]
    assert not [value for value in values if isinstance(value, Odds) and value.keeps]


def _values(row: object) -> list[object]:
    options = [value for _, value in getattr(row, "options", ())]
    return options or [getattr(row, "value", None)]


@pytest.mark.parametrize("name", available())
def test_each_wager_that_can_be_placed_is_paid_by_exactly_one_table(name: str) -> None:
    """Under any election; Massachusetts' progressive alone has none, and Cover All one for each number of hands."""
    book = find(name)
    law = cautious(book, "test")
    for wager in book.wagers:
        used = [
            t
            for t in book.pay.values()
            if t.wager == wager and t.envy_for is None and _elected(law.elected, t.when)
        ]
        hands = [table.hands for table in used]
        if (name, wager) == ("ma-uth", "progressive"):
            assert used == []
        elif (name, wager) == ("ma-uth", "cover_all"):
            assert sorted(filter(None, hands)) == [2, 3, 4, 5, 6, 7]
        else:
            assert hands == [None], wager


def _elected(elected: Callable[[str], str | None], when: tuple[tuple[str, str], ...]) -> bool:
    return all(elected(question) == choice for question, choice in when)


def test_what_is_asked_of_a_wager_is_asked_only_where_it_is_offered(md: Rulebook) -> None:
    """A table without the six card bonus opens without its table of pay."""
    law = elect(md, {})
    asked = {question.id for question in law.unelected(("trips",))}
    assert "trips_table" in asked
    assert "blind_table" in asked
    assert not asked & {"six_card_table", "progressive_table", "R-27", "R-101"}
    assert "six_card_table" in {question.id for question in law.unelected(("six_card",))}


def test_a_row_that_hangs_on_a_reading_is_what_was_elected(md: Rulebook) -> None:
    """R-26: the exact straight that a table leaves out pushes, or a person decides."""
    for choice, pays in (("push", Bare.PUSH), ("ask", Bare.ASK)):
        law = elect(md, {q: (c, "J. Doe") for q, c in (proposals(md) | {"R-26": choice}).items()})
        assert law.rulebook.pay["blind B"].rows[PayHand.STRAIGHT].value is pays


SEVEN = {
    PayHand.ROYAL_FLUSH: 4_324, PayHand.STRAIGHT_FLUSH: 37_260, PayHand.FOUR_OF_A_KIND: 224_848,
    PayHand.FULL_HOUSE: 3_473_184, PayHand.FLUSH: 4_047_644, PayHand.STRAIGHT: 6_180_020, PayHand.THREE_OF_A_KIND: 6_461_620,
}  # fmt: skip
EDGES = {
    "A": Fraction(301_629, 33_446_140), "B": Fraction(48_987, 2_572_780), "C": Fraction(233_985, 6_689_228),
    "D": Fraction(22_717, 367_540), "E": Fraction(115_779, 2_572_780),
}  # fmt: skip
"""What the house keeps of a Trips wager, known from elsewhere, by full enumeration: 0.90, 1.90, 3.50, 6.18 and 4.50 percent."""


@pytest.mark.parametrize(("name", "table"), [*(("ma-uth", t) for t in "ABCD"), *(("md-uth", t) for t in "ABCDE")])
def test_trips_tables_give_the_edges_that_are_known_of_them(name: str, table: str) -> None:
    """A slip in one number of a table would change its edge; hands of seven cards are counted exactly."""
    every = math.comb(52, 7)
    left = Fraction(every - sum(SEVEN.values()), every)
    for hand, row in find(name).pay[f"trips {table}"].rows.items():
        assert isinstance(row.value, Odds)
        left -= Fraction(SEVEN[hand], every) * Fraction(row.value.pays, row.value.stake)
    assert left == EDGES[table]
