"""The check of sums has open eyes: a settlement that was tampered with does not add up."""

import random
from collections.abc import Callable

import pytest

from controller.games.settling.engine import Settler
from controller.games.settling.round import Round
from controller.games.settling.settled import Line, Outcome, Settlement
from controller.table.words.structs import replace
from tests.settling.deal import Blindfold
from tests.settling.games import BY_NAME
from tests.settling.ledger import Ledger

LAW = BY_NAME["ultimate, Maryland"].law()
LEDGER = Ledger(LAW)


def _changed(settled: Settlement, outcome: Outcome, change: Callable[[Line], Line]) -> Settlement:
    """The settlement with its first line of this outcome changed."""
    at = next(place for place, line in enumerate(settled.lines) if line.outcome is outcome)
    return replace(settled, lines=(*settled.lines[:at], change(settled.lines[at]), *settled.lines[at + 1 :]))


@pytest.fixture(scope="module")
def settled() -> tuple[Round, Settlement]:
    """A round of six seats in which somebody wins, loses, and has a wager back."""
    dealer, settler = Blindfold(LAW, random.Random(3)), Settler(LAW)
    while True:
        round_ = dealer.round()
        found = settler.settle(round_)
        if {Outcome.WIN, Outcome.LOSE, Outcome.PUSH, Outcome.RETURN} <= {line.outcome for line in found.lines}:
            return round_, found


def test_a_settlement_as_it_is_adds_up(settled: tuple[Round, Settlement]) -> None:
    """Nothing is raised."""
    LEDGER.check(*settled)


@pytest.mark.parametrize(
    ("outcome", "change"),
    [
        (Outcome.WIN, lambda line: replace(line, paid=line.paid + 1)),
        (Outcome.WIN, lambda line: replace(line, returned=0)),
        (Outcome.LOSE, lambda line: replace(line, returned=1)),
        (Outcome.PUSH, lambda line: replace(line, returned=line.stake - 1)),
        (Outcome.RETURN, lambda line: replace(line, paid=line.stake)),
    ],
)
def test_a_cent_too_much_or_too_little_is_seen(
    settled: tuple[Round, Settlement], outcome: Outcome, change: Callable[[Line], Line]
) -> None:
    """Whatever the outcome: the amounts of each line are worked out again."""
    round_, found = settled
    with pytest.raises(AssertionError, match="is due"):
        LEDGER.check(round_, _changed(found, outcome, change))


def test_a_stake_that_was_not_placed_is_seen(settled: tuple[Round, Settlement]) -> None:
    """A line for another amount than lay there."""
    round_, found = settled
    with pytest.raises(AssertionError, match="no such wager is left"):
        LEDGER.check(round_, _changed(found, Outcome.LOSE, lambda line: replace(line, stake=line.stake + 1)))


def test_a_wager_with_two_lines_or_none_is_seen(settled: tuple[Round, Settlement]) -> None:
    """Each wager is settled once."""
    round_, found = settled
    with pytest.raises(AssertionError, match="no such wager is left"):
        LEDGER.check(round_, replace(found, lines=(*found.lines, found.lines[-1])))
    last = next(line for line in reversed(found.lines) if line.stake)
    with pytest.raises(AssertionError, match="not settled"):
        LEDGER.check(round_, replace(found, lines=tuple(line for line in found.lines if line is not last)))


def test_totals_and_meters_that_are_not_the_sums_are_seen(settled: tuple[Round, Settlement]) -> None:
    """Also where each line is right."""
    round_, found = settled
    first, *others = found.seats
    for wrong in (replace(first, back=first.back + 1), replace(first, stake=0), replace(first, held=1)):
        with pytest.raises(AssertionError):
            LEDGER.check(round_, replace(found, seats=(wrong, *others)))
    with pytest.raises(AssertionError, match="no total"):
        LEDGER.check(round_, replace(found, seats=tuple(others)))
    with pytest.raises(AssertionError):
        LEDGER.check(round_, replace(found, meters={name: cents - 1 for name, cents in found.meters.items()}))
