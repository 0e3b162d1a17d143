"""What a row of a pay table comes to: whole cents from exact odds, breakage, coupons, and the limits of a payout."""

from collections.abc import Mapping, Sequence
from typing import Final, assert_never

from controller.games.settling import most_won, words
from controller.games.settling.round import MOST, Round, RoundRefused, Terms
from controller.games.settling.settled import Cut, Line, Outcome
from controller.readers.nearest import nearest
from controller.rules.model import Law
from controller.rules.pay import Bare, FixedSum, Odds, OfMeter, PayHand, PayLimit, Pays, PayTable, parse_pays
from controller.rules.vocabulary import Settle
from drivers.protocol.records import dataclass

WHOLE: Final = 100
"""Per cent."""
HOUSE: Final = "house"
"""A limit of a payout that stands where the house has set it."""
EVEN_MONEY: Final = Odds(1, 1, keeps=False)
WITH_ITS_WAGER: Final = {
    Outcome.LOSE: "the coupon is taken",
    Outcome.HELD: "the coupon waits for the wager beside it",
}
"""What becomes of a coupon beside a wager that has not won; beside one that goes back it stays with the player."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of an elected pay table. `text`: what it pays, as in the rulebook."""

    hand: PayHand
    pays: Pays
    text: str
    cite: tuple[str, ...]
    reading: str | None


class Payer:
    """One pay table as elected: finds the row of a hand. `cite`: the table's, for what has no row and loses."""

    def __init__(self, table: PayTable) -> None:
        self.cite = table.cite
        self.rows = {
            hand: Row(hand, cited.value, str(cited.value), cited.cite, cited.reading)
            for hand, cited in table.rows.items()
        }
        self.of_value = _ByValue(self)

    def row(self, told: Sequence[PayHand]) -> Row | None:
        """The highest row that speaks of a hand with these words; None where none does."""
        return next((row for hand, row in self.rows.items() if hand in told), None)


class _ByValue(dict[int, Row | None]):
    """Rows by category and first rank of a value (`value >> 16`), found when first asked for."""

    def __init__(self, payer: Payer) -> None:
        super().__init__()
        self._payer = payer

    def __missing__(self, key: int) -> Row | None:
        row = self[key] = self._payer.row(words.of_value(key << 16))
        return row


