"""Which hands a document ranks: read with its clauses, and refused where this version ranks them otherwise."""

from dataclasses import replace

import pytest

from controller.cards.cards import names, parse
from controller.cards.ranking import Category
from controller.cards.three import ThreeCard
from controller.rules.model import Rulebook
from controller.rules.ranked import Dealt, NoHand, Ranked, decks, ranked
from controller.rules.read.library import available, find

BOOKS = [name for name in available() if "@" not in name]


def hands(book: Rulebook, cards: str) -> dict[str, Ranked]:
    return {h.order: h for h in ranked(book, parse(cards, decks(book))) if isinstance(h, Ranked)}


@pytest.mark.parametrize("book", BOOKS)
def test_every_hand_of_the_documents_decks_is_listed_with_its_clause(book: str) -> None:
    """Nine ranks of one deck, seventeen of several; only cards that make none of them are ranked by themselves."""
    rule = find(book)
    listed = set(rule.ranking.five.hands)
    many = {word.name.lower() for word in Category} - {"super_royal"}
    one = {name for name in many if name != "five" and not name.startswith("flush_")} - {"high_card"}
    assert listed == (many if decks(rule) > 1 else one)


def test_which_documents_rank_three_cards_and_six_and_set_the_dealers_hand() -> None:
    """What only some documents have stands only there."""
    books = {name: find(name).ranking for name in BOOKS}
    assert {name for name, rule in books.items() if rule.three} == {"nj-pikit", "ma-colorado"}
    assert {name for name, rule in books.items() if rule.six} == {"md-uth"}
    assert {name for name, rule in books.items() if rule.house_ways} == {"fast-action"}
    assert {name for name, rule in books.items() if not rule.ties} == {"ma-colorado"}


def test_an_order_that_this_version_does_not_rank_by_refuses_the_file(faults_of) -> None:
    """A document in which a flush were above a full house needs another version, not a silent wrong payment."""
    faults = faults_of(
        ('full_house     = { value = 4, cite = "5(b)(4)" }', 'full_house     = { value = 5, cite = "5(b)(4)" }'),
        ('flush          = { value = 5, cite = "5(b)(5)" }', 'flush          = { value = 4, cite = "5(b)(5)" }'),
        book="ma-uth",
    )
    assert faults == ("[ranking.five] flush: hands_misplaced",)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("pair           = { value = 9", "pair           = { value = 8", "[ranking.five]: hands_misplaced"),
        ("two_pairs      =", "two_pair       =", "[ranking.five] two_pair: word_unknown"),
        ('cite = "5(b)(9)"', 'cite = "5(b)(10)"', "[ranking.five] pair: clause_unknown"),
        ('"class_first"', '"suit"', "[ranking] ties value: word_unknown"),
        ('"ace_high_or_below_two"', '"ace_low"', "[ranking] cards value: word_unknown"),
        ("[ranking.five]", "[ranking.four]", "[ranking] five: key_missing"),
    ],
)  # fmt: skip
def test_a_slip_in_the_list_of_hands_refuses_the_file(faults_of, old: str, new: str, fault: str) -> None:
    """Each fault with its place and what is known."""
    assert fault in faults_of((old, new), book="ma-uth")


def test_seven_cards_are_ranked_with_the_clause_of_the_hand(ma: Rulebook) -> None:
    """The best five, in words, with what makes them."""
    found = hands(ma, "As Kd Kh Ks 9c 9d 2h")["five"]
    assert (found.hand, found.says, found.cite) == ("full_house", "full house, kings full of nines", ("5(b)(4)",))
    assert names(found.cards) == "Ks Kh Kd 9d 9c"


def test_cards_that_make_no_hand_are_ranked_by_the_clause_on_ties(ma: Rulebook, co: Rulebook) -> None:
    """Where hands are compared; where they never are, no clause is cited."""
    assert hands(ma, "As Qd Th 8s 2c")["five"].cite == ("5(c)",)
    assert hands(co, "As Qd Th 8s 2c")["five"].cite == ()


