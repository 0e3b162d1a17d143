"""What became of each wager of a round, and what two settlements of one round differ in. All money is whole cents."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

ENVY = "envy"
"""What a line is called that pays a progressive wager for the hand of another seat."""


class Outcome(StrEnum):
    """`RETURN`: goes back although nothing tied; `VOID`: goes back, or is left aside, because its hand is void."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    RETURN = "return"
    VOID = "void"
    HELD = "held"  # a person decides; nothing is handed back and nothing collected yet
    NOT_PLACED = "not_placed"


class Line(Struct, frozen=True):
    """One wager of one seat. `returned`: of the wager itself; `paid`: won beside it. Both before any limit of a payout.

    `pays`: the odds, sum or part of a meter, as in the rulebook; `hand`: the row that paid. `reading`: by which reading,
    where no clause says it. `holder`: the seat whose hand pays this one an envy bonus. `coupon`: face of the match play
    coupon that this line is about, 0 for chips.
    """

    seat: int
    wager: str
    stake: int
    outcome: Outcome
    returned: int = 0
    paid: int = 0
    pays: str = ""
    hand: str = ""
    cite: tuple[str, ...] = ()
    reading: str | None = None
    note: str = ""
    holder: int = 0
    coupon: int = 0


class Cut(Struct, frozen=True):
    """What a limit takes off one seat. `before`: what its wagers came to; `held`: shown only, a person decides."""

    seat: int
    limit: int
    before: int
    cut: int
    wagers: tuple[str, ...]
    cite: tuple[str, ...]
    reading: str | None = None
    held: bool = False


class SeatTotal(Struct, frozen=True):
    """`stake`: chips at risk; `back`: all that is handed back, after limits; `held`: chips that a person decides on."""

    seat: int
    stake: int
    back: int
    held: int = 0


class Settlement(Struct, frozen=True):
    """Lines in the order of settlement. `meters`: cents after the last payment, of those that the round named."""

    rulebook: str
    sha256: str
    currency: str
    lines: tuple[Line, ...]
    seats: tuple[SeatTotal, ...]
    cuts: tuple[Cut, ...] = ()
    meters: Mapping[str, int] = field(default_factory=dict)
    round: str = ""


class Change(Struct, frozen=True):
    """What a correction changes on one wager: cents handed back before and now, and the difference owed to the seat.

    `wager` is "" for what limits took off the seat as a whole.
    """

    seat: int
    wager: str
    before: int
    now: int
    owed: int
    was: str = ""
    became: str = ""


def difference(before: Settlement, now: Settlement) -> tuple[Change, ...]:
    """What a new settlement of the same round changes, in the new one's order. Neither is altered by it.

    A positive `owed` is paid to the player; a negative one was paid too much.
    """
    old, new = _by_wager(before), _by_wager(now)
    changes = []
    for seat, wager in dict.fromkeys((*new, *old)):
        (was, had), (became, has) = old.get((seat, wager), ("", 0)), new.get((seat, wager), ("", 0))
        if (was, had) != (became, has):
            changes.append(Change(seat, wager, had, has, has - had, was, became))
    return tuple(changes)


def label(line: Line) -> str:
    """What a line is about beside its seat: a wager, the coupon beside it, or envy for the hand of a seat."""
    return line.wager + (" coupon" if line.coupon else "") + (f" of seat {line.holder}" if line.holder else "")


def _by_wager(settlement: Settlement) -> dict[tuple[int, str], tuple[str, int]]:
    """Outcome and cents handed back by seat and wager; a seat's cuts stand under the wager ""."""
    found: dict[tuple[int, str], tuple[str, int]] = {}
    for line in settlement.lines:
        found[line.seat, label(line)] = (line.outcome, line.returned + line.paid)
    for cut in settlement.cuts:
        if not cut.held:
            was, cents = found.get((cut.seat, ""), ("cut", 0))
            found[cut.seat, ""] = (was, cents - cut.cut)
    return found
