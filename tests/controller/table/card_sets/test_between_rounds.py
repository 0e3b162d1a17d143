"""Between rounds: sets that come and go, what is asked for before the first card, and who may do it."""

from dataclasses import replace

import msgspec
import pytest

from controller.rules.elections import elect
from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.words import acts as a
from controller.table.words import facts as f


def duties(table):
    return [duty.action for duty in table.state.duties.values()]


@pytest.fixture
def by_hand(make_table):
    """A table without devices and with one set, opened, shuffled by hand and cut."""

    def make(rulebook):
        table = make_table(rulebook, Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
        return table.shuffled_by_hand("red")

    return make


@pytest.mark.parametrize("offered", [(), ("cover_all", "progressive", "trips")])
def test_nothing_is_asked_about_a_wager_that_the_table_does_not_offer(make_table, offered):
    """A table opens without an election for it, and not once it is offered."""
    table = make_table("ma-uth", offered=offered)
    law = table.setup.law
    of_wagers = {
        q.id for q in elect(law.rulebook, {}).unelected() if q.wager in ("cover_all", "progressive", "trips")
    }
    assert of_wagers
    left = {question: election for question, election in law.elections.items() if question not in of_wagers}
    table.setup = msgspec.structs.replace(table.setup, law=replace(law, elections=left))
    if offered:
        assert "nobody has elected" in table.refused(a.OpenTable()).reason
    else:
        table.act(a.OpenTable())


def test_here_the_dealer_cuts_and_nobody_else_is_asked(by_hand):
    """Clause: md-uth 5.F."""
    table = by_hand("md-uth")
    table.act(a.RecordShuffle("red"))
    assert table.refused(a.RecordCut("red", 3)).cite == ("5.F",)
    assert table.refused(a.RecordCut("red", 0, (3,))).cite == ("5.F",)


def uncounted(table, rounds=4):
    """So many rounds without a count, and one more that a person ends before its stub could be counted."""
    for number in range(rounds):
        table.whole_round("red" if number % 2 == 0 else "blue")
    table.begin("red" if rounds % 2 == 0 else "blue").let_out()
    table.act(a.ReportIrregularity(Trigger.SHOE_JAM))
    table.act(a.CollectCards())
    return table.act(a.EndRound())


def test_a_fifth_round_that_ends_without_a_count_has_the_set_counted(make_table, disposed):
    """Clause: ma-uth 9(e). It is a duty of its own, closed by the count whatever that finds."""
    table = make_table("ma-uth").ready()
    made = disposed(uncounted(table))
    assert made.trigger is Trigger.STUB_COUNT_DUE
    assert made.cite == ("9(e)",)
    (duty,) = [duty.id for duty in table.state.duties.values() if duty.action is Action.COUNT_STUB]
    events = table.act(a.RecordStubCount(51))
    assert isinstance(events[0], f.StubCounted)
    assert events[0].cite == ("9(e)",)
    assert f.DutyClosed(duty, Action.COUNT_STUB, "a supervisor", Role.SUPERVISOR) in events
    assert Action.COUNT_STUB not in duties(table)
