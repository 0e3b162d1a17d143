"""The published vectors against our codec and against a second decoder that was written from the document alone."""

import dataclasses
import json
from enum import StrEnum
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.protocol import messages as m
from drivers.protocol import payloads, reports
from drivers.protocol.codec import decode, encode
from drivers.protocol.framing import (
    Cause,
    Deframer,
    FrameError,
    cobs_decode,
    cobs_encode,
    crc32c,
    decode_piece,
    encode_frame,
)
from drivers.protocol.payloads import UnknownReport, decode_levels, encode_levels

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "tdp1.json").read_text())
NAMES = {
    m.Hello: "HELLO", m.Welcome: "WELCOME", m.Auth: "AUTH", m.AuthOk: "AUTH_OK", m.Measure: "MEASURE",
    m.Measured: "MEASURED", m.Request: "REQ", m.Response: "RSP", m.Error: "ERR", m.Event: "EVENT",
    m.EventAck: "EVENT_ACK", m.LogRead: "LOG_READ", m.LogData: "LOG_DATA", m.LogGone: "LOG_GONE", m.Ping: "PING",
    m.Pong: "PONG", m.TimeSet: "TIME_SET", m.Bye: "BYE", m.Restarted: "RESTARTED",
}  # fmt: skip


def by_name(entries):
    return {"argvalues": entries, "ids": [entry["name"] for entry in entries]}


def plain(value):
    """A record of ours in the words of the vector file."""
    match value:
        case StrEnum():
            return value.value
        case bytes():
            return value.hex()
        case tuple():
            return [plain(item) for item in value]
        case UnknownReport(code, _, _):
            return {"kind": "unknown", "code": code}
        case m.Event(boot, record):
            return {"boot": f"{boot:016x}"} | plain(record)
        case m.Pong():
            dropped = dict(zip((c.value for c in Cause), value.dropped, strict=True))
            return fields(value) | {"dropped": dropped}
        case m.Request(m.GetLevels()):
            return {"request": "get_levels"}
        case m.Request(m.SetLevel() as what):
            return {"request": "set_level"} | plain(what)
        case m.Request(m.UnknownRequest() as what):
            return {"request": "unknown"} | plain(what)
        case m.Response(levels):
            return {"levels": None if levels is None else plain(decode_levels(levels))}
        case m.Welcome():
            return {key: v for key, v in fields(value).items() if key != "identity"} | plain(value.identity)
        case m.Error():
            return {key: v for key, v in fields(value).items() if key != "channel"}
        case _ if type(value) in reports.REPORTS.values():
            return {"kind": value.kind} | fields(value)
        case _ if dataclasses.is_dataclass(value):
            return fields(value)
    return value


def fields(value):
    found = {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value) if f.compare}
    return found | ({"boot": f"{value.boot:016x}"} if "boot" in found else {})


def our_meaning(body):
    frame = decode(body)
    flags = frame.retransmit * 1 | bool(frame.seal) * 2 | frame.clock_unset * 8
    return {
        "type": NAMES[type(frame.message)], "flags": flags, "channel": m.channel_of(frame.message), "seq": frame.seq,
        "ack": frame.ack, "session": f"{frame.session:08x}", "payload": plain(frame.message),
    }  # fmt: skip


def piece_of(vector):
    wire = bytes.fromhex(vector["wire"])
    assert (wire[0], wire[-1]) == (0, 0)
    return wire.strip(b"\0")


def body_in(vector):
    return bytes.fromhex("".join(part for part, _ in vector["body"]))


@pytest.mark.parametrize("vector", VECTORS["crc"], ids=lambda v: v["crc"])
def test_three_implementations_agree_on_the_check(vector, independent):
    """The codec's table, the decoder's long division, and the published values."""
    data = bytes.fromhex(vector["data"])
    assert f"{crc32c(data):08x}" == f"{independent.check_value(data):08x}" == vector["crc"]


@given(st.binary(max_size=600))
def test_both_checks_agree_on_any_data(independent_module, data):
    """Also where no table was printed."""
    assert crc32c(data) == independent_module.check_value(data)


