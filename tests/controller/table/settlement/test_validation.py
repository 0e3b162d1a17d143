"""A progressive payout is validated before it is made, whichever act makes it. Clause: md-uth 11.J(2).

Massachusetts has a progressive without a validation, the other three documents have none.
"""

import pytest

from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Area, Role
from controller.table.decide import decided
from controller.table.settlement import validation
from controller.table.words import acts as a
from controller.table.words.inputs import Actor, Input, Moment
from tests.soak.effects import reached, way_round

CITE = ("11.J(2)(a)", "11.J(2)(b)", "11.J(2)(c)")
DEALER = Actor("a dealer", Role.DEALER)
STRAIGHT_FLUSH = (
    a.RecordHand(Area.COMMUNITY, "Qh Jh Th 2c 3d"), a.RecordHand(Area.DEALER, "4c 4d"),
    a.RecordHand(Area.PLAYER, "9h 8h", 1), a.RecordMeter("meter", 5_000_000, 1_000_000),
)  # fmt: skip
NOTHING = (
    a.RecordHand(Area.COMMUNITY, "Qh Jd 9c 2c 3d"), a.RecordHand(Area.DEALER, "4c 4d"),
    a.RecordHand(Area.PLAYER, "Ah 7s", 1), a.RecordMeter("meter", 5_000_000, 1_000_000),
)  # fmt: skip


@pytest.fixture
def with_chip(make_table):
    """A table at its settlement with a progressive wager of seat 1, and these cards told."""

    def make(*told, rulebook="md-uth"):
        trips = (1,) if rulebook == "ma-uth" else ()
        table = make_table(rulebook).ready().begin(seats=(1,), trips=trips)
        table.chip(1)
        table.let_out().deal().to_showdown()
        for act in told:
            table.act(act)
        return table

    return make


def unvalidated(table, act, role=Role.SUPERVISOR):
    refused = table.refused(act, role)
    assert (refused.code, refused.cite) == (validation.NOT_VALIDATED, CITE)


def test_a_winning_progressive_is_not_settled_with_the_round(with_chip):
    table = with_chip(*STRAIGHT_FLUSH)
    for act in (a.SettleRound(), a.SettleRound(555_000), a.SettleOffered(), a.NextRound("blue")):
        unvalidated(table, act, Role.DEALER)
    assert table.refused(a.ValidateProgressive(1, False)).code == "light_off"
    unvalidated(table, a.SettleRound(), Role.FLOORPERSON)
    table.act(a.ValidateProgressive(1, True), Role.FLOORPERSON)
    table.act(a.SettleRound(), Role.DEALER)


def test_a_progressive_that_loses_by_the_cards_is_settled_with_the_round(with_chip):
    with_chip(*NOTHING).act(a.SettleRound(), Role.DEALER)


def test_a_correction_pays_no_progressive_that_nobody_validated(with_chip):
    """Neither in the round in play nor in the last one; what is paid there is validated first, too."""
    paid = a.CorrectSettlement(1, "progressive", Outcome.WIN, "the hand was looked at again", paid=5000)
    table = with_chip()
    table.act(a.SettleRound())
    unvalidated(table, paid)
    table.act(a.ValidateProgressive(1, True), Role.FLOORPERSON)
    table.act(paid)
    late = with_chip()
    for act in (a.SettleRound(), a.CollectCards(), a.EndRound()):
        late.act(act)
    unvalidated(late, paid)
    assert late.refused(a.ValidateProgressive(1, True, round="t1-9")).cite == ()
    late.act(a.ValidateProgressive(1, True), Role.FLOORPERSON)
    assert late.state.last_round.validated == {1}
    late.act(paid)


def test_the_eyes_on_every_act_notice_a_way_round_the_validation(with_chip, monkeypatch):
    """`settle_round` once was one."""
    table = with_chip(*STRAIGHT_FLUSH)
    monkeypatch.setattr(validation, "of_round", lambda setup, round_: None)
    act, before = a.SettleRound(), table.state
    facts = decided(table.setup, before, Input(Moment(1, 1, "b"), "table", act, None, DEALER)).facts
    (paid,) = (effect for effect in reached(table.setup, before, act, facts) if effect.wager == "progressive")
    assert paid.outcome is Outcome.WIN
    way = way_round(table.setup, before, act, DEALER, facts)
    assert way is not None
    assert "11.J(2)(a)" in way
