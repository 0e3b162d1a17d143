"""Faults with a real mosquitto between daemon and subscriber: one of each class in `make test`, all in `make faults`."""

from pathlib import Path

import pytest

from tests.faults.catalogue import Row, load
from tests.faults.judge import judge
from tests.faults.play import play
from tests.faults.virtual import run_virtual

ONE_OF_EACH = ("B01", "F22", "D06-round", "H19", "H21", "M02")


def _told(row: Row, room: Path, port: int) -> None:
    _, wrong = run_virtual(play(row, room, judge, broker=port))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("fault_id", ONE_OF_EACH)
def test_a_fault_comes_to_the_same_at_a_real_broker(fault_id: str, room: Path, mosquitto: int) -> None:
    """The subscriber holds what the table says, event for event as the journal does."""
    _told(load().row(fault_id), room, mosquitto)


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("row", load().played, ids=lambda row: row.id)
def test_every_fault_comes_to_the_same_at_a_real_broker(row: Row, room: Path, mosquitto: int) -> None:
    """As the short form, for the whole table."""
    _told(row, room, mosquitto)
