"""A shoe that cannot stop the round: it has no card of it left to deal, or bets are still open. Clause: ma-uth 15(f), R-128."""

from typing import Any

from tests.controller.filters.cases.replayed import decided

AT_FLOP, BEFORE = "ma_empty_shoe_jam_at_flop", "ma_jam_before_no_more_bets"


def kinds(facts: list[dict[str, Any]]) -> list[str]:
    return [fact["kind"] for fact in facts]


def demands(facts: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    (made,) = [fact["data"] for fact in facts if fact["kind"] == "disposition_made"]
    return [(demand["action"], demand["reading"]) for demand in made["demands"]]


def test_an_empty_shoe_that_jams_at_the_flop_is_an_alert() -> None:
    """The round is untouched: no void, no fate of a wager, no hold."""
    facts = decided(AT_FLOP)[34]
    assert kinds(facts) == ["jammed", "disposition_made", "duty_opened", "duty_opened"]
    assert demands(facts) == [("clear_device", "R-128"), ("reshuffle_after_round", "R-128"), ("play_on", "R-128")]


def test_it_voids_the_round_where_the_printed_words_are_elected() -> None:
    """And the void says by which reading."""
    facts = decided(AT_FLOP, R_128="printed_words")[34]
    voided = [fact["data"] for fact in facts if fact["kind"] == "round_voided"]
    assert [(void["cite"], void["reading"]) for void in voided] == [([], "R-128")]


def test_a_shoe_that_jams_before_no_more_bets_blocks_the_deal_alone() -> None:
    """R-22 = hold locks no wager in: the ante is taken back."""
    facts = decided(BEFORE)
    assert kinds(facts[25]) == ["jammed", "disposition_made", "duty_opened", "set_disarmed", "duty_opened"]
    assert demands(facts[25]) == [("clear_device", "R-128"), ("reshuffle", "R-128")]
    assert kinds(facts[26]) == ["wager_withdrawn"]