class Money:
    """The pay tables and rules of money of one law."""

    def __init__(self, law: Law) -> None:
        self.law = law
        self.settlement = law.rulebook.settlement
        self._up = self.point(Settle.BREAKAGE) == "up"
        self._broken = self.settlement.get(Settle.BREAKAGE)
        self.payers: dict[str, Payer] = {}
        self.by_hands: dict[tuple[str, int], Payer] = {}
        self.envy: dict[int, Payer] = {}
        self.resets: dict[str, tuple[int, tuple[str, ...]]] = {}
        for table in law.rulebook.pay.values():
            if all(law.elected(question) == choice for question, choice in table.when):
                self._take(table)
        self._limits = [
            _Limit(limit, self) for limit in law.rulebook.limits.values() if limit.applies.value != "not"
        ]
        self.least_limit = min((limit.least for limit in self._limits), default=None)

    def check_terms(self, terms: Terms) -> None:
        """Raises `RoundRefused` for terms that name no known wager, for amounts that none can be, and where the house's own
        limit is missing, too low, or was not elected."""
        if not 1 <= terms.unit <= MOST:
            raise RoundRefused(f"the least unit that is paid is {terms.unit} cents, and must be from 1 to {MOST}")
        if terms.payout_limit is not None and not 1 <= terms.payout_limit <= MOST:
            raise RoundRefused(f"the payout limit is {terms.payout_limit} cents, and must be from 1 to {MOST}")
        known = self.law.rulebook.wagers
        for key, limits in (("least", terms.least), ("most", terms.most)):
            for name, cents in limits.items():
                if name not in known:
                    raise RoundRefused(f"the terms name no known wager {nearest(name, known)}", wager=name)
                if not 0 <= cents <= MOST:
                    raise RoundRefused(f"its {key} is {cents} cents, and must be from 0 to {MOST}", wager=name)
        for name in terms.least.keys() & terms.most.keys():
            if terms.least[name] > terms.most[name]:
                told = f"its least is {terms.least[name]} cents, and more than its most of {terms.most[name]}"
                raise RoundRefused(told, wager=name)
        if terms.payout_limit is not None and not any(limit.of_house for limit in self._limits):
            raise RoundRefused(
                f"the payout limit is {terms.payout_limit} cents, and none of the house's own is elected"
            )
        for limit in self._limits:
            limit.most(terms)

    def _take(self, table: PayTable) -> None:
        if table.envy_for is not None:
            self.envy[table.envy_for] = Payer(table)
        elif table.hands is not None:
            self.by_hands[table.wager, table.hands] = Payer(table)
        else:
            self.payers[table.wager] = Payer(table)
            self.resets |= {meter: (least.value, least.cite) for meter, least in (table.resets or {}).items()}

    def point(self, point: Settle) -> str:
        """What was elected, or is printed, on a point of settlement; "ask" where the document has no such point."""
        cited = self.settlement.get(point)
        return cited.value if cited else "ask"

    def decided(self, point: Settle) -> tuple[tuple[str, ...], str | None]:
        """By what a point is decided: clauses and no reading where it is printed, no clauses where a reading decides."""
        cited = self.settlement.get(point)
        if cited is None:
            return (), None
        return ((), cited.reading) if cited.reading else (cited.cite, None)

    def line(self, seat: int, wager: str, stake: int, row: Row, terms: Terms) -> Line:
        """The line of a wager that this row is about; a part of a meter has a line of its own (`progressive.py`)."""
        pays, cite, reading = row.pays, row.cite, row.reading
        match pays:
            case Odds():
                paid, note = self._at_odds(pays, stake, terms.unit)
                back = 0 if pays.keeps else stake
                return Line(seat, wager, stake, Outcome.WIN, back, paid, row.text, row.hand, cite, reading, note)
            case FixedSum():
                back = stake if self.point(Settle.SUM_WAGER) == "given_back" else 0
                return Line(seat, wager, stake, Outcome.WIN, back, pays.cents, row.text, row.hand, cite, reading)
            case Bare.PUSH:
                return Line(seat, wager, stake, Outcome.PUSH, stake, 0, "", row.hand, cite, reading)
            case Bare.LOSE:
                return Line(seat, wager, stake, Outcome.LOSE, 0, 0, "", row.hand, cite, reading)
            case Bare.ASK:
                return Line(seat, wager, stake, Outcome.HELD, 0, 0, "", row.hand, cite, reading, ASKED)
            case OfMeter():
                raise RoundRefused("a part of a meter is paid by the progressive wager alone", seat, wager, cite)
            case _:
                assert_never(pays)

    def _at_odds(self, pays: Odds, stake: int, unit: int) -> tuple[int, str]:
        """What odds pay on a stake. Only odds such as 3 to 2 are rounded; a multiple of the stake is paid as it is."""
        if pays.stake == 1:
            return stake * pays.pays, ""
        return self.whole(stake * pays.pays, pays.stake, unit)

    def sums(self, wager: str, stakes: Mapping[str, int], terms: Terms) -> tuple[Line, ...] | None:
        """What a winning wager can come to, the most first; None where nobody can tell that from its table alone.

        A part of a meter is of any sum, a row may be left to a person, and a limit of the payout takes off what it must.
        `stakes`: cents of all wagers of the hand.
        """
        lines = self._winning(wager, stakes[wager], terms)
        if not lines:
            return None
        for limit in self._limits:
            counted = [name for name in limit.wagers if stakes.get(name)]
            most = [self._winning(name, stakes[name], terms) for name in counted]
            if wager in counted and sum(x[0].returned + x[0].paid for x in most if x) > limit.most(terms):
                return None
        return lines

    def _winning(self, wager: str, stake: int, terms: Terms) -> tuple[Line, ...]:
        """A line for each row that pays this wager, the most first; () where a row pays what no table tells."""
        payers = [payer for (name, _), payer in self.by_hands.items() if name == wager]
        rows = [row for p in (*payers, self.payers.get(wager)) if p is not None for row in p.rows.values()]
        if any(row.pays is Bare.ASK or isinstance(row.pays, OfMeter) for row in rows):
            return ()
        lines = [self.line(0, wager, stake, row, terms) for row in rows]
        return tuple(sorted((x for x in lines if x.outcome is Outcome.WIN), key=lambda x: -x.paid))

    def tied(self, seat: int, wager: str, stake: int) -> Line:
        """The line of a wager whose hand equals the dealer's, as printed or elected."""
        cite, reading = self.decided(Settle.TIE)
        match self.point(Settle.TIE):
            case "push":
                return Line(seat, wager, stake, Outcome.PUSH, stake, cite=cite, reading=reading)
            case "collect":
                return Line(seat, wager, stake, Outcome.LOSE, cite=cite, reading=reading)
            case _:
                return Line(seat, wager, stake, Outcome.HELD, cite=cite, reading=reading, note=ASKED)

    def whole(self, above: int, below: int, unit: int) -> tuple[int, str]:
        """`above / below` cents in whole units, by the breakage rule, and what it did in words, "" if nothing."""
        units, part = divmod(above, below * unit)
        if not part:
            return units * unit, ""
        if self._broken is None:
            raise RoundRefused(
                f"{above}/{below} cents is no whole amount of {unit}, and no rule says what is paid then"
            )
        by = f"breakage {'up' if self._up else 'down'}, {self._broken.reading or ', '.join(self._broken.cite)}"
        return (units + self._up) * unit, by

    def with_coupons(self, round_: Round, lines: Sequence[Line]) -> list[Line]:
        """The lines, each match play coupon beside the wager on which it lies."""
        found, faces = [], {hand.seat: hand.coupons for hand in round_.hands}
        for line in lines:
            found.append(line)
            if face := faces[line.seat].get(line.wager, 0):
                found.append(self._coupon(line, face, round_.terms))
        return found

    def _coupon(self, line: Line, face: int, terms: Terms) -> Line:
        rule = self.point(Settle.COUPON)
        reading = self.settlement[Settle.COUPON].reading
        if line.outcome is not Outcome.WIN:
            note = WITH_ITS_WAGER.get(line.outcome, "the coupon stays with the player")
            return Line(
                line.seat,
                line.wager,
                0,
                line.outcome,
                cite=line.cite,
                reading=line.reading,
                note=note,
                coupon=face,
            )
        if rule == "ask":
            return Line(line.seat, line.wager, 0, Outcome.HELD, reading=reading, note=ASKED, coupon=face)
        odds = EVEN_MONEY if rule == "even_money" else parse_pays(line.pays)
        assert isinstance(odds, Odds)  # a wager beside which a coupon lies is paid at odds
        paid, note = self._at_odds(odds, face, terms.unit)
        pays = "1 to 1" if rule == "even_money" else line.pays
        told = "; ".join(filter(None, ("the coupon is taken", note)))
        return Line(
            line.seat,
            line.wager,
            0,
            Outcome.WIN,
            0,
            paid,
            pays,
            line.hand,
            reading=reading,
            note=told,
            coupon=face,
        )

    def cuts(self, seat: int, lines: Sequence[Line], terms: Terms) -> list[Cut]:
        """What the limits take off the wagers of one hand; the lines themselves stay as they are."""
        found: list[Cut] = []
        for limit in self._limits:
            if (cut := limit.cut(seat, lines, terms, found)) is not None:
                found.append(cut)
        return found

    def won(self, wager: str, stake: int, told: Sequence[PayHand]) -> int:
        """Cents that a hand with these words wins on a stake by odds; 0 where its elected table has no row."""
        row = self.payers[wager].row(told) if wager in self.payers else None
        return stake * row.pays.pays // row.pays.stake if row and isinstance(row.pays, Odds) else 0


