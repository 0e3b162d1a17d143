"""The house's part of each wager: known figures, figures that belong to their tables, and what a licensee is warned of."""

from dataclasses import replace
from fractions import Fraction

import pytest

from controller.rules.elections import cautious, elect, proposals
from controller.rules.explain.house_edge import (
    ABSURD,
    Edges,
    EdgesInvalid,
    Figure,
    in_per_cent,
    key_of,
    parse_edges,
    warnings,
)
from controller.rules.pay import Odds, PayHand
from controller.rules.read import library
from controller.rules.vocabulary import Settle

KNOWN = {
    ("ma-colorado", "ante + bet", (("R-59", "counts"), ("version", "required_bet"))): Fraction(2133, 38675),
    ("nj-pikit", "three_card_bonus", (("R-28", "before_look"), ("three_card_table", "3"))): Fraction(16, 425),
}
"""Enumerated apart from this code."""


def edges_of(book: str) -> Edges:
    return library.find_edges(library.find(book))


@pytest.mark.parametrize(("book", "wager", "under"), KNOWN)
def test_figures_that_are_known_agree_to_the_last_digit(book, wager, under):
    """An exact fraction, not only its rounding."""
    (figure,) = [f for f in edges_of(book).figures if f.wager == wager and tuple(sorted(f.under.items())) == under]
    assert figure.edge == KNOWN[book, wager, under]
    assert figure.error is None


def test_a_table_that_was_changed_has_no_figure():
    """A figure is found by the rows that it was worked out from: one other row, and it is gone."""
    book = library.find("nj-pikit")
    table = book.pay["three_card_bonus 3"]
    row = table.rows[PayHand.FLUSH]
    rows = {**table.rows, PayHand.FLUSH: replace(row, value=Odds(5, 1, False))}
    changed = replace(book, pay={**book.pay, table.name: replace(table, rows=rows)})
    data = (library.shipped() / "edges" / "nj-pikit.json").read_bytes()
    assert not [f for f in parse_edges(data, changed, "x").figures if table.name in f.tables]
    assert parse_edges(data, changed, "x").stale == ("three_card_bonus 3",)
    assert [f for f in parse_edges(data, book, "x").figures if table.name in f.tables]


@pytest.mark.parametrize("edited", ["tie", "unqualified", "dealer_qualifies", "fold_collects"])
def test_what_the_document_says_of_its_main_wagers_is_part_of_their_figures(edited):
    """A draft that lets ties lose, or spares another wager of a dealer who does not qualify, is not shown the old figure."""
    book = library.find("ma-uth")
    data = (library.shipped() / "edges" / "ma-uth.json").read_bytes()
    if edited in ("tie", "unqualified"):
        point = Settle(edited)
        settled = replace(book.settlement[point], value={"tie": "collect", "unqualified": "blind"}[edited])
        changed = replace(book, settlement={**book.settlement, point: settled})
    else:
        rule = replace(getattr(book.play, edited), value={"dealer_qualifies": False}.get(edited, ("ante",)))
        changed = replace(book, play=replace(book.play, **{edited: rule}))
    assert parse_edges(data, changed, "x").figures == ()
    assert parse_edges(data, book, "x").stale == ()


def test_the_order_of_settling_is_no_part_of_a_figure():
    """Nor is the side from which it begins: the average is the same."""
    book = library.find("ma-uth")
    data = (library.shipped() / "edges" / "ma-uth.json").read_bytes()
    order = replace(book.settlement[Settle.ORDER], value="by_step")
    assert parse_edges(data, replace(book, settlement={**book.settlement, Settle.ORDER: order}), "x").stale == ()


@pytest.mark.parametrize(
    ("data", "why"), [(b"[", "truncated"), (b"{}", "array"), (b"\xff", ""), (b'[{"wager": 5}]', "str")]
)
def test_a_file_that_holds_no_figures_is_named_with_its_fault_and_the_remedy(data, why):
    """It decides nothing at a table, so whoever asked says this and goes on without."""
    with pytest.raises(EdgesInvalid, match="put back the file") as refused:
        parse_edges(data, library.find("nj-pikit"), "edges.json")
    assert (refused.value.path, str(refused.value).startswith("edges.json: no list of figures: ")) == (
        "edges.json",
        True,
    )
    assert refused.value.why in str(refused.value)
    assert why in refused.value.why


