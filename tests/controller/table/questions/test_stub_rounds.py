"""The rounds between two stub counts: whose they are, whether void ones are among them, and a change of decks."""

import pytest
from msgspec.structs import replace

from controller.rules.vocabulary import Action, Method, Role, Trigger
from controller.table.acts.permissions import verify
from controller.table.questions.stub import counts_void, due
from controller.table.state.table import Fate
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import Actor

BETS = {
    "md-uth": ("ante", "blind"),
    "ma-uth": ("ante", "blind"),
    "nj-pikit": ("ante", "five_card_bonus"),
    "ma-colorado": ("ante",),
}
"""Documents that have the stub counted. Fast Action has no such count: R-61."""


@pytest.fixture(params=[*BETS])
def book(request):
    return request.param


def at_table(make_table, book, *, backs=("red", "blue"), **elect):
    """A table whose shuffler counts nothing, so that people count."""
    elected = {question.replace("_", "-"): choice for question, choice in elect.items()}
    table = make_table(book, Method.MANUAL_SHOE, offered=(), devices=("shuffler-1",), backs=backs, elect=elected)
    table.online("shuffler-1", capabilities=())
    table.open()
    for back in backs:
        table.shuffled(back, None)
    return table


def shown(table, back):
    """A round whose hands lie open: nothing is left but to settle its wagers."""
    names = BETS[table.setup.law.rulebook.id]
    table.bet(*((1, name, 1000) for name in names), back=back).let_out()
    table.act(a.RecordInitialDeal())
    if "blind" in names:
        table.to_showdown()
    else:
        table.decide_all(a.Decision.FOLD)
        table.act(a.RevealCommunity(a.Street.COMMUNITY) if table.round.game.streets else a.RevealDealer())
    return table


def settled(table, back):
    shown(table, back).act(a.SettleRound())
    return table


def ended(table, back, *, count=False):
    if count:
        table.act(a.RecordStubCount(table.right_stub()))
    table.act(a.CollectCards())
    table.act(a.EndRound())
    table.shuffled(back, None)


def played(table, *backs):
    for back in backs:
        ended(settled(table, back), back)
    return table


def void_round(table, back):
    """Two cards lie face up in the deal, which voids all hands in the four documents."""
    names = BETS[table.setup.law.rulebook.id]
    table.bet(*((1, name, 1000) for name in names), back=back).let_out()
    table.act(a.ReportIrregularity(Trigger.CARD_FACE_UP, cards=2))
    assert table.round.void
    ended(table, back)
    for duty in [d.id for d in table.state.duties.values() if d.action is not Action.COUNT_STUB]:
        table.act(a.ConfirmDuty(duty))
    return table


def is_due(table):
    """Whether the cards of this round wait for the count of its stub."""
    return due(table.setup, table.state) is not None


def test_a_deck_that_is_over_its_rounds_is_counted_between_rounds(make_table, book):
    """The refusal names the deck, and the count of the other one does not do. R-148."""
    table = at_table(make_table, book, R_148="per_deck")
    sets = {**table.state.sets, "blue": replace(table.state.sets["blue"], since_count=5)}
    table.state = replace(table.state, sets=sets, last_back="red")
    refused = table.refused(a.BeginRound("blue"))
    assert refused.code == "stub_count_overdue"
    assert "record_stub_count back=blue" in refused.reason
    table.act(a.RecordStubCount(52))
    assert table.refused(a.BeginRound("blue")).code == "stub_count_overdue"
    assert table.refused(a.RecordStubCount(52, back="green")).code == "no_such_set"
    (counted,) = [x for x in table.act(a.RecordStubCount(52, back="blue")) if isinstance(x, f.StubCounted)]
    assert (counted.back, counted.right) == ("blue", True)
    table.act(a.BeginRound("blue"))


def test_in_a_round_no_other_deck_is_counted(make_table, book):
    """The stub is that of the deck in play."""
    table = settled(at_table(make_table, book), "red")
    assert table.refused(a.RecordStubCount(40, back="blue")).code == "set_not_in_play"
    table.act(a.RecordStubCount(table.right_stub(), back="red"))


@pytest.mark.parametrize("choice", ["counted", "not_counted"])
@pytest.mark.parametrize(("rounds", "waits"), [(2, False), (3, True), (4, True)])
def test_a_void_round_is_one_of_the_five_or_is_not(make_table, book, choice, rounds, waits):
    """The next one is the fourth, the fifth or the sixth round with it, and one fewer without it. R-149."""
    table = at_table(make_table, book, backs=("red",), R_149=choice)
    assert counts_void(table.setup) is (choice == "counted")
    void_round(played(table, *["red"] * rounds), "red")
    assert table.state.since_stub_count == rounds + (choice == "counted")
    if rounds == 4 and choice == "counted":
        (duty,) = table.state.duties.values()
        assert duty.action is Action.COUNT_STUB
        table.act(a.RecordStubCount(52))
        assert not is_due(settled(table, "red"))
        return
    assert is_due(settled(table, "red")) is (waits if choice == "counted" else rounds == 4)


@pytest.mark.parametrize(("choice", "left"), [("goes_on", (3, 3)), ("starts_anew", (0, 0))])
def test_rounds_go_on_over_a_change_of_the_only_deck_or_do_not(make_table, book, choice, left):
    """R-150, by the table and by the deck."""
    table = played(at_table(make_table, book, backs=("red",), R_150=choice), "red", "red", "red")
    table.act(a.TakeSetAway("red"))
    table.act(a.BringSet("red"))
    assert (table.state.since_stub_count, table.state.sets["red"].since_count) == left
    table.take_steps().shuffled("red", None)
    played(table, "red")
    assert is_due(settled(table, "red")) is (choice == "goes_on")


def test_of_two_decks_the_rounds_with_the_other_one_stay(make_table, book):
    """R-150 = starts_anew: red was dealt twice and blue once, and red is new."""
    table = played(at_table(make_table, book, R_150="starts_anew"), "red", "blue", "red")
    table.act(a.TakeSetAway("red"))
    table.act(a.BringSet("red"))
    assert table.state.since_stub_count == 1
    assert [table.state.sets[back].since_count for back in ("red", "blue")] == [0, 1]


@pytest.mark.parametrize(("choice", "reading"), [("before_settling", "R-224"), ("before_collecting", None)])
def test_a_due_stub_is_counted_before_a_wager_is_settled_where_that_is_elected(make_table, book, choice, reading):
    """R-224, seat by seat and for the round: with the count first, a round that turns out to be void has paid nothing."""
    table = at_table(make_table, book, backs=("red",), R_224=choice)
    for _ in range(4):
        played(table, "red")
    shown(table, "red")
    sam = Actor("sam", Role.SUPERVISOR)
    first = table.round.wagers(Fate.LIVE)[:1]  # of a hand that folded nothing is left to settle
    acts = [a.SettleRound(), *(a.SettleWager(seat, name, a.Outcome.PUSH) for seat, name, _ in first)]
    for act in acts:
        refused = verify(table.setup, table.state, act, sam)
        assert (refused and refused.reading, refused and refused.code) == (reading, reading and "stub_count_due")
    table.act(a.RecordStubCount(table.right_stub()))
    assert all(verify(table.setup, table.state, act, sam) is None for act in acts)
