"""What two tables published: every message as it went to the broker, by the table's own publisher code."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from controller.backoffice.chains import Verifier
from controller.clock import rfc3339
from controller.journal.proof.keys import PublicKey
from controller.journal.record import FACTS, Stream
from controller.publish.envelope import Wrapper
from controller.publish.presence import Birth, Offline, encode
from controller.publish.topics import Topics
from controller.table.words.inputs import CheckpointSigned
from tests.support.recorded import FLUSH, Recorded

Message = tuple[str, bytes]
"""`evt`, `conn` or `beat`, and the payload."""


@dataclass(frozen=True)
class Captured:
    """The messages of one table in the order of its record: birth, events, heartbeat, goodbye."""

    source: str
    public: PublicKey
    messages: list[Message]
    journal: Recorded

    def verifier(self, *others: "Captured") -> Verifier:
        """For a consumer that was there from the first record on."""
        verifier = Verifier({one.source: [one.public] for one in (self, *others)})
        for stream in FACTS:
            verifier.expect(self.source, self.journal.journal.id, stream, 1)
        return verifier


def follow(verifier: Verifier, source: str, messages: list[Message]) -> list[str]:
    """Gives a verifier these messages as those of a table; the codes of what it finds, also of what is missing at the end."""
    found = []
    for kind, text in messages:
        findings = verifier.take(text, source).findings if kind == "evt" else verifier.hear(source, text)
        found += [finding.code.value for finding in findings]
    return found + [finding.code.value for finding in verifier.missing()]


def capture(folder: Path, table: str, *, opens: bool = False, seals: bool = True) -> Captured:
    """A shift of one round. `opens`: card identities leave the table sealed, and the key after the round; `seals`: it has a
    vault."""
    folder.mkdir(exist_ok=True)
    played = Recorded(folder, table=table, seals=seals)
    played.ready()
    played.round_of("red", FLUSH)
    played.checkpoint()  # as at each stop
    journal = played.journal
    topics = Topics("lv01", table)
    wrapper = Wrapper(
        topics, journal.id, input_body=journal.input_body, open_keys=journal.view.open_keys if opens else None
    )
    created = rfc3339(journal.description.created_us)
    birth = Birth(
        session=1, bootid="boot", version="1", journal=journal.id, created=created, heads=dict.fromkeys(FACTS, 0),
        oldest=dict.fromkeys(FACTS, 1), machine="m", process="p",
    )  # fmt: skip
    messages: list[Message] = [("conn", encode(birth))]
    messages += [("evt", wrapper.wrap(record).payload) for record in journal.view.merged(FACTS)]
    heads = {s.value: n for s, n in journal.heads().items() if s in FACTS}
    beat = {"time": rfc3339(1), "session": 1, "journal": journal.id, "heads": heads, "parked": {}}
    messages.append(("beat", msgspec.json.encode(beat)))
    newest = next(r for r in reversed(journal.read(Stream.DIAG, 0, 10_000)) if r.kind == CheckpointSigned.kind)
    checkpoint = msgspec.json.decode(newest.data, type=dict[str, str])
    messages.append(("conn", encode(Offline(session=1, reason="done", checkpoint=checkpoint))))
    return Captured(topics.source, PublicKey.load(played.public), messages, played)


@pytest.fixture(scope="package")
def two_tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Captured, Captured]:
    """Two tables of one site; the second one lets card identities out, sealed."""
    folder = tmp_path_factory.mktemp("tables")
    return capture(folder / "a", "uth-017"), capture(folder / "b", "uth-018", opens=True)


@pytest.fixture(name="follow")
def follow_fixture() -> Callable[..., list[str]]:
    return follow
