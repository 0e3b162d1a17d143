"""What an irregularity makes of the wagers of a round: the fates that the rulebook's row gives them, wager by wager."""

from collections.abc import Collection, Iterator

from controller.games.fates import CONCERNS_A_SEAT, Fate, Placed, Why, voids, wager_fates
from controller.games.model import Decision, Game
from controller.games.registry import GAMES
from controller.games.settling.round import Hand, Round, RoundRefused
from controller.games.settling.settled import Line, Outcome
from controller.rules.model import Law
from controller.rules.named_wagers import asked_about, belongs, placed
from controller.rules.vocabulary import GUARDS_OF, NO_ROW, Guard

SETTLED_BEFORE = "But it was settled with the player's answer already, and no text says what follows"
_OUTCOMES = {
    Fate.RETURNED: Outcome.RETURN,
    Fate.HELD: Outcome.HELD,
    Fate.LOST: Outcome.LOSE,
    Fate.COLLECTED: Outcome.LOSE,
}
"""Outcomes of wagers that the cards do not settle any more."""


class Fates:
    """The fates of the wagers of one round, in which something happened."""

    def __init__(self, law: Law, round_: Round) -> None:
        happened = round_.irregularity
        assert happened is not None
        trigger = happened.trigger
        if trigger in NO_ROW:
            raise RoundRefused(f"no document says what follows from {trigger}; settle as the floor decided")
        if strange := [condition for condition in happened.state if not belongs(trigger, condition)]:
            allowed = ", ".join(GUARDS_OF[trigger]) or "none"
            raise RoundRefused(f"{strange[0]} is no condition of {trigger} (it has: {allowed})")
        # A round to settle is live, and shows its wagers.
        state = {Guard.ROUND_LIVE, *(condition for condition in happened.state if not asked_about(condition))}
        state |= {placed(wager) for hand in round_.hands for wager, cents in hand.wagers.items() if cents}
        self._law, self._at = law, happened.seat
        self.row, self._demands = law.demands(trigger, frozenset(state))
        self._check_seat(happened.seat, round_)
        game, collects = GAMES[law.rulebook.plays], law.rulebook.play.fold_collects
        lying = [w for hand in round_.hands for w in _placed(hand, game, collects.value if collects else ())]
        self._fates = {(f.seat, f.wager): f for f in wager_fates(law, self._demands, lying, happened.seat)}

    def _check_seat(self, at: int, round_: Round) -> None:
        """Raises where the row speaks of one seat and none is named, or one that is not in the round.

        Where the row speaks of no seat, a card may have been found at one that nobody plays.
        """
        if not any(demand.action in CONCERNS_A_SEAT for demand in self._demands):
            return
        if at and at not in [hand.seat for hand in round_.hands]:
            raise RoundRefused("what happened there concerns a seat that is not in this round", at)
        if not at:
            raise RoundRefused(
                f"say at which seat it happened: {self.row.trigger} concerns one", cite=self.row.cite
            )

    def lines(self, hand: Hand) -> list[Line]:
        """Lines of the wagers of a seat that the cards do not settle any more."""
        found = [self.line(hand, wager, stake) for wager, stake in hand.wagers.items() if stake]
        return [line for line in found if line is not None]

    def line(self, hand: Hand, wager: str, stake: int) -> Line | None:
        """What became of the wager; None where it is settled by the cards."""
        fate = self._fates.get((hand.seat, wager))
        outcome = _OUTCOMES.get(fate.fate) if fate else None
        if fate is None or outcome is None:
            return None
        if outcome is Outcome.RETURN and self.is_void(hand.seat):
            outcome = Outcome.VOID
        back = stake if outcome in (Outcome.VOID, Outcome.RETURN) else 0
        note = " ".join(
            filter(
                None,
                (self.row.says, SETTLED_BEFORE if fate.why is Why.SETTLED and outcome is Outcome.HELD else ""),
            )
        )
        return Line(hand.seat, wager, stake, outcome, back, cite=fate.by.cite, reading=fate.by.reading, note=note)

    def spares(self, seat: int, wager: str) -> bool:
        """Whether the row has this wager settled on its own cards, whatever its player has answered."""
        fate = self._fates.get((seat, wager))
        return fate is not None and fate.fate is Fate.TO_SETTLE

    def is_void(self, seat: int) -> bool:
        """Whether the hand of this seat is void."""
        return voids(self._demands, seat, self._at)


def _placed(hand: Hand, game: Game, at_fold: Collection[str]) -> Iterator[Placed]:
    """The wagers of a hand; those that its fold collected or its answer settled do not lie on the layout any more.

    `at_fold`: wagers that a fold collects.
    """
    settled = game.settled_with(hand.decisions)
    folded = Decision.FOLD in hand.decisions
    for wager, cents in hand.wagers.items():
        if cents:
            fate = Fate.SETTLED if wager in settled else Fate.LIVE
            fate = Fate.COLLECTED if folded and wager in at_fold else fate
            yield Placed(hand.seat, wager, fate, folded=folded)
