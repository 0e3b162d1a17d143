"""A clause on one page: in plain words, with what it demands in full and what it only touches by name."""

import pytest

from controller.rules.explain.clause_page import brief
from controller.rules.explain.explain import explanation
from controller.rules.explain.words import ACTIONS, GUARDS, TRIGGERS
from controller.rules.model import Rulebook
from controller.rules.vocabulary import Action, Guard, Trigger


@pytest.fixture
def told(ma: Rulebook, md: Rulebook, nj: Rulebook, co: Rulebook, fa: Rulebook):
    """The page of a clause, with the other four documents beside it."""
    books = {book.id: book for book in (ma, md, nj, co, fa)}

    def page(book: str, clause: str) -> list[str]:
        return brief(explanation(books[book], clause, [other for name, other in books.items() if name != book]))

    return page


def test_every_word_of_the_vocabulary_has_its_plain_words() -> None:
    """No trigger, guard or action reaches a page as an identifier."""
    assert set(TRIGGERS) == set(Trigger)
    assert set(GUARDS) == set(Guard)
    assert set(ACTIONS) == set(Action)
    spoken = [*TRIGGERS.values(), *ACTIONS.values(), *(word for pair in GUARDS.values() for word in pair)]
    assert not [words for words in spoken if "_" in words]
    assert len(spoken) == len(set(spoken))


def test_a_clause_tells_what_triggers_it_who_does_what_and_how_the_others_differ(told) -> None:
    """md-uth 13.I beside Massachusetts, New Jersey, Colorado and Fast Action."""
    page = told("md-uth", "13.I")
    assert (
        page[0]
        == '  The automated shoe jams, stops, or does not deal; a round is in play; "no more bets" is announced; it has cards of '
        "this round left to deal; it did not free itself:"
    )
    assert page[2:6] == [
        "    - the round is void [13.I]",
        "    - dealer: return all wagers [13.I(1)]",
        "    - dealer: take the cards out of the device [13.I(2)]",
        "    - dealer: shuffle again together with the cards already dealt [13.I(3)]",
    ]
    massachusetts, jersey, fast_action = page[6:9]
    assert massachusetts.startswith("    ma-uth 15(f); ma-colorado 14(f): The shoe failed in a round")
    assert massachusetts.endswith(
        "Not demanded there: return all wagers. Demanded besides: do so by the approved procedures."
    )
    assert jersey.startswith("    nj-pikit 38.12(f): ")
    assert jersey.endswith("Not demanded there: return all wagers.")
    assert fast_action.startswith("    fast-action: the text is silent. ")


def test_what_the_clause_shares_with_others_is_named_and_no_more(told) -> None:
    """The packets of a shuffler under 13.H and 13.I, other states of the shoe, and the questions about them."""
    page = told("md-uth", "13.I")
    at = page.index("  It also has a part in:")
    assert page[at + 1] == "    The shuffler jams, stops, or does not complete its shuffle [13.H, 13.I]"
    assert (
        page[at + 2] == "    The automated shoe jams, stops, or does not deal, in other states of the table [13.I]"
    )
    assert (
        page[-1]
        == "  other questions that touch it: R-212, R-168, R-21, R-29, R-30, R-33, R-128, R-39, R-71, R-131 (--all tells them)"
    )
    assert len(page) < 20


def test_what_follows_by_election_stands_under_its_election(told) -> None:
    """The text voids a hand; what becomes of its wager is R-22, whose question is told in full."""
    page = told("fast-action", "(i)(3)")
    assert "    - if R-22 = return: dealer: return the wagers of that seat" in page
    assert "    - if R-22 = hold: floorperson: hold the wagers of that seat; call a floorperson" in page
    assert any(line.startswith("  reading R-22: ") for line in page)
    assert any(line.startswith("    ma-uth; md-uth; nj-pikit; ma-colorado: not in this game. ") for line in page)


def test_documents_that_demand_the_same_are_told_together(told) -> None:
    """A card drawn unseen is the next one in four documents, and Fast Action has no rule."""
    page = told("md-uth", "13.D")
    assert "    ma-uth 15(c); nj-pikit 38.12(b); ma-colorado 14(b): the same follows. " in "\n".join(page)
    assert any(line.startswith("    fast-action: the text is silent. ") for line in page)


def test_an_answer_for_every_state_is_compared_with_that_in_a_round(md: Rulebook, fa: Rulebook) -> None:
    """Fast Action is silent on a shoe whatever the state; the other document is asked as of a round in play."""
    answers = explanation(fa, "(k)(1)", (md,)).answers
    shoe = next(answer for answer in answers if answer.row.trigger is Trigger.SHOE_JAM)
    assert shoe.elsewhere[0].row.cite == ("13.I",)
    assert not shoe.elsewhere[0].row.silent


def test_what_this_text_makes_no_difference_of_is_told_both_ways_of_the_others(told) -> None:
    """One card face up or several is the same under (i)(1); elsewhere several void all hands."""
    page = "\n".join(told("fast-action", "(i)(1)"))
    assert "    md-uth 13.A: where there is one: the same follows. " in page
    assert "    md-uth 13.B: where there are several: More than one card lay face up: all hands are void" in page


def test_a_clause_that_is_answered_by_a_reading_alone_is_told_with_it(told) -> None:
    """Maryland lets a wager be taken as abandoned and does not say when: the answer stands under R-53."""
    page = told("md-uth", "7.C(2)")
    assert "  A player leaves with a wager on the layout:" in page
    assert "    - if R-53 = hold: floorperson: hold the wagers of that seat; call a floorperson" in page


def test_a_long_list_says_each_turn_once(told) -> None:
    """One card to each player and one to the dealer, four times, and on which reading that rests."""
    page = told("fast-action", "(g)(3)")
    assert "  dealing, manual shoe, stacks: 1 card to player; 1 card to dealer, 4 times" in page
    assert "  dealing, dealing shoe, stacks: 1 card to player; 1 card to dealer, 4 times (by reading R-69)" in page


def test_a_pay_table_is_one_line(told) -> None:
    """Each table of Trips with its hands in their order; --all has a line for each."""
    page = told("md-uth", "12.C")
    (table,) = [line for line in page if line.startswith("  pay table, trips E: ")]
    assert table.startswith(
        "  pay table, trips E: royal flush 50 to 1; straight flush 40 to 1; four of a kind 30 to 1; "
    )
    assert sum("pay table, trips " in line for line in page) == 5


def test_a_clause_on_which_nothing_rests_has_no_line(told) -> None:
    """The operator fixes the boxes to the table; the class of the clause, which the command prints before, says that."""
    assert told("md-uth", "2.D(1)") == []
