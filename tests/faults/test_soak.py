"""The short form of the soak: a table under faults by chance, one close after another."""

from pathlib import Path

import pytest

from tests.faults.soak import soak
from tests.faults.virtual import run_virtual


@pytest.mark.parametrize("progressive", ["tdp", "modbus"])
def test_a_table_outlives_faults_by_chance(room: Path, progressive: str) -> None:
    """A virtual minute: everything is on record or declared lost, told as recorded, and every device is back."""
    wrong, tally = run_virtual(soak(room, seed=7, tables=1, hours=1 / 60, pause_s=2.0, progressive=progressive))
    assert not wrong, "\n".join(wrong)
    assert tally.total() >= 2