ASKED: Final = "a person decides; nothing is settled here"
NOT_PROVABLE: Final = "not provable: a card of this hand was not read"


class _Limit:
    """A limit of a payout, as elected. `least`: the lowest sum at which it can bite."""

    def __init__(self, limit: PayLimit, money: Money) -> None:
        self._limit, self._money = limit, money
        self.least = limit.least_cents.value

    @property
    def of_house(self) -> bool:
        """Whether it stands where the house has set it."""
        return self._limit.applies.value == HOUSE

    @property
    def wagers(self) -> tuple[str, ...]:
        """What is counted together."""
        return self._limit.wagers.value

    def cut(self, seat: int, lines: Sequence[Line], terms: Terms, made: Sequence[Cut]) -> Cut | None:
        """What the limit takes off the winnings of one hand, less the cuts `made` before it on fewer wagers.

        Only wagers that won count. A wager itself is never cut, nor one that goes back.
        """
        limit = self._limit
        won = (line for line in lines if line.outcome is Outcome.WIN and not line.holder)
        counted = [line for line in won if line.wager in limit.wagers.value]
        with_wagers = limit.of.value == "handed_back"
        before = sum(line.paid + (line.returned if with_wagers else 0) for line in counted)
        taken = sum(cut.cut for cut in made if not cut.held and set(cut.wagers) <= set(limit.wagers.value))
        before -= taken
        most = self.most(terms)
        excess = min(before - most, sum(line.paid for line in counted) - taken)
        if excess <= 0:
            return None
        reading = limit.applies.reading or limit.of.reading
        wagers = tuple(dict.fromkeys(line.wager for line in counted))
        held = limit.applies.value == "ask"
        return Cut(seat, most, before, excess, wagers, limit.least_cents.cite, reading, held)

    def most(self, terms: Terms) -> int:
        """The amount at which it stands under these terms. Raises `RoundRefused` for terms that do not allow it."""
        limit = self._limit
        if self.of_house:
            most = terms.payout_limit
            if most is None:
                raise RoundRefused(
                    "a payout limit of the house was elected, and the terms name none", cite=limit.applies.cite
                )
        else:
            most = self.least
        at_minimum = self._at_minimum(terms.least) if limit.or_minimum and limit.or_minimum.value else 0
        least = max(self.least, at_minimum)
        if self.of_house and most < least:
            raise RoundRefused(
                f"the payout limit is {most} cents, and must be at least {least}", cite=limit.least_cents.cite
            )
        return max(most, least)

    def _at_minimum(self, least: Mapping[str, int]) -> int:
        """The most that one hand can win in one round with the minimum wagers, later wagers at their most times.

        Clause: ma-uth 11(e), md-uth 12.F(1).
        """
        wagers, stakes = self._money.law.rulebook.wagers, dict[str, int]()
        for name in self._limit.wagers.value:
            rule = wagers[name]
            stakes[name] = least.get(name, 0)
            if not stakes[name] and rule.of is not None:
                stakes[name] = least.get(rule.of, 0) * max(n for _, cited in rule.times for n in cited.value)
        either = self._money.point(Settle.BAD_BEAT) != "players_hand"
        found = most_won.rounds(dealer_beaten_pays=either)
        return max(
            sum(self._money.won(name, stakes[name], told.get(name, ())) for name in stakes) for told in found
        )
