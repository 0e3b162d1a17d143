"""What people report that no device can see: seen cards, cards of another deck, and what no rulebook knows."""

import pytest

from controller.rules.read.library import find
from controller.rules.vocabulary import GUARDS_OF, NO_ROW, Trigger
from controller.table.acts.registry import PHASES
from controller.table.words import acts as a
from controller.table.words import facts as f

BOOKS = ("ma-uth", "md-uth", "nj-pikit", "fast-action", "ma-colorado")
GLASS = a.ReportIrregularity(Trigger.SOMETHING_ELSE, note="a glass fell onto the layout")
SEEN = a.ReportIrregularity(Trigger.CARD_DRAWN_EXPOSED)


def holds(events: list[f.Event]) -> list[f.HoldPlaced]:
    return [event for event in events if isinstance(event, f.HoldPlaced)]


@pytest.mark.parametrize("book", BOOKS)
def test_every_trigger_but_one_has_a_row(book):
    """No cell is empty, and no book answers what no row can know."""
    rows = find(book).rows
    assert set(rows) == set(GUARDS_OF)
    assert {Trigger.SOMETHING_ELSE} == NO_ROW


@pytest.mark.parametrize("game", PHASES)
def test_a_report_belongs_to_every_phase(game):
    """Something else may happen at any time, between rounds too."""
    assert set(PHASES[game][a.ReportIrregularity.kind]) == set(PHASES[game][a.ResolveHold.kind])


@pytest.mark.parametrize("book", ["ma-uth", "md-uth"])
def test_something_else_holds_and_asks(make_table, book):
    """It cites nothing; the floor goes on or voids the round, as with every hold that nothing asks for."""
    table = make_table(book).ready().begin().let_out().deal()
    (hold,) = holds(table.act(GLASS))
    assert (hold.code, hold.cite, hold.reading) == ("something_else", (), "R-51")
    assert hold.choices == (a.Resolution.GO_ON, a.Resolution.VOID)
    assert hold.reason == "a glass fell onto the layout"
    table.act(a.ResolveHold(hold.hold, a.Resolution.VOID))
    assert table.round.void


def test_nothing_is_voided_between_rounds(make_table):
    """Then to go on is the only answer, and the next round waits for it."""
    table = make_table("md-uth").ready()
    (hold,) = holds(table.act(GLASS))
    assert hold.choices == (a.Resolution.GO_ON,)
    assert table.refused(a.BeginRound("red")).code == "held"
    table.act(a.ResolveHold(hold.hold, a.Resolution.GO_ON))
    table.act(a.BeginRound("red"))


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (a.ReportIrregularity(Trigger.SOMETHING_ELSE), "note_missing"),
        (a.ReportIrregularity(Trigger.SOMETHING_ELSE, note="  "), "note_missing"),
        (a.ReportIrregularity(Trigger.SOMETHING_ELSE, note="x" * 501), "note_missing"),
        (a.ReportIrregularity(Trigger.SOMETHING_ELSE, seat=7, note="x"), "unknown_seat"),
        (a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1, note="x"), "note_not_asked"),
        (a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1, back="red"), "back_not_asked"),
        (a.ReportIrregularity(Trigger.UNFIT_CARD, back="green"), "unknown_set"),
        (a.ReportIrregularity(Trigger.WAGER_LATE), "unknown_seat"),
    ],
)
def test_what_does_not_fit_a_report_is_refused(make_table, act, code):
    """A field that belongs to another trigger, or is missing, is named by a code."""
    table = make_table("md-uth").ready().begin().let_out().deal()
    assert table.refused(act).code == code


@pytest.mark.parametrize("trigger", [Trigger.CARD_FACE_UP, Trigger.WAGER_LATE, Trigger.DEAL_OUT_OF_ORDER])
def test_what_needs_a_round_is_refused_between_rounds(make_table, trigger):
    """The refusal names what is reported then."""
    refused = make_table("ma-uth").ready().refused(a.ReportIrregularity(trigger, seat=1))
    assert refused.code == "no_round"
    assert "unfit_card, something_else" in refused.reason


@pytest.mark.parametrize("book", ["ma-uth", "md-uth"])
def test_a_jam_that_is_seen_between_rounds_is_reported(make_table, book, disposed):
    """A shuffler that nobody hears can jam with no round in play as well."""
    table = make_table(book).ready()
    assert disposed(table.act(a.ReportIrregularity(Trigger.SHUFFLER_JAM))).trigger is Trigger.SHUFFLER_JAM


@pytest.mark.parametrize(("choice", "stub"), [("to_rack", 38), ("hold", 39)])
def test_the_stub_count_knows_a_card_that_went_to_the_rack(make_table, choice, stub):
    """Another card took its place; on hold nobody has said that it left the set."""
    table = make_table("ma-uth", elect={"R-154": choice}).ready().begin().let_out().deal()
    for hold in holds(table.act(SEEN)):
        table.act(a.ResolveHold(hold.hold, a.Resolution.GO_ON))
    table.to_showdown()
    (counted,) = [x for x in table.act(a.RecordStubCount(stub)) if isinstance(x, f.StubCounted)]
    assert counted.right
    assert (table.round.drawn_exposed, table.round.face_up) == (1, 0)


@pytest.mark.parametrize("cards", [1, 2])
def test_several_seen_cards_are_asked_about(make_table, cards):
    """One goes to the rack where that was elected; two at once wait for a floorperson."""
    table = make_table("ma-uth", elect={"R-154": "to_rack"}).ready().begin().let_out().deal()
    events = table.act(a.ReportIrregularity(Trigger.CARD_DRAWN_EXPOSED, cards=cards))
    assert len(holds(events)) == (cards > 1)
    assert table.round.racked == cards


def test_an_unfit_card_is_of_the_set_that_was_dealt_last(make_table):
    """Between rounds nobody has to say which set it is; before any round it is the first."""
    table = make_table("ma-uth", elect={"R-36": "remove_set"}).ready()
    table.whole_round("blue")
    table.act(a.ReportIrregularity(Trigger.UNFIT_CARD))
    assert [duty.back for duty in table.state.duties.values() if duty.back] == ["blue"]
