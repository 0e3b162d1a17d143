"""What people report that no device can see: seen cards, cards of another deck, and what no rulebook knows."""

import pytest

from controller.rules.vocabulary import Trigger
from controller.table.words import acts as a


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
