"""The cautious choice follows one rule in all five books, and the proposed one changes by name only."""

import re
import tomllib
from pathlib import Path

import pytest

from controller.rules.elections import elect, proposals
from controller.rules.model import Reading
from controller.rules.read.library import available, find
from controller.rules.vocabulary import Action

ASKS = {"hold", "ask"}
PROPOSED = Path(__file__).with_name("proposed.toml")
BOOKS = {name: find(name) for name in available()}
CHANGELOG = Path(__file__).parents[3] / "CHANGELOG.md"

PRINTED = {
    "R-05": "keep_count",  # the count is printed, and no exception from it
    "R-16": "equal_only",  # 39.1 and 39.3(b) both hold where the wager equals the ante
    "R-27": "flop",  # 1.B(3) and 1.B(6) speak of five cards, and a player has no others when the flop is paid
    "R-28": "before_look",  # 39.10(a) has the cards revealed, before 39.10(b) has anybody look
    "R-157": "again",  # 5.H(2) names chapter 4 as a whole
    "R-30": "jam",  # the clauses say that a device jams, and not who clears it
    "R-166": "counts",  # each deck is used for every other round, and no exception is printed for a void one
    "R-167": "hand_only",  # 11.C(1) speaks of dealing by hand, the name of chapter 9
    "R-137": "recorded",  # 11.F(3)(b) and (d) have the cards go to the rack, where they cannot be read later
    "R-142": "recorded",  # as R-137; and 10(e)(2)(ii) of ma-uth
    "R-140": "highest",  # (a)(1)(ix): hands are set to rank highest
    "R-141": "each",  # (h)(9)(viii) and (ix) say "cards" of what the bound stands beside
    "R-128": "printed_words",  # a round of play, without a word of what the shoe has left to deal
    "R-148": "both",  # 7(f), 8.E, 39.7(e), 7(e): every five rounds, and to find whether the deck is whole
    "R-151": "not_offered",  # no clause of chapters 8 and 9 deals a card to the box
    "R-202": "with_the_hand",  # 15(a) and 15(b) spare Trips by name, and 15(d) and 15(f) spare nothing
    "R-100": "kept",  # 8.C(4) collects the chip before the deal, and no clause hands it back
}
"""Readings without a choice to hold, where the text says more for one of the choices."""

TAKES_NOTHING = {
    "R-06": "four_hours",
    "R-34": "counting_only",
    "R-44": "compare",
    "R-149": "counted",  # the count comes no later
    "R-150": "goes_on",  # the count comes no later
    "R-224": "before_settling",  # nothing of a round that may be void is paid or collected
    "R-18": "not_enabled",  # no device, so none of its failures reaches a wager
    "R-29": "dealing_failure",  # the round is void, and wagers of a void round go back or are held
    "R-40": "cover",
    "R-41": "house_interval",
    "R-61": "house_count",
    "R-98": "winnings",
    "R-101": "given_back",
    "R-105": "named_sections",
    "R-106": "unchanged",
    "R-107": "up",
    "R-138": "any",
    "R-215": "in_turn",
}
"""Readings without a choice to hold, where no word of the text decides."""


def _several() -> list[tuple[str, Reading]]:
    return [(book, r) for book in BOOKS for r in BOOKS[book].readings.values() if len(r.choices) > 1]


@pytest.mark.parametrize(("book", "reading"), _several(), ids=lambda x: x if isinstance(x, str) else x.id)
def test_cautious_is_to_hold_then_print_then_spare(book: str, reading: Reading) -> None:
    """To hold and ask where that is a choice, else the printed words, else what takes nothing from a player."""
    asks = ASKS & {choice.id for choice in reading.choices}
    if asks:
        assert {reading.cautious} == asks
        assert reading.id not in PRINTED | TAKES_NOTHING
    else:
        grounds = PRINTED | TAKES_NOTHING
        assert reading.id in grounds, (
            f"{reading.id} has no choice to hold: say here why {reading.cautious} is cautious"
        )
        assert reading.cautious == grounds[reading.id]


def test_a_choice_to_hold_holds_or_asks_a_person() -> None:
    """What is called hold demands a hold, a call or a settlement that a person decides: it is no mere name."""
    people = {Action.CALL_FLOORPERSON, *(action for action in Action if action.startswith("hold_"))}
    seen = 0
    for book, reading in _several():
        steps = [
            step
            for rows in BOOKS[book].rows.values()
            for row in rows
            for step in row.by_reading
            if (reading.id, "hold") in step.condition
        ]
        if steps:
            assert any(people & {demand.action for demand in step.do} for step in steps), (book, reading.id)
            seen += 1
    assert seen > 50


@pytest.mark.parametrize("book", BOOKS)
def test_every_cautious_choice_can_be_elected_at_once(book: str) -> None:
    """A house that takes the cautious choice everywhere has a law without a hole."""
    rulebook = BOOKS[book]
    chosen = proposals(rulebook) | {r.id: r.cautious for r in rulebook.readings.values()}
    law = elect(rulebook, {question: (choice, "J. Doe") for question, choice in chosen.items()})
    assert law.unelected() == ()


@pytest.mark.parametrize("book", BOOKS)
def test_a_proposed_choice_changes_by_name_only(book: str) -> None:
    """Benches and filters choose as `proposed.toml` says; another choice has a line in the changelog."""
    rulebook, log = BOOKS[book], CHANGELOG.read_text("utf-8")
    kept = tomllib.loads(PROPOSED.read_text("utf-8"))[book]
    now = {r.id: r.proposed for r in rulebook.readings.values() if len(r.choices) > 1}
    changed = {id_ for id_, choice in kept.items() if id_ in now and now[id_] != choice}
    named = set(re.findall(r"proposed for benches: `(R-\d+)`", log))
    assert changed <= named, f"name in CHANGELOG.md: proposed for benches: {sorted(changed - named)}"


def test_a_reading_without_a_proposal_proposes_its_cautious_choice() -> None:
    """The key is for departures: most readings have none."""
    same = [r for _, r in _several() if r.proposed == r.cautious]
    other = [r for _, r in _several() if r.proposed != r.cautious]
    assert len(same) > len(other) > 0
