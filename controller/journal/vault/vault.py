"""The vault of a journal: seals card identities as they are recorded, each round under a key of its own.

A round's key lies in the file beside the records: wrapped under the vault's key, later open, or erased. It is not
part of the chain, so it can be opened or erased; the chain holds its commitment in each sealed body. A key is made
with its round's first card and written in that transaction.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.journal.errors import JournalDamaged
from controller.journal.record import Draft, Record, Transaction
from controller.journal.vault.sealing import CLEAR, SEALED, RoundKey, SealBroken, key_of, opened, sealed
from controller.journal.vault.vault_keys import (
    NONCE_BYTES,
    SECRET_BYTES,
    VaultKeyMissing,
    VaultKeys,
    WrappedDamaged,
)
from controller.table.words.codec import IDENTITIES
from controller.table.words.inputs import RoundOpened

KEYS_KEPT = 16
"""Round keys in memory: that of the round in play, and some of those that are read just now."""


NO_KEYS = "no keys of rounds lie beside its segment: they were never copied there, or all of that day were erased"


class Use(StrEnum):
    """What a round's key seals, and therefore who opens it."""

    TURNED_UP = "turned_up"  # cards that the table took: open once they lie in the discard rack
    REFUSED = "refused"  # cards that somebody told and that may never be turned up: a supervisor only


class KeyRow(NamedTuple):
    """A round's key in the file. `commitment`: 32 bytes. `made`: order of the first record that it sealed.

    `wrapped`: under the vault key `vault`; `opened`: readable for everybody; both None = erased. `round_id`: "" =
    outside of rounds.
    """

    round_id: str
    use: str
    commitment: bytes
    vault: str
    made: int
    wrapped: bytes | None
    opened: bytes | None

    @property
    def is_erased(self) -> bool:
        """True if the key is gone, wrapped and open copy alike."""
        return self.wrapped is None and self.opened is None


class StillSealed(Exception):
    """These cards cannot be read here. `vault`: id of the key that would open them, "" = none here; `is_erased`:
    nowhere any more."""

    def __init__(self, record: Record, reason: str, vault: str = "", *, is_erased: bool = False) -> None:
        super().__init__(f"{record.stream.value}/{record.sequence} is sealed: {reason}")
        self.reason, self.vault, self.round_id = reason, vault, record.round_id or ""
        self.is_erased = is_erased


Rows = Callable[[str], Sequence[KeyRow]]
"""Gives the rows of a round, as they lie in the file."""
RowsOf = Callable[[Record], Sequence[KeyRow] | None]
"""Gives the rows among which the key of a record is; None = no keys lie with that record."""


def is_sealed(record: Record) -> bool:
    """Returns True if a record of this kind and version holds card identities in sealed form."""
    return record.version in CLEAR and record.kind in IDENTITIES


