"""Every fault of the table, injected into a running simulator on a real port and judged at journal and subscriber."""

from pathlib import Path

import pytest

from tests.faults.catalogue import Row, load
from tests.faults.judge import judge
from tests.faults.play import play
from tests.faults.virtual import run_virtual


@pytest.mark.parametrize("row", [row for row in load().played if not row.full], ids=lambda row: row.id)
def test_a_fault_comes_to_what_the_table_says(row: Row, room: Path) -> None:
    """Its facts, counters and states, and the invariants; then life goes on."""
    _, wrong = run_virtual(play(row, room, judge))
    assert not wrong, "\n".join(wrong)


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("row", [row for row in load().played if row.full], ids=lambda row: row.id)
def test_a_long_fault_comes_to_what_the_table_says(row: Row, room: Path) -> None:
    """As the others, without what is left out for the sake of time."""
    _, wrong = run_virtual(play(row, room, judge))
    assert not wrong, "\n".join(wrong)
