"""What the back office may move at a table: nothing but copies. The commands' reach is looked at from both ends."""

import asyncio
import json
import random
import time
from pathlib import Path
from types import SimpleNamespace

from controller.clock import SystemClock, rfc3339
from controller.daemon import table_publisher
from controller.journal.store import Journal
from controller.publish.broker.link import Incoming
from controller.publish.broker.memory import MemoryBroker
from controller.publish.config import PublishConfig
from controller.table.decide import decided
from controller.table.state.table import State
from controller.table.words.acts import ACTS
from controller.table.words.back_office_news import BACK_OFFICE_NEWS, CommandsRefused
from controller.table.words.facts import HEALTH
from controller.table.words.inputs import SERVICE_EVENTS, Input, Moment
from tests.controller.daemon.test_engine import setup_of
from tests.controller.publish.conftest import until
from tests.test_import_contract import _imports, _modules

BASE = "tablewarden/v1/bench/t1"
ACTING = (
    "controller.daemon",
    "controller.control",
    "controller.table.acts",
    "controller.table.decide",
    "drivers.session",
)
"""What an act, a level or a device would be reached by."""


def test_the_room_of_requests_imports_nothing_that_acts() -> None:
    """Followed through every import: neither the registry of acts, nor the engine, nor a session of a device."""
    paths = dict(_modules())
    seen: set[str] = set()
    ahead = [
        "controller.publish.requests.office",
        "controller.publish.requests.commands",
        "controller.publish.requests.replies",
    ]
    while ahead:
        name = ahead.pop()
        if name in paths and name not in seen:
            seen.add(name)
            ahead += _imports(paths[name], name)
    assert "controller.publish.outboxes.confirmed_outbox" in seen
    assert sorted(name for name in seen if name.startswith(ACTING)) == []


def test_news_of_the_back_office_is_diag_and_changes_no_state() -> None:
    """Whatever it says, the fact is the news itself, and play goes on as it was."""
    setup = setup_of()
    state = State.initial(setup)
    assert BACK_OFFICE_NEWS.keys() <= SERVICE_EVENTS.keys() & HEALTH
    assert not BACK_OFFICE_NEWS.keys() & ACTS.keys()
    news = CommandsRefused("command_unknown", 1, "the verbs are replay and refresh")
    draft = decided(setup, state, Input(Moment(1, 1, "b"), "table", news))
    assert [fact.event for fact in draft.facts] == [news]
    assert draft.state == state


class Table:
    """The engine as the publisher may use it: anything else of it is an error."""

    def __init__(self) -> None:
        self.setup, self.failed, self.submitted = setup_of(), None, []
        self.state = State.initial(self.setup)

    def submit(self, subject, body):
        self.submitted.append(body)
        return True


async def test_no_request_reaches_more_of_the_engine_than_news(tmp_path: Path, monkeypatch) -> None:
    """Every verb that names an act, with a body that an act could have: refused, recorded, and no other call is made."""
    broker, engine, clock = MemoryBroker(), Table(), SystemClock()
    monkeypatch.setattr(table_publisher, "MqttLink", lambda wanted, will: broker.link(will))
    config = SimpleNamespace(publish=lambda version: PublishConfig("bench", "t1", "broker", "t1", version=version))
    journal = Journal.open(tmp_path / "t.journal", site="bench", table="t1")
    publisher = table_publisher.publisher_of(config, "1", engine, journal, clock, random.Random(1), None, str)
    running = asyncio.create_task(publisher.run())
    try:
        await until(lambda: publisher.status()["connected"])
        for number, verb in enumerate(sorted(ACTS)):
            expires = rfc3339(time.time_ns() // 1000 + 60_000_000)
            body = {
                "id": f"a-{number}",
                "consumer": "recorder",
                "expires": expires,
                "who": "ada",
                "role": "supervisor",
            }
            broker.pass_on(Incoming(f"{BASE}/cmd/{verb}", json.dumps(body).encode(), False))
        await until(lambda: sum(publisher.status()["back_office"]["commands"]["refused"].values()) == len(ACTS))
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        journal.close()
    assert {body.kind for body in engine.submitted} <= {"broker_changed", "broker_connected", "commands_refused"}
    assert "command_unknown" in {body.code for body in engine.submitted if isinstance(body, CommandsRefused)}
    assert engine.state == State.initial(engine.setup)


def test_the_contract_is_named_by_the_hash_of_the_packaged_document(tmp_path: Path, monkeypatch) -> None:
    """Empty where this installation has none."""
    monkeypatch.setattr(table_publisher, "files", lambda package: tmp_path / "installed")
    monkeypatch.setattr(table_publisher, "ROOT", tmp_path)
    assert table_publisher.contract_hash() == ""
    document = tmp_path / "docs" / "schema" / "asyncapi.json"
    document.parent.mkdir(parents=True)
    document.write_bytes(b"{}")
    assert table_publisher.contract_hash() == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
