"""A room for a rig in memory: the journal is a file like any other there, and a hundred cases do not wait for the disk."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")


@pytest.fixture
def room() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tw-", dir=MEMORY if MEMORY.is_dir() else None) as path:
        yield Path(path)