class Unsealer:
    """Returns records as they were before sealing: all of them with the vault's keys, otherwise those with open
    keys.

    `is_copy`: in the second place opened keys are wrapped too.
    """

    def __init__(
        self, path: Path, journal: str, rows: RowsOf, keys: VaultKeys | None, *, is_copy: bool = False
    ) -> None:
        self._path, self._journal, self._rows, self._keys = path, journal, rows, keys
        self._is_copy = is_copy
        self._known: dict[bytes, RoundKey] = {}

    def clear(self, record: Record) -> Record:
        """Returns the record with its original body, byte for byte. Raises `StillSealed`, `JournalDamaged`."""
        if not is_sealed(record):
            return record
        try:
            data = opened(record.data, record.stream, self.key(record), about(self._journal, record.kind))
        except SealBroken as exc:
            raise self._damaged(record, str(exc)) from exc
        return record._replace(data=data, version=CLEAR[record.version])

    def key(self, record: Record) -> RoundKey:
        """Returns a sealed record's key. Raises `StillSealed`, `SealBroken`, `JournalDamaged`."""
        commitment = key_of(record.data)
        if (known := self._known.get(commitment)) is not None:
            return known
        rows = self._rows(record)
        if rows is None:
            raise StillSealed(record, NO_KEYS)
        row = next((row for row in rows if row.commitment == commitment), None)
        if row is None:
            raise self._damaged(record, f"the key {commitment.hex()[:16]} of round {record.round_id} is gone")
        return self._remember(self._unlock(record, row))

    def forget(self) -> None:
        """Removes all keys from memory."""
        self._known.clear()

    def _unlock(self, record: Record, row: KeyRow) -> RoundKey:
        if row.is_erased:
            raise StillSealed(record, f"the key of round {row.round_id} was erased", is_erased=True)
        if row.opened is None and self._keys is None:
            raise StillSealed(record, f"{self._why(row)}, and no vault key was given", row.vault)
        try:
            key = RoundKey(row.opened or unwrapped(self._keys, self._journal, row))
        except VaultKeyMissing as exc:
            raise StillSealed(record, str(exc), row.vault) from exc
        except WrappedDamaged as exc:
            raise self._damaged(record, str(exc)) from exc
        if key.commitment != row.commitment:
            raise self._damaged(record, f"the key of round {row.round_id} is not the one that was committed to")
        return key

    def _why(self, row: KeyRow) -> str:
        if self._is_copy:
            return "beside a segment every key lies under the vault's"
        return (
            "its round is not open yet" if row.use == Use.TURNED_UP else "it was refused, so no rule lets it out"
        )

    def _remember(self, key: RoundKey) -> RoundKey:
        self._known[key.commitment] = key
        if len(self._known) > KEYS_KEPT:
            del self._known[next(iter(self._known))]
        return key

    def _damaged(self, record: Record, found: str) -> JournalDamaged:
        return JournalDamaged(self._path, f"{record.stream.value}/{record.sequence}: {found}")


class Opening(NamedTuple):
    """A key that is opened: how its row changes."""

    secret: bytes
    round_id: str
    commitment: bytes


