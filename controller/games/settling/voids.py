"""What an irregularity makes of the wagers of a round: the fates that the rulebook's row gives them, wager by wager."""

from collections.abc import Mapping
from dataclasses import dataclass

from controller.games.model import Decision
from controller.games.settling.round import Hand, Round, RoundRefused
from controller.games.settling.settled import Line, Outcome
from controller.rules.model import Demand, Law
from controller.rules.vocabulary import GUARDS_OF, Action, Guard

_VOIDS = (Action.VOID_ROUND, Action.VOID_ALL_HANDS)
_NAMED = {Action.RETURN_ANTE: "ante", Action.RETURN_BLIND: "blind", Action.RETURN_PLAY: "play"}
_OF_SEAT = {
    Action.RETURN_SEAT_WAGERS: Outcome.RETURN,
    Action.HOLD_SEAT_WAGERS: Outcome.HELD,
    Action.COLLECT_SEAT_WAGERS: Outcome.LOSE,
}
_OF_ALL = {
    Action.RETURN_ALL_WAGERS: Outcome.RETURN,
    Action.RETURN_OTHERS: Outcome.RETURN,
    Action.HOLD_ALL_WAGERS: Outcome.HELD,
    Action.HOLD_OTHERS: Outcome.HELD,
    Action.HOLD_ROUND: Outcome.HELD,
}


_CONCERN_A_SEAT = (Action.VOID_HAND, Action.COLLECT_ANTE, *_OF_SEAT)


@dataclass(frozen=True, slots=True)
class Fate:
    """None for a wager that is settled by the cards all the same."""

    outcome: Outcome | None
    cite: tuple[str, ...] = ()
    reading: str | None = None


class Fates:
    """The fates of the wagers of one round, in which something happened."""

    def __init__(self, law: Law, round_: Round) -> None:
        happened = round_.irregularity
        assert happened is not None
        trigger = happened.trigger
        if strange := [guard for guard in happened.state if guard not in GUARDS_OF[trigger]]:
            allowed = ", ".join(GUARDS_OF[trigger]) or "none"
            raise RoundRefused(f"{strange[0]} is no condition of {trigger} (it has: {allowed})")
        state = {*happened.state, Guard.ROUND_LIVE} - {
            Guard.TRIPS_PLACED
        }  # what is settled is live, and shows its wagers
        if any(hand.wagers.get("trips") for hand in round_.hands):
            state.add(Guard.TRIPS_PLACED)
        self._law, self._at = law, happened.seat
        self.row, self._demands = law.demands(trigger, frozenset(state))
        self._check_seat(happened.seat, round_)
        self._void = next((d for d in self._demands if d.action in _VOIDS), None)
        self._void_hand = next((d for d in self._demands if d.action is Action.VOID_HAND), None)

    def _check_seat(self, at: int, round_: Round) -> None:
        """Raises where the row speaks of one seat and none is named, or one that is not in the round."""
        if at and at not in [hand.seat for hand in round_.hands]:
            raise RoundRefused("what happened there concerns a seat that is not in this round", at)
        of_a_seat = [demand for demand in self._demands if demand.action in _CONCERN_A_SEAT]
        if of_a_seat and not at:
            raise RoundRefused(
                f"say at which seat it happened: {self.row.trigger} concerns one", cite=self.row.cite
            )

    def lines(self, hand: Hand) -> list[Line]:
        """Lines of the wagers of a seat that the cards do not settle any more."""
        found = [self.line(hand, wager, stake) for wager, stake in hand.wagers.items() if stake]
        return [line for line in found if line is not None]

    def line(self, hand: Hand, wager: str, stake: int) -> Line | None:
        """What became of the wager; None where it is settled by the cards."""
        fate = self._of(hand, wager)
        if fate is None or fate.outcome is None:
            return None
        outcome = fate.outcome
        if outcome is Outcome.RETURN and self.is_void(hand.seat):
            outcome = Outcome.VOID
        back = stake if outcome in (Outcome.VOID, Outcome.RETURN) else 0
        return Line(
            hand.seat, wager, stake, outcome, back, cite=fate.cite, reading=fate.reading, note=self.row.says
        )

    def is_void(self, seat: int) -> bool:
        """Whether the hand of this seat is void."""
        return self._void is not None or (self._void_hand is not None and seat == self._at)

    def _of(self, hand: Hand, wager: str) -> Fate | None:
        """Named wagers first, then those of the seat concerned, then all and all others, then what the text leaves open."""
        if (folded := self._collected(hand, wager)) is not None:
            return folded
        for demand in self._demands:
            if demand.action is Action.SETTLE_TRIPS and wager == "trips":
                return Fate(None)
            if _NAMED.get(demand.action) == wager:
                return _fate(Outcome.RETURN, demand)
            if demand.action is Action.COLLECT_ANTE and (hand.seat, wager) == (self._at, "ante"):
                return _fate(Outcome.LOSE, demand)
        if hand.seat == self._at and (fate := self._first(_OF_SEAT)) is not None:
            return fate
        if (fate := self._first(_OF_ALL)) is not None:
            return fate
        if self.is_void(hand.seat):
            void = self._void or self._void_hand
            assert void is not None
            return _fate(Outcome.HELD, void)
        return None

    def _first(self, meant: Mapping[Action, Outcome]) -> Fate | None:
        """The first demand of these; one that holds the round as a whole comes after those that name wagers."""
        found = sorted(
            (d for d in self._demands if d.action in meant), key=lambda d: d.action is Action.HOLD_ROUND
        )
        return _fate(meant[found[0].action], found[0]) if found else None

    def _collected(self, hand: Hand, wager: str) -> Fate | None:
        """What was collected at a fold before the hands were void, where it does not go back like the rest."""
        play = self._law.rulebook.play
        if self._void is None or play.fold_collects is None or play.collected_in_void is None:
            return None
        if Decision.FOLD not in hand.decisions or wager not in play.fold_collects.value:
            return None
        match play.collected_in_void.value:
            case "collected":
                return Fate(Outcome.LOSE, (), play.collected_in_void.reading)
            case "hold":
                return Fate(Outcome.HELD, (), play.collected_in_void.reading)
            case _:
                return None


def _fate(outcome: Outcome, demand: Demand) -> Fate:
    return Fate(outcome, demand.cite, demand.reading)
