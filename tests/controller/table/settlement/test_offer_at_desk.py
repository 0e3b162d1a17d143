"""The offered settlement through the engine, the record, the desk and the envelope: what people see and what leaves the table."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from controller.clock import SystemClock
from controller.daemon.desk import RunningTable, TableDesk
from controller.daemon.engine import Engine
from controller.daemon.views.displays import Displays
from controller.daemon.views.status import state_documents
from controller.journal.record import Stream
from controller.journal.recorder import Recorder
from controller.journal.store import Journal
from controller.publish.envelope import Wrapper
from controller.publish.topics import Topics
from controller.rules.vocabulary import Area, Role
from controller.table.words import acts as a
from controller.table.words.inputs import Actor
from controller.text.status_page import status_page

ADA, SUE = Actor("ada", Role.DEALER), Actor("sue", Role.SUPERVISOR)
CARDS = ("Kh", "Qd", "7s", "4c", "2d", "Ks", "9d", "Kc", "Qh")


class NoBroker:
    """A publisher that has nothing to say."""

    def status(self) -> dict[str, Any]:
        return {"connected": False, "streams": {}}


@pytest.fixture
async def desk(make_table, tmp_path) -> AsyncIterator[TableDesk]:
    """A running table under md-uth whose seats 1 and 3 are at the showdown."""
    table = make_table("md-uth").ready().begin().let_out().deal().to_showdown()
    clock = SystemClock()
    journal = Journal.open(tmp_path / "j.db", site="bench", table="t1")
    recorder = Recorder(journal, clock)
    engine = Engine(table.setup, journal, recorder, clock)
    engine.state = table.state
    desk = TableDesk("1")
    desk.table = RunningTable(engine, journal, {}, Displays(engine, {}), NoBroker())
    task = asyncio.create_task(engine.run())
    yield desk
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await recorder.close()


async def test_the_settlement_is_told_offered_paid_and_corrected_and_no_card_leaves(desk):
    """The dealer reads the offer in the status, pays otherwise, a supervisor corrects it; the back office gets all but cards."""
    for act in (
        a.RecordHand(Area.COMMUNITY, "Kh Qd 7s 4c 2d"),
        a.RecordHand(Area.DEALER, "Ks 9d"),
        a.RecordHand(Area.PLAYER, "Kc Qh", 3),
    ):
        await desk.act(act, ADA)
    status = desk.status()
    assert [(x["wager"], x["outcome"], x["paid"]) for x in status["offer"]["lines"] if x["seat"] == 3] == [
        ("ante", "win", 1000), ("blind", "push", 0), ("play", "win", 1000),
    ]  # fmt: skip
    assert "settle    seat 3 play 10.00: win, pay 10.00 (1 to 1) [12.A, 11.H(3)(b)]" in status_page(status)
    await desk.act(a.SettleWager(3, "blind", a.Outcome.WIN, 500), ADA)
    assert "blind was settled as win with 1500" in desk.status()["next"]
    await desk.act(a.CorrectSettlement(3, "blind", a.Outcome.PUSH, "two pairs push"), SUE)
    assert desk.status()["held"] == []
    assert any(line.startswith("CORRECTED") for line in status_page(desk.status()))
    _nothing_leaves(desk.table)


def _nothing_leaves(table: RunningTable) -> None:
    wrapper = Wrapper(Topics("bench", "t1"), table.journal.id)
    records = table.journal.read(Stream.MAIN, 0, 100)
    events = [(record.kind, json.loads(wrapper.wrap(record).payload)) for record in records]
    withheld = [event for kind, event in events if kind == "hand_recorded"]
    assert len(withheld) == 3
    assert all(event["withheld"] and len(event["datahash"]) == 64 and "data" not in event for event in withheld)
    data = {kind: event["data"] for kind, event in events if kind != "hand_recorded"}
    assert (data["wager_settled"]["offered"], data["wager_settled"]["difference"]) == ("push", 500)
    assert (data["settlement_corrected"]["owed"], data["settlement_corrected"]["was"]) == (-500, "win")
    told = json.dumps([event for _, event in events]) + json.dumps(
        state_documents(table.engine.setup, table.engine.state)
    )
    words = set(told.replace('"', " ").split())
    assert words.isdisjoint(CARDS)
