"""Five years of play fit on the disk of a table's PC: weighed on a busy table, and worked out from there."""

from pathlib import Path

import pytest

from tests.bench.record_size import DISK, play, sizes

MARGIN = 0.97
"""So much of the disk may be used, by a sample whose few rounds pack worse than the 1,200 of a day."""


@pytest.mark.timeout(240)
async def test_five_years_of_a_busy_table_fit_in_24_gb(tmp_path: Path) -> None:
    """60 rounds an hour, 20 hours a day, all cards told and sealed, all wagers settled by themselves."""
    found = sizes(await play(tmp_path, 20))
    assert found.records > 100, "else this was no busy table"
    assert found.five_years < DISK * MARGIN, found
