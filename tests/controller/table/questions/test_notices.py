"""A bonus is withdrawn only after a notice. Clause: ma-colorado 6a(a); no other document asks for one."""

import msgspec

from controller.table.state.recorded_setup import setup_told
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.inputs import ServiceStarted


def started(table, *offered: str) -> list[f.Event]:
    """The daemon starts with these optional wagers."""
    table.setup = msgspec.structs.replace(table.setup, offered=frozenset(offered))
    book = table.setup.law.rulebook
    return table.put(ServiceStarted("1", book.id, book.edition, book.sha256, setup_told(table.setup)))


def holds(events: list[f.Event]) -> list[f.HoldPlaced]:
    return [event for event in events if isinstance(event, f.HoldPlaced)]


def test_a_bonus_that_went_without_a_notice_holds_the_table(make_table):
    """A floorperson looks; the hold cites the clause, and no round is void by it."""
    table = make_table("ma-colorado", offered=("bonus",)).ready()
    assert not holds(started(table, "bonus"))
    (hold,) = holds(started(table))
    assert (hold.code, hold.cite, hold.choices) == ("notice_missing", ("6a(a)",), (a.Resolution.GO_ON,))
    table.act(a.ResolveHold(hold.hold, a.Resolution.GO_ON))
    assert not holds(started(table))


def test_a_bonus_is_withdrawn_after_its_notice(make_table):
    """The notice is on record until then; it serves once."""
    table = make_table("ma-colorado", offered=("bonus",)).ready()
    started(table, "bonus")
    (posted,) = table.act(a.PostNotice("bonus"))
    assert (posted.wager, posted.cite) == ("bonus", ("6a(a)",))
    assert table.refused(a.PostNotice("bonus")).code == "notice_on_record"
    assert not holds(started(table, "bonus"))
    assert not holds(started(table))
    assert table.refused(a.PostNotice("bonus")).code == "wager_not_offered"
    started(table, "bonus")
    assert holds(started(table))


def test_no_other_wager_waits_for_a_notice(make_table):
    """Clause: ma-uth prints none for Trips."""
    table = make_table("ma-uth", offered=("trips",)).ready()
    started(table, "trips")
    assert table.refused(a.PostNotice("trips")).code == "notice_not_asked"
    assert not holds(started(table))
