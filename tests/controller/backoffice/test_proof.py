"""What a back office reads and recomputes, against vectors that were made by hand and against bad input."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from controller.backoffice.chains import Verifier
from controller.backoffice.envelope import Envelope, EnvelopeUnreadable, read
from controller.backoffice.numbers import Numbers
from controller.backoffice.proof import look_at, recomputed
from controller.journal.proof.keys import PublicKey, SigningKey, make_key
from controller.journal.record import Stream
from controller.publish import envelope as table_side
from tests.controller.backoffice.conftest import Captured, Message, follow

DATAHASH = "7c2e3ba2ae06cbe9c0a3aaaed0dc07fc2809486714979ea7b3ac3c65766406d6"
RECORDHASH = "29c37e1a7e7d0d6624596d35c3813a1fce4789e14c5380532c6bba6232427bea"
MQTT = Path(__file__).parents[3] / "docs/mqtt.md"


def example() -> bytes:
    """The event of docs/mqtt.md, section 3, as it goes over the wire."""
    body = json.loads(MQTT.read_text().split("```json\n", 1)[1].split("```", 1)[0])
    return _small(body)


def changed(**changes: Any) -> bytes:
    """The example with other values; None takes a key away."""
    return _small({key: value for key, value in {**json.loads(example()), **changes}.items() if value is not None})


def _small(body: Any) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def hashed(**changes: Any) -> bytes:
    """The example with other values and the `recordhash` that follows from them."""
    return changed(**changes, recordhash=recomputed(read(changed(**changes))).recordhash.hex())


def test_the_example_of_the_document_hashes_to_what_sha256sum_says() -> None:
    """The header is written out by hand; the hashes were computed with printf and sha256sum alone."""
    hashes = recomputed(read(example()))
    assert hashes.header == (
        b'[1,"4e0350681af17db5","main",3,7,"set_checked",1,"shuffler-1",null,"4e0350681af17db5-input-3",'
        b'1767225622500000,1767225622500412,23500000000,"00000000000000b1","synced",null]'
    )
    assert hashes.datahash.hex() == DATAHASH
    assert hashes.recordhash.hex() == RECORDHASH
    assert look_at(read(example())) == ()


def test_the_commands_of_the_document_prove_its_example(tmp_path: Path) -> None:
    """Somebody without this software types them as they stand there, and gets the hash that the event carries."""
    page = MQTT.read_text().split("### Proving an event by hand", 1)[1]
    script = page.split("```\n", 1)[1].split("```", 1)[0]
    (tmp_path / "event.json").write_bytes(example())
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in done.stdout.splitlines()] == [DATAHASH, RECORDHASH]


def test_the_reader_has_the_keys_of_the_table_in_their_order() -> None:
    """Only then does the quick comparison of a message with its own encoding succeed."""
    assert Envelope.__struct_fields__ == tuple(table_side.Envelope.__dataclass_fields__)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "truncated"),
        (b"[]", "Expected `object`"),
        (b'{"specversion":"1.0"}', "missing"),
        (example()[:-1], "truncated"),
        (example() + b" " * 65536, "at most 65536"),
        (example().replace(b'"stream"', b'"data":{"count":52},"stream"'), "'data' twice"),
        (changed(stream="input"), "Invalid enum value"),
        (changed(roundid=None, cause=5), "Expected `str`"),
        (changed(order=7.5), "Expected `int`"),
        (changed(sequence="3"), "sequence is"),
        (changed(sequence="0000000000000000000３"), "sequence is"),
        (changed(id="4e0350681af17db5-main-4"), "id is"),
        (changed(type="org.tablewarden.tg.shoe.set_checked.v1"), "does not fit its subject"),
        (changed(type="org.tablewarden.tg.shuffler.set_checked.v01"), "does not fit its subject"),
        (changed(dataschema="urn:tablewarden:schema:shuffler.set_checked:2"), "dataschema is"),
        (changed(time="2026-01-01T00:00:22.5Z"), "time is"),
        (changed(time="2026-01-01T01:00:22.500000+01:00"), "time is"),
        (changed(time="2026-01-01T00:00:22.500000"), "offset from UTC"),
        (changed(time="yesterday"), "Invalid isoformat"),
        (changed(prevhash="00"), "1 bytes instead of 32"),
        (changed(recordhash="A" * 64), "recordhash is"),
        (changed(salt=None), "either data and salt"),
        (changed(datahash="0" * 64), "datahash with withheld alone"),
        (changed(withheld=True, datahash="0" * 64), "either data and salt"),
        (changed(data=None, salt=None, withheld=True), "datahash with withheld alone"),
    ],
)  # fmt: skip
def test_what_is_no_event_is_refused_in_words(text: bytes, says: str) -> None:
    """Nothing that an attacker may send raises anything else, and nothing is taken for what it is not."""
    with pytest.raises(EnvelopeUnreadable, match=says):
        read(text)


@pytest.mark.parametrize(
    "changes",
    [
        {"order": 8}, {"subject": "shuffler-2"}, {"monons": 1}, {"clockstate": "holdover"}, {"roundid": "r-1"},
        {"cause": None}, {"bootid": "b"}, {"time": "2026-01-01T00:00:22.500001Z"}, {"salt": "0" * 32},
        {"recordedtime": "2026-01-01T00:00:22.500413Z"}, {"prevhash": "0" * 64}, {"data": {"back": "red"}},
    ],
)  # fmt: skip
def test_each_key_that_the_hash_covers_is_missed_when_it_is_changed(changes: dict[str, Any]) -> None:
    """No element of the header is left out of the proof."""
    assert [finding.code for finding in look_at(read(changed(**changes)))] == ["event_changed"]


def test_blanks_and_escapes_around_the_body_change_nothing() -> None:
    """Equal JSON outside of `data` is the same content; within `data` each byte counts."""
    spaced = example().replace(b',"stream":"main"', b' ,\n"stream" : "m\\u0061in"')
    assert recomputed(read(spaced)) == recomputed(read(example()))
    assert [f.code for f in look_at(read(example().replace(b'"count":51', b'"count": 51')))] == ["event_changed"]


def test_a_body_that_a_broker_held_back_is_missed(two_tables: tuple[Captured, Captured]) -> None:
    """Header and commitment still prove; but tables publish this body."""
    table = two_tables[0]
    at = next(n for n, (kind, text) in enumerate(table.messages) if kind == "evt" and b'"salt"' in text)
    event = read(table.messages[at][1])
    body = json.loads(table.messages[at][1])
    del body["data"], body["salt"]
    body |= {"withheld": True, "datahash": recomputed(event).datahash.hex()}
    messages = [*table.messages[:at], ("evt", json.dumps(body).encode()), *table.messages[at + 1 :]]
    assert follow(table.verifier(), table.source, messages) == ["body_missing"]


def test_a_key_of_a_round_that_was_exchanged_is_found(two_tables: tuple[Captured, Captured]) -> None:
    """No hash of the record covers `openkeys`; each key has its own commitment in the recorded body."""
    table = two_tables[1]
    at = next(n for n, (_, text) in enumerate(table.messages) if b'"openkeys"' in text)
    body = json.loads(table.messages[at][1])
    ((name, key),) = body["openkeys"].items()
    for wrong in ({name: "00" * 32}, {"00" * 32: key}, {name: "zz"}):
        changed_ = table.messages[at][1].replace(_small({name: key}), _small(wrong))
        messages: list[Message] = [*table.messages[:at], ("evt", changed_), *table.messages[at + 1 :]]
        assert follow(table.verifier(), table.source, messages) == ["open_key_wrong"]


def test_a_table_whose_key_is_another_one_is_never_proven(
    two_tables: tuple[Captured, Captured], tmp_path: Path
) -> None:
    """Its checkpoints are by an unknown key, or claim to be by a known one."""
    table = two_tables[0]
    own: PublicKey = make_key(tmp_path / "other")
    verifier = Verifier({table.source: [own]})
    assert {*follow(verifier, table.source, table.messages)} == {"key_unknown"}
    assert {chain.signed for chain in verifier.chains.values()} == {0}
    own.id = table.public.id
    assert {*follow(Verifier({table.source: [own]}), table.source, table.messages)} == {"signature_wrong"}


def test_a_consumer_that_goes_on_from_its_store_finds_what_contradicts_it(
    two_tables: tuple[Captured, Captured],
) -> None:
    """It knows its ranges and its newest hash, and asks the store for older ones."""
    table = two_tables[0]
    texts = [text for kind, text in table.messages if kind == "evt" and read(text).envelope.stream == "main"]
    journal, have = table.journal.journal.id, {n: read(text).recordhash for n, text in enumerate(texts[:40], 1)}
    verifier = Verifier({table.source: [table.public]}, known=lambda _j, _s, n: have.get(n))
    verifier.resume(table.source, journal, "main", [(1, 40)], have[40])
    assert [verifier.take(text).is_new for text in texts] == [False] * 40 + [True] * (len(texts) - 40)
    have[7] = bytes(32)
    assert [finding.code for text in texts[6:8] for finding in verifier.take(text).findings] == [
        "chain_forked"
    ] * 2


def test_an_event_that_contradicts_a_neighbour_is_found_before_any_checkpoint() -> None:
    """Its own hash is right, and its number came before with another one, or follows from another one."""
    first = read(example())
    verifier = Verifier({first.envelope.source: []})
    for number, prevhash, order, codes in (
        (3, first.prevhash.hex(), 7, []),
        (3, first.prevhash.hex(), 8, ["chain_forked"]),
        (4, "0" * 64, 9, ["chain_forked"]),
        (4, RECORDHASH, 9, []),
        (2, "0" * 64, 5, ["chain_forked"]),
        (6, "0" * 64, 12, ["numbers_missing"]),
    ):
        text = hashed(
            order=order, prevhash=prevhash, sequence=f"{number:020d}", id=f"4e0350681af17db5-main-{number}"
        )
        assert [finding.code for finding in verifier.take(text).findings] == codes, (number, codes)
    assert [(f.code, f.first, f.last) for f in verifier.missing()] == [("numbers_missing", 5, 5)]


def signed_by(by: SigningKey, number: int, statement: dict[str, Any]) -> bytes:
    """An event of the example's table with a statement signed by this key: it names the next key, or heads."""
    text = _small(statement).decode()
    kind = "signing_key_changed" if "next" in statement else "checkpoint_signed"
    return hashed(
        stream="diag", sequence=f"{number:020d}", id=f"4e0350681af17db5-diag-{number}", subject="table", order=90 + number,
        type=f"org.tablewarden.tg.table.{kind}.v1", dataschema=f"urn:tablewarden:schema:table.{kind}:1",
        data={"statement": text, "signature": by.sign(text.encode()).hex()}, prevhash=f"{number:064x}",
    )  # fmt: skip


