"""A broker that changes, drops, swaps, repeats, cuts or mixes messages is found, or has changed no recorded content."""

import json
import random
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Any

import pytest

from controller.backoffice.chains import Verifier
from controller.backoffice.proof import recomputed
from controller.journal.chain import data_hash
from tests.controller.backoffice.conftest import Captured, Message

Content = dict[tuple[str, str, int], tuple[bytes, bytes, bytes, bytes]]


def content_of(verifier: Verifier, source: str, messages: list[Message]) -> tuple[Content, list[str]]:
    """What a signature covers of what a consumer stores: header, salt, data and commitment of each event; and the codes."""
    stored, codes = {}, []
    for kind, text in messages:
        if kind != "evt":
            codes += [finding.code.value for finding in verifier.hear(source, text)]
            continue
        taken = verifier.take(text, source)
        codes += [finding.code.value for finding in taken.findings]
        if taken.is_new and (event := taken.event) is not None:
            hashes = recomputed(event)
            key = (event.envelope.journal, event.envelope.stream, event.sequence)
            stored[key] = (hashes.header, event.salt, event.data, hashes.datahash)
    codes += [finding.code.value for finding in verifier.missing()]
    proven = {chain: verifier.chains[chain].proven for chain in verifier.chains}
    return {key: one for key, one in stored.items() if key[2] <= proven[key[:2]]}, codes


def a_byte(rng: random.Random, messages: list[Message], other: list[Message]) -> list[Message]:
    """One byte of one message is another one, is gone, or is there besides."""
    at = rng.randrange(len(messages))
    kind, text = messages[at]
    place, byte = rng.randrange(len(text)), bytes([rng.randrange(256)])
    rest = text[place + rng.randrange(2) :]
    return [*messages[:at], (kind, text[:place] + rng.choice((byte, byte, b"")) + rest), *messages[at + 1 :]]


def a_value(rng: random.Random, messages: list[Message], other: list[Message]) -> list[Message]:
    """One key of one message is gone, or has the value that it has in another message."""
    at, by = rng.randrange(len(messages)), rng.randrange(len(messages))
    kind, text = messages[at]
    body, donor = json.loads(text), json.loads(messages[by][1])
    key = rng.choice(list(body))
    if rng.randrange(2) and key in donor:
        body[key] = donor[key]
    else:
        del body[key]
    return [*messages[:at], (kind, _json(body)), *messages[at + 1 :]]


def dropped(rng: random.Random, messages: list[Message], other: list[Message]) -> list[Message]:
    """One message, or a run of them, does not come. A last one does: a table of which nothing comes any more is unknown."""
    at = rng.randrange(len(messages) - 1)
    return [*messages[:at], *messages[at + rng.randint(1, 3) : -1], messages[-1]]


def swapped(rng: random.Random, messages: list[Message], other: list[Message]) -> list[Message]:
    """Two messages change places."""
    a, b = rng.randrange(len(messages)), rng.randrange(len(messages))
    out = list(messages)
    out[a], out[b] = out[b], out[a]
    return out


def repeated(rng: random.Random, messages: list[Message], other: list[Message]) -> list[Message]:
    """A message comes again later."""
    at = rng.randrange(len(messages))
    again = rng.randint(at, len(messages))
    return [*messages[:again], messages[at], *messages[again:]]


def cut(rng: random.Random, messages: list[Message], other: list[Message]) -> list[Message]:
    """The tail does not come; the last message, a heartbeat or a goodbye with a checkpoint, does."""
    at = rng.randrange(1, len(messages) - 2)
    return [*messages[:at], messages[-rng.randint(1, 2)]]


def mixed(rng: random.Random, messages: list[Message], other: list[Message]) -> list[Message]:
    """A message of another table comes on this table's topics: as it is, or under this table's name."""
    at, (kind, text) = rng.randrange(len(messages)), rng.choice(other)
    if rng.randrange(2):
        text = text.replace(b"uth-018", b"uth-017")
    replaced = rng.randrange(2) if at < len(messages) - 1 else 0
    return [*messages[:at], (kind, text), *messages[at + replaced :]]


