"""Settling a round: its law made ready once, then wager by wager in the text's order. Pure: the same round, the same lines."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from controller.games.model import Decision
from controller.games.registry import GAMES
from controller.games.settling.check import Checks
from controller.games.settling.colorado import Colorado
from controller.games.settling.fast_action import FastAction
from controller.games.settling.money import Money
from controller.games.settling.pikit import Pikit
from controller.games.settling.round import MOST_SUM, Round, RoundRefused, Terms
from controller.games.settling.settled import Cut, Line, Outcome, SeatTotal, Settlement
from controller.games.settling.ultimate import Ultimate
from controller.games.settling.voids import Fates
from controller.readers.fault import Fault
from controller.rules.elections import ElectionsInvalid, open_questions
from controller.rules.model import Law
from controller.rules.vocabulary import Trigger

WON_AT_ONCE = "these cards win at once, so that declaring them was no error"


class Settles(Protocol):
    """Who wins what in one game. `played`: cards that a player chooses to play, `shown`: shows for a bonus before the rest."""

    played: int
    shown: int

    def check(self, round_: Round, *, whole: bool) -> None:
        """What this game wants of a round beside what every game wants. Raises `RoundRefused`."""

    def wins_at_once(self, cards: tuple[int, ...]) -> bool:
        """Whether a player may declare a hand of these cards and has won; False where a card that counts was not read."""

    def lines(self, round_: Round, fates: Fates | None) -> tuple[list[Line], dict[str, int]]:
        """A line for each wager in the order of settlement, and the meters in cents after the last of them."""


SETTLES: dict[str, Callable[[Law, Money, Checks], Settles]] = {
    "ultimate": Ultimate,
    "pikit": Pikit,
    "colorado": Colorado,
    "fast_action": FastAction,
}


class Settler:
    """Settles rounds under one law.

    Raises `RoundRefused` for a game that this version does not settle, `ElectionsInvalid` with all that nobody elected and
    every round needs; what concerns one optional wager alone is refused with that wager.
    """

    def __init__(self, law: Law) -> None:
        plays = law.rulebook.plays
        if plays not in SETTLES:
            raise RoundRefused(f"{law.rulebook.id} plays {plays}, which this version does not settle")
        book = law.rulebook
        missing = open_questions(law, book.play, book.settlement, book.limits, book.wagers, book.pay)
        if missing:
            faults = [
                Fault(
                    q.id,
                    f"nobody has elected it (choices: {', '.join(c.id for c in q.choices)})",
                    "reading_unelected",
                )
                for q in missing
            ]
            raise ElectionsInvalid(book.id, faults)
        self.law = law
        self._money = Money(law)
        self._checks = Checks(law, GAMES[plays], self._money)
        self._game = SETTLES[plays](law, self._money, self._checks)
        self._terms: Terms | None = None  # the last that were found to be sound: a table's do not change

    @property
    def resets(self) -> Mapping[str, tuple[int, tuple[str, ...]]]:
        """Meters that a progressive wager is paid from here: the least with which each starts again, in cents, and clauses."""
        return self._money.resets

    @property
    def pays_envy(self) -> bool:
        """Whether the hand of one player may earn another one a bonus under the elected tables."""
        return bool(self._money.envy)

    @property
    def played(self) -> int:
        """How many cards a player chooses to play; 0 where all are played."""
        return self._game.played

    @property
    def shown(self) -> int:
        """How many cards a player shows for a bonus that is settled before the rest; 0 where there is none."""
        return self._game.shown

    def sums(self, wager: str, stakes: Mapping[str, int], terms: Terms) -> tuple[Line, ...] | None:
        """What a winning wager can come to whatever the cards are, the most first; None where nobody can tell."""
        return self._money.sums(wager, stakes, terms)

    def wins_at_once(self, cards: tuple[int, ...]) -> bool:
        """Whether a hand of these cards wins as soon as it is declared, so that no declaration of it is false."""
        return self._game.wins_at_once(cards)

    def settle(self, round_: Round) -> Settlement:
        """What each wager comes to. Raises `RoundRefused`, naming seat, wager and clause, for a round that cannot be."""
        whole = round_.irregularity is None
        if round_.terms is not self._terms and round_.terms != self._terms:
            self._money.check_terms(round_.terms)
            self._terms = round_.terms
        self._checks.check(round_, whole=whole)
        self._game.check(round_, whole=whole)
        fates = None if whole else self._fates(round_)
        self._declared_rightly(round_)
        lines, meters = self._game.lines(round_, fates)
        if any(hand.coupons for hand in round_.hands):
            lines = self._money.with_coupons(round_, lines)
        cuts, totals = self._totals(round_, lines)
        book = self.law.rulebook
        return Settlement(
            book.id,
            book.sha256,
            round_.terms.currency,
            tuple(lines),
            tuple(totals),
            tuple(cuts),
            meters,
            round_.id,
        )

    def _fates(self, round_: Round) -> Fates:
        """What the irregularity makes of each wager. Raises where play goes on with a hand that has not answered.

        A hand of a wrong number of cards at the seat concerned need not have answered: it is held as it lies. Nor need one of
        which all is lost, held or given back but what its answers so far had settled, or what the row itself has settled.
        """
        fates, count = Fates(self.law, round_), self.law.rulebook.hand.player.value
        at = round_.irregularity.seat if round_.irregularity else 0
        for hand in round_.hands:
            odd = hand.seat == at and len(hand.cards) != count
            if round_.under_way or odd or fates.is_void(hand.seat):
                continue
            settled = GAMES[self.law.rulebook.plays].settled_with(hand.decisions)
            placed = (name for name, cents in hand.wagers.items() if cents and name not in settled)
            lies = [name for name in placed if not fates.spares(hand.seat, name)]
            if any(fates.line(hand, name, hand.wagers[name]) is None for name in lies):
                self._checks.answered(hand, round_)
        return fates

    def _declared_rightly(self, round_: Round) -> None:
        """Raises where a declaration is said to be false, and the cards bear it out, or the player folded."""
        happened = round_.irregularity
        if happened is None or happened.trigger is not Trigger.FALSE_DECLARATION:
            return
        for hand in round_.hands:
            if hand.seat == happened.seat and Decision.FOLD in hand.decisions:
                told = "has folded and declared nothing"
                raise RoundRefused(told, hand.seat, cite=self.law.rulebook.cite_of(happened.trigger))
            if hand.seat == happened.seat and self.wins_at_once(hand.cards):
                raise RoundRefused(WON_AT_ONCE, hand.seat, cite=self.law.rulebook.cite_of(happened.trigger))

    def _totals(self, round_: Round, lines: Sequence[Line]) -> tuple[list[Cut], list[SeatTotal]]:
        cuts: list[Cut] = []
        stake = dict.fromkeys((hand.seat for hand in round_.hands), 0)
        back, held = dict(stake), dict(stake)
        for line in lines:
            seat = line.seat
            stake[seat] += line.stake
            back[seat] += line.returned + line.paid
            if line.outcome is Outcome.HELD:
                held[seat] += line.stake
        for seat, total in back.items():
            if total > MOST_SUM:
                raise RoundRefused(
                    f"its wagers come to {total} cents, and no settlement is above {MOST_SUM}", seat
                )
        least = self._money.least_limit
        for seat, total in back.items():
            if least is not None and total > least:
                found = self._money.cuts(seat, [line for line in lines if line.seat == seat], round_.terms)
                cuts += found
                back[seat] -= sum(cut.cut for cut in found if not cut.held)
        return cuts, [SeatTotal(seat, stake[seat], back[seat], held[seat]) for seat in stake]


_MADE: list[Settler] = []
_KEPT = 8


def settler_of(law: Law) -> Settler:
    """The settler of this very law, made when it is first asked for: a table asks at each hand, and its law does not change.

    Raises as `Settler` does.
    """
    for made in _MADE:
        if made.law is law:
            return made
    _MADE.insert(0, Settler(law))
    del _MADE[_KEPT:]
    return _MADE[0]
