"""The folded state in a file beside the record, so that a start after a year takes as long as on the first day.

    {signature of all behind it}{what made it: SHA-256 in hex}{JSON, wrapped under the vault where there is one}

The JSON has the journal, the heads of its streams, the order of its newest record, and the state as text (`day_state`). It is
derived and disposable: one that is missing, of other software, of another table or not signed by the table's own key is passed
over, and the record is folded from the newest closed day. Nothing in it is run. Where the table has a vault the JSON is sealed by
it, since a state knows the recorded hands.
"""

import sys
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

import controller
import drivers
from controller.journal.day_state import Snapshot
from controller.journal.disk.side_file import read_beside, write_beside
from controller.journal.proof.checkpoint import HeadTold
from controller.journal.proof.expected import stands
from controller.journal.proof.keys import SigningKey
from controller.journal.record import FACTS, Stream
from controller.journal.seal import Head
from controller.journal.store import Journal
from controller.journal.vault.vault_keys import VaultKeyMissing, VaultKeys, WrappedDamaged
from controller.table.state.recorded_setup import setup_told
from controller.table.state.state_json import StateUnreadable, carried, state_of
from controller.table.state.table import Setup, State
from controller.table.words.codec import encode

EVERY_RECORDS = 10_000
"""A start folds some 100,000 records a second, so it has at most a tenth of a second to catch up."""
SNAPSHOT = ".snapshot"
SIGNATURE_BYTES = 64
MAKER_BYTES = 64
ID_BYTES = 16
ABOUT = b"snapshot"
FOLDED_BY = ("table", "games", "rules", "cards", "readers")
"""Rooms whose code makes a state; where one of their files differs, a state of theirs may too."""
IN_CONTROLLER = ("daemon/record/snapshot.py", "journal/day_state.py", "journal/record.py", "journal/seal.py")
IN_DRIVERS = ("events.py", "protocol/records.py", "protocol/reports.py", "protocol/texts.py", "protocol/words.py")
"""Files with more of what a state is: the snapshot itself, and what devices report."""


class Snapshots:
    """The one snapshot beside a journal. Only a snapshot signed by this table's key is read."""

    def __init__(self, journal: Path, key: SigningKey, setup: Setup, vault: VaultKeys | None = None) -> None:
        self._journal, self._key, self._vault = journal, key, vault
        self._made_by = _made_by(setup)

    def load(self, journal: Journal) -> Snapshot | None:
        """Returns the snapshot if it is of this journal. Never raises."""
        try:
            data = read_beside(self._journal, SNAPSHOT)
        except OSError:
            return None
        signature, body = data[:SIGNATURE_BYTES], data[SIGNATURE_BYTES:]
        if not self._key.public.has_signed(signature, body):
            return None
        text = self._unwrapped(body[MAKER_BYTES:]) if body[:MAKER_BYTES] == self._made_by else None
        snapshot = _read(text) if text is not None else None
        if snapshot is None:
            with suppress(OSError):
                self._journal.with_name(
                    self._journal.name + SNAPSHOT
                ).unlink()  # it may say in the clear what is sealed now
            return None
        if snapshot.journal != journal.id:
            return None
        return snapshot if all(stands(journal, s, snapshot.heads[s]) for s in FACTS) else None

    def save(self, journal: Journal, state: State) -> None:
        """Saves the snapshot over the last one, between two rounds, without a sync; a torn one is ignored later.

        Raises `OSError`, and `ValueError` in a round.
        """
        heads, order = journal.last()
        told = {stream.value: HeadTold(head.sequence, head.recordhash.hex()) for stream, head in heads.items()}
        text = msgspec.json.encode(_Kept(journal.id, told, order, carried(state)))
        body = self._made_by + self._wrapped(text)
        write_beside(self._journal, SNAPSHOT, self._key.sign(body) + body)

    def _wrapped(self, body: bytes) -> bytes:
        if self._vault is None:
            return body
        vault, wrapped = self._vault.wrap(body, ABOUT)
        return vault.encode() + wrapped

    def _unwrapped(self, body: bytes) -> bytes | None:
        """Returns the JSON; None if another vault sealed it, or it is sealed and should not be, or the reverse."""
        if self._vault is None:
            return body if body.startswith(b"{") else None
        try:
            return self._vault.unwrap(body[:ID_BYTES].decode(errors="replace"), body[ID_BYTES:], ABOUT)
        except (VaultKeyMissing, WrappedDamaged):
            return None


class _Kept(msgspec.Struct, frozen=True):
    """The snapshot file's content. `folded`: the state, JSON text in parts."""

    journal: str
    heads: dict[str, HeadTold]
    order: int
    folded: tuple[str, ...]


def _read(text: bytes) -> Snapshot | None:
    try:
        kept = msgspec.json.decode(text, type=_Kept)
        heads = {s: Head(kept.heads[s.value].sequence, bytes.fromhex(kept.heads[s.value].hash)) for s in Stream}
        return Snapshot(kept.journal, heads, kept.order, state_of(kept.folded))
    except (msgspec.MsgspecError, StateUnreadable, ValueError, KeyError, RecursionError):
        return None


def _made_by(setup: Setup) -> bytes:
    """Returns a hash (hex) of all that a snapshot depends on: code, interpreter, library, table and law."""
    digest = sha256(f"{sys.version}\n{msgspec.__version__}\n".encode())
    for path in sources():
        digest.update(path.read_bytes())
    digest.update(encode(setup_told(setup)))
    digest.update(setup.law.rulebook.sha256.encode())
    return digest.hexdigest().encode()


def sources() -> Iterator[Path]:
    """Returns the source files that a state depends on."""
    ours, reported = Path(controller.__file__).parent, Path(drivers.__file__).parent
    for room in FOLDED_BY:
        yield from sorted((ours / room).rglob("*.py"))
    yield from (ours / name for name in IN_CONTROLLER)
    yield from (reported / name for name in IN_DRIVERS)
