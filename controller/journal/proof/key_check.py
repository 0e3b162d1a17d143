"""Checks the round keys during a proof: each key that a sealed body names is there, and an open one is right.

A wrapped key cannot be checked without the vault; a start that needs it finds a fault.
"""

import sqlite3

import msgspec

from controller.journal.bodies import UNREADABLE
from controller.journal.disk.file import READ_ERRORS
from controller.journal.vault.sealing import RoundKey, SealBroken, key_of
from controller.table.words.inputs import CardsErased

_ROWS = "SELECT commitment, made, wrapped IS NOT NULL, opened FROM round_key WHERE round = ?"


class KeyCheck:
    """Looks up the keys of one journal as their sealed bodies come."""

    def __init__(self, db: sqlite3.Connection, schema: int) -> None:
        self._db, self._has_keys = db, schema > 1
        self._round: str | None = None
        self._rows: dict[bytes, tuple[int, bool, bytes | None]] = {}
        self._erased: tuple[int, str] = (0, "")
        self._through = 0

    def look(self, place: str, round_id: str, data: bytes) -> str:
        """Returns what is wrong with a sealed body's key, "" = nothing. `place`: of the record, for later faults."""
        try:
            commitment = key_of(data)
            row = self._of(round_id).get(commitment)
        except (SealBroken, *READ_ERRORS) as exc:
            return str(exc)
        if row is None:
            return f"the key {commitment.hex()[:16]} of round {round_id or 'none'} is gone"
        made, is_wrapped, opened = row
        if opened is not None:
            is_right = RoundKey(opened).commitment == commitment
            return (
                ""
                if is_right
                else f"the key of round {round_id} that lies open is not the one that was committed to"
            )
        if not is_wrapped:
            self._erased = max(self._erased, (made, f"{place}, round {round_id or 'none'}"))
        return ""

    def erased(self, data: bytes) -> str:
        """Takes a record of erased keys; returns what is wrong with it, "" = nothing."""
        try:
            self._through = max(self._through, msgspec.json.decode(data, type=CardsErased).through)
        except UNREADABLE as exc:
            return f"it does not say which keys were erased: {exc}"
        return ""

    def unsaid(self) -> str:
        """Returns where a key is erased without a record of it; "" = nowhere."""
        made, where = self._erased
        return f"the key of {where} was erased, and no record says so" if made > self._through else ""

    def _of(self, round_id: str) -> dict[bytes, tuple[int, bool, bytes | None]]:
        """Returns the keys of one round, cached, because the bodies of a round lie together."""
        if round_id != self._round:
            rows = self._db.execute(_ROWS, (round_id,)).fetchall() if self._has_keys else []
            self._round, self._rows = round_id, {row[0]: (row[1], bool(row[2]), row[3]) for row in rows}
        return self._rows
