"""Numbers, salts and chains a batch of transactions in memory, so that the commit is only inserts."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from controller.clock import Stamp
from controller.journal.chain import SALT_BYTES, data_hash, header_bytes, record_hash
from controller.journal.record import FACTS, Draft, Origin, Record, Stream, Transaction, record_id
from controller.journal.vault.vault import Opening, Vault
from controller.table.words.inputs import CardsErased, RoundOpened

Row = tuple[object, ...]


class Head(NamedTuple):
    """The last record of a stream."""

    sequence: int
    recordhash: bytes


_head: Callable[[tuple[int, bytes]], Head] = partial(tuple.__new__, Head)
_record: Callable[[tuple[object, ...]], Record] = partial(tuple.__new__, Record)
"""Less than half the time of `Record(...)`, which goes through a function in Python. Nobody counts the values."""


class Batch:
    """The rows of one commit, and the journal's state after it.

    `rows`: for each stream, columns in the order of its table; `bodies`: order, salt, data; `openings`: round keys
    that these records open; `erased`: keys made up to this order are to be erased.
    """

    __slots__ = ("_salts", "bodies", "erased", "heads", "journal", "openings", "order", "records", "rows")

    def __init__(self, journal: str, heads: Mapping[Stream, Head], order: int, room: int) -> None:
        """Makes an empty batch. `room`: how many records will be added."""
        self.journal, self.heads, self.order = journal, dict(heads), order
        chance = os.urandom(SALT_BYTES * room)  # asked for once, as each call is one of the system
        self._salts = [chance[at : at + SALT_BYTES] for at in range(0, len(chance), SALT_BYTES)]
        self.records: list[Record] = []
        self.rows: dict[Stream, list[Row]] = {}
        self.bodies: list[tuple[int, bytes, bytes]] = []
        self.openings: list[Opening] = []
        self.erased = 0

    def add(self, draft: Draft, at: Stamp, recorded_us: int, cause: str | None, origin: Origin | None) -> int:
        """Adds a draft as the next record of its stream and returns its number."""
        stream, data, salt = draft.stream, draft.data, self._salts.pop()
        self.order = order = self.order + 1
        last, prevhash = self.heads[stream]
        sequence = last + 1
        columns = (
            draft.kind, draft.version, draft.subject, draft.round_id, cause,
            at.wall_us, recorded_us, at.mono_ns, at.boot, at.clock,
        )  # fmt: skip
        header = header_bytes(self.journal, stream, sequence, order, columns, origin)
        datahash = data_hash(salt, data)
        recordhash = record_hash(prevhash, header, datahash)
        row: Row = (sequence, order, *columns, datahash, recordhash)
        if stream is Stream.INPUT:
            row += (origin[0], origin[1], signed(origin[2])) if origin else (None, None, None)
        self.rows.setdefault(stream, []).append(row)
        self.bodies.append((order, salt, data))
        self.heads[stream] = _head((sequence, recordhash))
        record = (stream, sequence, *columns, data, prevhash, recordhash, datahash, salt, order, origin)
        self.records.append(_record(record))
        return sequence


def seal(
    journal: str,
    heads: Mapping[Stream, Head],
    order: int,
    transactions: Sequence[Transaction],
    recorded: Stamp,
    vault: Vault | None = None,
) -> Batch:
    """Returns the records of these transactions, each input before its facts. `vault`: seals their cards.

    Raises `ValueError` for a draft in a wrong stream.
    """
    room = sum([1 + len(transaction.facts) for transaction in transactions])
    batch, recorded_us = Batch(journal, heads, order, room), recorded.wall_us
    for given in transactions:
        transaction = given if vault is None else vault.sealed(given, batch.order + 1)
        if transaction.input.stream is not Stream.INPUT:
            raise ValueError(f"an input cannot go to stream {transaction.input.stream}")
        sequence = batch.add(transaction.input, transaction.at, recorded_us, None, transaction.unique)
        cause = record_id(journal, Stream.INPUT, sequence)
        for fact in transaction.facts:
            if fact.stream not in FACTS:
                raise ValueError(f"a fact cannot go to stream {fact.stream}")
            batch.add(fact, transaction.at, recorded_us, cause, None)
            if fact.kind == RoundOpened.kind and vault is not None:
                batch.openings += vault.openings(fact.data)
            elif fact.kind == CardsErased.kind:
                batch.erased = max(batch.erased, msgspec.json.decode(fact.data, type=CardsErased).through)
    return batch


def signed(counter: int) -> int:
    """Returns a u64 as the signed 64-bit number with equal bits, which SQLite can hold."""
    return counter if counter < 1 << 63 else counter - (1 << 64)
