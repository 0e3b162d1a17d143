"""Rounds in which something happened, so that hands are short or were not told; and cards chosen of a hand that are not in it."""

from typing import Any

import pytest

from controller.filters.settle import RoundLine, round_of
from controller.games.settling.engine import Settler
from controller.games.settling.round import RoundRefused, Terms
from controller.games.settling.settled import Outcome, Settlement
from controller.readers.json import convert
from controller.rules.elections import elect, proposals
from controller.rules.read.library import find

SET_ASIDE = {"trigger": "card_face_up", "state": ["initial_deal_done"]}
"""One card lay face up and is out of the game: the wagers are settled by the cards."""


def settle(name: str, given: dict[str, Any], **elected: str) -> Settlement:
    book = find(name)
    law = elect(book, {q: (choice, "test") for q, choice in (proposals(book) | elected).items()})
    return Settler(law).settle(round_of(convert(given, RoundLine, "round"), Terms("USD")))


def seat(cards: str, answer: str, wagers: dict[str, int], **told: str) -> dict[str, Any]:
    return {"seat": 1, "cards": cards, "wagers": wagers, "decisions": [*answer.split()], **told}


def pairs(dealer: str) -> Any:
    """The line of Ultimate Pairs of a player with two aces, under the table that pays the dealer's aces too."""
    wagers = {"ante": 1000, "blind": 1000, "play": 1000, "ultimate_pairs": 500}
    mine = seat("Ah Ad", "check check play", wagers)
    given = {"seats": [mine], "dealer": dealer, "community": "2c 3c 4d 9h Jd", "irregularity": SET_ASIDE}
    (line,) = [x for x in settle("md-uth", given, ultimate_pairs_table="B").lines if x.wager == "ultimate_pairs"]
    return line


@pytest.mark.parametrize("dealer", ["", "Ac", "Ac ??"])
def test_aces_of_the_dealer_are_paid_only_where_both_were_seen(dealer):
    """Clause: md-uth 12.E[2](2)(a). A hand that nobody has told holds no aces."""
    assert pairs(dealer).outcome is Outcome.HELD
    assert pairs("Ac As").pays == "1000 to 1"
    assert pairs("Ac Ks").pays == "30 to 1"


@pytest.mark.parametrize("cards", ["", "Ah", "Ah Ad Ac"])
def test_a_six_card_bonus_without_six_cards_is_held(cards):
    """Clause: md-uth 7.F(4). Four cards of the box and two of the player decide it, and nothing else does."""
    wagers = {"ante": 1000, "blind": 1000, "play": 1000, "trips": 500, "six_card": 500}
    given = {"seats": [seat(cards, "check check play", wagers)], "box": "Kc 7s 5s 2d", "irregularity": SET_ASIDE}
    (line,) = [x for x in settle("md-uth", given).lines if x.wager == "six_card"]
    assert line.outcome is Outcome.HELD


def test_one_card_is_not_shown_three_times_for_a_bonus():
    """Clause: nj-pikit 39.10(b): three of the five cards that were dealt."""
    wagers = {"ante": 1000, "five_card_bonus": 1000, "three_card_bonus": 500, "play_5": 1000}
    for shown in ("As As As", "As As Kd", "As ?? As"):
        mine = seat("As Kd 9c 5h 2s", "show play_5", wagers, shown=shown)
        with pytest.raises(RoundRefused, match="three_card_bonus: `shown` has the 3 cards"):
            settle("nj-pikit", {"seats": [mine], "dealer": "2c 3c 4d 9h Jd"})


def test_one_card_is_not_kept_twice():
    """Clause: ma-colorado 10(b)(1), 10(d)(1): one of three cards is discarded, two stay."""
    mine = seat("As Kd 9c", "bet", {"ante": 1000, "bet": 1000}, played="As As")
    with pytest.raises(RoundRefused, match="seat 1: `played` has the 2 cards"):
        settle("ma-colorado", {"seats": [mine], "community": "Ad 3c 4d"})


@pytest.mark.parametrize("cards", ["", "As Kd", "As Kd Qd Jd"])
def test_which_cards_were_kept_need_not_be_told_of_a_void_hand(cards):
    """Clause: ma-colorado 14(c): all hands are void, whatever a player kept."""
    mine = seat(cards, "bet", {"ante": 1000, "bet": 1000})
    happened = {"trigger": "wrong_count_player", "seat": 1}
    settled = settle("ma-colorado", {"seats": [mine], "irregularity": happened})
    assert {line.outcome for line in settled.lines} == {Outcome.VOID}


@pytest.mark.parametrize("played", ["Ac Ah", "As As"])
def test_cards_that_a_player_does_not_hold_are_not_played_after_an_irregularity_either(played):
    """Clause: fast-action (h)(1), (i)(1): two of the player's four cards, also where a card lay face up."""
    mine = seat("As Kd 9c 8c", "set", {"original": 1000}, played=played)
    given = {"seats": [mine], "dealer": "2c 3c 4d 9h", "community": "Ad 3c 4d 8h 8c"}
    with pytest.raises(RoundRefused, match="seat 1: `played` has the 2 cards"):
        settle("fast-action", {**given, "irregularity": {"trigger": "card_face_up"}})


@pytest.mark.parametrize("cards", ["", "7c ?? 7d 7h", "7c 7d 7h 6s"])
def test_a_natural_that_was_reported_to_be_none_waits_for_a_person_whatever_was_read_of_it(cards):
    """Which two cards are set nobody has said. Clause: fast-action (h)(2), (i)."""
    mine = seat(cards, "natural", {"original": 1000})
    false = {"trigger": "false_declaration", "seat": 1}
    given = {"seats": [mine], "dealer": "2c 3d 9h Jd", "community": "2d 3c 4d 9s Js", "irregularity": false}
    (line,) = settle("fast-action", given, **{"R-67": "play_on"}).lines
    assert (line.outcome, line.cite) == (Outcome.HELD, ("(h)(2)", "(i)"))
    mine["played"] = "7c ??" if cards else ""
    assert settle("fast-action", given, **{"R-67": "play_on"}).lines == (line,)
    if "??" not in cards and cards:
        mine["played"] = "7c 7d"
        (line,) = settle("fast-action", given, **{"R-67": "play_on"}).lines
        assert (line.outcome, line.cite) == (Outcome.LOSE, ("(h)(11)",))


@pytest.mark.parametrize(("cards", "outcome", "paid"), [("7c 7d 7h 6s", "held", 0), ("7c 7d 7h 7s", "win", 5000)])
def test_something_else_that_happened_makes_no_natural_and_takes_none(cards, outcome, paid):
    """Clause: fast-action (h)(2)."""
    touched = {"trigger": "hand_touched", "seat": 1}
    mine = seat(cards, "natural", {"original": 1000})
    given = {
        "seats": [mine], "dealer": "2c 3d 9h Jd", "community": "2d 3c 4d 9s Js", "irregularity": touched,
    }  # fmt: skip
    (line,) = settle("fast-action", given, **{"R-82": "record"}).lines
    assert (line.outcome, line.paid) == (Outcome(outcome), paid)
