"""A meter may stand below the amount with which it starts again; only initial and reset amount have a least.

Clause: md-uth 12.D(3)(b), 12.D(4). No other document prints what is paid from a meter.
"""

import pytest

from controller.games.settling.round import RoundRefused
from tests.controller.games.test_hands_not_whole import seat, settle

WAGERS = {"ante": 1000, "blind": 1000, "play": 4000, "progressive": 500}
ROYAL, STRAIGHT_FLUSH = ("Ah Kh", "Qh Jh Th 2c 3d"), ("9h 8h", "Qh Jh Th 2c 3d")


def progressive(hand: tuple[str, str], cents: int, reset: int = 1_000_000, **elected: str):
    """The line of the progressive wager, and the meter after it."""
    cards, board = hand
    meters = {"meter": {"cents": cents, "reset": reset}}
    given = {"seats": [seat(cards, "play", WAGERS)], "dealer": "2d 2s", "community": board, "meters": meters}
    chosen = {"progressive_table": "A"} | {key.replace("R_", "R-"): choice for key, choice in elected.items()}
    found = settle("md-uth", given, **chosen)
    (line,) = [x for x in found.lines if x.wager == "progressive"]
    return line, found.meters["meter"]


@pytest.mark.parametrize("cents", [900_000, 999_999, 1_000_000, 1_000_001, 0])
def test_all_of_it_is_paid_as_it_stands(cents):
    """The meter starts again with its reset amount, whatever it stood at."""
    if cents:
        line, after = progressive(ROYAL, cents)
        assert (line.paid, after) == (cents, 1_000_000)
    else:
        line, after = progressive(("2h 7s", "Qh Jh Td 4c 3d"), cents)
        assert (line.paid, after) == (0, 0)


@pytest.mark.parametrize(("rule", "after"), [("lower", 810_000), ("unchanged", 900_000)])
def test_a_second_straight_flush_is_paid_of_what_the_first_left(rule, after):
    """R-106. 1,000,000 less a tenth, and a tenth of that."""
    first = progressive(STRAIGHT_FLUSH, 1_000_000, R_106="lower")
    second = progressive(STRAIGHT_FLUSH, first[1], R_106=rule)
    assert (first[0].paid, first[1]) == (100_000, 900_000)
    assert (second[0].paid, second[1]) == (90_000, after)


@pytest.mark.parametrize(("reset", "fine"), [(1_000_000, True), (999_999, False)])
def test_a_reset_amount_below_its_least_is_refused(reset, fine):
    """Clause: md-uth 12.D(3)(b)(i)."""
    if fine:
        assert progressive(ROYAL, 900_000, reset)[0].paid == 900_000
    else:
        with pytest.raises(RoundRefused) as refused:
            progressive(ROYAL, 900_000, reset)
        assert refused.value.cite == ("12.D(3)(b)(i)",)
