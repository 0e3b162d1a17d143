"""Random rounds as people could have played them, in every game: for properties, and for measuring."""

import random
from collections.abc import Sequence

from controller.cards.house_ways import is_natural, set_hand
from controller.games.model import Decision
from controller.games.settling.round import UNREADABLE, Hand, Meter, Round
from controller.rules.model import Law
from controller.rules.ranked import house_ways
from controller.rules.vocabulary import Moment
from controller.table.words.structs import replace

ANTE = 1000
_BOX = 4
METERS = {name: Meter(1_234_567, 1_000_000) for name in ("meter", "mega", "major", "minor")}


class Dealer:
    """Deals rounds under one law. `every`: each optional wager is placed at each seat; else some are, at random."""

    often = 0.5  # how likely an optional wager is placed

    def __init__(self, law: Law, rng: random.Random, *, every: bool = False, optional: bool = True) -> None:
        self._law, self._rng, self._every, self._optional = law, rng, every, optional
        self._declare = True  # hands that win at once
        self._deal = {
            "ultimate": self._ultimate, "pikit": self._pikit, "colorado": self._colorado, "fast_action": self._fast_action,
        }[law.rulebook.plays]  # fmt: skip

    def round(self, seats: int = 6) -> Round:
        book = self._law.rulebook
        dealer_cards, community_cards = book.hand.dealer_cards, book.hand.community_cards
        box_cards = _BOX if "six_card" in book.wagers else 0
        wanted = seats * book.hand.player.value + dealer_cards + community_cards + box_cards
        shoe = range(52 * book.decks.per_set.value)
        self._deck = tuple(card % 52 for card in self._rng.sample(shoe, wanted))
        hands = tuple(self._deal(seat) for seat in range(1, seats + 1))
        dealer, community = self._take(dealer_cards), self._take(community_cards)
        played: tuple[int, ...] = ()
        if book.plays == "fast_action":
            if is_natural(dealer):
                community = ()
            else:
                played = set_hand(dealer, house_ways(book)).plays[0]
        box = self._take(box_cards)
        return Round(hands, dealer, community, box, played, METERS if "progressive" in book.wagers else {})

    def _take(self, count: int) -> tuple[int, ...]:
        taken, self._deck = self._deck[:count], self._deck[count:]
        return taken

    def _wagers(self) -> dict[str, int]:
        """What is placed before the deal; what an optional wager needs is placed with it."""
        placed: dict[str, int] = {}
        for name, rule in self._law.rulebook.wagers.items():
            if rule.placed != "before_deal" or not set(rule.requires.value) <= {
                *placed,
                "ante",
                "blind",
                "five_card_bonus",
            }:
                continue
            if not rule.optional:
                placed[name] = ANTE
            elif self._optional and (self._every or self._rng.random() < self.often):
                placed[name] = rule.exact_cents.value if rule.exact_cents else self._rng.choice((100, 500))
        return placed

    def _later(self, wagers: dict[str, int], name: str, moment: Moment) -> dict[str, int]:
        rule = self._law.rulebook.wagers[name]
        return wagers | {name: wagers[rule.of or ""] * self._rng.choice(rule.multiples(moment))}

    def _ultimate(self, seat: int) -> Hand:
        wagers, check = self._wagers(), Decision.CHECK
        ways = ((Moment.PRE_FLOP, 0), (Moment.FLOP, 1), (Moment.LAST_TWO, 2), (None, 2))
        moment, checks = ways[0] if self._every else self._rng.choice(ways)
        if moment is not None:
            wagers = self._later(wagers, "play", moment)
        last = Decision.FOLD if moment is None else Decision.PLAY
        return Hand(seat, wagers, self._take(2), (*[check] * checks, last))

    def _pikit(self, seat: int) -> Hand:
        wagers, cards = self._wagers(), self._take(5)
        shows = (Decision.SHOW,) if wagers.get("three_card_bonus") else ()
        answer = (
            Decision.PLAY_5 if self._every else self._rng.choice((Decision.PLAY_3, Decision.PLAY_5, Decision.FOLD))
        )
        if answer is not Decision.FOLD:
            wagers = self._later(wagers, answer.value, Moment.DECISION)
        shown = tuple(self._rng.sample(cards, 3)) if shows else ()
        return Hand(seat, wagers, cards, (*shows, answer), shown=shown)

    def _colorado(self, seat: int) -> Hand:
        wagers, cards = self._wagers(), self._take(3)
        version = self._law.rulebook.play.version
        other = Decision.FOLD if version is not None and version.value == "required_bet" else Decision.STAY
        answer = Decision.BET if self._every else self._rng.choice((Decision.BET, other))
        if self._declare and len({card >> 2 for card in cards}) == 1:
            answer = Decision.DECLARE
        if answer is Decision.BET:
            wagers = self._later(wagers, "bet", Moment.DECISION)
        played = tuple(self._rng.sample(cards, 2)) if answer in (Decision.BET, Decision.STAY) else ()
        return Hand(seat, wagers, cards, (answer,), played)

    def _fast_action(self, seat: int) -> Hand:
        wagers, cards = self._wagers(), self._take(4)
        answer = (
            Decision.SPLIT if self._every else self._rng.choice((Decision.SET, Decision.SPLIT, Decision.SURRENDER))
        )
        if is_natural(cards):
            answer = Decision.NATURAL
        if answer is Decision.SPLIT:
            wagers = self._later(wagers, "second_hand", Moment.DECISION)
        played = tuple(self._rng.sample(cards, 2)) if answer in (Decision.SET, Decision.SPLIT) else ()
        return Hand(seat, wagers, cards, (answer,), played)


def unread(round_: Round, rng: random.Random) -> Round:
    """The same round with one of its cards not read, wherever that card is named."""
    hands = list(round_.hands)
    place = rng.randrange(len(hands) + 2)
    if place < len(hands):
        hand = hands[place]
        at = rng.randrange(len(hand.cards))
        card, cards = hand.cards[at], _without(hand.cards, at)
        hands[place] = Hand(
            hand.seat,
            hand.wagers,
            cards,
            hand.decisions,
            _hidden(hand, card, hand.played),
            _hidden(hand, card, hand.shown),
        )
        return replace(round_, hands=tuple(hands))
    if place == len(hands) and round_.dealer:
        return replace(round_, dealer=_without(round_.dealer, 0), dealer_played=())
    return replace(round_, community=_without(round_.community, 0)) if round_.community else round_


def _without(cards: Sequence[int], at: int) -> tuple[int, ...]:
    return (*cards[:at], UNREADABLE, *cards[at + 1 :])


def _hidden(hand: Hand, card: int, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """The chosen cards once that one was not read; of several decks a second card like it may be the chosen one."""
    if card in chosen and hand.cards.count(card) == chosen.count(card):
        return _without(chosen, chosen.index(card))
    return chosen