@pytest.mark.parametrize("vector", VECTORS["cobs"], ids=lambda v: v["data"][:12] or "nothing")
def test_cobs_reference_vectors(vector, independent):
    """Encoding is exact, both decoders undo it."""
    data, encoded = bytes.fromhex(vector["data"]), bytes.fromhex(vector["encoded"])
    assert cobs_encode(data) == encoded
    assert cobs_decode(encoded) == independent.unstuff(encoded) == data


@given(
    st.lists(st.one_of(st.binary(max_size=300), st.integers(0, 600).map(lambda n: b"\1" * n)), max_size=4).map(
        b"\0".join
    )
)
def test_cobs_gives_back_what_went_in_without_a_zero(independent_module, data):
    """Any data, runs around 254 above all; the overhead is one byte and one more each 254."""
    encoded = cobs_encode(data)
    assert 0 not in encoded
    assert len(encoded) <= len(data) + 1 + len(data) // 254
    assert cobs_decode(encoded) == independent_module.unstuff(encoded) == data


@pytest.mark.parametrize("vector", **by_name(VECTORS["good"]))
def test_a_good_frame_means_the_same_to_both_decoders(vector, independent):
    """Hex in, meaning out, as the document says."""
    assert decode_piece(piece_of(vector)) == independent.body_of(piece_of(vector)) == body_in(vector)
    assert our_meaning(body_in(vector)) == vector["meaning"]
    assert independent.meaning_of(body_in(vector)) == vector["meaning"]


@pytest.mark.parametrize("vector", **by_name(VECTORS["good"]))
def test_a_good_frame_is_encoded_to_the_same_bytes(vector):
    """Ours and any other encoder are interchangeable, except for what only a later version would send."""
    body = body_in(vector)
    later = any("not known" in what or "addition" in what for _, what in vector["body"]) or body[0] != 0x10
    frame = decode(body)
    if isinstance(frame.message, m.Error) and frame.message.text == "":
        return  # an empty text may be sent or left out
    if not later or isinstance(frame.message, m.Event):
        mine = encode(frame)
        assert mine == body or (later and decode(mine) == frame)
        assert encode_frame(mine) == bytes.fromhex(vector["wire"]) or later


@pytest.mark.parametrize("identities", ["not_read", "complete"])
def test_a_set_that_is_not_incomplete_has_no_defects(identities):
    """A device of ours cannot even say so."""
    shuffled = reports.ShuffleCompleted(
        reports.Back.RED, reports.Mode.SHUFFLE, 52, reports.Identities(identities), (reports.Defect.FLIPPED,)
    )
    with pytest.raises(payloads.PayloadError, match="no defects"):
        payloads.encode_report(shuffled)


def test_there_is_a_vector_for_every_message_and_every_report():
    """What has no vector is not part of the protocol."""
    assert {vector["meaning"]["type"] for vector in VECTORS["good"]} == set(NAMES.values())
    kinds = {v["meaning"]["payload"]["report"]["kind"] for v in VECTORS["good"] if v["meaning"]["type"] == "EVENT"}
    assert kinds == set(reports.REPORTS) | {"unknown"}
    assert set(payloads.LEVELS) == set(reports.Level)
    assert set(payloads.CAPABILITIES) == set(reports.Capability)
    assert {v["cause"] for v in VECTORS["bad"]} >= {
        "crc",
        "cobs",
        "length",
        "version",
        "payload",
        "unexpected",
        "oversize",
    }


@pytest.mark.parametrize("vector", **by_name(VECTORS["bad"]))
def test_a_bad_frame_is_refused_for_the_same_cause_by_both(vector, independent):
    """Counted by cause, so that noise, a bug and an attack can be told apart."""
    ours = Deframer()
    causes = []
    try:
        for body in ours.feed(bytes.fromhex(vector["wire"]), 0.0):
            decode(body)
    except FrameError as error:
        causes.append(error.cause.value)
    causes += [cause.value for cause, count in ours.frames_dropped.items() for _ in range(count)]
    assert causes == [vector["cause"]]
    theirs = independent.Receiver()
    causes = []
    try:
        for body in theirs.take(bytes.fromhex(vector["wire"]), 0.0):
            independent.meaning_of(body)
    except independent.Refused as refused:
        causes.append(refused.cause)
    causes += [cause for cause, count in theirs.dropped.items() for _ in range(count)]
    assert causes == [vector["cause"]]