def test_six_cards_are_a_hand_and_a_bonus_in_maryland(md: Rulebook) -> None:
    """Nine to ace of one suit is a royal flush at the table and a super royal for the bonus; a pair is no bonus."""
    found = hands(md, "Ad Kd Qd Jd Td 9d")
    assert (found["five"].hand, found["six"].hand) == ("royal_flush", "super_royal")
    assert found["six"].says == "super royal of diamonds"
    assert found["six"].cite == ("6.F(8)", "12.E(1)")
    assert names(found["six"].cards) == "Ad Kd Qd Jd Td 9d"
    assert hands(md, "Ad Ac Qd Jd 8d 7s")["six"].hand is None


def test_five_cards_of_pikit_are_two_hands(nj: Rulebook) -> None:
    """The best five and the best three stand beside each other; three cards alone are the bonus."""
    found = hands(nj, "9h 8c 7d 2h 3h")
    assert (found["five"].hand, found["three"].hand) == (None, "straight")
    assert (found["five"].cite, found["three"].cite) == (("39.4(d)",), ("39.4(c)4",))
    assert hands(nj, "Ah Kh Qh")["three"].hand == "royal_flush"


def test_colorado_knows_two_hands_of_three_cards(co: Rulebook) -> None:
    """An ace, king and queen of one suit are consecutive and have no name of their own; a pair wins nothing at once."""
    assert hands(co, "Ah Kh Qh")["three"].says == "straight flush, ace high"
    assert hands(co, "9h 9d 9c")["three"].cite == ("3(c)(2)",)
    assert hands(co, "9h 9d 4c")["three"].hand is None


def test_ace_two_three_of_one_suit_names_the_reading_on_which_it_hangs(co: Rulebook, nj: Rulebook) -> None:
    """The text is silent, so the answer says that somebody decides; where a text speaks there is nothing to ask."""
    assert hands(co, "Ah 2h 3h")["three"].asks == "R-59"
    assert hands(co, "4h 2h 3h")["three"].asks is None
    assert hands(nj, "Ah 2h 3h")["three"].asks is None


def test_four_cards_of_fast_action_are_set_or_a_natural(fa: Rulebook) -> None:
    """The way that decides, what is played and what is discarded."""
    (dealt,) = ranked(fa, parse("Ah Th Kd Qd"))
    assert isinstance(dealt, Dealt)
    assert dealt.setting is not None
    assert (dealt.setting.cite, names(dealt.setting.plays[0]), names(dealt.discards[0])) == (
        "(h)(9)(iii)", "Ah Th", "Kd Qd",
    )  # fmt: skip
    (natural,) = ranked(fa, parse("9h 9h 9d 9s", 6))
    assert natural == Dealt(natural=("(a)(1)(v)", "(h)(2)", "(h)(8)"))


def test_a_set_holds_as_many_like_cards_as_the_house_may_choose_decks(fa: Rulebook, ma: Rulebook) -> None:
    """Six or eight are the house's choice; one deck elsewhere."""
    assert (decks(fa), decks(ma)) == (8, 1)


@pytest.mark.parametrize(
    ("book", "sizes"),
    [("ma-uth", "5, 6 or 7"), ("nj-pikit", "3 or 5"), ("ma-colorado", "3 or 5"), ("fast-action", "4, 5, 6 or 7")],
)
def test_a_number_of_cards_that_is_no_hand_is_refused_with_those_that_are(book: str, sizes: str) -> None:
    """Cards are not completed or left out by guessing."""
    with pytest.raises(NoHand, match=f"{book} ranks no hand of 8 cards, only of {sizes}"):
        ranked(find(book), range(8))


def test_the_only_number_of_cards_that_is_a_hand_is_named_alone(ma: Rulebook) -> None:
    """Of a document that ranks five cards and nothing else."""
    five = replace(ma.ranking.five, of=replace(ma.ranking.five.of, value=5))
    with pytest.raises(NoHand, match=r"only of 5$"):
        ranked(replace(ma, ranking=replace(ma.ranking, five=five)), range(8))


def test_values_of_three_cards_and_of_five_are_never_alike() -> None:
    """A value says by itself what it is of."""
    assert not {int(word) for word in Category} & {int(word) for word in ThreeCard}