def test_a_figure_hangs_on_its_elections_and_circumstances():
    """The same rows under another answer, or for another stake, are another figure."""
    book = library.find("ma-colorado")
    tables = ("ante permissible_bet",)
    keys = {
        key_of(book, tables, {"R-20": choice}, where)
        for choice in ("push", "pays")
        for where in ("", "a wager of 1")
    }
    assert len(keys) == 4


@pytest.mark.parametrize(
    ("part", "printed"),
    [
        (Fraction(50643648973, 2317817502000), "2.1850"),
        (Fraction(-9603, 433160), "-2.2170"),
        (Fraction(1, 8_000_000), "0.0000"),
        (Fraction(-1, 8_000_000), "0.0000"),
        (Fraction(1), "100.0000"),
    ],
)
def test_per_cent_are_printed_with_four_decimals(part, printed):
    """Rounded once, from the exact fraction; a part too small to print has no sign."""
    assert in_per_cent(part) == printed


def test_an_election_that_favours_the_player_is_named_with_the_reading_that_causes_it():
    """Colorado with a bet that may be made, tens paid: the player has the edge, and with tens that push the house has."""
    book = library.find("ma-colorado")
    chosen = proposals(book) | {"version": "permissible_bet", "R-20": "pays", "R-57": "settled", "R-59": "counts"}
    law = elect(book, {question: (choice, "someone") for question, choice in chosen.items()})
    (told,) = warnings(edges_of("ma-colorado"), law, ())
    assert told.startswith("ante + bet favours the player by 2.2170% of the ante")
    assert "R-20 = pays (with push: 2.9562%)" in told


def test_the_house_keeps_too_much_where_that_is_told():
    """Pik-it where the dealer must qualify, plays cost one ante, and five cards decide the ante: more than half."""
    book = library.find("nj-pikit")
    chosen = proposals(book) | {
        "qualifier": "with", "play_3": "once", "play_5": "once", "R-56": "five_cards", "five_card_table": "1",
    }  # fmt: skip
    law = elect(book, {question: (choice, "someone") for question, choice in chosen.items()})
    (told,) = warnings(edges_of("nj-pikit"), law, ())
    assert "the house keeps 58.0688% of the ante" in told


def test_a_wager_that_cannot_be_placed_alone_is_judged_with_the_others():
    """The five card bonus keeps three quarters, and pays for it beside the ante: no warning of its own."""
    figures = [f for f in edges_of("nj-pikit").figures if f.wager == "five_card_bonus"]
    assert figures
    assert all(f.edge > ABSURD and f.part_of == "ante + five_card_bonus + play" for f in figures)


def test_an_optional_wager_that_is_not_offered_is_not_warned_of():
    """Three cards chosen after a look pay the player four times over; only a house that offers the wager is told."""
    book = library.find("nj-pikit")
    chosen = proposals(book) | {"R-28": "after_look", "three_card_table": "1"}
    law = elect(book, {question: (choice, "someone") for question, choice in chosen.items()})
    assert not [w for w in warnings(edges_of("nj-pikit"), law, ()) if "three_card_bonus" in w]
    assert [w for w in warnings(edges_of("nj-pikit"), law, ("three_card_bonus",)) if "401.1011%" in w]


def test_where_a_person_decides_each_answer_is_told():
    """Tens paid or pushed, as a person says each time: both figures hold, and the warning names the answer that loses money."""
    book = library.find("ma-colorado")
    chosen = proposals(book) | {"version": "permissible_bet", "R-20": "ask", "R-57": "settled", "R-59": "counts"}
    law = elect(book, {question: (choice, "someone") for question, choice in chosen.items()})
    edges = edges_of("ma-colorado")
    main = {figure.under["R-20"]: figure.per_cent for figure in edges.of(law) if figure.wager == "ante + bet"}
    assert main == {"push": "2.9562", "pays": "-2.2170"}
    (told,) = [warning for warning in warnings(edges, law, ()) if warning.startswith("ante + bet")]
    assert "where a person decides R-20 as pays, favours the player by 2.2170%" in told


def figures_of_ante(paid: Fraction, *pushed: Fraction) -> Edges:
    """What the ante of Colorado brings where tens are paid, and where they push."""
    figure = Figure("ante", (), {"R-20": "pays", "R-57": "settled"}, "", "ante", paid, None, 1, "")
    return Edges(
        (figure, *(replace(figure, under={**figure.under, "R-20": "push"}, edge=edge) for edge in pushed))
    )


@pytest.fixture
def pays():
    """Colorado, whose elections are made by name, with tens that are paid."""
    book = library.find("ma-colorado")
    return elect(book, {"R-20": ("pays", "someone"), "R-57": ("settled", "someone")})