class Vault:
    """Seals what the writer appends. `pending`: keys that go into the file with the next commit.

    `shut`: round -> commitments (hex) of its keys that the rules have not opened yet.
    """

    def __init__(self, journal: str, keys: VaultKeys, rows: Rows, shut: Sequence[KeyRow] = ()) -> None:
        self._journal, self._keys, self._rows = journal, keys, rows
        self._current: dict[tuple[str, Use], RoundKey] = {}
        self.pending: list[KeyRow] = []
        self.shut: dict[str, list[str]] = {}
        self._note_shut(row for row in shut if row.vault in keys)

    def sealed(self, transaction: Transaction, order: int) -> Transaction:
        """Returns the transaction without card identities in any body. `order`: of its first record."""
        if transaction.input.kind not in IDENTITIES and not any(f.kind in IDENTITIES for f in transaction.facts):
            return transaction
        taken = any(fact.kind in IDENTITIES for fact in transaction.facts)
        use = Use.TURNED_UP if taken else Use.REFUSED
        facts = tuple(self._seal(fact, use, order) for fact in transaction.facts)
        return replace(transaction, input=self._seal(transaction.input, use, order), facts=facts)

    def holds(self, row: KeyRow) -> bool:
        """Returns True if this vault has the key under which that key is wrapped."""
        return row.vault in self._keys

    def erased(self) -> None:
        """Forgets keys that were erased in the file."""
        self._current.clear()

    def written(self, openings: Sequence[Opening]) -> None:
        """Notes that the pending keys are in the file, and that these keys are open."""
        self._note_shut(self.pending)
        self.pending.clear()
        opened_now = {opening.commitment.hex() for opening in openings}
        if opened_now:
            kept = {name: key for name, key in self._current.items() if key.commitment.hex() not in opened_now}
            self._current = kept  # what is told from now on is sealed under a key that nobody has
            left = {name: [k for k in keys if k not in opened_now] for name, keys in self.shut.items()}
            self.shut = {name: keys for name, keys in left.items() if keys}

    def _note_shut(self, rows: Iterable[KeyRow]) -> None:
        for row in rows:
            if row.use == Use.TURNED_UP:
                self.shut.setdefault(row.round_id, []).append(row.commitment.hex())

    def openings(self, data: bytes) -> list[Opening]:
        """Returns the keys that a `round_opened` opens; a key of another vault stays shut."""
        told = msgspec.json.decode(data, type=RoundOpened)
        found = []
        for row in (*self._rows(told.round), *self.pending):
            if row.commitment.hex() in told.keys and row.opened is None and row.round_id == told.round:
                with suppress(VaultKeyMissing, WrappedDamaged):
                    secret = unwrapped(self._keys, self._journal, row)
                    found.append(Opening(secret, row.round_id, row.commitment))
        return found

    def _seal(self, draft: Draft, use: Use, order: int) -> Draft:
        fields = IDENTITIES.get(draft.kind)
        if fields is None:
            return draft
        key, of = self._key(draft.round_id or "", use, order), about(self._journal, draft.kind)
        data = sealed(draft.data, fields, draft.stream, key, of, os.urandom(NONCE_BYTES))
        return draft if data is draft.data else replace(draft, data=data, version=SEALED[draft.version])

    def _key(self, round_id: str, use: Use, order: int) -> RoundKey:
        """Returns the round's key; a new one if there is none, or it was opened, erased or cannot be read.

        Outside of rounds each body has its own key, because keys are erased by their age.
        """
        if not round_id:
            return self._new(round_id, use, order)
        if (current := self._current.get((round_id, use))) is not None:
            return current
        key = self._of_round(round_id, use) or self._new(round_id, use, order)
        self._current[round_id, use] = key
        if len(self._current) > KEYS_KEPT:
            del self._current[next(iter(self._current))]
        return key

    def _of_round(self, round_id: str, use: Use) -> RoundKey | None:
        for row in self._rows(round_id):
            if row.use == use and row.wrapped is not None:
                try:
                    key = RoundKey(unwrapped(self._keys, self._journal, row))
                except (VaultKeyMissing, WrappedDamaged):
                    continue
                if key.commitment == row.commitment:
                    return key
        return None

    def _new(self, round_id: str, use: Use, order: int) -> RoundKey:
        key = RoundKey(os.urandom(SECRET_BYTES))
        vault, wrapped = self._keys.wrap(key.secret, _of(self._journal, round_id, use, key.commitment))
        self.pending.append(KeyRow(round_id, use, key.commitment, vault, order, wrapped, None))
        return key


def unwrapped(keys: VaultKeys | None, journal: str, row: KeyRow) -> bytes:
    """Returns a row's wrapped key. Raises `VaultKeyMissing`, `WrappedDamaged`."""
    if keys is None or row.wrapped is None:
        raise VaultKeyMissing(row.vault)
    return keys.unwrap(row.vault, row.wrapped, _of(journal, row.round_id, row.use, row.commitment))


def rewrapped(keys: VaultKeys | None, journal: str, row: KeyRow) -> KeyRow:
    """Returns the row as others may see it: an open key is wrapped again. Raises `VaultKeyMissing`."""
    if row.opened is None:
        return row
    if keys is None:
        raise VaultKeyMissing(row.vault)
    vault, wrapped = keys.wrap(row.opened, _of(journal, row.round_id, row.use, row.commitment))
    return row._replace(vault=vault, wrapped=wrapped, opened=None)


def _of(journal: str, round_id: str, use: str, commitment: bytes) -> bytes:
    return b"\0".join((journal.encode(), round_id.encode(), use.encode(), commitment))


def about(journal: str, kind: str) -> bytes:
    """Returns what is authenticated with a sealed body."""
    return f"{journal}\0{kind}".encode()
