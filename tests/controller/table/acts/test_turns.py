"""Players are asked one by one from the side that the document names; a game that names none asks in any order."""

from controller.daemon.views.status import table_document
from controller.rules.vocabulary import Trigger
from controller.table.words import acts as a


def turn(table):
    stage = table_document(table.setup, table.state)["round"]["stage"]
    return next(iter(stage["waiting"] if stage else ()), None)


def test_a_player_whose_wagers_were_taken_as_abandoned_is_not_asked(make_table):
    """R-53 = abandoned: the seat is still in the round, but has nothing to decide."""
    bets = [(seat, name, 1000) for seat in (1, 3) for name in ("ante", "blind")]
    table = make_table("md-uth", elect={"R-53": "abandoned"}).ready().bet(*bets).let_out().deal()
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    assert turn(table) == 3
    assert "is decided" in table.refused(a.RecordDecision(1, a.Decision.CHECK)).reason
