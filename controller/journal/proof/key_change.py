"""Compares a table's signing key with the one that its record knows, and lets the old key name the next one.

A checkpoint names its key. For a new key, a supervisor acts while the old one is in use: the old key signs a
statement with both public halves, which is recorded.
"""

from contextlib import closing, suppress
from pathlib import Path

import msgspec

from controller.journal.bodies import BodyUnreadable, body_of
from controller.journal.chain import FORMAT
from controller.journal.disk.file import READ_ERRORS, Description, connect_readonly
from controller.journal.disk.side_file import read_beside
from controller.journal.errors import JournalError
from controller.journal.proof.checkpoint import StatementUnreadable, read_statement
from controller.journal.proof.keys import PublicKey, SigningKey
from controller.journal.record import Stream
from controller.journal.view import JournalView
from controller.table.words.inputs import CheckpointSigned, SigningKeyChanged

HEAD = ".head"
"""Beside a record: the text of its newest checkpoint, and the signature in hex, one a line."""
WHAT = "tablewarden key"
"""First key of each statement: what has signed it can never be taken for a signature of something else."""
_NEWEST = """SELECT b.data FROM diag AS r JOIN body AS b ON b.ord = r.ord
 WHERE r.kind = ? ORDER BY r.sequence DESC LIMIT 1"""


class Naming(msgspec.Struct, frozen=True):
    """The statement that an old key signs. `public`, `next_public`: 64 hex digits each; `key`, `next`: ids;
    `time_us`: when."""

    what: str
    format: int
    journal: str
    site: str
    table: str
    key: str
    public: str
    next: str
    next_public: str
    time_us: int


def next_key(signer: SigningKey, about: Description, public: PublicKey, time_us: int) -> tuple[str, str]:
    """Makes the key in use name the next one; returns the statement as JSON, and its signature in hex."""
    own = signer.public
    naming = Naming(
        WHAT,
        FORMAT,
        about.id,
        about.site,
        about.table,
        own.id,
        own.raw.hex(),
        public.id,
        public.raw.hex(),
        time_us,
    )
    text = msgspec.json.encode(naming)
    return text.decode(), signer.sign(text).hex()


def changed_key(view: JournalView, key: PublicKey | None) -> SigningKeyChanged | None:
    """Returns what a start must record if the newest checkpoint is by another key that has not named this one;
    otherwise None.

    Raises `JournalDamaged`.
    """
    before = newest_key(view)
    now = key.id if key else ""
    if before in ("", now) or (key and _has_named(view, before, key)):
        return None
    return SigningKeyChanged(before, now)


def newest_key(view: JournalView) -> str:
    """Returns the key id of the newest checkpoint; "" = none can be read. Raises `JournalDamaged`."""
    newest = next(view.backwards(Stream.DIAG, (CheckpointSigned.kind,)), None)
    return _key_of(newest.data) if newest else ""


def known_keys(path: Path) -> frozenset[str]:
    """Returns the ids of keys that last signed the record or the checkpoint beside it. Never raises."""
    found = set()
    with suppress(OSError, StatementUnreadable, ValueError):
        found.add(read_statement(read_beside(path, HEAD).decode().partition("\n")[0]).key)
    with suppress(OSError, JournalError, *READ_ERRORS), closing(connect_readonly(path)) as db:
        found |= {_key_of(data) for (data,) in db.execute(_NEWEST, (CheckpointSigned.kind,))}
    return frozenset(found - {""})


def _key_of(data: bytes) -> str:
    try:
        return read_statement(msgspec.json.decode(data, type=CheckpointSigned).statement).key
    except (msgspec.MsgspecError, StatementUnreadable, RecursionError):
        return ""


def _has_named(view: JournalView, before: str, key: PublicKey) -> bool:
    """Returns True if the key `before` has signed in this record that `key` follows it."""
    for brief in view.backwards(Stream.DIAG, (SigningKeyChanged.kind,)):
        try:
            told = body_of(Stream.DIAG, brief, SigningKeyChanged)
            naming = msgspec.json.decode(told.statement, type=Naming)
            old, signature = PublicKey.of(bytes.fromhex(naming.public)), bytes.fromhex(told.signature)
        except (BodyUnreadable, msgspec.MsgspecError, ValueError, RecursionError):
            continue
        is_of_this = (naming.what, naming.journal, naming.next_public) == (
            WHAT,
            view.description.id,
            key.raw.hex(),
        )
        if is_of_this and old.id == before and old.has_signed(signature, told.statement.encode()):
            return True
    return False
