"""Requests are read strictly and never with a crash; acts come out as the records that the core takes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields

from controller.control.desk import ErrorCode, Refused
from controller.control.wire import (
    ActRequest,
    EraseCardsRequest,
    NextKeyRequest,
    OpenRoundRequest,
    OutboxReleaseRequest,
    OutboxStatusRequest,
    StatusRequest,
    WatchRequest,
    act_from,
    answer,
    failure,
    request_from,
)
from controller.table.words.acts import (
    ACTS,
    BeginRound,
    Decision,
    NameBookmark,
    PlaceWager,
    RecordDecision,
    RecordStubCount,
)


def _refusal(raw: object) -> Refused:
    line = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
    refused = request_from(line)[1]
    assert isinstance(refused, Refused), refused
    return refused


@pytest.mark.parametrize(
    ("raw", "request_"),
    [
        ({"id": 1, "do": "status"}, StatusRequest()),
        (
            {"id": 1, "do": "act", "act": "begin_round", "args": {"back": "red"}, "who": "ada", "role": "dealer"},
            ActRequest("begin_round", "ada", "dealer", {"back": "red"}),
        ),
        (
            {"id": 1, "do": "act", "act": "end_round", "who": "a", "role": "dealer"},
            ActRequest("end_round", "a", "dealer"),
        ),
        ({"id": 1, "do": "watch"}, WatchRequest(None, ("main", "diag"))),
        ({"id": 1, "do": "watch", "after": 0, "streams": ["input"]}, WatchRequest(0, ("input",))),
        ({"id": 1, "do": "outbox_status"}, OutboxStatusRequest()),
        (
            {"id": 1, "do": "outbox_release", "stream": "main", "sequence": 17, "who": "t", "role": "technician"},
            OutboxReleaseRequest("main", 17, "t", "technician"),
        ),
        (
            {
                "id": 1,
                "do": "outbox_release",
                "stream": "main",
                "sequence": 17,
                "last": 20,
                "who": "t",
                "role": "r",
            },
            OutboxReleaseRequest("main", 17, "t", "r", 20),
        ),
        (
            {"id": 1, "do": "open_round", "round": "t1-7", "reason": "why", "who": "s", "role": "supervisor"},
            OpenRoundRequest("t1-7", "why", "s", "supervisor"),
        ),
        (
            {"id": 1, "do": "erase_cards", "before_us": 5, "reason": "why", "who": "s", "role": "supervisor"},
            EraseCardsRequest(5, "why", "s", "supervisor"),
        ),
        (
            {"id": 1, "do": "next_key", "public": "PEM", "reason": "why", "who": "s", "role": "supervisor"},
            NextKeyRequest("PEM", "why", "s", "supervisor"),
        ),
    ],
)
def test_each_request_is_read_as_its_record(raw: dict[str, object], request_: object) -> None:
    """The requests of the contract, with their defaults."""
    assert request_from(json.dumps(raw).encode()) == (1, request_)


@pytest.mark.parametrize(
    ("raw", "key", "code"),
    [
        (b"hello\n", "", "not_json"),
        (b"\xff\xfe\n", "", "not_json"),
        (b"\n", "", "not_json"),
        (b"[" * 30_000, "", "not_json"),
        (b'{"id": ' + b"9" * 20_000 + b"}", "", "not_json"),
        (["id", 1], "", "not_object"),
        (b'{"id": 1, "do": "status", "do": "watch"}', "'do'", "key_twice"),
        (b'{"id": 1, "do": "act", "args": {"cents": 1, "cents": 2}}', "'cents'", "key_twice"),
        (b'{"id": 1, "id": 2, "do": "status"}', "'id'", "key_twice"),
        ({"do": "status"}, "'id'", "type_wrong"),
        ({"id": True, "do": "status"}, "'id'", "type_wrong"),
        ({"id": "x" * 65, "do": "status"}, "'id'", "type_wrong"),
        ({"id": 1}, "'do'", "word_unknown"),
        ({"id": 1, "do": "statsu"}, "nearest: status", "word_unknown"),
        ({"id": 1, "do": ["status"]}, "'do'", "word_unknown"),
        ({"id": 1, "do": "status", "deep": 1}, "'deep'", "key_unknown"),
        ({"id": 1, "do": "watch", "from": 7}, "'from'", "key_unknown"),
        ({"id": 1, "do": "watch", "after": -1}, "'after'", "number_out_of_range"),
        ({"id": 1, "do": "watch", "after": 1 << 63}, "'after'", "number_out_of_range"),
        ({"id": 1, "do": "watch", "after": "7"}, "'after'", "type_wrong"),
        ({"id": 1, "do": "watch", "streams": []}, "'streams'", "word_unknown"),
        ({"id": 1, "do": "watch", "streams": ["mian"]}, "'streams'", "word_unknown"),
        ({"id": 1, "do": "act", "act": "end_round", "role": "dealer"}, "'who'", "key_missing"),
        ({"id": 1, "do": "act", "act": "end_round", "who": 7, "role": "dealer"}, "'who'", "type_wrong"),
        (
            {"id": 1, "do": "open_round", "round": "", "reason": "x\u202ey", "who": "a", "role": "supervisor"},
            "'reason' holds the control character U+202E", "control_character",
        ),
        ({"id": 1, "do": "act", "act": "end_round", "who": "a\n", "role": "dealer"}, "U+000A", "control_character"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_a_bad_request_with_its_code(raw: object, key: str, code: str) -> None:
    """No input ends in an exception, and a misspelt key is not passed over."""
    refused = _refusal(raw)
    assert (refused.code, refused.refusal) == (ErrorCode.BAD_REQUEST, code)
    assert key in refused.reason


def test_a_bad_request_is_answered_under_its_own_id_where_that_can_be_read() -> None:
    """A peer with several requests under way must know which one failed."""
    request_id, refused = request_from(b'{"id": "seven", "do": "nothing"}')
    assert isinstance(refused, Refused)
    assert json.loads(failure(request_id, refused)) == {
        "id": "seven", "ok": False,
        "error": {"code": "bad_request", "reason": str(refused), "cite": [], "refusal": "word_unknown"},
    }  # fmt: skip


@given(st.binary(max_size=200) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["id", "do", "act", "args", "who", "role", "after", "streams", "x"]), inner, max_size=6
    ),
).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_any_bytes_give_a_request_or_a_refusal(line: bytes) -> None:
    """Whatever a program writes into the socket, the reader of requests answers."""
    request_id, request = request_from(line)
    if isinstance(request, Refused):
        assert json.loads(failure(request_id, request))["ok"] is False


def test_an_answer_is_one_line() -> None:
    """A note with a line break in it must not break the framing."""
    line = answer(3, "result", {"note": "a\nb"})
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"id": 3, "ok": True, "result": {"note": "a\nb"}}


def test_arguments_become_the_act_of_the_core() -> None:
    """Typed values from JSON, words of the vocabulary as such, defaults where nothing is said."""
    assert act_from("begin_round", {"back": "red"}) == BeginRound("red")
    assert act_from("record_decision", {"seat": 2, "decision": "fold"}) == RecordDecision(2, Decision.FOLD, 0)
    assert act_from("record_stub_count", {"stub": 30, "all_cards": None}) == RecordStubCount(30)


def test_text_from_a_terminal_becomes_numbers_and_yes_or_no() -> None:
    """`key=value` carries only text; the wire itself does not take "5" for 5."""
    typed = {"seat": "1", "wager": "ante", "cents": "500"}
    assert act_from("place_wager", typed, strict=False) == PlaceWager(1, "ante", 500)
    assert act_from("record_stub_count", {"stub": "30", "misdealt": "true"}, strict=False) == RecordStubCount(
        30, True
    )
    with pytest.raises(Refused, match="'seat': expected int"):
        act_from("place_wager", typed)


def test_a_time_is_typed_as_people_write_it() -> None:
    """With its offset from UTC, so that it means the same everywhere; without one it is refused, and so is a wrong one."""
    typed = {
        "dispute": "C1",
        "reference": "cam 7",
        "begins_us": "2026-03-01T21:04:00-05:00",
        "ends_us": "2026-03-02T02:09:30Z",
    }
    assert act_from("name_bookmark", typed, strict=False) == NameBookmark(
        "C1", "cam 7", 1_772_417_040_000_000, 1_772_417_370_000_000
    )
    for wrong in ("yesterday", "2026-03-01T21:04:00", "2026-13-01T21:04:00Z", ""):
        with pytest.raises(Refused, match="begins_us"):
            act_from("name_bookmark", {**typed, "begins_us": wrong}, strict=False)


@pytest.mark.parametrize(
    ("name", "args", "code", "says"),
    [
        ("begin_rond", {}, ErrorCode.UNKNOWN_ACT, "nearest: begin_round"),
        ("begin_round", {}, ErrorCode.BAD_REQUEST, "begin_round needs 'back'"),
        ("begin_round", {"back": "red", "bakc": 1}, ErrorCode.BAD_REQUEST, "has no 'bakc' (nearest: back)"),
        ("end_round", {"now": 1}, ErrorCode.BAD_REQUEST, "end_round has no 'now'"),
        (
            "record_decision",
            {"seat": 1, "decision": "paly"},
            ErrorCode.BAD_REQUEST,
            "'paly' (nearest: play)",
        ),
        (
            "place_wager",
            {"seat": 1, "wager": "ante", "cents": True},
            ErrorCode.BAD_REQUEST,
            "'cents': expected int",
        ),
        ("place_wager", {"seat": 1, "wager": "ante", "cents": 2**63}, ErrorCode.BAD_REQUEST, "too large a number"),
        ("record_progressive_count", {"chips": 1.0}, ErrorCode.BAD_REQUEST, "'chips': expected int"),
        ("raise_dispute", {"reason": "hand \x1b[2J"}, ErrorCode.BAD_REQUEST, "the control character U+001B"),
    ],
)
def test_an_act_that_cannot_be_is_refused_with_the_nearest_name(
    name: str, args: dict[str, object], code: ErrorCode, says: str
) -> None:
    """What reaches the core is a whole act with each argument of its type."""
    with pytest.raises(Refused) as caught:
        act_from(name, args)
    assert caught.value.code is code
    assert says in caught.value.reason


def test_every_act_of_the_core_can_be_asked_for() -> None:
    """The wire has no list of its own: an act without arguments is built, one with arguments says what it needs."""
    for name, cls in ACTS.items():
        if needed := [f.name for f in fields(cls) if f.required]:
            with pytest.raises(Refused, match=f"{name} needs '{needed[0]}'"):
                act_from(name, {})
        else:
            assert act_from(name, {}).kind == name
