"""The progressive wager: parts of a meter as it stands at the player's turn, odds, and envy for the hands of others."""

from collections.abc import Collection

from controller.cards.ranking import Category, five
from controller.games.model import Decision
from controller.games.settling.money import ASKED, NOT_PROVABLE, WHOLE, Money, Row
from controller.games.settling.round import UNREADABLE, Hand, Round, RoundRefused
from controller.games.settling.settled import Line, Outcome
from controller.rules.pay import FixedSum, OfMeter
from controller.rules.vocabulary import Settle, Trigger

_WAGER = "progressive"
_ENVIED = (Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH)
METER_OPEN = "what the meter stands at is not known before the progressive wager that is held is decided"


class Progressive:
    """How progressive wagers are paid under one law."""

    def __init__(self, money: Money) -> None:
        self._money = money
        self._payer = money.payers.get(_WAGER)
        self._by_flop = money.point(Settle.METER_HAND) == "flop"

    def check(self, round_: Round, *, whole: bool) -> None:
        """Every meter that the elected table pays from is there, and starts again at no less than its least.

        A meter may stand below its start, as after a part of it was paid: only initial and reset amount have a least.
        Clause: md-uth 12.D(3)(b), 12.D(4).

        Not `whole`: the wager may be void, and a meter may be missing as long as nothing is paid from it.
        """
        if self._payer is None or not any(hand.wagers.get(_WAGER) for hand in round_.hands):
            return
        for name, (least, cite) in self._money.resets.items():
            meter = round_.meters.get(name)
            if meter is None:
                if whole:
                    raise RoundRefused(
                        f"`meters` has no {name!r}, from which the elected table pays", 0, _WAGER, cite
                    )
                continue
            if meter.reset < least:
                raise RoundRefused(
                    f"meter {name!r} starts again at {meter.reset} cents, below {least}", 0, _WAGER, cite
                )

    def lines(
        self,
        hand: Hand,
        stake: int,
        round_: Round,
        values: dict[int, int | None],
        meters: dict[str, int] | None,
        gone: Collection[int],
    ) -> list[Line]:
        """The wager itself, then an envy line for each other hand that earns one. Takes what it pays from `meters`; None
        where nobody can tell at what they stand. `gone`: seats whose own wager went back or was lost before.
        """
        if self._payer is None:
            cite, reading = self._money.decided(Settle.UNPRINTED)
            return [Line(hand.seat, _WAGER, stake, Outcome.HELD, cite=cite, reading=reading, note=ASKED)]
        own = self._own(hand, stake, values[hand.seat], round_, meters)
        return [own, *self._envy(hand, stake, round_, values, gone)]

    def hanging_on(
        self, own: Line, hand: Hand, round_: Round, values: dict[int, int | None], gone: Collection[int]
    ) -> list[Line]:
        """Envy lines of a wager that a reading decides whatever the cards are: what it would be paid is held or lost with it.

        Clause: md-uth 11.J(2)(e)(i), `[settlement] folded_rest`.
        """
        if self._payer is None:
            return []
        lost = own.outcome is Outcome.LOSE  # then all is, and no hand is told for it
        return [
            Line(own.seat, x.wager, 0, own.outcome, reading=own.reading, note=own.note, holder=x.holder)
            if lost or x.outcome is Outcome.WIN
            else x
            for x in self._envy(hand, own.stake, round_, values, gone)
            if not (lost and x.note == NOT_PROVABLE)
        ]

    def values(self, round_: Round, values: dict[int, int | None]) -> dict[int, int | None]:
        """By seat, the value of the five cards that count; None where it cannot be told. `values`: of the best five."""
        if not self._by_flop or not any(hand.wagers.get(_WAGER) for hand in round_.hands):
            return values
        cards = {hand.seat: hand.cards + round_.community[:3] for hand in round_.hands}
        return {
            seat: five(held) if len(held) == 5 and UNREADABLE not in held else None for seat, held in cards.items()
        }

    def _own(
        self, hand: Hand, stake: int, value: int | None, round_: Round, meters: dict[str, int] | None
    ) -> Line:
        assert self._payer is not None
        if value is None:
            return Line(hand.seat, _WAGER, stake, Outcome.HELD, note=NOT_PROVABLE)
        row = self._payer.of_value[value >> 16]
        if row is None:
            return Line(hand.seat, _WAGER, stake, Outcome.LOSE, cite=self._payer.cite)
        if isinstance(row.pays, OfMeter):
            if meters is None:
                return Line(hand.seat, _WAGER, stake, Outcome.HELD, hand=row.hand, cite=row.cite, note=METER_OPEN)
            return self._of_meter(hand, stake, row, row.pays, round_, meters)
        return self._money.line(hand.seat, _WAGER, stake, row, round_.terms)

    def _of_meter(
        self, hand: Hand, stake: int, row: Row, pays: OfMeter, round_: Round, meters: dict[str, int]
    ) -> Line:
        if pays.meter not in meters:
            raise RoundRefused(
                f"`meters` has no {pays.meter!r}, from which the elected table pays", hand.seat, _WAGER, row.cite
            )
        stood = meters[pays.meter]
        paid, note = self._money.whole(stood * pays.per_cent, WHOLE, round_.terms.unit)
        if pays.per_cent == WHOLE:
            meters[pays.meter] = round_.meters[pays.meter].reset
        elif self._money.point(Settle.METER_AFTER) == "lower":
            meters[pays.meter] = stood - paid
        back = stake if self._money.point(Settle.METER_WAGER) == "given_back" else 0
        told = "; ".join(filter(None, (f"the meter stood at {stood} cents", note)))
        cite, reading = row.cite, row.reading
        return Line(hand.seat, _WAGER, stake, Outcome.WIN, back, paid, row.text, row.hand, cite, reading, told)

    def _envy(
        self, hand: Hand, stake: int, round_: Round, values: dict[int, int | None], gone: Collection[int]
    ) -> list[Line]:
        """One line for each hand of another player that earns this one an envy bonus, in the order of settlement."""
        if not self._money.envy:
            return []
        found = []
        for other in sorted(round_.hands, key=lambda other: -other.seat):
            value = values[other.seat]
            earns = value is None or value >> 20 in _ENVIED
            if not earns or other.seat == hand.seat or not self._may_hold(other, round_, gone):
                continue
            if value is None:
                found.append(Line(hand.seat, "envy", 0, Outcome.HELD, note=NOT_PROVABLE, holder=other.seat))
            else:
                found.append(self._envied(hand, stake, value, other, round_))
        return found

    def _may_hold(self, other: Hand, round_: Round, gone: Collection[int]) -> bool:
        """Whether the hand may earn envy. Clause: md-uth 11.J(2)(e)(i), (ii)."""
        with_progressive = self._money.point(Settle.ENVY_HOLDER) == "with_progressive"
        if with_progressive and (other.seat in gone or not other.wagers.get(_WAGER)):
            return False
        points = _withdrawn(other, round_)
        return all(self._money.point(point) != "does_not_count" for point in points)

    def _envied(self, hand: Hand, stake: int, value: int, other: Hand, round_: Round) -> Line:
        seat, holder = hand.seat, other.seat
        asked = [point for point in _withdrawn(other, round_) if self._money.point(point) == "ask"]
        if asked:
            _, reading = self._money.decided(asked[0])
            return Line(seat, "envy", 0, Outcome.HELD, reading=reading, note=ASKED, holder=holder)
        printed = stake if stake in self._money.envy else min(self._money.envy)
        row = self._money.envy[printed].of_value[value >> 16]
        assert row is not None
        assert isinstance(row.pays, FixedSum)
        if printed == stake:
            return Line(
                seat, "envy", 0, Outcome.WIN, 0, row.pays.cents, row.text, row.hand, row.cite, holder=holder
            )
        _, reading = self._money.decided(Settle.ENVY_STAKE)
        match self._money.point(Settle.ENVY_STAKE):
            case "in_proportion":
                paid, note = self._money.whole(row.pays.cents * stake, printed, round_.terms.unit)
                told = "; ".join(filter(None, (f"in proportion to a wager of {printed} cents", note)))
                return Line(
                    seat, "envy", 0, Outcome.WIN, 0, paid, row.text, row.hand, row.cite, reading, told, holder
                )
            case "none":
                return Line(seat, "envy", 0, Outcome.LOSE, reading=reading, holder=holder)
            case _:
                return Line(seat, "envy", 0, Outcome.HELD, reading=reading, note=ASKED, holder=holder)


def _withdrawn(hand: Hand, round_: Round) -> list[Settle]:
    """The points by which it is decided whether a hand still earns envy: its player folded, or left in the round."""
    happened = round_.irregularity
    left = happened is not None and (happened.trigger, happened.seat) == (Trigger.PLAYER_LEFT, hand.seat)
    found = [Settle.ENVY_FOLDED] if Decision.FOLD in hand.decisions else []
    return [*found, Settle.ENVY_LEFT] if left or hand.seat in round_.left else found
