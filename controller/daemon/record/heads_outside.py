"""Compares the record with the checkpoint that the broker kept on `conn`, to find a state folder that was rolled
back.

Only a checkpoint signed by this table's key holds play. Other differences are recorded and hold nothing, because
anybody with access to the broker could write them.
"""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from msgspec import UNSET

from controller.journal.disk.side_file import read_beside
from controller.journal.errors import JournalError
from controller.journal.proof.checkpoint import Statement, proved_statement
from controller.journal.proof.expected import stands
from controller.journal.proof.key_change import HEAD
from controller.journal.proof.keys import PublicKey
from controller.journal.record import Stream
from controller.journal.store import Journal
from controller.publish.known_head import Checkpoint
from controller.table.words.inputs import RecordChecked


class Table(Protocol):
    """What the comparison needs of the engine (`controller.daemon.engine.Engine`)."""

    def submit(self, subject: str, body: RecordChecked) -> bool:
        """Hands an input to the engine's queue; returns False if the engine takes no more inputs."""


class HeadsOutside:
    """The comparison for one open journal. `key`: its signing key; `report`: takes facts about the broker."""

    def __init__(self, table: Table, journal: Journal, key: PublicKey | None, report: Callable[..., None]) -> None:
        self._table, self._journal, self._key, self._report = table, journal, key, report
        self._told = ""

    def newest(self) -> Checkpoint:
        """Returns the checkpoint beside the record."""
        try:
            statement, signature, *_ = read_beside(self._journal.path, HEAD).decode().splitlines()
        except (OSError, ValueError):
            return UNSET
        return {"statement": statement, "signature": signature}

    def seen(self, payload: bytes) -> None:
        """Holds play if the broker has a checkpoint by this key that the record lacks. Never raises."""
        try:
            said = msgspec.json.decode(payload, type=dict[str, Any])
        except (msgspec.MsgspecError, RecursionError):
            return
        told = said.get("checkpoint")
        signed = self._signed(told) if isinstance(told, dict) else None
        try:
            lacks = self._lacks(signed) if signed is not None else ""
            unsigned = "" if lacks else self._differs(said, told if signed is None else None)
        except JournalError as exc:  # the next commit finds what is wrong with it
            lacks, unsigned = "", str(exc)
        if lacks and lacks != self._told:
            self._told = lacks
            self._table.submit("table", RecordChecked(self._journal.order, 1, lacks))
        elif unsigned and unsigned != self._told:
            self._told = unsigned
            self._report("conn_head_differs", found=unsigned)

    def _signed(self, told: dict[str, Any]) -> Statement | None:
        text, signature = told.get("statement"), told.get("signature")
        if self._key is None or not isinstance(text, str) or not isinstance(signature, str):
            return None
        return proved_statement(text, signature, (self._key,))

    def _lacks(self, signed: Statement) -> str:
        journal = self._journal
        if (signed.site, signed.table) != (journal.site, journal.table):
            return ""
        kept = f"the broker keeps a checkpoint of order {signed.order} that this table signed"
        if signed.journal != journal.id:
            is_newer = signed.time_us > journal.description.created_us
            return f"{kept} in journal {signed.journal}, after this one began" if is_newer else ""
        for stream in Stream:
            head = signed.head_of(stream)
            if head and head.sequence >= journal.begins[stream].sequence and not stands(journal, stream, head):
                return f"{kept}, and this record ends at {journal.order}: it is an older copy"
        return ""

    def _differs(self, said: dict[str, Any], unproved: object) -> str:
        """Reports an unsigned difference."""
        if unproved is not None and self._key is not None:
            return "the checkpoint that the broker keeps is not signed by this table's key"
        heads = said.get("heads")
        if said.get("journal") != self._journal.id or not isinstance(heads, dict):
            return ""
        ours = {stream.value: sequence for stream, sequence in self._journal.heads().items()}
        ahead = [s for s, n in heads.items() if s in ours and isinstance(n, int) and n > ours[s]]
        return f"the broker has later records in {', '.join(ahead)} than this journal has" if ahead else ""
