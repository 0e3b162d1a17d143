"""Faults in every state of the session: a handful in `make test`, all of them in `make faults`."""

from pathlib import Path

import pytest

from tests.faults.cross import Crossing, crossings, judge
from tests.faults.play import play
from tests.faults.virtual import run_virtual

ALL = crossings()
SHORT = {
    "B01-hello", "B14-hello", "F05-sync", "F16-auth", "F08-sync", "D01-suspect", "D03-auth", "D06-round-opening",
    "D09-kept-sync", "H02-hello", "H05-sync", "H19-measure", "H22-suspect", "H01-bus-opening", "M02-hello", "M08-suspect",
    "M12-sync", "B07-line-opening", "B15-line-online", "F22-forged-opening", "H17-opening", "D38-bus-suspect",
}  # fmt: skip


@pytest.mark.parametrize("crossing", [c for c in ALL if c.name in SHORT], ids=lambda c: c.name)
def test_a_fault_in_some_state_leaves_everything_as_it_must_be(crossing: Crossing, room: Path) -> None:
    """The invariants of every fault, and the device is back."""
    _, wrong = run_virtual(play(crossing.row, room, judge, cue=crossing.cue))
    assert not wrong, "\n".join(wrong)


@pytest.mark.full
@pytest.mark.parametrize("crossing", ALL, ids=lambda c: c.name)
def test_every_fault_in_every_state_leaves_everything_as_it_must_be(crossing: Crossing, room: Path) -> None:
    """As the short form, for the whole table."""
    _, wrong = run_virtual(play(crossing.row, room, judge, cue=crossing.cue))
    assert not wrong, "\n".join(wrong)
