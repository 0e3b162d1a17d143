"""Bad Beat where player and dealer hold equal hands: R-139, and only where the table has a row for them.

Clause: md-uth 7.F(6), 12.F[2]. No other document has the wager.
"""

import pytest

from controller.games.settling.settled import Outcome
from tests.controller.games.test_hands_not_whole import seat, settle

WAGERS = {"ante": 1000, "blind": 1000, "play": 4000, "bad_beat": 500}
BOARD = "Ah Kd Qc Js Th"
"""A straight that both play."""


def bad_beat(board: str, mine: str = "2c 3d", dealer: str = "2d 3c", **elected: str):
    given = {"seats": [seat(mine, "play", WAGERS)], "dealer": dealer, "community": board}
    chosen = {"R-104": "either_hand"} | {key.replace("R_", "R-"): choice for key, choice in elected.items()}
    (line,) = [x for x in settle("md-uth", given, **chosen).lines if x.wager == "bad_beat"]
    return line


@pytest.mark.parametrize(
    ("rule", "outcome", "back"), [("ask", Outcome.HELD, 0), ("lost", Outcome.LOSE, 0), ("push", Outcome.PUSH, 500)]
)
@pytest.mark.parametrize("whose", ["ask", "either_hand", "players_hand"])
def test_equal_hands_with_a_row_are_as_was_elected(rule, outcome, back, whose):
    """Whosever beaten hand would pay: none is beaten."""
    line = bad_beat(BOARD, R_139=rule, R_104=whose)
    assert (line.outcome, line.returned, line.paid, line.reading) == (outcome, back, 0, "R-139")


@pytest.mark.parametrize("rule", ["ask", "lost", "push"])
def test_equal_hands_without_a_row_lose_by_the_table(rule):
    """Two pairs on the board: nothing would be paid for them if they were beaten either."""
    line = bad_beat("Ah Ad Kc Ks Qh", R_139=rule)
    assert (line.outcome, line.reading, line.cite) == (Outcome.LOSE, None, ("12.F[2](1)",))


def test_a_hand_that_is_beaten_by_a_card_is_no_tie():
    """Three aces each, and the king beside them decides."""
    line = bad_beat("Ah Ad 9c 5s 2h", "Ac Qd", "As Kc", R_139="push")
    assert (line.outcome, line.paid) == (Outcome.WIN, 4500)