def written_anew(rng: random.Random, messages: list[Message], other: list[Message]) -> list[Message]:
    """A body is changed, and every hash from there on is written anew, in signed statements too: all but the signatures."""
    at = rng.choice([n for n, (kind, text) in enumerate(messages[:-3]) if kind == "evt" and b'"data":{"' in text])
    out, hashes = list(messages), dict[bytes, bytes]()
    for n, (kind, before) in enumerate(messages[at:], at):
        text = before.replace(b'"data":{', b'"data":{"seat":9,', 1) if n == at else before
        for old, new in hashes.items():
            text = text.replace(old, new)
        if kind == "evt" and text != before:
            body = json.loads(text)
            hashes[body["recordhash"].encode()] = (new_hash := _recordhash(body)).encode()
            text = _json({**body, "recordhash": new_hash})
        out[n] = (kind, text)
    return out


CHANGES = (a_byte, a_byte, a_value, dropped, swapped, repeated, cut, mixed, written_anew)


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=[pytest.mark.full, pytest.mark.timeout(900)])])
def test_each_change_is_found_or_changes_no_recorded_content(
    two_tables: tuple[Captured, Captured], count: int
) -> None:
    """Whatever is done to the messages: a finding, or the same events with the same headers, salts and bodies."""
    table, other = two_tables
    whole, clean = content_of(table.verifier(other), table.source, table.messages)
    assert (len(whole), clean) == (len(table.messages) - 4, []), (
        "the last checkpoint is covered by the next one alone"
    )
    rng, harmless = random.Random(count), 0
    for number in range(count):
        change = CHANGES[number % len(CHANGES)]
        messages = change(rng, table.messages, other.messages)
        stored, codes = content_of(table.verifier(other), table.source, messages)
        if not codes:
            assert stored == whole, (number, change.__name__)
            harmless += 1
    assert count * 0.05 < harmless < count * 0.5, (
        "repeats and what the record does not cover are harmless, and little else"
    )


@pytest.mark.parametrize("change", sorted(set(CHANGES), key=lambda c: c.__name__), ids=lambda c: c.__name__)
def test_each_way_of_changing_is_found(two_tables: tuple[Captured, Captured], change: Callable[..., Any]) -> None:
    """No way is only ever harmless by luck; only a repeat is always."""
    table, other = two_tables
    rng, codes = random.Random(change.__name__), set[str]()
    for _ in range(40):
        codes |= {*content_of(table.verifier(other), table.source, change(rng, table.messages, other.messages))[1]}
    wanted = {
        a_byte: "event_changed", a_value: "message_unreadable", dropped: "numbers_missing", swapped: "numbers_missing",
        cut: "tail_missing", mixed: "table_foreign", written_anew: "signature_wrong",
    }.get(change)  # fmt: skip
    assert codes == set() if wanted is None else wanted in codes, codes


def test_messages_of_two_tables_may_come_between_each_other(two_tables: tuple[Captured, Captured]) -> None:
    """Each on its own topic: nothing is found, and both are proven through their last checkpoint."""
    verifier = two_tables[0].verifier(two_tables[1])
    for pair in zip(*(one.messages for one in two_tables), strict=False):
        for one, (kind, text) in zip(two_tables, pair, strict=True):
            found = verifier.take(text, one.source).findings if kind == "evt" else verifier.hear(one.source, text)
            assert [f.code.value for f in found] == []
    assert [chain.proven == chain.signed > 0 for chain in verifier.chains.values()] == [True] * 4


def _json(body: dict[str, Any]) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def _recordhash(body: dict[str, Any]) -> str:
    """By the words of docs/record.md and without the project's code; a body without a salt keeps its `datahash`."""

    def us(text: str) -> int:
        whole = datetime.fromisoformat(text.removesuffix("Z") + "+00:00")
        return int(whole.replace(microsecond=0).timestamp()) * 1_000_000 + whole.microsecond

    def length(part: bytes) -> bytes:
        return len(part).to_bytes(8, "big") + part

    kind, version = body["type"].split(".")[-2:]
    header = [
        1, body["journal"], body["stream"], int(body["sequence"]), body["order"], kind, int(version[1:]), body["subject"],
        body.get("roundid"), body.get("cause"), us(body["time"]), us(body["recordedtime"]), body["monons"], body["bootid"],
        body["clockstate"], None,
    ]  # fmt: skip
    said = body.get("datahash")
    datahash = bytes.fromhex(said) if said else data_hash(bytes.fromhex(body["salt"]), _json(body["data"]))
    parts = (
        bytes.fromhex(body["prevhash"]),
        json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode(),
    )
    return sha256(b"".join(length(part) for part in (*parts, datahash))).hexdigest()
