"""A level of which the answer was lost, or was contradicted, is shown as unknown until it is read back."""

from controller.daemon.views.status import state_documents
from drivers import events as e


def test_a_lock_out_that_nobody_can_vouch_for_is_shown_as_unknown(make_table):
    """Null at the device and in `state/lockout`; its other levels stay, and what is read back is shown again."""
    table = make_table("md-uth").ready().begin().close_bets()

    def shown():
        documents = state_documents(table.setup, table.state)
        return documents["progressive-1"]["levels"]["lockout"], documents["lockout"]["level"]

    assert shown() == ("engaged", "engaged")
    table.put(e.LevelUnknown(e.Level.LOCKOUT, "engaged", 3, "its contact says released"), "progressive-1")
    assert shown() == (None, None)
    assert state_documents(table.setup, table.state)["progressive-1"]["levels"]["door_open"] is False
    table.put(e.LevelConfirmed(e.Level.LOCKOUT, "engaged", 3), "progressive-1")
    assert shown() == ("engaged", "engaged")
