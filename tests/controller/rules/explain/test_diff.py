"""Two rulebooks beside each other: what a house would have to do differently under the other one."""

from dataclasses import replace

import pytest

from controller.rules.explain.diff import difference
from controller.rules.model import Condition, Rulebook
from controller.rules.read.library import available, find
from controller.rules.vocabulary import Action, Guard, Trigger


@pytest.mark.parametrize("book", [name for name in available() if "@" not in name])
def test_a_rulebook_does_not_differ_from_itself(book: str) -> None:
    """No value, no answer, no question."""
    found = difference(find(book), find(book))
    assert (found.values, found.pay, found.answers, found.only_left, found.only_right) == ((), (), (), (), ())


def test_values_that_differ_are_told_with_their_clauses(ma: Rulebook, md: Rulebook) -> None:
    """Who may have the cards cut again, the time of a deck, and a value that only one document has."""
    values = {value.name: value for value in difference(ma, md).values}
    recut = values["act recut"]
    assert (recut.left, recut.left_cite) == ("supervisor", ("4(d)",))
    assert (recut.right, recut.right_cite) == ("floorperson", ("5.G",))
    hand = values["deck_change.interval_s.hand"]
    assert (hand.left, hand.right, hand.right_cite) == (None, "4 h", ("3.C(1)",))
    assert "decks.full" not in values  # 52 in both, under other clauses


def test_answers_that_differ_are_told_by_what_only_one_text_demands(ma: Rulebook, md: Rulebook) -> None:
    """A card too few for a player voids one hand in Massachusetts and all, with all wagers back, in Maryland; of a card too
    many Maryland's text demands nothing by itself, since two of its clauses speak of it (R-214)."""
    answers = [answer for answer in difference(ma, md).answers if answer.trigger is Trigger.WRONG_COUNT_PLAYER]
    assert {answer.only_left for answer in answers} == {(Action.VOID_HAND, Action.PLAY_ON)}
    too_many = [answer for answer in answers if Condition(Guard.TOO_MANY, holds=True) in answer.right.when]
    assert [answer.only_right for answer in too_many] == [()]
    assert {answer.only_right for answer in answers if answer not in too_many} == {
        (Action.VOID_ALL_HANDS, Action.RETURN_ALL_WAGERS, Action.RESHUFFLE)
    }


def test_answers_that_come_to_the_same_are_not_told(ma: Rulebook, md: Rulebook) -> None:
    """A card drawn unseen is the next card in both documents."""
    assert Trigger.CARD_DRAWN_UNEXPOSED not in {answer.trigger for answer in difference(ma, md).answers}


def test_questions_that_only_one_document_asks_stand_on_its_side(ma: Rulebook, md: Rulebook) -> None:
    """And they change sides with the documents."""
    there, back = difference(ma, md), difference(md, ma)
    assert "R-43" in {question.id for question in there.only_left}
    assert "R-31" in {question.id for question in there.only_right}
    assert there.only_left == back.only_right
    assert [(a.left, a.right) for a in there.answers] == [(a.right, a.left) for a in back.answers]


def test_pay_tables_pair_by_what_they_pay(ma: Rulebook, md: Rulebook) -> None:
    """Maryland has the four Trips tables of Massachusetts under the same letters, and one more."""
    found = difference(ma, md).pay
    trips = [table for table in found if "trips" in (table.left or table.right or "")]
    assert [(table.left, table.right, table.cite) for table in trips] == [(None, "trips E", ("12.C(5)",))]


def test_a_pay_table_under_another_name_is_the_same_table(ma: Rulebook) -> None:
    """A new letter is no difference; one hand that pays otherwise is one line."""
    renamed = {name.replace("trips A", "trips Z"): table for name, table in ma.pay.items()}
    other = replace(ma, pay={n: replace(t, table="Z") if n == "trips Z" else t for n, t in renamed.items()})
    assert difference(ma, other).pay == ()
    table = ma.pay["trips A"]
    (hand, paid), *_ = table.rows.items()
    odds = next(cited for cited in table.rows.values() if cited != paid)
    changed = replace(ma, pay={**ma.pay, "trips A": replace(table, rows={**table.rows, hand: odds})})
    (differs,) = difference(ma, changed).pay
    assert (differs.left, differs.right, differs.alike) == ("trips A", "trips A", len(table.rows) - 1)
    assert [line.hand for line in differs.lines] == [str(hand)]