def test_a_key_that_the_key_before_has_named_signs_from_then_on(tmp_path: Path) -> None:
    """And no key that another one has named, or that was named for another table."""
    for name in ("old", "new", "foreign"):
        make_key(tmp_path / name)
    old, new, foreign = (SigningKey.load(tmp_path / name) for name in ("old", "new", "foreign"))
    place = {"format": 1, "journal": "4e0350681af17db5", "site": "lv01", "table": "lv01-bj-017"}
    naming = {
        "what": "tablewarden key", **place, "key": old.public.id, "public": old.public.raw.hex(), "next": new.public.id,
        "next_public": new.public.raw.hex(), "time_us": 1,
    }  # fmt: skip
    head = {"sequence": 3, "hash": RECORDHASH}
    checkpoint = {
        "what": "tablewarden checkpoint", **place, "order": 9, "heads": {"main": head}, "time_us": 1, "clock": "synced",
        "algorithm": "ed25519", "key": new.public.id,
    }  # fmt: skip
    verifier = Verifier({read(example()).envelope.source: [old.public]})
    for text, codes in (
        (signed_by(new, 1, checkpoint), ["key_unknown"]),
        (signed_by(foreign, 3, naming), ["numbers_missing", "signature_wrong"]),
        (signed_by(old, 5, {**naming, "table": "lv01-bj-018"}), ["numbers_missing", "signature_wrong"]),
        (signed_by(old, 7, {**naming, "next_public": "00"}), ["numbers_missing", "signature_wrong"]),
        (signed_by(old, 9, naming), ["numbers_missing"]),
        (signed_by(new, 11, checkpoint), ["numbers_missing"]),
        (signed_by(new, 13, {**checkpoint, "table": "lv01-bj-018"}), ["numbers_missing", "table_foreign"]),
        (signed_by(old, 15, checkpoint), ["numbers_missing", "signature_wrong"]),
        (hashed(recordedtime="2026-01-01T00:00:22.500413Z"), ["chain_forked"]),
        (example(), []),
    ):
        assert [finding.code for finding in verifier.take(text).findings] == codes


