"""Each part of a rulebook is read whole or not at all, and what cannot be read of its lists is left out and named."""

from collections.abc import Callable
from typing import TypeAlias

import pytest

from controller.rules.parts import (
    CutRule,
    DeckChangeRule,
    DeckRule,
    HandRule,
    IdleRule,
    OpeningRule,
    ProgressiveRule,
    SeatRule,
    StubRule,
)
from controller.rules.read import pay_tables, rows, sections
from controller.rules.read.ranking import ranking
from controller.rules.read.reader import LawScope, RuleTable, record
from controller.rules.vocabulary import Action, Method

CITE = {"cite": "1"}
Reader: TypeAlias = Callable[[dict[str, object], LawScope], object]


def _table(raw: object, *clauses: str) -> RuleTable:
    return RuleTable(raw, "[t]", LawScope(frozenset(clauses)))


def _value(value: object) -> dict[str, object]:
    return {"value": value, **CITE}


def _each(read: Callable[[RuleTable], object]) -> Reader:
    """Of one table of an array."""
    return lambda raw, scope: read(RuleTable(raw, "[[t]] 1", scope))


def _section(name: str, read: Callable[[RuleTable], object]) -> Reader:
    """Of a table that stands once in the file."""
    return lambda raw, scope: read(RuleTable({name: raw}, "", scope))


def _record(name: str, cls: type[object]) -> Reader:
    """Of a table whose keys are the fields of this dataclass."""
    return _section(name, lambda root: record(root.part(name), cls))


