"""Fast Action Hold 'Em: naturals and given-up hands at once, then each set hand against the dealer's, of several decks.

The text gives no order for the last step; players are settled as their discards are collected, counterclockwise from
the dealer's right (fast-action (h)(5), (h)(8)).
"""

from fractions import Fraction

from controller.cards.cards import names, without
from controller.cards.house_ways import Read, is_natural, set_hand
from controller.cards.ranking import seven
from controller.games.model import Decision
from controller.games.settling.check import Checks
from controller.games.settling.money import ASKED, NOT_PROVABLE, Money
from controller.games.settling.round import UNREADABLE, Hand, Round, RoundRefused, are_of
from controller.games.settling.settled import Line, Outcome
from controller.games.settling.voids import Fates
from controller.rules.model import Law
from controller.rules.pay import PayHand
from controller.rules.ranked import house_ways
from controller.rules.vocabulary import Guard, Settle, Trigger

_DEALT, _SET, _COMMUNITY = 4, 2, 5
_NATURAL = 1 << 30
"""Above the value of any hand: a dealer's natural is compared with none."""
TOO_MANY = f"a hand with too many cards sets one hand; {ASKED}"
WRONG_COUNT = f"a hand of another number of cards than {_DEALT} is not settled as it lies; {ASKED}"
UNANNOUNCED = f"a natural was not announced, and set; {ASKED}"
EQUAL_CARDS = f"the dealer has three cards of one rank, and which two are played is not said; {ASKED}"
NO_NATURAL = f"these cards are no natural, and which two of them are set is not told; {ASKED}"


