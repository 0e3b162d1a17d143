"""The dealer's hand in words: told when it is turned up and known, and neither before nor in part."""

import pytest

from controller.daemon.views.offer_document import announced_document
from controller.daemon.views.status import table_document
from controller.rules.read.library import available
from controller.rules.vocabulary import Area, Trigger
from controller.table.words import acts as a

BOARD = a.RecordHand(Area.COMMUNITY, "Kh Kd 9s 4c 2d")


@pytest.fixture
def turned_up(make_table):
    """Ultimate when the dealer's cards have been turned; seat 1 has played, seat 3 has folded."""

    def make(rulebook, **how):
        table = make_table(rulebook, **how).ready().begin().let_out().deal()
        for street in (a.Street.FLOP, a.Street.LAST_TWO):
            table.decide_all(a.Decision.CHECK)
            table.act(a.RevealCommunity(street))
        table.answer(1, "play", 1)
        table.answer(3, "fold")
        table.act(a.RevealDealer())
        return table

    return make


def told(table):
    return announced_document(table.setup, table.state)


@pytest.mark.parametrize(("book", "clause"), [("md-uth", "11.G(3)"), ("ma-uth", "10(f)")])
def test_the_dealers_best_hand_is_put_into_words(turned_up, book, clause):
    """Two cards of the dealer and five of all. Clause: md-uth 11.G(3); ma-uth 10(f)."""
    table = turned_up(book)
    table.act(BOARD)
    assert told(table) is None
    table.act(a.RecordHand(Area.DEALER, "Ks 9d"))
    assert told(table) == {"hands": ["full house, kings full of nines"], "cite": [clause]}


def test_of_a_card_that_could_not_be_read_nothing_is_told(turned_up, rulebook):
    """A part of a hand would be another hand."""
    table = turned_up(rulebook)
    table.act(BOARD)
    table.act(a.RecordHand(Area.DEALER, "Ks ??"))
    assert told(table) is None


def test_without_all_community_cards_nothing_is_told(turned_up, rulebook):
    """The best five are among seven."""
    table = turned_up(rulebook)
    table.act(a.RecordHand(Area.DEALER, "Ks 9d"))
    assert told(table) is None


def test_after_a_void_nothing_is_told(turned_up, rulebook):
    """No wager is decided by that hand any more."""
    table = turned_up(rulebook)
    table.act(BOARD)
    table.act(a.RecordHand(Area.DEALER, "Ks 9d"))
    assert told(table) is not None
    table.act(a.ReportIrregularity(Trigger.WRONG_COUNT_DEALER))
    assert table.round.void
    assert told(table) is None


def test_the_words_stay_at_the_table(turned_up, rulebook):
    """What is published names no card, and a hand in words would."""
    table = turned_up(rulebook)
    table.act(BOARD)
    table.act(a.RecordHand(Area.DEALER, "Ks 9d"))
    assert "full house" not in str(table_document(table.setup, table.state))


def test_pikit_announces_five_and_three_cards(make_table):
    """Both of the dealer's hands. Clause: nj-pikit 39.10(d)."""
    table = (
        make_table("nj-pikit", offered=())
        .ready()
        .bet((1, "ante", 1000), (1, "five_card_bonus", 1000))
        .let_out()
        .deal()
    )
    table.answer(1, "play_3", 1)
    table.act(a.RevealDealer())
    table.act(a.RecordHand(Area.DEALER, "Ks Kd 9s 4c 2d"))
    assert told(table) == {
        "hands": ["pair of kings, with nine, four, two", "pair of kings, with nine"], "cite": ["39.10(d)"],
    }  # fmt: skip


def test_where_no_document_has_the_hand_announced_nothing_is_told(make_table):
    """Two documents do not speak of it; between rounds there is nothing to say anywhere."""
    says = {book: make_table(book, offered=()).setup.law.rulebook.play.dealer_announced for book in available()}
    assert sorted(book for book, rule in says.items() if rule is None) == ["fast-action", "ma-colorado"]
    assert told(make_table("md-uth").ready()) is None
