"""Pik-it Poker: two bonus wagers on the player's own cards, then ante and Play 3 or Play 5 against the dealer.

Every step goes counterclockwise from the dealer's right (nj-pikit 39.10(b), (c), (e)); the last one for all players step by
step or player by player, as the house elected.
"""

from controller.cards.ranking import ACE, Category, five, worth
from controller.cards.three import best_three, three
from controller.games.model import Decision
from controller.games.settling.check import Checks
from controller.games.settling.money import ASKED, NOT_PROVABLE, Money
from controller.games.settling.round import UNREADABLE, Hand, Round, RoundRefused, are_of
from controller.games.settling.settled import Line, Outcome
from controller.games.settling.voids import Fates
from controller.rules.model import Law
from controller.rules.pay import PayHand
from controller.rules.vocabulary import Settle

_KING, _SHOWN, _DEALT = 13, 3, 5
_QUALIFIES = worth(Category.HIGH_CARD, ACE, _KING, 4, 3, 2)
_LATER = ("play_3", "play_5")


def reaches_minimum(cards: tuple[int, ...]) -> bool:
    """Whether the dealer's five cards qualify. Clause: nj-pikit 39.1, 39.11(a)."""
    return five(cards) >= _QUALIFIES


class Pikit:
    """Who wins what, under one law."""

    played, shown = 0, _SHOWN

    def __init__(self, law: Law, money: Money, checks: Checks) -> None:
        self._law, self._money, self._checks = law, money, checks
        play = law.rulebook.play
        self._must_qualify = play.dealer_qualifies is not None and play.dealer_qualifies.value
        self._by_step = money.point(Settle.ORDER) == "by_step"
        self._fold, self._fold_by = money.decided(Settle.FOLDED)
        self._lose, self._lose_by = money.decided(Settle.LOSING)
        self._back, self._back_by = money.decided(Settle.UNQUALIFIED)

    def check(self, round_: Round, *, whole: bool) -> None:
        """The dealer's cards, and three of the player's own five for the bonus on three cards."""
        if whole:
            self._checks.table_cards(round_, dealer=True, community=False)
        for hand in round_.hands:
            wanted = whole and bool(hand.wagers.get("three_card_bonus"))
            if (wanted or hand.shown) and (len(hand.shown) != _SHOWN or not are_of(hand.shown, hand.cards)):
                cite = self._law.rulebook.wagers["three_card_bonus"].cite
                told = f"`shown` has the {_SHOWN} cards that the player revealed of the {_DEALT} that were dealt"
                raise RoundRefused(told, hand.seat, "three_card_bonus", cite)

    def wins_at_once(self, cards: tuple[int, ...]) -> bool:
        """See `Settles.wins_at_once`. No hand of this game is declared."""
        return False

    def lines(self, round_: Round, fates: Fates | None) -> tuple[list[Line], dict[str, int]]:
        """See `Settles.lines`."""
        hands = sorted(round_.hands, key=lambda hand: -hand.seat)
        void = {hand.seat: fates.lines(hand) if fates else [] for hand in hands}
        decided = {(line.seat, line.wager) for lines in void.values() for line in lines}
        bonus = [line for hand in hands for line in self._three_card(hand, round_)]
        opened = [line for hand in hands for line in (*self._five_card(hand, round_), *self._folded(hand))]
        played = [line for hand in hands for line in self._against_dealer(hand, round_)]
        if self._by_step:
            played.sort(key=lambda line: line.outcome is not Outcome.LOSE)  # first all that lose, then the others
        by_cards = [line for line in (*bonus, *opened, *played) if (line.seat, line.wager) not in decided]
        return [*(line for lines in void.values() for line in lines), *by_cards], {}

    def _three_card(self, hand: Hand, round_: Round) -> list[Line]:
        stake = hand.wagers.get("three_card_bonus", 0)
        if not stake:
            return []
        if len(hand.shown) != _SHOWN or UNREADABLE in hand.shown:
            return [_unproven(hand, "three_card_bonus")]
        return [self._paid(hand, "three_card_bonus", three(hand.shown), round_)]

    def _five_card(self, hand: Hand, round_: Round) -> list[Line]:
        if not _told(hand.cards):
            return [_unproven(hand, "five_card_bonus")]
        return [self._paid(hand, "five_card_bonus", five(hand.cards), round_)]

    def _paid(self, hand: Hand, wager: str, value: int, round_: Round) -> Line:
        payer = self._money.payers[wager]
        row = payer.of_value[value >> 16]
        if row is None:
            return Line(hand.seat, wager, hand.wagers[wager], Outcome.LOSE, cite=payer.cite)
        return self._money.line(hand.seat, wager, hand.wagers[wager], row, round_.terms)

    def _folded(self, hand: Hand) -> list[Line]:
        if Decision.FOLD not in hand.decisions:
            return []
        return [Line(hand.seat, "ante", hand.wagers["ante"], Outcome.LOSE, cite=self._fold, reading=self._fold_by)]

    def _against_dealer(self, hand: Hand, round_: Round) -> list[Line]:
        if Decision.FOLD in hand.decisions:
            return []
        later = next((name for name in _LATER if hand.wagers.get(name)), None)
        names = ("ante", later) if later else ("ante",)
        unqualified = self._must_qualify and _told(round_.dealer) and not reaches_minimum(round_.dealer)
        if not _told(hand.cards) or not _told(round_.dealer):
            back = unqualified and later == "play_5"
            later_on = [self._play_5_back(hand) if back else _unproven(hand, name) for name in names[1:]]
            asked = later == "play_3" and self._money.point(Settle.ANTE_HAND) == "ask"  # whatever the cards are
            return [self._ante_asked(hand) if asked else _unproven(hand, "ante"), *later_on]
        mine, theirs = (five(hand.cards), five(round_.dealer))
        if later == "play_3":
            mine_3, theirs_3 = best_three(hand.cards), best_three(round_.dealer)
            ante = self._ante_beside_play_3(hand, (mine, theirs), (mine_3, theirs_3), round_, unqualified)
            return [ante, self._compared(hand, "play_3", mine_3, theirs_3, round_)]
        found = [self._ante(hand, mine, theirs, round_, unqualified)]
        if later:
            found.append(
                self._play_5_back(hand) if unqualified else self._compared(hand, later, mine, theirs, round_)
            )
        return found

    def _play_5_back(self, hand: Hand) -> Line:
        """A Play 5 under a dealer's hand that does not qualify, whatever the player holds.

        Clause: nj-pikit 39.10(f), 39.11(a).
        """
        stake = hand.wagers["play_5"]
        return Line(hand.seat, "play_5", stake, Outcome.RETURN, stake, cite=self._back, reading=self._back_by)

    def _ante_beside_play_3(
        self, hand: Hand, fives: tuple[int, int], threes: tuple[int, int], round_: Round, unqualified: bool
    ) -> Line:
        match self._money.point(Settle.ANTE_HAND):
            case "five_cards":
                return self._ante(hand, *fives, round_, unqualified)
            case "played_hand":
                return self._ante(hand, *threes, round_, unqualified)
            case _:
                return self._ante_asked(hand)

    def _ante(self, hand: Hand, mine: int, theirs: int, round_: Round, unqualified: bool) -> Line:
        """An ante against the dealer's hand; below one that does not qualify it is as elected. Clause: nj-pikit 39.10(f)."""
        if mine >= theirs or not unqualified:
            return self._compared(hand, "ante", mine, theirs, round_)
        stake, (cite, reading) = hand.wagers["ante"], self._money.decided(Settle.UNQUALIFIED_ANTE)
        match self._money.point(Settle.UNQUALIFIED_ANTE):
            case "lost":
                return Line(hand.seat, "ante", stake, Outcome.LOSE, cite=cite, reading=reading)
            case "push":
                return Line(hand.seat, "ante", stake, Outcome.PUSH, stake, cite=cite, reading=reading)
            case _:
                return Line(hand.seat, "ante", stake, Outcome.HELD, cite=cite, reading=reading, note=ASKED)

    def _ante_asked(self, hand: Hand) -> Line:
        _, reading = self._money.decided(Settle.ANTE_HAND)
        return Line(hand.seat, "ante", hand.wagers["ante"], Outcome.HELD, reading=reading, note=ASKED)

    def _compared(self, hand: Hand, wager: str, mine: int, theirs: int, round_: Round) -> Line:
        stake = hand.wagers[wager]
        if mine > theirs:
            return self._money.line(
                hand.seat, wager, stake, self._money.payers[wager].rows[PayHand.WIN], round_.terms
            )
        if mine < theirs:
            return Line(hand.seat, wager, stake, Outcome.LOSE, cite=self._lose, reading=self._lose_by)
        return self._money.tied(hand.seat, wager, stake)


def _told(cards: tuple[int, ...]) -> bool:
    return len(cards) == _DEALT and UNREADABLE not in cards


def _unproven(hand: Hand, wager: str) -> Line:
    return Line(hand.seat, wager, hand.wagers[wager], Outcome.HELD, note=NOT_PROVABLE)
