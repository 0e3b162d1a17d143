"""What cards are by a document: which hands they make, the clause of each, the cards that make it, and its value."""

from collections.abc import Sequence

from controller.cards import words
from controller.cards.cards import without
from controller.cards.house_ways import Read, Setting, is_natural, set_hand
from controller.cards.ranking import ACE, best_five, worth
from controller.cards.six import six_card_bonus, super_royal
from controller.cards.three import ThreeCard, ace_two_three, best_three, best_three_cards
from controller.rules.model import Rulebook
from controller.rules.parts import OrderRule
from controller.rules.vocabulary import Settle
from drivers.protocol.records import dataclass


class NoHand(ValueError):
    """The document ranks no hand of so many cards."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One hand that cards make. `order`: `five`, `six` or `three`, within which values are compared, larger above.

    `hand`: its name in the rulebook, None for what the document does not list there; then `cite` is empty too, or names
    the clause by which the cards alone decide. `cards`: those that make it. `value`: as in `controller.cards`. `asks`: the
    reading on which it depends whether this counts.
    """

    order: str
    hand: str | None
    says: str
    cards: tuple[int, ...]
    value: int
    cite: tuple[str, ...]
    asks: str | None = None


@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards of a hand that is set. `natural`: it is not set but ends at once, by these clauses; else `setting` says how.

    `discards`: for each play of the setting the two cards that go to the rack.
    """

    natural: tuple[str, ...] = ()
    setting: Setting | None = None
    discards: tuple[tuple[int, ...], ...] = ()


def decks(rulebook: Rulebook) -> int:
    """How many decks may be in one set at most: how often a card may be there."""
    rule = rulebook.decks.per_set
    return max((rule.value, *(value for _, value in rule.options)))


def ranked(rulebook: Rulebook, cards: Sequence[int]) -> tuple[Ranked | Dealt, ...]:
    """Everything that so many cards are by this document.

    Raises `NoHand`, with the numbers of cards that make one.
    """
    rule, count = rulebook.ranking, len(cards)
    found: list[Ranked | Dealt] = []
    if 5 <= count <= rule.five.of.value:
        found.append(_five(rulebook, cards))
    if rule.six is not None and count == rule.six.of.value:
        found.append(_six(rule.six, cards))
    if rule.three is not None and count in (3, rule.three.of.value):
        found.append(_three(rulebook, rule.three, cards))
    if rule.house_ways is not None and count == rulebook.hand.dealer_cards:
        found.append(_dealt(rulebook, cards))
    if not found:
        raise NoHand(f"{rulebook.id} ranks no hand of {count} cards, only of {_sizes(rulebook)}")
    return tuple(found)


def _sizes(rulebook: Rulebook) -> str:
    """`5, 6 or 7`."""
    rule = rulebook.ranking
    sizes = set(range(5, rule.five.of.value + 1))
    sizes |= {3, rule.three.of.value} if rule.three is not None else set()
    sizes |= {rulebook.hand.dealer_cards} if rule.house_ways is not None else set()
    *others, last = (str(size) for size in sorted(sizes))
    return f"{', '.join(others)} or {last}" if others else last


def _five(rulebook: Rulebook, cards: Sequence[int]) -> Ranked:
    value, ties = best_five(cards), rulebook.ranking.ties
    hand, cite = _listed(rulebook.ranking.five, value)
    if hand is None and ties is not None:
        cite = ties.cite
    return Ranked("five", hand, words.describe(value), words.best_five_cards(cards), value, cite)


def _six(order: OrderRule, cards: Sequence[int]) -> Ranked:
    value = six_card_bonus(cards)
    hand, cite = _listed(order, value)
    suit = super_royal(cards)
    if suit is None:
        return Ranked("six", hand, words.describe(value), words.best_five_cards(cards), value, cite)
    return Ranked("six", hand, f"super royal of {words.SUITS[suit]}", words.in_order(cards), value, cite)


def _three(rulebook: Rulebook, order: OrderRule, cards: Sequence[int]) -> Ranked:
    value, made_of = best_three(cards), words.in_order(best_three_cards(cards))
    if words.kind(value) is ThreeCard.ROYAL_FLUSH and "royal_flush" not in order.hands:
        value = worth(ThreeCard.STRAIGHT_FLUSH, ACE)  # the highest of those that the document does know
    hand, cite = _listed(order, value)
    low_ace = rulebook.settlement.get(Settle.LOW_ACE_OF_THREE)
    asks = low_ace.by_choice if low_ace is not None and hand is not None and ace_two_three(made_of) else None
    if hand is None and rulebook.ranking.ties is not None:
        cite = rulebook.ranking.ties.cite
    return Ranked("three", hand, words.describe(value), made_of, value, cite, asks)


def _listed(order: OrderRule, value: int) -> tuple[str | None, tuple[str, ...]]:
    """The name of a hand and its clauses where the document lists it."""
    name = words.kind(value).name.lower()
    listed = order.hands.get(name)
    return (None, ()) if listed is None else (name, listed.cite)


def house_ways(rulebook: Rulebook) -> Read:
    """How the dealer's ways of setting are read under what was elected. Clause: fast-action (h)(9)."""
    pairs, bound = (rulebook.settlement.get(point) for point in (Settle.SUITED_PAIRS, Settle.OR_BETTER))
    return Read(pairs is not None and pairs.value == "any", bound is not None and bound.value == "highest")


def _dealt(rulebook: Rulebook, cards: Sequence[int]) -> Dealt:
    natural = rulebook.ranking.natural
    if natural is not None and is_natural(cards):
        return Dealt(natural=natural.cite)
    setting = set_hand(cards, house_ways(rulebook))
    return Dealt(setting=setting, discards=tuple(without(cards, pair) for pair in setting.plays))
