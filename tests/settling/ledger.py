"""Whether the lines of one settlement add up, worked out again from its outcomes and the printed rows.

Of each line: `returned` and `paid` are what its outcome gives. A win pays its row's odds on the stake, a sum, or its part of
the meter as it stands then, and gives the stake back unless the row says "for"; a push and a return give the stake back;
what loses gives nothing, a hand that is given up the part that is not given up; what a person decides gives nothing yet.

Of each round: every wager placed has one line, and

    staked = returned + collected + held
    handed back to a seat = returned + paid - cut by limits
    a meter after the round = the meter before, less what was paid from it, or its start once it was paid out
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from controller.games.model import Decision
from controller.games.settling.round import Hand, Round
from controller.games.settling.settled import Line, Outcome, Settlement
from controller.rules.model import Law
from controller.rules.pay import FixedSum, Odds, OfMeter, Pays
from controller.rules.vocabulary import Settle

_BACK = (Outcome.PUSH, Outcome.RETURN, Outcome.VOID)
_TAKES = (Outcome.WIN, Outcome.LOSE)


class Ledger:
    """Checks the settlements of one law, under which the smallest part of a cent goes to the player (`R-107`, `R-81`)."""

    def __init__(self, law: Law) -> None:
        self._settlement = law.rulebook.settlement
        self._given_up = (
            Fraction(law.rulebook.play.surrender.value) if law.rulebook.play.surrender else Fraction(0)
        )
        self._rows: dict[tuple[str, int | None], Mapping[str, Pays]] = {}
        for table in law.rulebook.pay.values():
            if all(law.elected(question) == choice for question, choice in table.when):
                wager = "envy" if table.envy_for else table.wager
                self._rows[wager, table.hands or table.envy_for] = {
                    str(hand): cited.value for hand, cited in table.rows.items()
                }

    def check(self, round_: Round, settled: Settlement) -> None:
        """Raises `AssertionError`, naming the line, for a settlement that does not add up."""
        hands = {hand.seat: hand for hand in round_.hands}
        meters = {name: meter.cents for name, meter in round_.meters.items()}
        placed = {
            (hand.seat, name): cents for hand in round_.hands for name, cents in hand.wagers.items() if cents
        }
        returned, paid, held, collected = Counter[int](), Counter[int](), Counter[int](), 0
        for line in settled.lines:
            due = self._due(line, hands[line.seat], round_, meters)
            assert (line.returned, line.paid) == due, f"{line} is due {due}"
            if not line.holder and line.outcome is not Outcome.NOT_PLACED:
                assert placed.pop((line.seat, line.wager), None) == line.stake, f"no such wager is left: {line}"
            returned[line.seat] += line.returned
            paid[line.seat] += line.paid
            held[line.seat] += line.stake if line.outcome is Outcome.HELD else 0
            collected += line.stake - line.returned if line.outcome in _TAKES else 0
        assert not placed, f"not settled: {placed}"
        staked = {seat: sum(hand.wagers.values()) for seat, hand in hands.items()}
        assert sum(staked.values()) == returned.total() + collected + held.total()
        assert settled.meters == meters
        cuts = _cuts(settled)
        for total in settled.seats:
            seat = total.seat
            assert (total.stake, total.held) == (staked.pop(seat), held[seat])
            assert total.back == returned[seat] + paid[seat] - cuts[seat], total
        assert not staked, f"no total for seats {sorted(staked)}"

    def _due(self, line: Line, hand: Hand, round_: Round, meters: dict[str, int]) -> tuple[int, int]:
        """What goes back of the stake and what is paid beside it; takes from `meters` what is paid from them."""
        if line.outcome in _BACK:
            return line.stake, 0
        if line.outcome is Outcome.LOSE and Decision.SURRENDER in hand.decisions:
            return ceil(line.stake * (1 - self._given_up)), 0
        if line.outcome is not Outcome.WIN:
            return 0, 0
        pays = self._row(line, hand, round_)
        match pays:
            case Odds():
                return 0 if pays.keeps else line.stake, ceil(Fraction(line.stake * pays.pays, pays.stake))
            case FixedSum():
                return line.stake if self._point(Settle.SUM_WAGER) == "given_back" else 0, pays.cents
            case OfMeter():
                sum_ = ceil(Fraction(meters[pays.meter] * pays.per_cent, 100))
                if pays.per_cent == 100:
                    meters[pays.meter] = round_.meters[pays.meter].reset
                elif self._point(Settle.METER_AFTER) == "lower":
                    meters[pays.meter] -= sum_
                return line.stake if self._point(Settle.METER_WAGER) == "given_back" else 0, sum_
            case _:
                raise AssertionError(f"{line} won by a row that pays nothing: {pays}")

    def _row(self, line: Line, hand: Hand, round_: Round) -> Pays:
        """The printed row that the line names: of the one table of its wager, or that of so many hands, or of the stake."""
        number = hand.wagers["progressive"] if line.holder else len(round_.hands) + 1
        rows = self._rows.get((line.wager, None)) or self._rows[line.wager, number]
        return rows[line.hand]

    def _point(self, point: Settle) -> str:
        return self._settlement[point].value


def _cuts(settled: Settlement) -> Counter[int]:
    """By seat, what limits took off: no more than is above them, and of no more than was won."""
    taken = Counter[int]()
    for cut in settled.cuts:
        assert cut.cut == cut.before - cut.limit > 0, cut
        won = sum(line.paid for line in settled.lines if line.seat == cut.seat and line.wager in cut.wagers)
        assert cut.before <= won, cut
        taken[cut.seat] += 0 if cut.held else cut.cut
    return taken
