"""Finds what the house elected to ask about each time from how people settled a wager, where no cards are recorded.

With the cards the settlement itself says so (`offer`).
"""

from controller.games.settling.money import ASKED
from controller.games.settling.settled import Line, Outcome
from controller.rules.vocabulary import Settle
from controller.table.questions.coupons_and_envy import is_beside
from controller.table.questions.stub_count_and_turns import opened
from controller.table.state.table import Round, Seat, Setup
from controller.table.words import acts as a

_ASK = "ask"


def left_open(setup: Setup, round_: Round, act: a.SettleWager) -> tuple[Line, ...]:
    """The question that this act answers: of a tie, as only a tie is a push, of an ante that loses to a hand that does not
    qualify, or of a coupon beside chips that won.

    `round_` before the act. Clause: `[settlement] tie`, `unqualified_ante`, `coupon`.
    """
    seat = round_.seats[act.seat]
    if act.coupon:
        return _coupon(setup, act.seat, act.wager, seat)
    early = round_.game.settled_with(seat.answers), opened(setup, round_, act.seat)  # compared with no other hand
    if is_beside(act) or any(act.wager in x for x in early):
        return ()
    reading = _asks(setup, Settle.TIE) if act.outcome is Outcome.PUSH else None
    if reading is None and act.wager == round_.game.base and round_.qualified is False:
        reading = _asks(setup, Settle.UNQUALIFIED_ANTE) if act.outcome is not Outcome.WIN else None
    if reading is None:
        return ()
    return (Line(act.seat, act.wager, seat.wagers[act.wager].cents, Outcome.HELD, reading=reading, note=ASKED),)


def coupons_left_open(setup: Setup, round_: Round) -> tuple[Line, ...]:
    """Of a round that is settled as a whole: coupons that nobody settled, beside chips that won."""
    return tuple(
        line
        for number, seat in round_.in_play.items()
        for name, coupon in seat.coupons.items()
        if coupon.outcome is None
        for line in _coupon(setup, number, name, seat)
    )


def _coupon(setup: Setup, number: int, wager: str, seat: Seat) -> tuple[Line, ...]:
    reading = _asks(setup, Settle.COUPON)
    if seat.wagers[wager].outcome is not Outcome.WIN or reading is None:
        return ()
    face = seat.coupons[wager].cents
    return (Line(number, wager, 0, Outcome.HELD, reading=reading, note=ASKED, coupon=face),)


def _asks(setup: Setup, point: Settle) -> str | None:
    """The reading under which a person decides each time; None where it was decided otherwise or is printed."""
    rule = setup.law.rulebook.settlement.get(point)
    return rule.reading if rule is not None and rule.value == _ASK else None
