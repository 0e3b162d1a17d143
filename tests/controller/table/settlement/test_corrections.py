"""Settlements put right by a supervisor: beside the old record, with the difference, in this round and the last one."""

import pytest

from controller.table.words import acts as a
from controller.table.words import facts as f

WIN, LOSE, PUSH = a.Outcome.WIN, a.Outcome.LOSE, a.Outcome.PUSH


def corrected(events):
    (event,) = [event for event in events if isinstance(event, f.SettlementCorrected)]
    return event


@pytest.fixture
def settled(make_table):
    """A round whose seat 3 was settled wager by wager and seat 1 with the round as a whole; not yet ended."""
    table = make_table("md-uth").ready().begin().let_out().deal().to_showdown()
    for name, outcome, paid in (("ante", WIN, 1000), ("play", WIN, 1000), ("blind", WIN, 1500)):
        table.act(a.SettleWager(3, name, outcome, paid))
    table.act(a.SettleRound())
    return table


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (a.CorrectSettlement(3, "blind", WIN, "none", 1500), "so the blind wager was settled: win, 2500 back"),
        (a.CorrectSettlement(3, "blind", PUSH, "  "), "say why it is corrected"),
        (a.CorrectSettlement(3, "blind", PUSH, "x" * 501), "in 1 to 500 characters"),
        (a.CorrectSettlement(3, "blind", PUSH, "x", round="t1-77"), "cannot be corrected at the table; it may be: t1-1"),
        (a.CorrectSettlement(3, "trips", PUSH, "x"), "seat 3 had no trips wager in round t1-1"),
        (a.CorrectSettlement(3, "blind", PUSH, "x", 5), "only a winning wager is paid"),
        (a.CorrectSettlement(3, "blind", WIN, "x", 5, 1001), "of a stake of 1000 cents 0 to 1000 go back, not 1001"),
        (a.CorrectSettlement(3, "blind", PUSH, "x", 0, 500), "leave `returned` out"),
        (a.CorrectSettlement(3, "blind", a.Outcome.VOID, "x"), "a wager that is settled has one of"),
    ],
)  # fmt: skip
def test_corrections_that_cannot_be_are_refused(settled, act, says):
    """Each refusal names the wager or the round, and what is allowed."""
    assert says in settled.refused(act).reason


def test_what_went_back_of_the_stake_stays_where_only_the_payment_was_wrong(settled):
    """The same outcome, and nothing is said of the stake: as much of it goes back as did before."""
    settled.act(a.CorrectSettlement(3, "blind", WIN, "half of it went back", 1500, 600))
    assert corrected(settled.act(a.CorrectSettlement(3, "blind", WIN, "paid 3 to 2", 900))).returned == 600
    assert corrected(settled.act(a.CorrectSettlement(3, "blind", WIN, "all of it", 900, 1000))).returned == 1000


def test_a_wager_of_one_cent_is_a_counted_one(make_table):
    """What it is owed is known, and where it wins it is paid."""
    table = make_table("md-uth").ready().bet((1, "ante", 1), (1, "blind", 1)).let_out().deal().to_showdown()
    table.act(a.SettleWager(1, "ante", LOSE))
    assert "a winning wager is paid 1 to" in table.refused(a.CorrectSettlement(1, "ante", WIN, "x")).reason
    assert corrected(table.act(a.CorrectSettlement(1, "ante", PUSH, "the same hand"))).owed == 1
