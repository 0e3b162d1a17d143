"""What an irregularity makes of the wagers of a round: the fates that the rulebook's row gives them, wager by wager."""

from collections.abc import Mapping
from dataclasses import dataclass

from controller.games.model import Decision
from controller.games.registry import GAMES
from controller.games.settling.round import Hand, Round, RoundRefused
from controller.games.settling.settled import Line, Outcome
from controller.rules.model import Demand, Law
from controller.rules.vocabulary import GUARDS_OF, Action, Guard

VOIDS_ALL = (Action.VOID_ROUND, Action.VOID_ALL_HANDS)
REACHES_ALL = (*VOIDS_ALL, Action.RETURN_ALL_WAGERS)
REACHES_SEAT = (Action.VOID_HAND, Action.RETURN_SEAT_WAGERS)
"""Demands that put in question what was paid or collected before: of the whole round, or of the seat concerned."""
SETTLED_BEFORE = "But it was settled with the player's answer already, and no text says what follows"
_NAMED = {
    Action.RETURN_ANTE: ("ante", Outcome.RETURN),
    Action.RETURN_BLIND: ("blind", Outcome.RETURN),
    Action.RETURN_PLAY: ("play", Outcome.RETURN),
    Action.RETURN_TRIPS: ("trips", Outcome.RETURN),
    Action.HOLD_TRIPS: ("trips", Outcome.HELD),
}
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
    """None for a wager that is settled by the cards all the same. `note`: beside what the row says."""

    outcome: Outcome | None
    cite: tuple[str, ...] = ()
    reading: str | None = None
    note: str = ""


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
        self._law, self._at, self._game = law, happened.seat, GAMES[law.rulebook.plays]
        self.row, self._demands = law.demands(trigger, frozenset(state))
        self._check_seat(happened.seat, round_)
        self._void = next((d for d in self._demands if d.action in VOIDS_ALL), None)
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
        note = " ".join(filter(None, (self.row.says, fate.note)))
        return Line(hand.seat, wager, stake, outcome, back, cite=fate.cite, reading=fate.reading, note=note)

    def is_void(self, seat: int) -> bool:
        """Whether the hand of this seat is void."""
        return self._void is not None or (self._void_hand is not None and seat == self._at)

    def _of(self, hand: Hand, wager: str) -> Fate | None:
        """What a fold collected or an answer settled comes first, for it does not lie on the layout any more. Then named
        wagers, those of the seat concerned, all and all others, and at last what the text leaves open."""
        play = self._law.rulebook.play
        if Decision.FOLD in hand.decisions and play.fold_collects and wager in play.fold_collects.value:
            return self._collected(hand)
        if wager in self._game.settled_with(hand.decisions) and not self._declared(hand.seat):
            return self._settled(hand)
        for demand in self._demands:
            if demand.action is Action.SETTLE_TRIPS and wager == "trips":
                return Fate(None)
            named, outcome = _NAMED.get(demand.action, ("", Outcome.HELD))
            if named == wager:
                return _fate(outcome, demand)
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

    def _declared(self, seat: int) -> bool:
        """Whether the row is about the declaration of this hand: what that had settled is what it decides."""
        return seat == self._at and any(d.action is Action.COLLECT_ANTE for d in self._demands)

    def _settled(self, hand: Hand) -> Fate | None:
        """What was paid, collected or divided with the player's answer stays so; where the row reaches it, that is a question."""
        by = self._reaches(hand.seat)
        return self._round_held() if by is None else Fate(Outcome.HELD, by.cite, by.reading, SETTLED_BEFORE)

    def _reaches(self, seat: int) -> Demand | None:
        """The demand that puts in question what does not lie on the layout any more at this seat."""
        for demand in self._demands:
            if demand.action in REACHES_ALL or (demand.action in REACHES_SEAT and seat == self._at):
                return demand
        return None

    def _round_held(self) -> Fate | None:
        return next((_fate(Outcome.HELD, d) for d in self._demands if d.action is Action.HOLD_ROUND), None)

    def _first(self, meant: Mapping[Action, Outcome]) -> Fate | None:
        """The first demand of these; one that holds the round as a whole comes after those that name wagers."""
        found = sorted(
            (d for d in self._demands if d.action in meant), key=lambda d: d.action is Action.HOLD_ROUND
        )
        return _fate(meant[found[0].action], found[0]) if found else None

    def _collected(self, hand: Hand) -> Fate | None:
        """What was collected at a fold is lost by it, unless the row reaches it there: then it is as was elected."""
        rule = self._law.rulebook.play.collected_in_void
        if rule is None or self._reaches(hand.seat) is None:
            return self._round_held()
        return Fate(
            {"return": Outcome.RETURN, "collected": Outcome.LOSE}.get(rule.value, Outcome.HELD), (), rule.reading
        )


def _fate(outcome: Outcome, demand: Demand) -> Fate:
    return Fate(outcome, demand.cite, demand.reading)