@pytest.mark.parametrize(
    "text",
    [
        b"", b"[]", b"{", b'{"journal":5}', b'{"created":"yesterday"}', b'{"created":"2026-01-01T00:00:00"}',
        b'{"heads":{"main":"9"}}', b'{"parked":{"main":[[1]]}}', b'{"checkpoint":{"statement":5}}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_message_of_presence_that_is_none_is_unreadable(text: bytes) -> None:
    """Somebody else may write there; nothing but a finding comes of it."""
    source = read(example()).envelope.source
    assert [finding.code for finding in Verifier({source: []}).hear(source, text)] == ["message_unreadable"]


def test_declared_holes_and_a_lying_heartbeat_are_told_apart(two_tables: tuple[Captured, Captured]) -> None:
    """A declared hole is missing still, and says so; a head that no table has makes a tail that never comes."""
    table = two_tables[0]
    beat = {
        "journal": table.journal.journal.id,
        "heads": {"main": 10**9},
        "parked": {"main": [[0, 5], [9, 7], [3, 4]]},
    }
    verifier = table.verifier()
    for _, text in table.messages:
        if not any(b'-main-%d"' % number in text[:60] for number in (3, 4, 6)):
            verifier.take(text, table.source)
    verifier.hear(table.source, _small(beat))
    missing = [(f.code.value, f.first, f.detail) for f in verifier.missing(table.source) if f.stream == "main"]
    top = table.journal.journal.heads()[Stream.MAIN]
    declared = "declared in the heartbeat"
    assert missing == [("numbers_missing", 3, declared), ("numbers_missing", 6, ""), ("tail_missing", top + 1, "")]


def test_a_finding_says_what_it_means_and_what_to_do() -> None:
    """In the order: where, what, why, and the remedy."""
    (finding,) = look_at(read(changed(order=8)))
    assert finding.says == (
        "urn:tablewarden:lv01:lv01-bj-017 4e0350681af17db5 main/3: The event is not as it was recorded (its content does not "
        "hash to its recordhash). Keep it, ask the table for it again, and look for who changed it."
    )


def test_ranges_of_numbers_know_what_is_missing() -> None:
    """Whatever order they come in."""
    numbers = Numbers()
    assert list(numbers.missing(9)) == []
    for first, last in ((5, 5), (2, 2), (7, 9), (6, 6)):
        numbers.add(first, last)
    assert (numbers.ranges, numbers.top, numbers.through, numbers.begin) == ([(2, 2), (5, 9)], 9, 2, 2)
    assert list(numbers.missing(12)) == [(3, 4), (10, 12)]
    assert numbers.has(5, 9)
    assert [n for n in range(1, 12) if n in numbers] == [2, 5, 6, 7, 8, 9]
    assert not numbers.has(2, 5)