CHOICES = [{"id": "a", "says": "s"}]
STEPS = [{"step": "wash", "by": "dealer", **CITE}]
PARTS: dict[str, tuple[Reader, dict[str, object], tuple[str, ...]]] = {
    # what reads a part, all that it needs, the keys without which it is none
    "limit": (
        _each(pay_tables.pay_limit),
        {"name": "n", "applies": _value("cut"), "wagers": _value("ante"), "least_cents": _value(1), "of": _value("winnings")},
        ("name", "applies", "wagers", "least_cents", "of"),
    ),
    "paytable": (
        _each(pay_tables.pay_table),
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
    "dealing": (
        _each(sections.dealing),
        {"method": "manual_shoe", **CITE, "burns": _value(0), "community_after": _value(True), "stacks": []},
        ("method", "burns", "community_after"),
    ),
    "wager": (
        _each(sections.wager),
        {"name": "n", "placed": "decision", **CITE, "optional": _value(True), "requires": _value([])},
        ("name", "placed", "optional", "requires"),
    ),
    "decks": (
        _record("decks", DeckRule),
        {
            "per_set": _value(1), "full": _value(52), "second_set": _value("no"), "swap_after": _value("round"),
            "sets_in_rack": _value(1),
        },
        ("per_set", "full", "second_set", "swap_after", "sets_in_rack"),
    ),
    "opening": (
        _record("opening", OpeningRule),
        {"steps": STEPS, "each_set_apart": _value(True), "new_set": _value(True)},
        ("each_set_apart", "new_set"),
    ),
    "idle": (_record("idle", IdleRule), {"steps": STEPS, "each_set": _value(True)}, ("each_set",)),
    "shuffle": (_section("shuffle", sections.shuffle), {"into_shoe": _value(True)}, ("into_shoe",)),
    "cut": (
        _record("cut", CutRule),
        {"after": _value(["manual"]), "not_after": _value(["device"]), "by": _value("dealer"), "least_cards": _value(1)},
        ("after", "not_after", "by", "least_cards"),
    ),
    "hand": (_record("hand", HandRule), {"player": _value(2)}, ("player",)),
    "seats": (_record("table", SeatRule), {"seats": _value(6), "positions": _value(1)}, ("seats", "positions")),
    "stub count": (
        _record("stub_count", StubRule),
        {"every_rounds": _value(5), "waived_by": _value("none")},
        ("every_rounds", "waived_by"),
    ),
    "progressive": (
        _record("progressive", ProgressiveRule),
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
    sound, lacking = LawScope(frozenset({"1"})), LawScope(frozenset({"1"}))
    assert read(raw, sound) is not None
    assert sound.faults == []
    assert read({key: value for key, value in raw.items() if key != left_out}, lacking) is None
    assert [(fault.place.split()[-1], fault.code) for fault in lacking.faults] == [(left_out, "key_missing")]


@pytest.mark.parametrize(
    ("left_out", "fault"),
    [
        ("cards", "[ranking] cards"),
        ("five", "[ranking] five"),
        ("of", "[ranking.five] of"),
    ],
)
def test_nothing_is_ranked_by_half_an_order(left_out: str, fault: str) -> None:
    """The hands of five cards, of how many cards they are the best, and which card is high."""
    five = {"of": {"value": 5, **CITE}, "pair": {"value": 1, **CITE}}
    raw = {"cards": {"value": "ace_high_or_below_two", **CITE}, "five": five}
    sound = RuleTable({"ranking": raw}, "", LawScope(frozenset({"1"})))
    assert ranking(sound) is not None
    assert sound.scope.faults == []
    (five if left_out == "of" else raw).pop(left_out)
    lacking = RuleTable({"ranking": raw}, "", LawScope(frozenset({"1"})))
    assert ranking(lacking) is None
    assert [(found.place, found.code) for found in lacking.scope.faults] == [(fault, "key_missing")]


def test_a_demand_and_a_step_that_cannot_be_read_are_left_out_of_their_row() -> None:
    """The others of the row stand; each fault is told with its place."""
    raw = {
        "trigger": "shoe_jam", "says": "s", "cite": "1",
        "do": [{"action": "hod", "cite": "1"}, {"action": "hold", "cite": "1"}, {"action": "record_only", "cite": "1"}],
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
    assert [(step.reading, step.choice, [d.action for d in step.do]) for step in row.by_reading] == [
        ("R-1", "a", [Action.RECORD_ONLY])
    ]
    assert [(fault.place, fault.code) for fault in table.scope.faults] == [
        ("[[t.do]] 1 action", "word_unknown"),
        ("[[t.do]] 2 action", "keys_together"),
        ("[[t.by_reading]] 1 reading", "key_missing"),
        ("[[t.by_reading]] 2 choice", "key_missing"),
        ("[[t.by_reading]] 3 do", "word_unknown"),
    ]


def test_a_step_of_a_procedure_is_read_whole_or_not_at_all() -> None:
    """Neither a step of nobody nor somebody without a step; a procedure that must be there is missed."""
    step = {"step": "wash", "by": "dealer", "cite": "1"}
    sound = {"each_set_apart": {"value": True, **CITE}, "new_set": {"value": True, **CITE}}
    steps = [step, step | {"step": "washing"}, step | {"by": "nobody"}]
    table = _table({"opening": sound | {"steps": steps}}, "1")
    opening = record(table.part("opening"), OpeningRule)
    assert opening is not None
    assert [each.step for each in opening.steps] == ["wash"]
    assert len(table.scope.faults) == 2
    without = _table({"opening": sound}, "1")
    record(without.part("opening"), OpeningRule)
    assert [(fault.place, fault.code) for fault in without.scope.faults] == [("[t.opening] steps", "key_missing")]


def test_intervals_of_a_deck_change_are_read_beside_what_cannot_be() -> None:
    """Whatever order the keys stand in; of a table that is not there, no interval."""
    hours = {"value": "4h", **CITE}
    table = _table(
        {"deck_change": {"each_gaming_day": {"value": True, **CITE}, "hands": hours, "hand": hours}}, "1"
    )
    assert set(sections.deck_change(table).interval_s) == {Method.HAND}
    assert len(table.scope.faults) == 1
    assert sections.deck_change(_table({})) == DeckChangeRule({})


def test_what_is_read_by_a_word_leaves_out_what_is_misspelt_or_cannot_be_read() -> None:
    """Sides and multiples by their moment, devices by their method: the word is named as what it should be."""
    sides = {"flop": _value("left"), "flip": _value("left"), "last_two": _value("up")}
    table = _table(
        {"play": {"first_card_to": _value("marker"), "settled_in_void": _value("hold"), "asked_from": sides}}, "1"
    )
    play = sections.play(table)
    assert play is not None
    assert list(play.asked_from) == ["flop"]
    assert [(fault.place, fault.code) for fault in table.scope.faults] == [
        ("[t.play.asked_from] flip", "word_unknown"),
        ("[t.play.asked_from] last_two value", "word_unknown"),
    ]
    found = sections.devices(
        table := _table({"devices": {"shuffler": _value(True), "shufler": _value(True)}}, "1")
    )
    assert list(found) == ["shuffler"]
    assert [(fault.place, fault.code) for fault in table.scope.faults] == [("[t.devices] shufler", "word_unknown")]
    multiples = {"flop": _value([1]), "flip": _value([1]), "last_two": _value([0])}
    table = _table(dict(PARTS["wager"][1]) | {"of": "ante", "times": multiples}, "1")
    wager = sections.wager(table)
    assert wager is not None
    assert [moment for moment, _ in wager.times] == ["flop"]
    assert [fault.place for fault in table.scope.faults] == ["[t.times] flip", "[t.times] last_two value"]


def test_a_stack_of_nobody_or_of_no_cards_is_left_out() -> None:
    """The others of the way of dealing stand."""
    stacks = [{"to": "player", "cards": 2, **CITE}, {"cards": 2, **CITE}, {"to": "player", **CITE}]
    table = _table(PARTS["dealing"][1] | {"stacks": stacks}, "1")
    dealing = sections.dealing(table)
    assert dealing is not None
    assert [(stack.to, stack.cards) for stack in dealing.stacks] == [("player", 2)]
    assert len(table.scope.faults) == 2


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
    pay_tables.pay_table(table)
    assert table.scope.faults == [f"[t] rows: must fall from the highest hand down: {fault}"]


def test_a_row_of_an_unknown_hand_or_without_odds_is_left_out() -> None:
    """The others stand, and the fault has the place of the pay table."""
    raw = {"flush": PAYS, "strait": PAYS, "pair": {"value": 5, **CITE}}
    table = _table({"wager": "ante", "table": "A", **CITE, "rows": raw}, "1")
    pay = pay_tables.pay_table(table)
    assert pay is not None
    assert list(pay.rows) == ["flush"]
    assert table.scope.faults == [
        "[t] strait: unknown word 'strait' (nearest: straight)",
        "[t] pair value: must be text, not 5",
    ]
