"""What the record notes about itself, where it is no JSON or no text: each reader says so in words."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from controller.audit.evidence.chain_section import _read
from controller.audit.evidence.errors import EvidenceError
from controller.journal.archive.keep import closed_days
from controller.journal.day_state import NotCarried, closed_in
from controller.journal.errors import JournalDamaged
from controller.journal.proof.key_check import KeyCheck
from controller.journal.view import Brief, JournalView
from controller.table.words.inputs import CheckpointSigned, RecordDayClosed


def _brief(kind: str, data: bytes) -> Brief:
    return Brief(7, kind, 1, "table", None, 0, data)


@pytest.mark.parametrize("data", [b"no JSON", b'{"day":"\xff"}'], ids=["JSON", "text"])
def test_a_closing_that_nobody_can_read_is_said_to_be_one(data: bytes) -> None:
    """A start goes on to an older one; who keeps days calls it damage."""
    brief = _brief(RecordDayClosed.kind, data)
    with pytest.raises(NotCarried, match="closing diag/7"):
        closed_in(brief)
    with pytest.raises(JournalDamaged, match="closing diag/7"):
        next(closed_days(cast(JournalView, _Backwards(brief))))


@pytest.mark.parametrize("data", [b"no JSON", b'{"reason":"\xff"}'], ids=["JSON", "text"])
def test_a_note_of_erased_keys_that_nobody_can_read_is_a_fault(data: bytes) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        assert KeyCheck(db, 2).erased(data).startswith("it does not say which keys were erased")


@pytest.mark.parametrize("data", [b"no JSON", b'{"statement":"\xff"}'], ids=["JSON", "text"])
def test_a_checkpoint_that_nobody_can_read_is_no_evidence(data: bytes) -> None:
    with pytest.raises(EvidenceError, match="diag/7 cannot be read"):
        _read(_brief(CheckpointSigned.kind, data))


class _Backwards:
    """A record whose newest closing is this one."""

    path = Path("t.journal")

    def __init__(self, brief: Brief) -> None:
        self._brief = brief

    def backwards(self, *_: Any) -> Iterator[Brief]:
        yield self._brief
