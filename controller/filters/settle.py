"""Settles rounds line by line: a round of play as JSON in, its settlement as JSON out. Pure.

A line that cannot be settled is answered with the cause, and the next one is read.
"""

import msgspec
from msgspec import Struct, field

from controller.cards.cards import CardError
from controller.filters.error_line import error_line
from controller.filters.settle_checks import refuse_correction, refuse_currency, refuse_unused
from controller.games.model import Decision
from controller.games.settling.engine import Settler
from controller.games.settling.round import Hand, Irregularity, Meter, Round, RoundRefused, Terms, read_cards
from controller.games.settling.settled import Change, Settlement, difference
from controller.readers.json import LineRefused, convert, object_on, verify
from controller.rules.model import Law
from controller.table.words.structs import replace
from controller.text.lean_json import lean

EXAMPLE = '{"seats": [{"seat": 1, "wagers": {"ante": 1000}}]}'
_ENCODER = msgspec.json.Encoder()


class HandLine(Struct, frozen=True):
    """One seat. `wagers`: cents by wager; cards as `As Kd ??`, `??` = unreadable.

    `played`: cards that the player chose to play; `shown`: cards of a bonus that is settled first; `coupons`: face
    in cents of a match play coupon beside a wager.
    """

    seat: int
    wagers: dict[str, int]
    cards: str = ""
    decisions: tuple[Decision, ...] = ()
    played: str = ""
    shown: str = ""
    coupons: dict[str, int] = field(default_factory=dict)


class RoundLine(Struct, frozen=True):
    """A round. `box`: cards of the six card bonus; `dealer_played`: the two that the dealer set; `meters`: before
    the first payment.

    `corrects`: an earlier printed settlement of this round; the answer then lists the changes.
    """

    seats: tuple[HandLine, ...]
    dealer: str = ""
    community: str = ""
    box: str = ""
    dealer_played: str = ""
    meters: dict[str, Meter] = field(default_factory=dict)
    irregularity: Irregularity | None = None
    terms: Terms | None = None
    id: str = ""
    corrects: Settlement | None = None


class SettledLine(Struct, frozen=True):
    """A settled round. `changes`: against the corrected settlement, [] = none; absent if it corrects none."""

    line: int
    settlement: Settlement
    changes: tuple[Change, ...] | None = None


class SettleFilter:
    """Settles rounds under one law. `bad`: lines answered with an error.

    `terms`: of the table, for rounds without their own; its currency for terms without one.
    """

    def __init__(self, law: Law, terms: Terms) -> None:
        self._settler, self._terms = Settler(law), terms
        self.lines = self.bad = 0

    def feed(self, line: bytes) -> bytes:
        """Returns the output for this line: one complete line, nothing for a blank one. Never raises."""
        self.lines += 1
        if not line.strip():
            return b""
        try:
            settled = self._settled(line)
        except (LineRefused, RoundRefused, CardError) as refused:
            self.bad += 1
            return error_line(self.lines, str(refused), _code(refused))
        return _ENCODER.encode(lean(settled)) + b"\n"

    def _settled(self, line: bytes) -> SettledLine:
        raw = object_on(line, EXAMPLE)
        verify(raw, RoundLine)
        given: RoundLine = convert(raw, RoundLine)
        refuse_currency(given.terms.currency if given.terms else "", "terms.currency")
        round_ = round_of(given, self._terms)
        refuse_unused(round_, self._settler)
        settlement = self._settler.settle(round_)
        if given.corrects is None:
            return SettledLine(self.lines, settlement)
        refuse_correction(given.corrects, settlement, self._settler.law.rulebook.wagers)
        return SettledLine(self.lines, settlement, difference(given.corrects, settlement))


def _code(refused: LineRefused | RoundRefused | CardError) -> str:
    match refused:
        case LineRefused():
            return refused.code
        case RoundRefused():
            return "round_unfit"
        case _:
            return "card_unfit"


def round_of(given: RoundLine, terms: Terms) -> Round:
    """Returns a line's round, under its own terms or these. Raises `CardError` with the card's place."""
    hands = tuple(
        Hand(
            hand.seat, hand.wagers, _cards(hand.cards, f"seat {hand.seat}, cards"), hand.decisions,
            _cards(hand.played, f"seat {hand.seat}, played"), _cards(hand.shown, f"seat {hand.seat}, shown"), hand.coupons,
        )
        for hand in given.seats
    )  # fmt: skip
    own = given.terms or terms
    return Round(
        hands,
        _cards(given.dealer, "dealer"),
        _cards(given.community, "community"),
        _cards(given.box, "box"),
        _cards(given.dealer_played, "dealer_played"),
        given.meters,
        given.irregularity,
        own if own.currency else replace(own, currency=terms.currency),
        given.id,
    )


def _cards(text: str, where: str) -> tuple[int, ...]:
    try:
        return read_cards(text)
    except CardError as exc:
        raise CardError(f"{where}: {exc}") from exc