@pytest.mark.parametrize("vector", **by_name(VECTORS["streams"]))
def test_a_stream_gives_the_same_bodies_and_counts_to_both(vector, independent):
    """Delimiters shared, padded, lost; silence; overflow; the next good frame always comes through."""
    ours, theirs = Deframer(), independent.Receiver()
    mine, other = [], []
    for at, chunk in vector["chunks"]:
        mine += ours.feed(bytes.fromhex(chunk), at)
        other += theirs.take(bytes.fromhex(chunk), at)
    assert [body.hex() for body in mine] == [body.hex() for body in other] == vector["bodies"]
    assert {cause.value: n for cause, n in ours.frames_dropped.items() if n} == vector["dropped"]
    assert {cause: n for cause, n in theirs.dropped.items() if n} == vector["dropped"]


def sampled(*kinds):
    return st.sampled_from([member for kind in kinds for member in kind])


def whole(size):
    return st.integers(0, 2 ** (8 * size) - 1)


def report_of(cls):
    """Any value of one kind of report that the wire can carry."""
    forms = {}
    for field in dataclasses.fields(cls):
        hint = str(field.type)
        by_name = {"seat": st.integers(1, 15), "sensor": st.integers(1, 3), "operation": whole(8), "cycles": whole(4),
                   "text": st.text(st.characters(max_codepoint=255), max_size=128)}  # fmt: skip
        if field.name == "defects":
            forms[field.name] = st.sets(sampled(reports.Defect)).map(in_order)
        elif isinstance(field.type, type) and issubclass(field.type, StrEnum):
            forms[field.name] = sampled(field.type)
        elif "None" in hint:
            forms[field.name] = st.none() | whole(2)
        elif field.type is bool:
            forms[field.name] = st.booleans()
        else:
            size = 2 if field.name == "code" else 1
            forms[field.name] = by_name.get(field.name, whole(size))
    made = st.builds(cls, **forms)
    return made.map(without_contradiction) if cls is reports.ShuffleCompleted else made


def in_order(defects):
    return tuple(defect for defect in reports.Defect if defect in defects)


def without_contradiction(shuffled):
    """Only an incomplete set has defects."""
    is_incomplete = shuffled.identities is reports.Identities.INCOMPLETE
    return shuffled if is_incomplete else dataclasses.replace(shuffled, defects=())


