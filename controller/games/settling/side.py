"""The optional wagers of Ultimate Texas Hold 'Em, each by its own cards; which of them there are stands in the rulebook."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from controller.cards.ranking import ACE, five
from controller.cards.six import six_card_bonus, super_royal
from controller.games.model import Decision
from controller.games.settling import words
from controller.games.settling.cover_all import CoverAll
from controller.games.settling.money import ASKED, NOT_PROVABLE, Money, Row
from controller.games.settling.progressive import Progressive
from controller.games.settling.round import UNREADABLE, Hand, Round, RoundRefused
from controller.games.settling.settled import Line, Outcome
from controller.games.settling.voids import Fates
from controller.rules.model import Law
from controller.rules.pay import PayHand
from controller.rules.vocabulary import Settle

SIX_CARD = "six_card"
BOX = 4
"""Cards of the six card bonus."""
DEALT = 2
"""Cards of each player and of the dealer."""


@dataclass(slots=True)
class Seen:
    """What a round shows. `values`: by seat; None for a hand that cannot be told. `meters`: cents, as payments go on.

    `gone`: seats whose progressive wager no cards settle any more. `unsure`: a progressive wager before is held, so that
    nobody can tell at what the meters stand. `progressive`: by seat, of the five cards that count for that wager.
    """

    dealer: int | None
    values: dict[int, int | None]
    meters: dict[str, int]
    gone: frozenset[int] = frozenset()
    unsure: bool = False
    progressive: dict[int, int | None] = field(default_factory=dict)


class Sides:
    """The optional wagers that this document has, in the order in which they are settled."""

    def __init__(self, law: Law, money: Money) -> None:
        self._money = money
        self._progressive, self._cover_all = Progressive(money), CoverAll(money)
        known: dict[str, Callable[[Hand, int, Seen, Round], list[Line]]] = {
            "trips": self._trips,
            SIX_CARD: self._six_card,
            "ultimate_pairs": self._pairs,
            "bad_beat": self._bad_beat,
            "play_the_board": self._board,
            "progressive": self._in_turn,
        }
        order = [name for step in law.rulebook.settling for name in step.wagers]
        names = sorted(known, key=order.index) if set(known) <= set(order) else known
        self._known = {name: known[name] for name in names if name in law.rulebook.wagers}
        keeps = law.rulebook.play.fold_keeps
        self._kept_at_fold = keeps.value if keeps else ()

    def check(self, round_: Round, *, whole: bool) -> None:
        """The cards of the six card bonus, and the meters."""
        if whole and any(hand.wagers.get(SIX_CARD) for hand in round_.hands) and len(round_.box) != BOX:
            raise RoundRefused(f"its box has {len(round_.box)} cards, and must have {BOX}", 0, SIX_CARD)
        self._progressive.check(round_, whole=whole)

    def look(self, round_: Round, seen: Seen) -> None:
        """Tells the hands that count for a progressive wager, which may not be the best five cards."""
        seen.progressive = self._progressive.values(round_, seen.values)

    def lines(self, hand: Hand, seen: Seen, round_: Round, decided: Collection[str]) -> list[Line]:
        """Lines of the wagers of this seat that are not decided already."""
        found: list[Line] = []
        folded = bool(hand.decisions) and hand.decisions[-1] is Decision.FOLD
        wagers = hand.wagers
        for name, how in self._known.items():
            stake = wagers.get(name, 0)
            if not stake or name in decided:
                continue
            if folded and name not in self._kept_at_fold and (rest := self._folded(hand, name, stake)) is not None:
                found.append(rest)
                if name == "progressive":
                    found += self._progressive.hanging_on(rest, hand, round_, seen.progressive, seen.gone)
            else:
                found += how(hand, stake, seen, round_)
        seen.unsure |= any(line.wager == "progressive" and line.outcome is Outcome.HELD for line in found)
        return found

    def _folded(self, hand: Hand, name: str, stake: int) -> Line | None:
        """A wager of which no clause says what becomes of it at a fold; None where the cards decide all the same."""
        _, reading = self._money.decided(Settle.FOLDED_REST)
        match self._money.point(Settle.FOLDED_REST):
            case "settled":
                return None
            case "lost":
                return Line(hand.seat, name, stake, Outcome.LOSE, reading=reading)
            case _:
                return Line(hand.seat, name, stake, Outcome.HELD, reading=reading, note=ASKED)

    def _paid(self, hand: Hand, wager: str, stake: int, row: Row | None, round_: Round) -> list[Line]:
        if row is None:
            return [Line(hand.seat, wager, stake, Outcome.LOSE, cite=self._money.payers[wager].cite)]
        return [self._money.line(hand.seat, wager, stake, row, round_.terms)]

    def _trips(self, hand: Hand, stake: int, seen: Seen, round_: Round) -> list[Line]:
        value = seen.values[hand.seat]
        if value is None:
            return [_unproven(hand, "trips", stake)]
        return self._paid(hand, "trips", stake, self._money.payers["trips"].of_value[value >> 16], round_)

    def _six_card(self, hand: Hand, stake: int, seen: Seen, round_: Round) -> list[Line]:
        cards = hand.cards + round_.box
        if len(hand.cards) != DEALT or len(round_.box) != BOX or UNREADABLE in cards:
            return [_unproven(hand, SIX_CARD, stake)]
        told = words.of_value(six_card_bonus(cards))
        if super_royal(cards) == "d":
            told = (PayHand.SUPER_ROYAL_DIAMONDS, *told)
        return self._paid(hand, SIX_CARD, stake, self._money.payers[SIX_CARD].row(told), round_)

    def _pairs(self, hand: Hand, stake: int, seen: Seen, round_: Round) -> list[Line]:
        payer = self._money.payers["ultimate_pairs"]
        if UNREADABLE in hand.cards or len(hand.cards) != DEALT:
            return [_unproven(hand, "ultimate_pairs", stake)]
        told = words.of_two(hand.cards)
        if PayHand.PAIR_OF_ACES in told and PayHand.ACES_OF_PLAYER_AND_DEALER in payer.rows:
            if UNREADABLE in round_.dealer or len(round_.dealer) != DEALT:
                return [_unproven(hand, "ultimate_pairs", stake)]
            if all((card >> 2) + 2 == ACE for card in round_.dealer):
                told = (PayHand.ACES_OF_PLAYER_AND_DEALER, *told)
        return self._paid(hand, "ultimate_pairs", stake, payer.row(told), round_)

    def _bad_beat(self, hand: Hand, stake: int, seen: Seen, round_: Round) -> list[Line]:
        value, dealer = seen.values[hand.seat], seen.dealer
        if value is None or dealer is None:
            return [_unproven(hand, "bad_beat", stake)]
        row = self._money.payers["bad_beat"].of_value[min(value, dealer) >> 16]
        if value == dealer and row is not None:
            return [self._bad_beat_tied(hand, stake)]
        cite, reading = self._money.decided(Settle.BAD_BEAT)
        match self._money.point(Settle.BAD_BEAT):
            case "ask" if row is not None:
                return [Line(hand.seat, "bad_beat", stake, Outcome.HELD, cite=cite, reading=reading, note=ASKED)]
            case "players_hand" if value > dealer:
                row = None
        return self._paid(hand, "bad_beat", stake, row, round_)

    def _bad_beat_tied(self, hand: Hand, stake: int) -> Line:
        """The line where player and dealer hold equal hands for which the table has a row. Clause: md-uth 7.F(6), 12.F[2]."""
        _, reading = self._money.decided(Settle.BAD_BEAT_TIE)
        match self._money.point(Settle.BAD_BEAT_TIE):
            case "lost":
                return Line(hand.seat, "bad_beat", stake, Outcome.LOSE, reading=reading)
            case "push":
                return Line(hand.seat, "bad_beat", stake, Outcome.PUSH, stake, reading=reading)
            case _:
                return Line(hand.seat, "bad_beat", stake, Outcome.HELD, reading=reading, note=ASKED)

    def _board(self, hand: Hand, stake: int, seen: Seen, round_: Round) -> list[Line]:
        if UNREADABLE in round_.community or len(round_.community) != 5:
            return [_unproven(hand, "play_the_board", stake)]
        row = self._money.payers["play_the_board"].of_value[five(round_.community) >> 16]
        return self._paid(hand, "play_the_board", stake, row, round_)

    def _in_turn(self, hand: Hand, stake: int, seen: Seen, round_: Round) -> list[Line]:
        meters = None if seen.unsure else seen.meters
        return self._progressive.lines(hand, stake, round_, seen.progressive, meters, seen.gone)

    def of_the_table(
        self, seen: Seen, round_: Round, fates: Fates | None, decided: Collection[tuple[int, str]]
    ) -> list[Line]:
        """Cover All, settled after all players by the highest hand of the table (ma-uth 13(b), (g), (j))."""
        placed = [
            hand
            for hand in round_.hands
            if hand.wagers.get("cover_all") and (hand.seat, "cover_all") not in decided
        ]
        if not placed:
            return []
        void = frozenset(hand.seat for hand in round_.hands if fates is not None and fates.is_void(hand.seat))
        return [self._cover_all.line(h, round_, seen.dealer, seen.values, void) for h in sorted(placed, key=_turn)]


def _unproven(hand: Hand, wager: str, stake: int) -> Line:
    return Line(hand.seat, wager, stake, Outcome.HELD, note=NOT_PROVABLE)


def _turn(hand: Hand) -> int:
    return -hand.seat