@pytest.mark.parametrize(
    ("edge", "told"),
    [
        (Fraction(-1, 1000), ["ante favours the player by 0.1000% of the ante"]),
        (Fraction(0), []),
        (ABSURD, []),
        (ABSURD + Fraction(1, 1000), ["ante: the house keeps 50.1000% of the ante"]),
    ],
)
def test_nothing_is_said_of_a_wager_that_is_even_or_of_which_the_house_keeps_half(pays, edge, told):
    """What is below nothing or above half is; where no other answer is known, no cause is named."""
    assert warnings(figures_of_ante(edge), pays, ()) == told


@pytest.mark.parametrize(
    ("edge", "mends"),
    [
        (Fraction(-1, 1000), False),
        (Fraction(0), True),
        (ABSURD, True),
        (ABSURD + Fraction(1, 1000), False),
    ],
)
def test_the_cause_is_an_answer_whose_other_choice_would_be_a_fair_game(pays, edge, mends):
    """From even to half: what would be as bad is no way out."""
    (told,) = warnings(figures_of_ante(Fraction(-1, 100), edge), pays, ())
    assert told.endswith(f", because of R-20 = pays (with push: {in_per_cent(edge)}%)") is mends
    assert ("because" in told) is mends


def test_what_another_figure_asks_besides_is_answered_as_elected(pays):
    """A figure that also hangs on what this one does not is another answer to one question where that is as elected."""
    (figure,) = figures_of_ante(Fraction(-1, 100)).figures
    figure = replace(figure, under={"R-20": "pays"})
    besides = [replace(figure, under={"R-20": "push", "R-57": answer}) for answer in ("settled", "ask")]
    assert Edges((figure, *besides)).otherwise(pays, figure) == [("R-20", "push", besides[0])]


@pytest.mark.parametrize("wager", ["ultimate_pairs", "bad_beat", "play_the_board", "progressive"])
def test_a_wager_that_a_fold_loses_follows_the_play_of_the_main_bet(wager):
    """By each blind table, said with it, and never better for the player than where it is settled. Clause: md-uth 11.F, R-103."""
    figures = [f for f in edges_of("md-uth").figures if f.wager == wager]
    settled = {of(f): f for f in figures if f.under["R-103"] == "settled"}
    lost = [f for f in figures if f.under["R-103"] == "lost"]
    assert len(lost) == 2 * len(settled)
    for figure in lost:
        assert figure.error is None
        assert figure.under["blind_table"] in ("A", "B")
        assert figure.played == "ante, blind and play played as is best for them"
        assert figure.edge > settled[of(figure)].edge
    assert all(not f.played for f in settled.values())


def of(figure):
    """The same wager and circumstances, whatever a fold makes of it and however the main bet is paid."""
    rest = {q: c for q, c in figure.under.items() if q not in ("R-103", "R-26", "blind_table")}
    return figure.where, tuple(sorted(rest.items()))


@pytest.mark.parametrize("hands", range(2, 8))
def test_folded_hands_make_no_difference_to_cover_all(hands):
    """Nobody folds what it pays for, unless the board shows it to all. Reading: R-97."""
    figures = [f for f in edges_of("ma-uth").figures if f"cover_all {hands} hands" in f.tables]
    by = {(f.under["R-04"], f.under["R-97"]): f.edge for f in figures}
    assert set(by) == {(row, folded) for row in ("lose", "push") for folded in ("counts", "does_not_count")}
    assert all(edge == by[row, "counts"] for (row, _), edge in by.items())


@pytest.mark.parametrize("book", [name for name in library.available() if "@" not in name])
def test_every_pay_table_has_its_figures(book):
    """No table of a document is without one, but those of which a person decides each time."""
    edges = edges_of(book)
    assert edges.figures
    assert not edges.stale
    assert all(isinstance(figure, Figure) for figure in edges.of(cautious(library.find(book), "bench"), ()))


def test_a_later_wager_of_another_amount_is_another_game():
    """Three or four times the ante before the flop: with five times the printed figure would be wrong, so there is none."""
    book = library.find("ma-uth")
    play = book.wagers["play"]
    moment, times = play.times[0]
    dearer = replace(play, times=((moment, replace(times, value=(3, 5))), *play.times[1:]))
    changed = replace(book, wagers={**book.wagers, "play": dearer})
    data = (library.shipped() / "edges" / "ma-uth.json").read_bytes()
    assert "play odds" in parse_edges(data, changed, "x").stale
    assert not parse_edges(data, book, "x").stale
