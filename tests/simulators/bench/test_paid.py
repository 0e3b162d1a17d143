"""The observer works out once more, from the cards that were told, what was paid. People pay in the runs of every rulebook."""

import pytest

from simulators.bench.observer.evidence import Evidence
from simulators.bench.observer.paid import best, payments
from simulators.bench.observer.record import Row

BOARD = "Kh Qd 7s 4c 2d"


@pytest.mark.parametrize(
    ("cards", "worth"),
    [
        ("As Ks Qs Js Ts 2d 3c", (9, 14)),
        ("9s Ks Qs Js Ts 2d 3c", (8, 13)),
        ("As 2s 3s 4s 5s 6d 7c", (8, 5)),
        ("9s 9h 9d 9c Ts 2d 3c", (7, 9, 10)),
        ("9s 9h 9d Tc Ts 2d 2c", (6, 9, 10)),
        ("As Ks 9s 4s 2s 2d 3c", (5, 14, 13, 9, 4, 2)),
        ("As 2h 3s 4s 5d 9d 9c", (4, 5)),
        ("9s 9h 9d Ac Ks 2d 3c", (3, 9, 14, 13)),
        ("9s 9h 8d 8c Ks 2d 2c", (2, 9, 8, 13)),
        ("9s 9h Ad Kc Qs 2d 3c", (1, 9, 14, 13, 12)),
        ("9s 8h Ad Kc Qs 2d 3c", (0, 14, 13, 12, 9, 8)),
    ],
)
def test_the_observer_finds_the_best_five(cards, worth):
    """Each category, and an ace below a two."""
    assert best(cards.split()) == worth


def evidence(*facts, rulebook="ma-uth"):
    """A round of seat 1 with these facts."""
    hands = [("community", 0, BOARD), ("dealer", 0, "Ks 9d"), ("player", 1, "Kc Qh")]
    told = [("hand_recorded", {"area": area, "seat": seat, "cards": cards}) for area, seat, cards in hands]
    rows = [
        Row("main", n, n, kind, "table", "", "", 0, 0, (), b"", b"", b"", b"", data, None)
        for n, (kind, data) in enumerate([("round_begun", {}), *told, *facts], 1)
    ]
    return Evidence(rulebook, "hand", {}, rows=rows)


def settled(wager, paid, **more):
    """A wager of 10.00 that won so much beside it."""
    data = {
        "seat": 1,
        "wager": wager,
        "stake": 1000,
        "returned": 1000,
        "paid": paid,
        "offered": "win",
        "difference": 0,
    }
    return "wager_settled", data | more


def test_what_was_paid_rightly_is_counted_and_nothing_is_found():
    """Kings and queens against kings: ante and play win once, the blind of two pairs goes back."""
    assert payments(evidence(settled("ante", 1000), settled("play", 1000), settled("blind", 0))) == (3, [])


@pytest.mark.parametrize(
    ("fact", "says"),
    [
        (settled("ante", 1001), "seat 1 ante: 2001 handed back, not 2000 by the cards"),
        (settled("blind", 500), "seat 1 blind: 1500 handed back, not 1000 by the cards"),
        (settled("trips", 500, difference=1), "seat 1 trips: 1500 handed back, not as offered"),
        (("round_settled", {"difference": -1}), "-1 cents too much in the round"),
    ],
)
def test_a_cent_too_much_or_too_little_is_found(fact, says):
    """Also where the daemon has offered it so."""
    checked, problems = payments(evidence(fact))
    assert checked == 1
    assert says in problems[0]
