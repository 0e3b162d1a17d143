"""Settlements put right by a supervisor: beside the old record, with the difference, in this round and the last one."""

import dataclasses

import pytest

from controller.daemon.views.status import table_document
from controller.rules.vocabulary import Role
from controller.table.decide import fold
from controller.table.state.table import State
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.structs import replace

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


def end(table):
    for act in (a.CollectCards(), a.EndRound()):
        table.act(act)


def test_a_correction_stands_beside_the_settlement_with_the_difference(settled):
    """The blind that was paid 3 to 2 had pushed: 1500 too much went back, and both records stay."""
    new = corrected(settled.act(a.CorrectSettlement(3, "blind", PUSH, "no pair")))
    assert (new.was, new.before, new.returned, new.paid, new.owed) == (WIN, 2500, 1000, 0, -1500)
    assert (new.stake, new.currency, new.role, new.reading) == (1000, "USD", Role.SUPERVISOR, "R-120")
    old = [x.event for x in settled.all if isinstance(x.event, f.WagerSettled) and x.event.wager == "blind"]
    assert [(x.outcome, x.paid) for x in old] == [(WIN, 1500)]


def test_a_correction_is_corrected_from_what_stands_now(settled):
    """The second difference is against the first correction, not against what was settled first."""
    settled.act(a.CorrectSettlement(3, "blind", PUSH, "no pair"))
    again = corrected(settled.act(a.CorrectSettlement(3, "blind", WIN, "a straight after all", 1000)))
    assert (again.was, again.before, again.owed) == (PUSH, 1000, 1000)


def test_the_last_round_is_corrected_after_it_has_ended(settled):
    """By its name or without, between rounds; in the next round by its name alone."""
    name = settled.round.id
    end(settled)
    assert corrected(settled.act(a.CorrectSettlement(3, "blind", PUSH, "seen on the tape"))).round == name
    shown = table_document(settled.setup, settled.state)["last_round"]
    assert shown["seats"]["3"]["blind"] == {
        "cents": 1000, "fate": "settled", "outcome": "push", "returned": 1000, "paid": 0, "corrected": True,
    }  # fmt: skip
    settled.shuffled("red")
    settled.begin("blue", seats=(3,))
    assert "blind wager is live" in settled.refused(a.CorrectSettlement(3, "blind", LOSE, "which round?")).reason
    new = corrected(settled.act(a.CorrectSettlement(3, "blind", LOSE, "a flush", round=name)))
    assert (new.round, new.owed) == (name, -1000)
    assert settled.round.seats[3].wagers["blind"].outcome is None


def test_what_was_settled_as_a_whole_has_no_sum_to_differ_from(settled):
    """The correction says what it comes to now, and leaves out what is owed: what was paid is not on record."""
    new = corrected(settled.act(a.CorrectSettlement(1, "trips", WIN, "paid by the wrong table", 1500)))
    assert (new.was, new.before, new.owed, new.returned + new.paid) == (None, None, None, 2000)


def test_an_ante_collected_at_a_fold_can_be_given_back(make_table):
    """It counts as lost before: the whole of what goes back is owed."""
    table = make_table("md-uth").ready().begin().let_out().deal()
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.decide_all(a.Decision.CHECK)
        table.act(a.RevealCommunity(street))
    table.answer(1, "fold")
    new = corrected(table.act(a.CorrectSettlement(1, "ante", a.Outcome.RETURN, "the player did not fold")))
    assert (new.was, new.before, new.owed) == (LOSE, 0, 1000)


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


def test_the_longest_reason_is_taken(settled):
    """500 characters, as the refusal says."""
    assert corrected(settled.act(a.CorrectSettlement(3, "blind", PUSH, "x" * 500))).reason == "x" * 500


def test_what_went_back_of_the_stake_stays_where_only_the_payment_was_wrong(settled):
    """The same outcome, and nothing is said of the stake: as much of it goes back as did before."""
    settled.act(a.CorrectSettlement(3, "blind", WIN, "half of it went back", 1500, 600))
    assert corrected(settled.act(a.CorrectSettlement(3, "blind", WIN, "paid 3 to 2", 900))).returned == 600
    assert corrected(settled.act(a.CorrectSettlement(3, "blind", WIN, "all of it", 900, 1000))).returned == 1000


def test_a_correction_stands_under_no_reading_where_the_document_names_nobody_for_it(settled):
    """`[act_roles] correct_settlement` may be missing; then it is a supervisor's by itself."""
    law = settled.setup.law
    roles = {kind: role for kind, role in law.rulebook.act_roles.items() if kind != a.CorrectSettlement.kind}
    book = dataclasses.replace(law.rulebook, act_roles=roles)
    settled.setup = replace(settled.setup, law=dataclasses.replace(law, rulebook=book))
    assert (
        "needs a supervisor"
        in settled.refused(a.CorrectSettlement(3, "blind", PUSH, "no pair"), Role.FLOORPERSON).reason
    )
    assert corrected(settled.act(a.CorrectSettlement(3, "blind", PUSH, "no pair"))).reading is None


def test_a_correction_is_a_supervisors(settled):
    """A floorperson is told whose it is, with the clauses."""
    refused = settled.refused(a.CorrectSettlement(3, "blind", PUSH, "no pair"), Role.FLOORPERSON)
    assert "needs a supervisor" in refused.reason
    assert refused.cite == ("11.H", "11.I", "11.J")


def test_the_record_folds_to_the_same_state(settled):
    """Corrections in the round and after it are part of the record: a start takes them up."""
    settled.act(a.CorrectSettlement(3, "blind", PUSH, "no pair"))
    end(settled)
    settled.act(a.CorrectSettlement(3, "ante", LOSE, "seen on the tape"))
    assert fold(State.initial(settled.setup), settled.all) == settled.state


def test_a_wager_of_one_cent_is_a_counted_one(make_table):
    """What it is owed is known, and where it wins it is paid."""
    table = make_table("md-uth").ready().bet((1, "ante", 1), (1, "blind", 1)).let_out().deal().to_showdown()
    table.act(a.SettleWager(1, "ante", LOSE))
    assert "a winning wager is paid 1 to" in table.refused(a.CorrectSettlement(1, "ante", WIN, "x")).reason
    assert corrected(table.act(a.CorrectSettlement(1, "ante", PUSH, "the same hand"))).owed == 1
