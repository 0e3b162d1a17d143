"""Cover All beside a void hand: whether that hand counts is R-135, and no card that was read holds the wager.

Clause: ma-uth 13(b), 13(e), 13(k), 15(d). No other document has a wager on all hands of the table.
"""

import pytest

from controller.games.settling.settled import Outcome
from tests.controller.games.test_hands_not_whole import seat, settle

WAGERS = {"ante": 1000, "blind": 1000, "play": 4000, "cover_all": 500}
ODD = {"trigger": "wrong_count_player", "seat": 2}


def cover_all(cards: str, board: str, void: str, folded: str = "", **elected: str):
    """The line of seat 1 beside the void hand of seat 2 and, where one is told, a folded one at seat 3."""
    seats = [seat(cards, "play", WAGERS), seat(void, "", {"ante": 1000, "blind": 1000}) | {"seat": 2}]
    if folded:
        seats.append(seat(folded, "check check fold", {"ante": 1000, "blind": 1000}) | {"seat": 3})
    given = {"seats": seats, "dealer": "2d 3c", "community": board, "irregularity": ODD}
    chosen = {"R-135": "ask", "R-97": "ask"} | {key.replace("R_", "R-"): choice for key, choice in elected.items()}
    (line,) = [x for x in settle("ma-uth", given, **chosen).lines if x.wager == "cover_all"]
    return line


FULL = ("Ah Ad", "As Kc Kd 8s 4h")
"""Aces full, with the kings of the board."""


@pytest.mark.parametrize(
    ("rule", "void", "paid"),
    [
        ("number_alone", "7c", 8 * 500),  # three hands: 8 to 1
        ("does_not_count", "7c", 12 * 500),  # two hands: 12 to 1
        ("counts", "7c", 8 * 500),
        ("counts", "Kh Ks 2c", 50 * 500),  # four kings, of a hand of three cards
        ("number_alone", "Kh Ks 2c", 8 * 500),
        ("does_not_count", "Kh Ks 2c", 12 * 500),
    ],
)
def test_what_was_elected_decides(rule, void, paid):
    """The column of 13(k), and the highest hand of the table."""
    line = cover_all(*FULL, void, R_135=rule)
    assert (line.outcome, line.paid, line.reading) == (Outcome.WIN, paid, None)


@pytest.mark.parametrize("void", ["7c", "??", "Kh Ks 2c", ""])
def test_only_the_reading_holds_it(void):
    """Whether or not the cards of the void hand were read, they are no reason."""
    line = cover_all(*FULL, void)
    assert (line.outcome, line.reading) == (Outcome.HELD, "R-135")
    assert "not read" not in line.note


@pytest.mark.parametrize("board", ["As Kc Jd 8s 4h", "Qs Kc Jd 8s 4h"])
def test_nothing_is_asked_where_the_void_hand_changes_nothing(board):
    """Below three of a kind it loses in each column; below a full house R-04 decides it in each."""
    line = cover_all("Ah Ad", board, "7c", R_04="lose")
    assert (line.outcome, line.reading) == (Outcome.LOSE, None if board[0] == "Q" else "R-04")


def test_a_void_hand_whose_cards_count_and_were_not_read_holds_it():
    """Then it is the card: R-135 says that it counts."""
    line = cover_all(*FULL, "??", R_135="counts")
    assert (line.outcome, line.reading, line.note) == (
        Outcome.HELD, None, "not provable: a card of this hand was not read",
    )  # fmt: skip


@pytest.mark.parametrize(("rule", "paid"), [("counts", 40 * 500), ("does_not_count", 6 * 500)])
def test_a_folded_hand_keeps_its_own_reading(rule, paid):
    """Clause: ma-uth 13(b), R-97: seat 3 folded four kings. Four hands: 40 to 1 for four, 6 to 1 for a full house."""
    line = cover_all(*FULL, "7c", "Kh Ks", R_135="number_alone", R_97=rule)
    assert (line.outcome, line.paid) == (Outcome.WIN, paid)
    asked = cover_all(*FULL, "7c", "Kh Ks", R_135="number_alone")
    assert (asked.outcome, asked.reading) == (Outcome.HELD, "R-97")
