"""The retained topics of a table: together they say what `status` says, and a change sends its own part alone."""

import msgspec

from controller.daemon.views.state_topics import PARTS, state_topics
from controller.daemon.views.status import state_documents, table_document
from controller.publish.board import Board
from controller.rules.vocabulary import Role
from controller.table.words import acts as a
from tests.controller.table.conftest import MakeTable, Table


def whole(table: Table) -> dict[str, object]:
    """The document of the table, put together from the topics by their names, as docs/mqtt.md says."""
    topics = state_topics(table.setup, table.state)
    seats = {
        name.removeprefix("seat-"): body for name, body in topics.items() if name.startswith("seat-") and body
    }
    parts = {key: part for name in ("table", *PARTS) for key, part in (topics[name] or {}).items()}
    round_ = topics["round"] and {**topics["round"], "seats": seats}
    return {**parts, "round": round_, "last_round": topics["last-round"]}


def test_the_topics_together_are_the_whole_document(make_table: MakeTable) -> None:
    """Between rounds, in one, and at its end; devices and lock-out are as they were."""
    ready = make_table("md-uth").ready()
    for step in (lambda: None, lambda: ready.begin("red").let_out(), lambda: ready.deal().to_showdown()):
        step()
        assert whole(ready) == table_document(ready.setup, ready.state)
    topics, documents = state_topics(ready.setup, ready.state), state_documents(ready.setup, ready.state)
    assert {name: topics[name] for name in documents if name != "table"} == {
        name: body for name, body in documents.items() if name != "table"
    }


def test_topics_of_a_round_that_is_not_in_play_are_emptied(make_table: MakeTable) -> None:
    """Also by a daemon that has just started: what an earlier one left retained must not stay on a screen."""
    ready = make_table("md-uth").ready()
    board = Board()
    board.refresh(state_topics(ready.setup, ready.state))
    sent: dict[str, bytes] = {}
    while (one := board.peek()) is not None:
        sent[one[0]] = one[1]
        board.sent(one[0])
    seats = [f"seat-{number}" for number in range(1, ready.setup.seats + 1)]
    assert {name for name, body in sent.items() if not body} == {"round", "last-round", *seats}


def test_a_wager_sends_its_seat_and_not_the_table(make_table: MakeTable) -> None:
    """What changes often is small; what is large changes seldom."""
    ready = make_table("md-uth").ready().begin("red")
    before = state_topics(ready.setup, ready.state)
    ready.act(a.PlaceWager(3, "trips", 500), Role.DEALER)
    after = state_topics(ready.setup, ready.state)
    changed = {name: len(msgspec.json.encode(after[name])) for name in after if after[name] != before[name]}
    assert "seat-3" in changed
    assert not {"rules", "sets", "seat-1", "last-round"} & {*changed}
    assert sum(changed.values()) < len(msgspec.json.encode(table_document(ready.setup, ready.state))) / 2