RECORDS = st.builds(
    m.Record, st.integers(1, 2**64 - 1), whole(8), st.one_of(*map(report_of, reports.REPORTS.values()))
)
LEVELS = st.builds(
    reports.Levels,
    lockout=st.sampled_from([None, "engaged", "released"]), dispensing=st.sampled_from([None, "inhibited", "allowed"]),
    mode=st.none() | sampled(reports.Mode), jammed=st.booleans(), door_open=st.booleans(),
    cards_inside=st.none() | whole(2), wagers=whole(8), lamps=whole(2),
)  # fmt: skip
SHOWN = st.characters(exclude_categories=("C", "Z")) | st.just(" ")
NAME = st.text(SHOWN, max_size=10)
IDENTITY = st.builds(
    m.Identity, sampled(reports.DeviceKind), NAME, NAME, NAME, st.text(SHOWN, min_size=1, max_size=10), NAME,
    st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32),
    st.sets(sampled(reports.Capability)).map(lambda s: tuple(c for c in reports.Capability if c in s)),
    st.integers(1, 2**32 - 1), st.lists(st.tuples(st.integers(8, 255), st.binary(max_size=9)), max_size=2).map(tuple),
    st.none() | st.integers(1, 64),
)  # fmt: skip
SPAN = st.builds(m.LogSpan, whole(8), whole(8), whole(8))
EXACTLY = {n: st.binary(min_size=n, max_size=n) for n in (8, 16, 24, 32)}
MESSAGES = st.one_of(
    st.builds(m.Hello, EXACTLY[16], whole(1), whole(1), whole(2), whole(1)),
    st.builds(m.Welcome, EXACTLY[16], EXACTLY[16], IDENTITY, whole(8), sampled(reports.ResetCause), whole(8), whole(8),
              st.lists(SPAN, max_size=3).map(tuple), whole(1), whole(1), whole(2), whole(1), whole(4)),
    st.builds(m.Auth, EXACTLY[32]), st.builds(m.AuthOk, EXACTLY[32]), st.builds(m.Measured, EXACTLY[32]),
    st.builds(m.Measure, EXACTLY[16], st.lists(st.tuples(whole(4), whole(4)), min_size=8, max_size=8).map(tuple)),
    st.builds(m.Request, st.just(m.GetLevels()) | st.builds(
        m.SetLevel, sampled(reports.Level), st.text(st.characters(max_codepoint=126), max_size=64), whole(8))),
    st.builds(m.Response, st.none() | LEVELS.map(encode_levels)),
    st.builds(m.Error, whole(2), st.booleans(), st.text(SHOWN, max_size=30), st.integers(0, 3)),
    st.builds(m.Event, whole(8), RECORDS), st.builds(m.EventAck, whole(8), whole(8)),
    st.builds(m.LogRead, whole(8), whole(8), whole(8)), st.builds(m.LogGone, whole(8), whole(8), whole(8)),
    st.builds(m.LogData, whole(8), RECORDS.map(lambda record: (record,))),
    st.builds(m.Ping, EXACTLY[8]),
    st.builds(m.Pong, EXACTLY[8], whole(8), whole(8), whole(4), whole(8),
              st.lists(whole(4), min_size=11, max_size=11).map(tuple)),
    st.builds(m.TimeSet, whole(8), whole(4)), st.builds(m.Bye, whole(1)),
    st.builds(m.Restarted, whole(8), sampled(reports.ResetCause)),
)  # fmt: skip
FRAMES = st.builds(
    m.Frame, MESSAGES, whole(4), whole(2), whole(2), st.booleans(), st.booleans(), st.just(b"") | EXACTLY[24]
)


@settings(max_examples=150, deadline=None)
@given(FRAMES)
def test_whatever_our_encoder_says_means_the_same_to_the_other_decoder(independent_module, frame):
    """The two share no line of code; where they differ, one of them or the document is wrong."""
    wire = encode_frame(encode(frame))
    assert wire.count(0) == 2
    body = independent_module.body_of(wire[1:-1])
    assert decode(body) == frame
    assert independent_module.meaning_of(body) == our_meaning(body)


@settings(max_examples=100, deadline=None)
@given(FRAMES, st.data())
def test_both_decoders_judge_a_damaged_body_alike(independent_module, frame, data):
    """A body changed before its check was made is a lying device: taken or refused, but alike, and never a crash."""
    body = bytearray(encode(frame))
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(whole(1))
    body = bytes(body[: data.draw(st.integers(max(0, len(body) - 20), len(body)))])
    try:
        ours = our_meaning(body)
    except FrameError as error:
        ours = error.cause.value
    try:
        theirs = independent_module.meaning_of(body)
    except independent_module.Refused as refused:
        theirs = refused.cause
    assert ours == theirs


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.011, 0.043, 0.067, 0.2]), st.binary(max_size=900) | st.just(b"\0")),
        max_size=12,
    )
)
def test_both_receivers_cut_any_bytes_alike(independent_module, chunks):
    """Noise with delimiters and silences: the same counts, nothing raised, memory bounded."""
    ours, theirs, now = Deframer(), independent_module.Receiver(), 0.0
    for wait, data in chunks:
        now += wait
        assert ours.feed(data, now) == (theirs.take(data, now) if data else [])
        assert len(ours._held) <= 528
    assert {c.value: n for c, n in ours.frames_dropped.items()} == theirs.dropped
