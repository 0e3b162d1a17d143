"""A checkpoint: a signature over the heads of all streams at one instant. Its holder can find a cut or rewritten
record.

The public key is enough. The signed text itself is recorded and published, so that nobody has to rebuild its
bytes.
"""

from collections.abc import Iterable, Mapping

import msgspec

from controller.clock import ClockState, Stamp
from controller.journal.chain import FORMAT
from controller.journal.proof.keys import ALGORITHM, PublicKey, SigningKey
from controller.journal.record import Stream
from controller.journal.seal import Head
from drivers.protocol.records import dataclass

WHAT = "tablewarden checkpoint"
"""First key of each statement: what has signed it can never be taken for a signature of something else."""

_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class HeadTold:
    """One stream's head. `sequence` 0 and the genesis hash for an empty stream. `hash`: 64 hex digits."""

    sequence: int
    hash: str


@dataclass(frozen=True, slots=True)
class Statement:
    """The signed statement of a checkpoint, in this order of keys. `order`: of the newest record.

    `time_us`, `clock`: when it was signed; `algorithm`, `key`: its signer.
    """

    what: str
    format: int
    journal: str
    site: str
    table: str
    order: int
    heads: Mapping[str, HeadTold]
    time_us: int
    clock: ClockState
    algorithm: str
    key: str

    def head_of(self, stream: Stream) -> Head | None:
        """Returns a stream's head; None if the statement does not name the stream."""
        told = self.heads.get(stream.value)
        return None if told is None else Head(told.sequence, bytes.fromhex(told.hash))


class StatementUnreadable(Exception):
    """The text is no checkpoint statement, or one of a later release."""


def signed_statement(
    key: SigningKey, journal: str, site: str, table: str, heads: Mapping[Stream, Head], order: int, at: Stamp
) -> tuple[str, str]:
    """Returns the statement as JSON without blanks, and its signature as 128 hex digits."""
    told = {stream.value: HeadTold(head.sequence, head.recordhash.hex()) for stream, head in heads.items()}
    statement = Statement(
        WHAT, FORMAT, journal, site, table, order, told, at.wall_us, at.clock, ALGORITHM, key.public.id
    )
    text = _ENCODER.encode(statement)
    return text.decode(), key.sign(text).hex()


def read_statement(text: str) -> Statement:
    """Returns the statement of a text. Raises `StatementUnreadable`."""
    try:
        statement = msgspec.json.decode(text, type=Statement)
        for stream in Stream:
            statement.head_of(stream)
    except (msgspec.MsgspecError, ValueError, RecursionError) as exc:
        raise StatementUnreadable(f"is no statement of a checkpoint: {exc}") from exc
    if statement.what != WHAT:
        raise StatementUnreadable(f"is {statement.what!r}, no checkpoint")
    if statement.format > FORMAT:
        raise StatementUnreadable(f"has format {statement.format}, and this release knows up to {FORMAT}")
    return statement


def proved_statement(text: str, signature: str, keys: Iterable[PublicKey]) -> Statement | None:
    """Returns a checkpoint's statement if one of these keys signed it, otherwise None. Never raises."""
    try:
        signed = bytes.fromhex(signature)
        return read_statement(text) if any(key.has_signed(signed, text.encode()) for key in keys) else None
    except (ValueError, StatementUnreadable):
        return None
