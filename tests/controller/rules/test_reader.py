"""Strict reading, key by key: what is not of its kind is named by its place, its key and what was wanted, and is no value."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import pytest

from controller.rules import pay_reader, rows, sections
from controller.rules.parts import DeckChangeRule
from controller.rules.ranking import ranking
from controller.rules.reader import Scope, Table
from controller.rules.vocabulary import Action, Method


class Colour(StrEnum):
    RED = "red"


def _table(raw: object, *clauses: str) -> Table:
    return Table(raw, "[t]", Scope(frozenset(clauses)))


KINDS: dict[str, tuple[Callable[[Table], object], object, str]] = {
    # what reads the key k, a value that is not of its kind, what is wanted
    "text": (lambda t: t.text("k"), 5, "text"),
    "flag": (lambda t: t.flag("k"), "yes", "true or false"),
    "whole": (lambda t: t.whole("k"), "6", "a whole number"),
    "word": (lambda t: t.word("k", Colour), 5, "text"),
    "one of": (lambda t: t.one_of("k", ["a"]), 5, "text"),
    "duration": (lambda t: t.seconds("k"), 5, "text"),
    "multiples": (lambda t: t.multiples("k"), 5, "a list of whole numbers"),
    "table": (lambda t: t.table("k"), [], "a table"),
    "some of": (lambda t: t.some_of("k", ["a"]), 5, "a list of texts"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_of_another_kind_is_answered_with_the_kind_that_is_wanted(kind: str) -> None:
    """One fault with the value as it stands in the file, and no value."""
    read, wrong, wanted = KINDS[kind]
    table = _table({"k": wrong})
    assert read(table) is None
    assert table.scope.faults == [f"[t]: 'k' must be {wanted}, not {wrong!r}"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_must_be_there_is_missed_by_its_key(kind: str) -> None:
    """Nothing is optional that is not said to be."""
    table = _table({})
    assert KINDS[kind][0](table) is None
    assert table.scope.faults == ["[t]: 'k' is missing"]


def test_lists_and_arrays_are_missed_and_of_another_kind_empty() -> None:
    """A list that could not be read holds nothing, and its fault refuses the file."""
    table = _table({"texts": ["a", 5], "array": 5})
    assert (table.texts("none"), list(table.tables("no_array"))) == ((), [])
    assert (table.texts("texts"), list(table.tables("array"))) == ((), [])
    assert table.cited("no_value", Table.flag) is None
    assert table.scope.faults == [
        "[t]: 'none' is missing",
        "[t]: 'no_array' is missing",
        "[t]: 'texts' must be a list of texts, not ['a', 5]",
        "[t]: 'array' must be an array of tables, not 5",
        "[t]: 'no_value' is missing",
    ]


def test_what_is_optional_is_not_missed() -> None:
    """And nothing is read of it."""
    table = _table({})
    assert (table.text("k", optional=True), table.word("k", Colour, optional=True)) == (None, None)
    assert (table.table("k", optional=True), table.cited("k", Table.flag, optional=True)) == (None, None)
    assert (table.texts("k", optional=True), list(table.tables("k", optional=True)), table.pairs("k")) == (
        (),
        [],
        (),
    )
    assert table.scope.faults == []


@pytest.mark.parametrize("wrong", [[], [0], [True], ["1"], [2, True]])
def test_a_multiple_is_a_whole_number_of_at_least_one(wrong: list[object]) -> None:
    """Truth is no number, and no multiple at all is no list of them."""
    table = _table({"k": wrong})
    assert table.multiples("k") is None
    assert table.scope.faults == [f"[t]: 'k' must hold whole numbers of at least 1, not {wrong!r}"]


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ([], "'k' is empty"),
        (["b"], "'k' has an unknown word: 'b' (known: a)"),
        (["a", "b"], "'k' has an unknown word: 'b' (known: a)"),
    ],
)
def test_a_list_of_words_has_at_least_one_and_none_that_is_unknown(wrong: list[str], fault: str) -> None:
    """An empty list would be read as one that is not there, and nobody be told."""
    table = _table({"k": wrong})
    assert table.some_of("k", ["a"]) is None
    assert table.scope.faults == [f"[t]: {fault}"]


@pytest.mark.parametrize(
    ("wrong", "fault"), [(5, "must be a table, not 5"), ({"a": "b", "c": 1}, "must hold texts")]
)
def test_elections_are_a_table_of_texts(wrong: object, fault: str) -> None:
    """A choice is a text, never a number."""
    table = _table({"k": wrong})
    assert table.pairs("k") == ()
    assert table.scope.faults == [f"[t]: 'k' {fault}"]


def test_where_a_table_is_wanted_whatever_else_stands_there_is_one_without_keys() -> None:
    """Each key of it is missed besides; a table without its label is named by its place alone."""
    array = Table({"a": [5, {"n": "x"}, {}]}, "file", Scope(frozenset()))
    assert [each.where for each in array.tables("a", "n")] == ["[[a]] 1", "[[a]] 2 (x)", "[[a]] 3"]
    assert array.scope.faults == ["[[a]] 1: a table is wanted here"]
    table = _table(5)
    assert (list(table), table.text("k")) == ([], None)
    assert table.scope.faults == ["[t]: a table is wanted here", "[t]: 'k' is missing"]


def test_an_unknown_word_is_told_with_the_key_it_stands_under() -> None:
    """And with what is known."""
    table = _table({"k": "blue"})
    assert table.word("k", Colour) is None
    assert table.scope.faults == ["[t]: unknown k 'blue' (known: red)"]


@pytest.mark.parametrize(("clause", "hint"), [("abxy", " (nearest: abcd)"), ("wxyz", "")])
def test_the_nearest_clause_is_named_where_half_of_it_is_alike(clause: str, hint: str) -> None:
    """Else none: a document has too many to name them all."""
    table = _table({"cite": clause}, "abcd", "efgh")
    assert table.cite() == (clause,)
    assert table.scope.faults == [f"[t]: the document has no clause {clause!r}{hint}"]


CITED: dict[str, tuple[dict[str, object], list[str]]] = {
    "a value of another kind": ({"value": 5, "cite": "1"}, ["[t] k: 'value' must be true or false, not 5"]),
    "options that are no table": (
        {"by_choice": "R-1", "value": 5, "cite": "1"},
        ["[t] k: 'value' must be a table with a value for each choice, not 5"],
    ),
    "no name of the choice": (
        {"by_choice": 5, "value": {"a": True}, "cite": "1"},
        ["[t] k: 'by_choice' must be text, not 5"],
    ),
}


@pytest.mark.parametrize("what", CITED)
def test_a_cited_value_that_cannot_be_read_is_none(what: str) -> None:
    """And nothing is remembered of it that a check of the whole would find wrong once more."""
    raw, faults = CITED[what]
    table = _table({"k": raw}, "1")
    assert table.cited("k", Table.flag) is None
    assert table.scope.faults == faults
    assert table.scope.by_choice == []


def test_a_value_without_any_option_is_told_of_in_the_check_of_the_whole(
    faults_of: Callable[..., tuple[str, ...]],
) -> None:
    """It would else be a value that is not there, and the file be refused without a word."""
    faults = faults_of(("value = { one = 1, two = 2, three = 3 }", "value = {}"), book="nj-pikit")
    assert faults == ("[table] positions: must have a value for each of one, two, three, not none",)


CITE = {"cite": "1"}
Reader: TypeAlias = Callable[[dict[str, object], Scope], object]


def _value(value: object) -> dict[str, object]:
    return {"value": value, **CITE}


def _each(read: Callable[[Table], object]) -> Reader:
    """Of one table of an array."""
    return lambda raw, scope: read(Table(raw, "[[t]] 1", scope))


def _section(name: str, read: Callable[[Table], object]) -> Reader:
    """Of a table that stands once in the file."""
    return lambda raw, scope: read(Table({name: raw}, "file", scope))


CHOICES = [{"id": "a", "says": "s"}]
STEPS = [{"step": "wash", "by": "dealer", **CITE}]
PARTS: dict[str, tuple[Reader, dict[str, object], tuple[str, ...]]] = {
    # what reads a part, all that it needs, the keys without which it is none
    "limit": (
        _each(pay_reader.pay_limit),
        {"name": "n", "applies": _value("cut"), "wagers": _value("ante"), "least_cents": _value(1), "of": _value("winnings")},
        ("name", "applies", "wagers", "least_cents", "of"),
    ),
    "paytable": (
        _each(pay_reader.pay_table),
        {"wager": "ante", "table": "A", **CITE, "rows": {"win": _value("1 to 1")}},
        ("wager", "table"),
    ),
    "reading": (
        _each(rows.read_reading),
        {"id": "R-1", "problem": "p", "cautious": "a", "moves": True, "clauses": "1", "choices": CHOICES},
        ("id", "problem", "cautious", "moves"),
    ),
    "choice": (
        _each(rows.read_house_choice), {"id": "c", "problem": "p", "clauses": "1", "choices": CHOICES}, ("id", "problem"),
    ),
    "laid away": (_each(sections.laid_away), {"after": "fold", "to": "rack", **CITE}, ("after", "to")),
    "decks": (
        _section("decks", sections.decks),
        {
            "per_set": _value(1), "full": _value(52), "second_set": _value("no"), "swap_after": _value("round"),
            "sets_in_rack": _value(1),
        },
        ("per_set", "full", "second_set", "swap_after", "sets_in_rack"),
    ),
    "opening": (
        _section("opening", sections.opening),
        {"steps": STEPS, "each_set_apart": _value(True), "new_set": _value(True)},
        ("each_set_apart", "new_set"),
    ),
    "idle": (_section("idle", sections.idle), {"steps": STEPS, "each_set": _value(True)}, ("each_set",)),
    "shuffle": (_section("shuffle", sections.shuffle), {"into_shoe": _value(True)}, ("into_shoe",)),
    "cut": (
        _section("cut", sections.cut),
        {"after": _value(["manual"]), "by": _value("dealer"), "least_cards": _value(1)},
        ("after", "by", "least_cards"),
    ),
    "hand": (_section("hand", sections.hand), {"player": _value(2)}, ("player",)),
    "seats": (_section("table", sections.seats), {"seats": _value(6), "positions": _value(1)}, ("seats", "positions")),
    "stub count": (
        _section("stub_count", sections.stub),
        {"every_rounds": _value(5), "waived_by": _value("none")},
        ("every_rounds", "waived_by"),
    ),
    "progressive": (
        _section("progressive", sections.progressive),
        {"lock_at": _value("no_more_bets"), "verify_count": _value(True)},
        ("lock_at", "verify_count"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("part", "left_out"), [(part, key) for part, (_, _, keys) in PARTS.items() for key in keys]
)
def test_a_part_that_lacks_a_key_is_missed_by_it_and_is_none(part: str, left_out: str) -> None:
    """One fault, and no half of a part that a check of the whole would judge."""
    read, raw, _ = PARTS[part]
    sound, lacking = Scope(frozenset({"1"})), Scope(frozenset({"1"}))
    assert read(raw, sound) is not None
    assert sound.faults == []
    assert read({key: value for key, value in raw.items() if key != left_out}, lacking) is None
    assert [fault.partition(": ")[2] for fault in lacking.faults] == [f"{left_out!r} is missing"]


@pytest.mark.parametrize(
    ("left_out", "fault"),
    [
        ("cards", "[ranking]: 'cards' is missing"),
        ("five", "[ranking]: 'five' is missing"),
        ("of", "[five]: 'of' is missing"),
    ],
)
def test_nothing_is_ranked_by_half_an_order(left_out: str, fault: str) -> None:
    """The hands of five cards, of how many cards they are the best, and which card is high."""
    five = {"of": {"value": 5, **CITE}, "pair": {"value": 1, **CITE}}
    raw = {"cards": {"value": "ace_high_or_below_two", **CITE}, "five": five}
    sound = Table({"ranking": raw}, "file", Scope(frozenset({"1"})))
    assert ranking(sound) is not None
    assert sound.scope.faults == []
    (five if left_out == "of" else raw).pop(left_out)
    lacking = Table({"ranking": raw}, "file", Scope(frozenset({"1"})))
    assert ranking(lacking) is None
    assert lacking.scope.faults == [fault]


def test_a_demand_and_a_step_that_cannot_be_read_are_left_out_of_their_row() -> None:
    """The others of the row stand; each fault is told with its place."""
    raw = {
        "trigger": "shoe_jam", "says": "s", "cite": "1",
        "do": [{"action": "hold", "cite": "1"}, {"action": "record_only", "cite": "1"}],
        "by_reading": [
            {"choice": "a", "do": ["record_only"]},
            {"reading": "R-1", "do": ["record_only"]},
            {"reading": "R-1", "choice": "a", "do": ["record_onli", "record_only"]},
        ],
    }  # fmt: skip
    table = _table(raw, "1")
    row = rows.read_outcome(table)
    assert row is not None
    assert [demand.action for demand in row.do] == [Action.RECORD_ONLY]
    assert [(step.reading, step.choice, step.do) for step in row.by_reading] == [
        ("R-1", "a", (Action.RECORD_ONLY,))
    ]
    bad, *others = table.scope.faults
    assert bad.startswith("[t] do 1: unknown action 'hold' ")
    assert others == [
        "[t] by_reading 1: 'reading' is missing",
        "[t] by_reading 2: 'choice' is missing",
        "[t] by_reading 3: unknown action 'record_onli' (nearest: record_only)",
    ]


def test_a_step_of_a_procedure_is_read_whole_or_not_at_all() -> None:
    """Neither a step of nobody nor somebody without a step; a procedure that must be there is missed."""
    step = {"step": "wash", "by": "dealer", "cite": "1"}
    sound = {"each_set_apart": {"value": True, **CITE}, "new_set": {"value": True, **CITE}}
    steps = [step, step | {"step": "washing"}, step | {"by": "nobody"}]
    table = _table({"opening": sound | {"steps": steps}}, "1")
    opening = sections.opening(table)
    assert opening is not None
    assert [each.step for each in opening.steps] == ["wash"]
    assert len(table.scope.faults) == 2
    without = _table({"opening": sound}, "1")
    sections.opening(without)
    assert without.scope.faults == ["[opening]: 'steps' is missing"]


def test_intervals_of_a_deck_change_are_read_beside_what_cannot_be() -> None:
    """Whatever order the keys stand in; of a table that is not there, no interval."""
    hours = {"value": "4h", **CITE}
    table = _table(
        {"deck_change": {"each_gaming_day": {"value": True, **CITE}, "hands": hours, "hand": hours}}, "1"
    )
    assert set(sections.deck_change(table).interval_s) == {Method.HAND}
    assert len(table.scope.faults) == 1
    assert sections.deck_change(_table({})) == DeckChangeRule({})


def test_sides_and_multiples_are_read_by_the_moment_they_are_of() -> None:
    """A misspelt moment is named, and what stands under it, or is no side or multiple, is left out."""
    sides = {"flop": _value("left"), "flip": _value("left"), "last_two": _value("up")}
    table = _table({"play": {"first_card_to": _value("marker"), "asked_from": sides}}, "1")
    play = sections.play(table)
    assert play is not None
    assert list(play.asked_from) == ["flop"]
    assert [fault.partition(" (")[0] for fault in table.scope.faults] == [
        "[asked_from]: unknown moment 'flip'",
        "[asked_from] last_two: 'value' is unknown: 'up'",
    ]


PAYS = _value("1 to 1")


@pytest.mark.parametrize(
    ("named", "fault"),
    [
        (("win", "natural"), "natural stands below win"),
        (("flush", "straight_flush", "three_of_a_kind"), "straight_flush stands below flush"),
        (("natural", "pair", "win"), "pair does not belong beside natural"),
        (
            ("pair_of_aces", "ace_king_unsuited", "ace_king_suited"),
            "ace_king_suited stands below ace_king_unsuited",
        ),
    ],
)
def test_rows_that_do_not_fall_are_told_by_the_order_that_knows_most_of_them(
    named: tuple[str, ...], fault: str
) -> None:
    """Of whatever order, the first row that stands too low."""
    table = _table({"wager": "ante", "table": "A", **CITE, "rows": dict.fromkeys(named, PAYS)}, "1")
    pay_reader.pay_table(table)
    assert table.scope.faults == [f"[t]: its rows do not fall: {fault}"]


def test_a_row_of_an_unknown_hand_or_without_odds_is_left_out() -> None:
    """The others stand, and the fault has the place of the pay table."""
    raw = {"flush": PAYS, "strait": PAYS, "pair": {"value": 5, **CITE}}
    table = _table({"wager": "ante", "table": "A", **CITE, "rows": raw}, "1")
    pay = pay_reader.pay_table(table)
    assert pay is not None
    assert list(pay.rows) == ["flush"]
    assert table.scope.faults == [
        "[t]: unknown hand 'strait' (nearest: straight)",
        "[t] pair: 'value' must be text, not 5",
    ]
