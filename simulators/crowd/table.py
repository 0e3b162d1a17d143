"""One table of the crowd: a chained, signed record of its own, grown by the product's code, and its events as they are published.

The kinds of events and their bodies are those that real days have shown (`controller/catalogue/seen.json`), each with the number
of its round. Nothing is decided here: a table of the crowd makes traffic, not sense.
"""

import os
from collections import deque
from functools import cache
from hashlib import sha256

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.catalogue.seen import seen
from controller.clock import Stamp, rfc3339
from controller.journal.chain import SALT_BYTES, data_hash, genesis_hash, header_of, record_hash
from controller.journal.proof.checkpoint import signed_statement
from controller.journal.proof.keys import SigningKey
from controller.journal.record import FACTS as STREAMS
from controller.journal.record import Record, Stream
from controller.journal.seal import Head
from controller.publish.envelope import Wrapper
from controller.publish.topics import Topics
from controller.table.words import facts
from controller.table.words.inputs import CheckpointSigned, RoundOpened, SigningKeyChanged

SITE = "crowd"
CHECKPOINT_EVERY = 500
"""Events; a table signs after 1,000 at most."""
_OWN_MEANING = (CheckpointSigned.kind, RoundOpened.kind, SigningKeyChanged.kind)
_BOOT = "00000000000000b1"


@cache
def script() -> tuple[tuple[str, int, str, dict[str, object]], ...]:
    """Returns the events of a round: kind, version, subject, body."""
    found = []
    for name, shown in seen().items():
        kind, _, version = name.rpartition(".v")
        if kind in facts.FACTS and kind not in _OWN_MEANING:
            device = shown.classes[0] if shown.classes else "table"
            subject = device if device == "table" else f"{device}-1"
            found.append((kind, int(version), subject, shown.example))
    return tuple(found)


class Table:
    """Grows events. `number`: of the table in the crowd; `waiting`: of each stream, what is not confirmed, oldest first."""

    def __init__(self, number: int, begun_us: int) -> None:
        self.topics = Topics(SITE, f"t-{number:05}")
        self.journal = sha256(f"{number} {begun_us}".encode()).hexdigest()[:16]
        self.created_us, self.session = begun_us, 0
        self.key = SigningKey(Ed25519PrivateKey.from_private_bytes(sha256(self.journal.encode()).digest()))
        self.waiting: dict[Stream, deque[tuple[int, bytes]]] = {stream: deque() for stream in STREAMS}
        self.heads = {
            stream: Head(0, genesis_hash(self.journal, SITE, self.topics.table, begun_us, stream))
            for stream in STREAMS
        }
        self._wrapper = Wrapper(self.topics, self.journal)
        self._order, self._step, self._round = 0, number, 0

    def grow(self, now: Stamp) -> None:
        """Appends the next event, and a checkpoint where one is due."""
        at = self._step % len(script())
        self._round += at == 0
        kind, version, subject, example = script()[at]
        self._step += 1
        body = msgspec.json.encode({**example, "round": f"r-{self._round}"})
        self._append(Stream.MAIN, kind, version, subject, body, now)
        if self.heads[Stream.MAIN].sequence % CHECKPOINT_EVERY == 0:
            self.sign(now)

    def sign(self, now: Stamp) -> None:
        """Appends a checkpoint over all events so far."""
        statement, signature = signed_statement(
            self.key, self.journal, SITE, self.topics.table, self.heads, self._order, now
        )
        body = msgspec.json.encode({"statement": statement, "signature": signature})
        self._append(Stream.DIAG, CheckpointSigned.kind, 1, "table", body, now)

    def confirm(self, stream: Stream, through: int) -> None:
        """Forgets what is confirmed."""
        waiting = self.waiting[stream]
        while waiting and waiting[0][0] <= through:
            waiting.popleft()

    def birth(self) -> bytes:
        """Returns the next birth."""
        self.session += 1
        return msgspec.json.encode({
            "state": "online", "session": self.session, "bootid": _BOOT, "version": "crowd", "journal": self.journal,
            "created": rfc3339(self.created_us), "heads": self._numbers(), "oldest": dict.fromkeys(STREAMS, 1),
            "machine": "crowd", "process": f"{os.getpid()}",
        })  # fmt: skip

    def goodbye(self) -> bytes:
        """Returns the message of a clean stop."""
        return msgspec.json.encode({"state": "offline", "session": self.session, "reason": "the crowd goes home"})

    def heartbeat(self, now_us: int) -> bytes:
        """Returns a heartbeat."""
        return msgspec.json.encode({
            "time": rfc3339(now_us), "session": self.session, "journal": self.journal, "heads": self._numbers(),
            "parked": {stream: [] for stream in STREAMS},
        })  # fmt: skip

    def _numbers(self) -> dict[str, int]:
        return {stream.value: head.sequence for stream, head in self.heads.items()}

    def _append(self, stream: Stream, kind: str, version: int, subject: str, body: bytes, now: Stamp) -> None:
        self._order += 1
        head, salt = self.heads[stream], os.urandom(SALT_BYTES)
        record = Record(
            stream=stream, sequence=head.sequence + 1, kind=kind, version=version, subject=subject,
            round_id=f"r-{self._round}", cause=f"{self.journal}-input-{self._order}", time_us=now.wall_us,
            recorded_us=now.wall_us, mono_ns=now.mono_ns, boot=_BOOT, clock=now.clock, data=body,
            prevhash=head.recordhash, recordhash=b"", datahash=data_hash(salt, body), salt=salt, order=self._order,
        )  # fmt: skip
        record = record._replace(
            recordhash=record_hash(record.prevhash, header_of(self.journal, record), record.datahash)
        )
        self.heads[stream] = Head(record.sequence, record.recordhash)
        self.waiting[stream].append((record.sequence, self._wrapper.wrap(record).payload))
