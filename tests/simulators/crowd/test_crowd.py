"""A crowd's events are what a table's are: chained, signed, proven; and a torn line or a lost message loses none of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.backoffice.chains import Verifier
from controller.cli.main import cli
from controller.clock import ManualClock
from simulators.crowd.run import split
from simulators.crowd.table import CHECKPOINT_EVERY, Table, script
from simulators.crowd.worker import Orders
from tests.bench.recorder_rate import Broker, recorder


def test_its_events_prove_themselves() -> None:
    clock = ManualClock()
    table = Table(3, clock.wall_us)
    source = table.topics.source
    verifier = Verifier({source: [table.key.public]})
    assert verifier.hear(source, table.birth()) == ()
    for _ in range(CHECKPOINT_EVERY + len(script())):
        clock.advance(0.5)
        table.grow(clock.stamp())
    main, diag = table.waiting.values()
    events = [*(text for _, text in main), *(text for _, text in diag)]
    findings = [each for text in events for each in verifier.take(text, source).findings]
    assert findings == []
    assert verifier.chains[table.journal, "main"].proven == CHECKPOINT_EVERY
    assert len(diag) == 1
    assert len(set(events)) == len(events)
    changed = main[7][1].replace(b'"round":"r-0"', b'"round":"r-9"')
    assert verifier.take(changed, source).findings, "a changed event is found"


def test_each_process_has_its_part() -> None:
    parts = split(Orders("h", 1, 0, 5, 1.0, 1.0, backlog=7), 2)
    assert [(each.first, each.tables, each.backlog) for each in parts] == [(0, 2, 7), (2, 3, 0)]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    made = Broker(tmp_path)
    yield made
    made.end()


def test_a_storm_and_a_backlog_lose_nothing(broker: Broker, tmp_path: Path) -> None:
    store, keys = f"sqlite:{tmp_path / 'house.db'}", str(tmp_path / "keys")
    running = recorder(broker.port, store, tmp_path / "log")
    try:
        made = CliRunner().invoke(cli, [
            "bench", "--tables", "4", "--rate", "30", "--seconds", "4", "--storm", "2", "--backlog", "1500",
            "--broker", f"mqtt://127.0.0.1:{broker.port}", "--keys", keys,
        ])  # fmt: skip
        assert made.exit_code == 0, made.output
        assert ", 0 not confirmed, 8 connections" in made.output
    finally:
        running.terminate()
        running.wait()
    proven = CliRunner().invoke(cli, ["backoffice", "verify", "--from", store, "--keys", keys, "--processes", "1"])
    assert proven.exit_code == 0, proven.output
