"""Ultimate Texas Hold 'Em: ante, blind and play against the dealer, then the optional wagers, seat by seat.

Seats are settled from the dealer's right, which is the highest seat in play (ma-uth 10(h), md-uth 11.H(2)).
"""

from controller.cards.ranking import Category, seven
from controller.games.model import Decision
from controller.games.settling.check import Checks
from controller.games.settling.money import NOT_PROVABLE, Money
from controller.games.settling.round import UNREADABLE, Hand, Round
from controller.games.settling.settled import Line, Outcome
from controller.games.settling.side import DEALT, Seen, Sides
from controller.games.settling.voids import Fates
from controller.rules.model import Law
from controller.rules.pay import PayHand
from controller.rules.vocabulary import Settle

_MAIN = ("ante", "blind", "play")
_COMMUNITY = 5


class Ultimate:
    """Who wins what, under one law."""

    played, shown = 0, 0

    def __init__(self, law: Law, money: Money, checks: Checks) -> None:
        self._money, self._checks = money, checks
        self._sides = Sides(law, money)
        play = law.rulebook.play
        self._fold = play.fold_collects.cite if play.fold_collects else ()
        self._lose, self._lose_by = money.decided(Settle.LOSING)
        self._folded_last = money.point(Settle.FOLDED_TURN) == "after_others"
        self._tie, self._tie_by = money.decided(Settle.TIE)
        self._back, self._back_by = money.decided(Settle.UNQUALIFIED)
        self._ante = money.payers["ante"].rows[PayHand.WIN]
        self._play = money.payers["play"].rows[PayHand.WIN]

    def check(self, round_: Round, *, whole: bool) -> None:
        """The dealer's and the community cards, and what the optional wagers need."""
        if whole:
            self._checks.table_cards(round_, dealer=True, community=True)
        self._sides.check(round_, whole=whole)

    def wins_at_once(self, cards: tuple[int, ...]) -> bool:
        """See `Settles.wins_at_once`. No hand of this game is declared."""
        return False

    def lines(self, round_: Round, fates: Fates | None) -> tuple[list[Line], dict[str, int]]:
        """See `Settles.lines`."""
        seen = self._seen(round_)
        self._sides.look(round_, seen)
        void = {hand.seat: fates.lines(hand) if fates else [] for hand in round_.hands}
        seen.gone = frozenset(x.seat for mine in void.values() for x in mine if _is_gone(x))
        lines: list[Line] = []
        for hand in sorted(round_.hands, key=self._turn):
            mine = void[hand.seat]
            decided = {line.wager for line in mine}
            seen.unsure |= any(line.wager == "progressive" and line.outcome is Outcome.HELD for line in mine)
            if not decided or any(hand.wagers.get(name) and name not in decided for name in _MAIN):
                mine += [line for line in self._main(hand, seen, round_) if line.wager not in decided]
            mine += self._sides.lines(hand, seen, round_, decided)
            lines += mine
        lines += self._sides.of_the_table(seen, round_, fates, {(line.seat, line.wager) for line in lines})
        return lines, seen.meters

    def _turn(self, hand: Hand) -> tuple[bool, int]:
        """From the dealer's right; where that was elected, those who folded after all others. Clause: md-uth 11.H, 12.D(4)."""
        return (self._folded_last and Decision.FOLD in hand.decisions, -hand.seat)

    def _seen(self, round_: Round) -> Seen:
        """Values of all hands; None for one that cannot be told from what was seen."""
        community = round_.community
        if len(community) != _COMMUNITY or UNREADABLE in community:
            values: dict[int, int | None] = dict.fromkeys(hand.seat for hand in round_.hands)
            return Seen(None, values, {name: meter.cents for name, meter in round_.meters.items()})
        dealer = round_.dealer
        told = len(dealer) == DEALT and UNREADABLE not in dealer
        values = {
            hand.seat: seven(hand.cards + community)
            if len(hand.cards) == DEALT and UNREADABLE not in hand.cards
            else None
            for hand in round_.hands
        }
        meters = {name: meter.cents for name, meter in round_.meters.items()}
        return Seen(seven(dealer + community) if told else None, values, meters)

    def _main(self, hand: Hand, seen: Seen, round_: Round) -> list[Line]:
        seat, wagers = hand.seat, hand.wagers
        ante, blind, play = wagers["ante"], wagers["blind"], wagers.get("play", 0)
        if hand.decisions and hand.decisions[-1] is Decision.FOLD:
            return [
                Line(seat, "ante", ante, Outcome.LOSE, cite=self._fold),
                Line(seat, "blind", blind, Outcome.LOSE, cite=self._fold),
                Line(seat, "play", 0, Outcome.NOT_PLACED, cite=self._fold),
            ]
        value, dealer = seen.values[seat], seen.dealer
        if value is None or dealer is None:
            return self._unread(hand, dealer)
        if value > dealer:
            return self._won(hand, value, dealer, round_, (ante, blind, play))
        if value < dealer:
            outcome, cite, by = Outcome.LOSE, self._lose, self._lose_by
        else:
            outcome, cite, by = Outcome.PUSH, self._tie, self._tie_by
        kept = 0 if outcome is Outcome.LOSE else 1
        first = (
            Line(seat, "ante", ante, outcome, ante * kept, 0, "", "", cite, by)
            if dealer >> 20
            else self._ante_back(hand)
        )
        return [
            first,
            Line(seat, "blind", blind, outcome, blind * kept, 0, "", "", cite, by),
            Line(seat, "play", play, outcome, play * kept, 0, "", "", cite, by),
        ]

    def _unread(self, hand: Hand, dealer: int | None) -> list[Line]:
        """A card was not read; under a dealer's hand below a pair the ante goes back whatever the player holds.

        Clause: ma-uth 10(g), md-uth 11.H(1).
        """
        placed = [(name, hand.wagers[name]) for name in _MAIN if hand.wagers.get(name)]
        lines = [Line(hand.seat, name, stake, Outcome.HELD, note=NOT_PROVABLE) for name, stake in placed]
        if dealer is None or dealer >> 20 >= Category.PAIR:
            return lines
        return [self._ante_back(hand), *(line for line in lines if line.wager != "ante")]

    def _ante_back(self, hand: Hand) -> Line:
        ante = hand.wagers["ante"]
        return Line(hand.seat, "ante", ante, Outcome.RETURN, ante, 0, "", "", self._back, self._back_by)

    def _won(self, hand: Hand, value: int, dealer: int, round_: Round, stakes: tuple[int, int, int]) -> list[Line]:
        ante, blind, play = stakes
        seat, terms, line = hand.seat, round_.terms, self._money.line
        row = self._money.payers["blind"].of_value[value >> 16]
        assert row is not None  # the last row speaks of every lower hand
        first = (
            line(seat, "ante", ante, self._ante, terms) if dealer >> 20 >= Category.PAIR else self._ante_back(hand)
        )
        return [first, line(seat, "blind", blind, row, terms), line(seat, "play", play, self._play, terms)]


def _is_gone(line: Line) -> bool:
    """Whether a progressive wager went back or was lost by what happened in the round."""
    return line.wager == "progressive" and line.outcome is not Outcome.HELD