class FastAction:
    """Who wins what, under one law."""

    played, shown = _SET, 0

    def __init__(self, law: Law, money: Money, checks: Checks) -> None:
        self._law, self._money, self._checks = law, money, checks
        play = law.rulebook.play
        assert play.surrender is not None  # the game's rulebook has it: `Game.misfits`
        assert play.dealer_natural is not None
        self._given_up, self._given_up_by = Fraction(play.surrender.value), play.surrender.cite
        self._odd = play.surrender_cent
        self._ways = house_ways(law.rulebook)
        self._natural_spares, self._natural_by = play.dealer_natural.value, play.dealer_natural.cite
        self._lose, self._lose_by = money.decided(Settle.LOSING)
        self._unannounced = money.point(Settle.UNDECLARED_WINNER)
        self._unannounced_by = money.decided(Settle.UNDECLARED_WINNER)[1]
        self._ask_equal = money.point(Settle.EQUAL_CARDS) == "ask"
        self._equal_by = money.decided(Settle.EQUAL_CARDS)[1]
        self._short_given_up = play.short_given_up
        self._too_many = law.rulebook.row(Trigger.WRONG_COUNT_PLAYER, frozenset({Guard.TOO_MANY})).cite
        self._too_few = law.rulebook.row(Trigger.WRONG_COUNT_PLAYER, frozenset()).cite
        self._no_natural = law.rulebook.cite_of(Trigger.FALSE_DECLARATION)

    def check(self, round_: Round, *, whole: bool) -> None:
        """The dealer's cards as the house ways set them, the community cards, and the two cards of each set hand."""
        for hand in round_.hands:
            self._chosen(hand, whole=whole)
        if not whole:
            return
        natural = _told(round_.dealer, _DEALT) and is_natural(round_.dealer)
        self._checks.table_cards(round_, dealer=True, community=not natural)
        if not natural and _told(round_.dealer, _DEALT):
            self._dealer_set(round_)
        for hand in round_.hands:
            if _answer(hand) is Decision.NATURAL and UNREADABLE not in hand.cards and not is_natural(hand.cards):
                cite = self._law.rulebook.cite_of(Trigger.FALSE_DECLARATION)
                told = "announced a natural and holds none; report the irregularity false_declaration"
                raise RoundRefused(told, hand.seat, cite=cite)

    def _chosen(self, hand: Hand, *, whole: bool) -> None:
        """The two cards that are played before the first wager; they may be missing where something happened."""
        wanted = whole and _answer(hand) in (Decision.SET, Decision.SPLIT)
        if (wanted or hand.played) and (len(hand.played) != _SET or not are_of(hand.played, hand.cards)):
            told = f"`played` has the {_SET} cards before the first wager, of the {_DEALT} that were dealt"
            raise RoundRefused(told, hand.seat, cite=self._law.rulebook.hand.player.cite)

    def _dealer_set(self, round_: Round) -> tuple[int, ...]:
        """The two cards that the dealer plays. Raises `RoundRefused` where the house ways are not kept, or leave a choice."""
        setting = set_hand(round_.dealer, self._ways)
        ways = [tuple(sorted(pair)) for pair in setting.plays]
        if not round_.dealer_played:
            if len(ways) > 1 and not (self._ask_equal and setting.of_equal_rank):
                told = " or ".join(names(pair) for pair in setting.plays)
                raise RoundRefused(
                    f"say which the dealer plays (`dealer_played`; at the table `played` of that hand): {told}",
                    cite=(setting.cite,),
                )
            return ways[0]
        if tuple(sorted(round_.dealer_played)) not in ways:
            told = " or ".join(names(pair) for pair in setting.plays)
            raise RoundRefused(
                f"the dealer plays {names(round_.dealer_played)}, and the house ways give {told} ({setting.says})",
                cite=(setting.cite,),
            )
        return round_.dealer_played

    def wins_at_once(self, cards: tuple[int, ...]) -> bool:
        """See `Settles.wins_at_once`."""
        return _told(cards, _DEALT) and is_natural(cards)

    def lines(self, round_: Round, fates: Fates | None) -> tuple[list[Line], dict[str, int]]:
        """See `Settles.lines`."""
        lines: list[Line] = []
        dealer = self._dealer(round_)
        hands = sorted(round_.hands, key=lambda hand: -hand.seat)
        early = [hand for hand in hands if _answer(hand) in (Decision.NATURAL, Decision.SURRENDER)]
        for hand in (*early, *(hand for hand in hands if hand not in early)):
            mine = fates.lines(hand) if fates else []
            decided = {line.wager for line in mine}
            lines += mine
            if not decided.issuperset(name for name, cents in hand.wagers.items() if cents):
                lines += [line for line in self._hand(hand, round_, dealer) if line.wager not in decided]
        return lines, {}

    def _dealer(self, round_: Round) -> int | None:
        """The value of the dealer's hand, `_NATURAL` for one that takes all; None where it cannot be told."""
        if not _told(round_.dealer, _DEALT):
            return None
        if is_natural(round_.dealer):
            return _NATURAL
        cards = (*self._dealer_set(round_), *round_.community)
        return seven(cards) if _told(cards, _SET + _COMMUNITY) else None

    def _hand(self, hand: Hand, round_: Round, dealer: int | None) -> list[Line]:
        stake, answer = hand.wagers["original"], _answer(hand)
        here = round_.irregularity if round_.irregularity and round_.irregularity.seat == hand.seat else None
        too_many = here is not None and Guard.TOO_MANY in here.state
        if too_many and answer not in (Decision.SET, None):
            return self._asked(hand, self._too_many, TOO_MANY)
        untold = not hand.cards and here is not None and here.trigger is Trigger.WRONG_COUNT_PLAYER
        if (hand.cards and len(hand.cards) != _DEALT and not too_many) or (
            untold and answer is Decision.SURRENDER
        ):
            return self._of_another_number(hand, answer, round_)
        match answer:
            case Decision.NATURAL if here is not None and here.trigger is Trigger.FALSE_DECLARATION:
                if hand.played and UNREADABLE not in hand.played:
                    return self._against_dealer(hand, round_, dealer)
                return self._asked(hand, self._no_natural, NO_NATURAL)
            case Decision.NATURAL:
                if not _told(hand.cards, _DEALT):
                    return [_unproven(hand, "original", stake)]
                if not is_natural(hand.cards):
                    return self._asked(hand, self._no_natural, NO_NATURAL)
                row = self._money.payers["original"].rows[PayHand.NATURAL]
                return [self._money.line(hand.seat, "original", stake, row, round_.terms)]
            case Decision.SURRENDER:
                return [self._surrendered(hand, stake, round_)]
            case _:
                return self._against_dealer(hand, round_, dealer)

    def _of_another_number(self, hand: Hand, answer: Decision | None, round_: Round) -> list[Line]:
        """A hand that lies there with too few cards, told or reported, or with too many that nobody reported."""
        given_up = self._short_given_up if answer is Decision.SURRENDER else None
        if len(hand.cards) > _DEALT:
            return self._asked(hand, self._too_many, WRONG_COUNT)
        if given_up is None:
            return self._asked(hand, self._too_few, WRONG_COUNT)
        if given_up.value == "stands":
            return [self._surrendered(hand, hand.wagers["original"], round_)]
        return self._asked(hand, (), WRONG_COUNT, given_up.reading)

    def _asked(self, hand: Hand, cite: tuple[str, ...], why: str, reading: str | None = None) -> list[Line]:
        placed = [(name, cents) for name, cents in hand.wagers.items() if cents]
        return [
            Line(hand.seat, name, cents, Outcome.HELD, cite=cite, reading=reading, note=why)
            for name, cents in placed
        ]

    def _surrendered(self, hand: Hand, stake: int, round_: Round) -> Line:
        kept, unit = stake * (1 - self._given_up), round_.terms.unit
        units, part = divmod(kept.numerator, kept.denominator * unit)
        odd = self._odd if part else None
        if odd is not None and odd.value == "hold":
            return Line(hand.seat, "original", stake, Outcome.HELD, reading=odd.reading, note=ASKED)
        back = (units + (odd is not None and odd.value == "player")) * unit
        told = "part of the wager is given up" + (
            f"; the odd one is the {odd.value}'s, {odd.reading}" if odd else ""
        )
        return Line(hand.seat, "original", stake, Outcome.LOSE, back, cite=self._given_up_by, note=told)

    def _against_dealer(self, hand: Hand, round_: Round, dealer: int | None) -> list[Line]:
        if self._unannounced == "ask" and _told(hand.cards, _DEALT) and is_natural(hand.cards):
            return self._asked(hand, (), UNANNOUNCED, self._unannounced_by)
        if self._ask_equal and _has_equal(round_.dealer, self._ways):
            return self._asked(hand, (), EQUAL_CARDS, self._equal_by)
        hands = {"original": hand.played, "second_hand": without(hand.cards, hand.played)}
        found = []
        for name, cents in hand.wagers.items():
            mine = (*hands[name], *round_.community)
            if not cents:
                continue
            if dealer == _NATURAL:
                found.append(self._to_natural(hand, name, cents))
            elif dealer is None or not _told(mine, _SET + _COMMUNITY):
                found.append(_unproven(hand, name, cents))
            else:
                found.append(self._compared(hand, name, cents, seven(mine) - dealer, round_))
        return found

    def _to_natural(self, hand: Hand, name: str, cents: int) -> Line:
        if name in self._natural_spares:
            return Line(hand.seat, name, cents, Outcome.RETURN, cents, cite=self._natural_by)
        return Line(hand.seat, name, cents, Outcome.LOSE, cite=self._natural_by)

    def _compared(self, hand: Hand, name: str, cents: int, above: int, round_: Round) -> Line:
        if above > 0:
            row = self._money.payers[name].rows[PayHand.WIN]
            return self._money.line(hand.seat, name, cents, row, round_.terms)
        if above < 0:
            return Line(hand.seat, name, cents, Outcome.LOSE, cite=self._lose, reading=self._lose_by)
        return self._money.tied(hand.seat, name, cents)


def _answer(hand: Hand) -> Decision | None:
    return hand.decisions[-1] if hand.decisions else None


def _has_equal(dealer: tuple[int, ...], ways: Read) -> bool:
    """Whether the dealer may play any two of three cards of one rank."""
    return _told(dealer, _DEALT) and not is_natural(dealer) and set_hand(dealer, ways).of_equal_rank


def _told(cards: tuple[int, ...], count: int) -> bool:
    return len(cards) == count and UNREADABLE not in cards


def _unproven(hand: Hand, wager: str, cents: int) -> Line:
    return Line(hand.seat, wager, cents, Outcome.HELD, note=NOT_PROVABLE)
