"""Clause by clause: what cards are by a document, which hands they beat, lose to and tie with, and how the dealer sets them.

Each `[[rank]]` names cards and what the text makes of them; the hand must be found under the clause of its file, or under
the one that the case cites.
"""

from typing import Any

import pytest

from controller.cards.cards import names, parse
from controller.rules.model import Rulebook
from controller.rules.ranked import Dealt, NoHand, Ranked, decks, ranked
from controller.rules.read.library import find
from tests.clauses import texts

RANK = frozenset(
    {"name", "cards", "order", "is", "cite", "plays", "beats", "ties", "loses", "says", "asks", "sets", "natural", "no_hand"}
)  # fmt: skip
"""`is`: the hand, "" = none that the document lists. `sets`: what the dealer may play of four cards."""


def cases() -> list[Any]:
    found = []
    for path, raw in texts.of_book().items():
        for case in raw.get("rank", []):
            named = f"{path.parent.name}/{path.stem}: {case.get('name', '?')}"
            found.append(pytest.param(path.parent.name, raw["clause"], case, id=named))
    return found


@pytest.mark.parametrize(("rulebook", "clause", "case"), cases())
def test_cards_are_what_the_clause_makes_of_them(rulebook, clause, case):
    """The hand, its clause and what it is worth against others; or the setting of four cards."""
    assert {"name", "cards"} <= set(case) <= RANK, sorted(set(case) - RANK)
    assert set(case) & {"is", "sets", "natural", "no_hand"}, "a case says what the cards are"
    book = find(rulebook)
    match case:
        case {"no_hand": sizes}:
            with pytest.raises(NoHand, match=f"only of {sizes}"):
                ranked(book, parse(case["cards"], decks(book)))
        case {"is": hand}:
            _hand(book, clause, case, hand)
        case _:
            _dealt(book, clause, case)


def _one(book: Rulebook, cards: str, order: str) -> Ranked:
    (hand,) = [h for h in ranked(book, parse(cards, decks(book))) if isinstance(h, Ranked) and h.order == order]
    return hand


def _hand(book: Rulebook, clause: str, case: dict[str, Any], hand: str) -> None:
    order = case.get("order", "five")
    found = _one(book, case["cards"], order)
    assert (found.hand or "") == hand
    cite = case.get("cite", clause)
    assert cite in found.cite if cite else not found.cite
    assert found.asks == case.get("asks")
    if "plays" in case:
        assert names(found.cards) == case["plays"]
    if "says" in case:
        assert found.says == case["says"]
    for lower in case.get("beats", ()):
        assert found.value > _one(book, lower, order).value, f"does not beat {lower}"
    for equal in case.get("ties", ()):
        assert found.value == _one(book, equal, order).value, f"does not tie with {equal}"
    for higher in case.get("loses", ()):
        assert found.value < _one(book, higher, order).value, f"does not lose to {higher}"


def _dealt(book: Rulebook, clause: str, case: dict[str, Any]) -> None:
    (dealt,) = [d for d in ranked(book, parse(case["cards"], decks(book))) if isinstance(d, Dealt)]
    if case.get("natural"):
        assert clause in dealt.natural
        return
    assert dealt.setting is not None, "the cards are a natural"
    assert dealt.setting.cite == case.get("cite", clause)
    assert [names(pair) for pair in dealt.setting.plays] == case["sets"]
