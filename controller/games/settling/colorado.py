"""Colorado Hold 'Em: hands that win at once, then each hand against the pay table of the version that is played.

Folds and instant winners are settled as the players answer, clockwise from the dealer's left; the others once the
community cards are seen, counterclockwise from the dealer's right (ma-colorado 10(b), 10(d), 11(b), 11(d)).
"""

from controller.cards.ranking import five
from controller.cards.three import ace_two_three, three_of_a_kind, three_straight_flush
from controller.games.model import Decision
from controller.games.settling import words
from controller.games.settling.check import Checks
from controller.games.settling.money import ASKED, NOT_PROVABLE, Money, Row
from controller.games.settling.round import UNREADABLE, Hand, Round, RoundRefused, are_of
from controller.games.settling.settled import Line, Outcome
from controller.games.settling.voids import Fates
from controller.rules.model import Law
from controller.rules.pay import PayHand
from controller.rules.vocabulary import Settle, Trigger

_DEALT, _KEPT, _COMMUNITY = 3, 2, 3


class Colorado:
    """Who wins what, under one law."""

    played, shown = _KEPT, 0

    def __init__(self, law: Law, money: Money, checks: Checks) -> None:
        self._law, self._money, self._checks = law, money, checks
        self._fold, self._fold_by = money.decided(Settle.FOLDED)

    def check(self, round_: Round, *, whole: bool) -> None:
        """The community cards, the two cards that each hand keeps, and that a declared hand is what it was declared to be."""
        if whole:
            self._checks.table_cards(round_, dealer=False, community=True)
        for hand in round_.hands:
            last = hand.decisions[-1] if hand.decisions else None
            if last is Decision.DECLARE and whole and self._instant(hand.cards) == ():
                self._declared_falsely(hand)
            if last in (Decision.BET, Decision.STAY) and (whole or hand.played):
                self._kept(hand)

    def _declared_falsely(self, hand: Hand) -> None:
        cite = self._law.rulebook.cite_of(Trigger.FALSE_DECLARATION)
        told = "declared a hand that does not win at once; report the irregularity false_declaration"
        raise RoundRefused(told, hand.seat, cite=cite)

    def _kept(self, hand: Hand) -> None:
        if len(hand.played) != _KEPT or not are_of(hand.played, hand.cards):
            raise RoundRefused(
                f"`played` has the {_KEPT} cards that were kept of the {_DEALT} that were dealt", hand.seat,
                cite=self._law.rulebook.hand.player.cite,
            )  # fmt: skip

    def _instant(self, cards: tuple[int, ...]) -> tuple[PayHand, ...] | None:
        """The word of a hand that wins at once; () for one that does not, None where it cannot be told or is asked."""
        if len(cards) != _DEALT or UNREADABLE in cards:
            return None
        if three_of_a_kind(cards):
            return (PayHand.INSTANT_THREE_OF_A_KIND,)
        if not three_straight_flush(cards):
            return ()
        if ace_two_three(cards):
            match self._money.point(Settle.LOW_ACE_OF_THREE):
                case "does_not_count":
                    return ()
                case "ask":
                    return None
        return (PayHand.INSTANT_STRAIGHT_FLUSH,)

    def wins_at_once(self, cards: tuple[int, ...]) -> bool:
        """See `Settles.wins_at_once`."""
        return bool(self._instant(cards))

    def lines(self, round_: Round, fates: Fates | None) -> tuple[list[Line], dict[str, int]]:
        """See `Settles.lines`."""
        lines: list[Line] = []
        hands = sorted(round_.hands, key=lambda hand: hand.seat)
        at_once = [hand for hand in hands if _answer(hand) in (Decision.FOLD, Decision.DECLARE)]
        for hand in (*at_once, *(hand for hand in reversed(hands) if hand not in at_once)):
            mine = fates.lines(hand) if fates else []
            decided = {line.wager for line in mine}
            lines += mine
            if not decided.issuperset(name for name, cents in hand.wagers.items() if cents):
                lines += [line for line in self._hand(hand, round_) if line.wager not in decided]
        return lines, {}

    def _hand(self, hand: Hand, round_: Round) -> list[Line]:
        match _answer(hand):
            case Decision.FOLD:
                return self._folded(hand)
            case Decision.DECLARE:
                return self._declared(hand, round_)
            case Decision.STAY if self._money.point(Settle.HAND_WITHOUT_BET) == "ask":
                _, reading = self._money.decided(Settle.HAND_WITHOUT_BET)
                return [_held(hand, name, reading) for name, cents in hand.wagers.items() if cents]
            case _:
                return self._shown(hand, round_)

    def _folded(self, hand: Hand) -> list[Line]:
        found = [
            Line(hand.seat, "ante", hand.wagers["ante"], Outcome.LOSE, cite=self._fold, reading=self._fold_by),
            Line(hand.seat, "bet", 0, Outcome.NOT_PLACED, cite=self._fold, reading=self._fold_by),
        ]
        if bonus := hand.wagers.get("bonus", 0):
            _, reading = self._money.decided(Settle.FOLDED_REST)
            lost = self._money.point(Settle.FOLDED_REST) == "lost"
            line = Line(hand.seat, "bonus", bonus, Outcome.LOSE, reading=reading)
            found.append(line if lost else _held(hand, "bonus", reading))
        return found

    def _declared(self, hand: Hand, round_: Round) -> list[Line]:
        """Ante and bonus by the row of the three cards alone."""
        told = self._instant(hand.cards)
        if told == ():
            self._declared_falsely(hand)
        _, asks = self._money.decided(Settle.LOW_ACE_OF_THREE)
        low_ace = told is None and UNREADABLE not in hand.cards
        found = []
        for name in ("ante", "bonus"):
            stake = hand.wagers.get(name, 0)
            if not stake:
                continue
            row = self._money.payers[name].row(told) if told else None
            if row is None:
                found.append(_held(hand, name, asks) if low_ace else _held(hand, name, None))
            else:
                found.append(self._money.line(hand.seat, name, stake, row, round_.terms))
        return found

    def _shown(self, hand: Hand, round_: Round) -> list[Line]:
        cards = hand.played + round_.community
        wagers = [(name, hand.wagers[name]) for name in ("ante", "bet", "bonus") if hand.wagers.get(name)]
        if len(cards) != _KEPT + _COMMUNITY or UNREADABLE in cards:
            return [_held(hand, name, None) for name, _ in wagers]
        value = five(cards)
        found = []
        for name, stake in wagers:
            payer = self._money.payers[name]
            row = payer.of_value[value >> 16]
            if name == "bonus" and (better := self._undeclared(hand, value)) is not row:
                if isinstance(better, Line):
                    found.append(better)
                    continue
                row = better
            if row is None:
                found.append(Line(hand.seat, name, stake, Outcome.LOSE, cite=payer.cite))
            else:
                found.append(self._money.line(hand.seat, name, stake, row, round_.terms))
        return found

    def _undeclared(self, hand: Hand, value: int) -> Row | Line | None:
        """What the bonus is paid by, where the three dealt cards may count beside the five: a row, none, or a held line.

        Nothing is asked where the three cards could not change the row.
        """
        payer, instant = self._money.payers["bonus"], self._instant(hand.cards)
        of_five = payer.of_value[value >> 16]
        rule, reading = (
            self._money.point(Settle.UNDECLARED_WINNER),
            self._money.decided(Settle.UNDECLARED_WINNER)[1],
        )
        if rule == "not_paid" or instant == ():
            return of_five
        if instant is None:  # a card was not read, or whether these three count is itself a reading
            instant = (PayHand.INSTANT_STRAIGHT_FLUSH,)
            rule, reading = "ask", self._money.decided(Settle.LOW_ACE_OF_THREE)[1]
            reading = None if UNREADABLE in hand.cards else reading
        better = payer.row((*instant, *words.of_value(value)))
        return _held(hand, "bonus", reading) if rule == "ask" and better is not of_five else better


def _answer(hand: Hand) -> Decision | None:
    return hand.decisions[-1] if hand.decisions else None


def _held(hand: Hand, name: str, reading: str | None) -> Line:
    """Held by a reading, or because a card was not read."""
    note = ASKED if reading else NOT_PROVABLE
    return Line(hand.seat, name, hand.wagers[name], Outcome.HELD, reading=reading, note=note)
