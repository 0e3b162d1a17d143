"""The bytes that are hashed. Pure; a reader in another language needs only this file's rules.

    datahash   = SHA-256(len salt, salt, len data, data)
    recordhash = SHA-256(len prevhash, prevhash, len header, header, len datahash, datahash)

`len` is a length in bytes as eight bytes, big end first. `header` is a JSON array, UTF-8, no blanks, escapes only where
JSON demands them, whole numbers in full: every column of the record but its body and its hashes. The body is bound by a
salted commitment, so that it can be withheld or erased and the chain still holds, and so that a body with few possible
values cannot be guessed from its hash. The first record of a stream follows the stream's genesis hash, which binds the
chain to one journal of one table.
"""

from hashlib import sha256
from struct import Struct

import msgspec

from controller.journal.record import Origin, Record, Stream

FORMAT = 1
"""First element of each header: how the rest is laid out."""
SALT_BYTES = 16
"""Fresh for each record; 128 bits are beyond guessing."""

Columns = tuple[str | int | None, ...]

HASH_BYTES = 32
_LENGTH, _LEN_32 = Struct(">Q").pack, HASH_BYTES.to_bytes(8, "big")
_SALTED, _LINKED = Struct(f">Q{SALT_BYTES}sQ").pack, Struct(f">Q{HASH_BYTES}sQ").pack
"""A third quicker than joining parts; only for bytes of the right length, as a shorter one would be filled up in silence."""
_encode = msgspec.json.Encoder().encode


def genesis_hash(journal: str, site: str, table: str, created_us: int, stream: Stream) -> bytes:
    """Returns the `prevhash` of a stream's first record: SHA-256 of the journal's description."""
    return sha256(
        _encode(["tablewarden journal", FORMAT, journal, site, table, created_us, stream.value])
    ).digest()


def header_bytes(
    journal: str, stream: str, sequence: int, order: int, columns: Columns, origin: Origin | None
) -> bytes:
    """Returns the canonical bytes of a record without body and hashes.

    `columns`: kind, version, subject, round id, cause, time_us, recorded_us, mono_ns, boot, clock.
    """
    return _encode((FORMAT, journal, stream, sequence, order, *columns, origin))


def header_of(journal: str, record: Record) -> bytes:
    """Returns the header bytes of a record that was read."""
    r = record
    columns = (
        r.kind, r.version, r.subject, r.round_id, r.cause, r.time_us, r.recorded_us, r.mono_ns, r.boot, r.clock
    )  # fmt: skip
    return header_bytes(journal, r.stream.value, r.sequence, r.order, columns, r.origin)


def data_hash(salt: bytes, data: bytes) -> bytes:
    """Returns the commitment to a body. `salt`: `SALT_BYTES` bytes."""
    if len(salt) == SALT_BYTES:
        return sha256(_SALTED(SALT_BYTES, salt, len(data)) + data).digest()
    return sha256(b"".join((_LENGTH(len(salt)), salt, _LENGTH(len(data)), data))).digest()


def record_hash(prevhash: bytes, header: bytes, datahash: bytes) -> bytes:
    """Returns a record's hash, the link of the chain. `prevhash`, `datahash`: 32 bytes each."""
    if len(prevhash) == HASH_BYTES == len(datahash):
        return sha256(_LINKED(HASH_BYTES, prevhash, len(header)) + header + _LEN_32 + datahash).digest()
    parts = (_LEN_32, prevhash, _LENGTH(len(header)), header, _LEN_32, datahash)
    return sha256(b"".join(parts)).digest()
