"""Rounds that are not over, and choices that were not told: what plays no part is settled, the rest is held."""

import pytest

from controller.cards.cards import parse
from controller.games.model import Decision
from controller.games.settling.engine import Settler
from controller.games.settling.round import UNREADABLE, Hand, Round, RoundRefused, read_cards
from controller.games.settling.settled import Outcome
from controller.rules.elections import cautious
from controller.rules.read.library import find
from controller.table.words.structs import replace

PIKIT = Settler(cautious(find("nj-pikit"), "test"))
COLORADO = Settler(cautious(find("ma-colorado"), "test"))
FAST_ACTION = Settler(cautious(find("fast-action"), "test"))
UNREAD = (UNREADABLE,) * 5


def outcomes(settler, round_):
    return {line.wager: line.outcome for line in settler.settle(round_).lines}


def test_an_answer_may_be_missing_only_while_the_round_is_under_way():
    """The bonus that was shown is settled; ante and the later wager wait. At the end the missing answer is refused by name."""
    cards = parse("9s 9h Kd 4c 2d")
    wagers = {"ante": 1000, "five_card_bonus": 1000, "three_card_bonus": 500}
    round_ = Round((Hand(1, wagers, cards, (Decision.SHOW,), shown=cards[:3]),), UNREAD, under_way=True)
    assert outcomes(PIKIT, round_) == {
        "three_card_bonus": Outcome.WIN, "five_card_bonus": Outcome.LOSE, "ante": Outcome.HELD,
    }  # fmt: skip
    with pytest.raises(RoundRefused, match="seat 1: has not answered in decision"):
        PIKIT.settle(replace(round_, under_way=False))


def test_an_answer_that_cannot_be_is_refused_also_while_the_round_is_under_way():
    """Missing is not wrong: an answer of another stage stays refused."""
    hand = Hand(1, {"ante": 1000, "five_card_bonus": 1000}, UNREAD, (Decision.CHECK,))
    with pytest.raises(RoundRefused, match="check does not belong in decision"):
        PIKIT.settle(Round((hand,), UNREAD, under_way=True))


@pytest.mark.parametrize(
    ("settler", "round_", "held"),
    [
        (COLORADO, Round((Hand(1, {"ante": 500, "bet": 500}, parse("Ks 7s 2d"), (Decision.BET,), UNREAD[:2]),),
            (), parse("Kh 7d 4c")), {"ante", "bet"}),
        (FAST_ACTION, Round((Hand(1, {"original": 500}, parse("Ks 7s 2d 2c"), (Decision.SET,), UNREAD[:2]),),
            parse("Ac Qd 8h 3c"), parse("Kh 7d 4c 5c 9s")), {"original"}),
        (PIKIT, Round((Hand(1, {"ante": 500, "five_card_bonus": 500, "three_card_bonus": 500}, parse("9s 9h Kd 4c 2d"),
            (Decision.SHOW, Decision.FOLD), shown=UNREAD[:3]),), parse("Ac Qd 8h 3c 2s")), {"three_card_bonus"}),
    ],
)  # fmt: skip
def test_a_choice_that_was_not_told_holds_what_hangs_on_it(settler, round_, held):
    """The hand is known and not which cards of it count: nothing is guessed."""
    found = outcomes(settler, round_)
    assert {wager for wager, outcome in found.items() if outcome is Outcome.HELD} == held


def test_cards_are_read_with_their_place():
    """An unread card keeps its place, and a fault names the word."""
    assert read_cards("As, ?? Td") == (*parse("As"), UNREADABLE, *parse("Td"))
    with pytest.raises(ValueError, match="word 3, 'Zz'"):
        read_cards("As ?? Zz")
