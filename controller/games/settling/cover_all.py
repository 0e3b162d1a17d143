"""Cover All: paid by the highest hand of the table, from the column for the number of its hands (ma-uth 13(b), (f), (k))."""

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

from controller.cards.ranking import five
from controller.games.model import Decision
from controller.games.settling.money import ASKED, NOT_PROVABLE, Money
from controller.games.settling.round import UNREADABLE, Hand, Round
from controller.games.settling.settled import Line, Outcome
from controller.rules.vocabulary import Settle, Trigger

_WAGER = "cover_all"
_COUNTS, _NUMBER_ALONE, _DOES_NOT, _ASK = "counts", "number_alone", "does_not_count", "ask"
_COMMUNITY = 5


class CoverAll:
    """How Cover All is paid under one law. Which hands count that were folded or void, or whose player left, are readings."""

    def __init__(self, money: Money) -> None:
        self._money = money

    def line(
        self,
        hand: Hand,
        round_: Round,
        dealer: int | None,
        values: Mapping[int, int | None],
        void: Collection[int],
    ) -> Line:
        """The line of this wager. `values`: of hands by seat; `void`: seats with a void hand, which is no folded one.

        It is held by the reading on which it hangs. A card that was not read holds it where the hand counts for sure.
        """
        if Decision.FOLD in hand.decisions and (given_up := self._given_up(hand)) is not None:
            return given_up
        folded = {h.seat for h in round_.hands if Decision.FOLD in h.decisions} - set(void)
        left = _left(round_) - folded - set(void)
        of_folded = self._options(Settle.FOLDED_HAND, bool(folded), (_COUNTS, _DOES_NOT))
        of_left = self._options(Settle.LEFT_HAND, bool(left), (_COUNTS, _DOES_NOT))
        of_void = self._options(Settle.VOID_HAND, bool(void), (_COUNTS, _NUMBER_ALONE, _DOES_NOT))
        played = [dealer, *(value for seat, value in values.items() if seat not in (*folded, *left, *void))]
        asked_of_void = asked_of_left = False
        found: list[Line] = []
        for rule in of_folded:
            by_left: list[Line] = []
            for rule_of_left in of_left:
                more = (*(folded if rule == _COUNTS else ()), *(left if rule_of_left == _COUNTS else ()))
                counted = [*played, *(values[seat] for seat in more)]
                if None in counted:
                    return Line(hand.seat, _WAGER, hand.wagers[_WAGER], Outcome.HELD, note=NOT_PROVABLE)
                each = [self._by(hand, round_, counted, void, how) for how in of_void]
                asked_of_void |= len(of_void) > 1 and not _alike(each)
                by_left += [line for line in each if line is not None]
            asked_of_left |= len(of_left) > 1 and not _alike(by_left)
            found += by_left
        if asked_of_void:
            return self._asked(hand, Settle.VOID_HAND)
        if asked_of_left:
            return self._asked(hand, Settle.LEFT_HAND)
        if not found:  # a void hand counts, and was not read
            return Line(hand.seat, _WAGER, hand.wagers[_WAGER], Outcome.HELD, note=NOT_PROVABLE)
        return found[0] if _alike(found) else self._asked(hand, Settle.FOLDED_HAND)

    def _given_up(self, hand: Hand) -> Line | None:
        """The line of the wager of a player who folded; None where the highest hand decides it all the same."""
        _, reading = self._money.decided(Settle.FOLDED_COVER)
        match self._money.point(Settle.FOLDED_COVER):
            case "settled":
                return None
            case "lost":
                return Line(hand.seat, _WAGER, hand.wagers[_WAGER], Outcome.LOSE, reading=reading)
            case _:
                return self._asked(hand, Settle.FOLDED_COVER)

    def _options(self, point: Settle, any_: bool, options: tuple[str, ...]) -> tuple[str, ...]:
        """What may hold of such hands: what was elected, or each option where a person decides."""
        if not any_:
            return (_DOES_NOT,)
        rule = self._money.point(point)
        return options if rule == _ASK else (rule,)

    def _by(
        self, hand: Hand, round_: Round, counted: Iterable[int | None], void: Collection[int], how: str
    ) -> Line | None:
        """What the wager comes to where void hands count so; None where one of them counts and was not read."""
        of_void = [_best(h, round_) for h in round_.hands if h.seat in void] if how == _COUNTS else []
        if None in of_void:
            return None
        number = len(round_.hands) + 1 - (len(void) if how == _DOES_NOT else 0)
        payer = self._money.by_hands[_WAGER, number]
        row = payer.of_value[max(value for value in (*counted, *of_void) if value is not None) >> 16]
        stake = hand.wagers[_WAGER]
        if row is None:
            return Line(hand.seat, _WAGER, stake, Outcome.LOSE, cite=payer.cite)
        return self._money.line(hand.seat, _WAGER, stake, row, round_.terms)

    def _asked(self, hand: Hand, point: Settle) -> Line:
        _, reading = self._money.decided(point)
        return Line(hand.seat, _WAGER, hand.wagers[_WAGER], Outcome.HELD, reading=reading, note=ASKED)


def _left(round_: Round) -> set[int]:
    """Seats whose player left in the round."""
    happened = round_.irregularity
    here = {happened.seat} if happened is not None and happened.trigger is Trigger.PLAYER_LEFT else set[int]()
    return {hand.seat for hand in round_.hands} & (here | round_.left)


def _best(hand: Hand, round_: Round) -> int | None:
    """The value of the best five of the cards of a hand, however many, and those of the community."""
    cards = (*hand.cards, *round_.community)
    if not hand.cards or len(round_.community) != _COMMUNITY or UNREADABLE in cards:
        return None
    return max(five(chosen) for chosen in combinations(cards, 5))


def _alike(lines: Iterable[Line | None]) -> bool:
    """Whether all come to the same money; one that nobody knows is like none."""
    return len({line and (line.outcome, line.returned, line.paid) for line in lines}) < 2
