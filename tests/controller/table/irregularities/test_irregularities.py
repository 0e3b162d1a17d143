"""What each document demands when something goes wrong, seen at the table: fates of wagers, duties, levels."""

from controller.rules.vocabulary import Trigger
from controller.table.state.table import Phase
from controller.table.words import acts as a


def reports(trigger, **changes):
    return a.ReportIrregularity(trigger, **changes)


def duties(table):
    return {d.action for d in table.state.duties.values()}


def played_out(table):
    """The round is settled, whatever it was held for."""
    for hold in list(table.state.holds.values()):
        stands = a.Resolution.WAGER_STANDS
        table.act(a.ResolveHold(hold.id, stands if stands in hold.choices else a.Resolution.GO_ON))
    if table.round.phase is not Phase.SHOWDOWN:
        table.to_showdown()
    for duty in list(table.state.duties):
        table.act(a.ConfirmDuty(duty))
    table.act(a.SettleRound())


def test_each_card_that_went_to_the_rack_is_missing_in_the_stub(make_table, rulebook):
    """Clause: md-uth 8.G, ma-uth 7(f)(2). Two were reported at once and the floor lets the round go on: 52 are still there."""
    table = make_table(rulebook, elect={"R-14": "hold"}).ready().begin(trips=()).let_out().deal()
    out = table.round.cards_out
    table.act(reports(Trigger.CARD_FACE_UP, cards=2))
    played_out(table)
    by_hand = {"md-uth": 0, "ma-uth": 5}[rulebook]
    burns = {"md-uth": 0, "ma-uth": 2}[rulebook]
    table.act(a.RecordStubCount(52 - out - by_hand - burns - 2))
    assert not table.round.void
    assert not table.state.held
