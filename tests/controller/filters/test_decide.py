"""The core as a filter: strict lines in, facts out, whatever bytes come; and the schemas of both kinds of line."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cli.filters.decide import example_setup
from controller.clock import SystemClock
from controller.daemon.engine import Engine
from controller.filters.decide import MAX_AT, DecideFilter
from controller.filters.decide_schema import input_schema, output_schema
from controller.journal.record import FACTS, Stream
from controller.journal.recorder import Recorder
from controller.journal.store import Journal
from controller.journal.tail import tail
from controller.readers.json import MAX_LINE
from controller.rules.elections import proposals
from controller.rules.read.library import find
from controller.rules.vocabulary import Role
from controller.table.state.table import Setup
from controller.table.words.acts import ACTS
from controller.table.words.codec import BODIES, body_from, builtins
from controller.table.words.facts import FACTS as FACT_KINDS
from controller.table.words.inputs import Actor, ServiceStopping, TableSetup

DOCS = Path(__file__).resolve().parents[3] / "docs"
EXAMPLE = (DOCS / "examples" / "shoe-jam.jsonl").read_bytes().splitlines()
OPEN = {
    "at": 5,
    "subject": "table",
    "kind": "open_table",
    "body": {},
    "actor": {"who": "sam", "role": "supervisor"},
}
JAM = {
    "back": "red",
    "activity": "dealing",
    "place": "output",
    "stack": 1,
    "cards_inside": 3,
}
LIMITS = st.dictionaries(st.text(max_size=5), st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=2)
st.register_type_strategy(
    TableSetup, st.builds(TableSetup, limits=LIMITS)
)  # what msgspec makes afresh says no value
st.register_type_strategy(
    Mapping, lambda wanted: st.dictionaries(*(st.from_type(one) for one in get_args(wanted)))
)
"""What is read from a line is a plain dictionary, and none of the others that hypothesis knows."""
NAMES = ["shuffler-1", "shoe-1", "progressive-1", "table", "nobody"]


def _setup(rulebook: str) -> Setup:
    book = find(rulebook)
    return example_setup(book, {question: (choice, "bench") for question, choice in proposals(book).items()})


SETUPS = {rulebook: _setup(rulebook) for rulebook in ("md-uth", "ma-uth")}
MakeFilter = Callable[..., DecideFilter]


@pytest.fixture
def make_filter() -> MakeFilter:
    """A filter for the table that is taken where none is given."""
    return lambda rulebook="md-uth": DecideFilter(SETUPS[rulebook])


def told(lines: DecideFilter, given_lines: Iterable[bytes]) -> list[dict[str, Any]]:
    """Everything that is answered, as objects."""
    return [json.loads(out) for line in given_lines for out in lines.feed(line).splitlines()]


def one(lines: DecideFilter, **changes: Any) -> tuple[str, str]:
    """The error of one line and its code: `OPEN` with these keys changed, those that are None left out."""
    line = {key: value for key, value in {**OPEN, **changes}.items() if value is not None}
    (answer,) = told(lines, [json.dumps(line).encode()])
    assert set(answer) == {"line", "error", "code"}, answer
    return answer["error"], answer["code"]


def test_facts_carry_the_number_of_the_line_that_they_follow_from(make_filter: MakeFilter) -> None:
    """Blank lines are counted and not answered, so the numbers are those of an editor."""
    answers = told(make_filter(), [b"\n", json.dumps(OPEN).encode() + b"\n", b" \r\n", b"x\n"])
    assert answers[0] == {"line": 2, "subject": "table", "kind": "table_opened", "data": {"by": "sam"}}
    assert {answer["line"] for answer in answers[1:-1]} <= {2}
    assert (answers[-1]["line"], "error" in answers[-1]) == (4, True)


@pytest.mark.parametrize(
    ("changes", "key", "code"),
    [
        ({"kind": "open_tabel"}, "'kind'", "word_unknown"),
        ({"kind": "begin_round"}, "'back'", "key_missing"),
        ({"kind": "begin_round", "body": {"back": "red", "round": 1}}, "'round'", "key_unknown"),
        ({"kind": "begin_round", "body": {"back": 7}}, "'body.back'", "type_wrong"),
        ({"kind": "jammed", "body": {**JAM, "place": "rak"}}, "'body.place'", "word_unknown"),
        ({"kind": "jammed", "body": {**JAM, "cards_inside": None}}, "'body.cards_inside'", "null"),
        ({"kind": "jammed", "body": {**JAM, "kind": "jammed"}}, "'kind'", "key_unknown"),
        ({"kind": "levels_read", "body": {"levels": {"mode": "shufle"}}}, "'body.levels.mode'", "word_unknown"),
        ({"kind": "cards_removed", "body": {"cards_inside": 1 << 64}}, "'body.cards_inside'", "number_out_of_range"),
        ({"at": 1 << 70}, "'at'", "number_out_of_range"),
        ({"at": -1}, "'at'", "number_out_of_range"),
        ({"subject": None}, "'subject'", "key_missing"),
        ({"bdy": {}}, "'bdy' (nearest: body)", "key_unknown"),
        ({"body": []}, "'body'", "type_wrong"),
        ({"at": "noon"}, "'at'", "type_wrong"),
        ({"at": {"wall_us": 1}}, "'mono_ns'", "key_missing"),
        ({"actor": {"who": "sam", "role": "boss"}}, "'actor.role'", "word_unknown"),
        ({"stream": "main"}, "'main'", "not_an_input"),
        ({"stream": "input"}, "'version'", "key_missing"),
    ],
)  # fmt: skip
def test_a_bad_line_is_answered_with_its_key_and_its_code(
    make_filter: MakeFilter, changes: dict[str, Any], key: str, code: str
) -> None:
    """A person who wrote the line finds the fault without reading the schema."""
    error, found = one(make_filter(), **changes)
    assert (key in error, found) == (True, code), error


def test_what_is_no_object_of_json_or_too_long_is_told_so(make_filter: MakeFilter) -> None:
    """Every such line is answered once and counted; none stops the filter."""
    lines = make_filter()
    answers = told(lines, [b'{"at": 5', b"7", b"\xff\xfe", b"[" * 5000, b"x" * (MAX_LINE + 1)])
    assert [answer["line"] for answer in answers] == [1, 2, 3, 4, 5]
    assert answers[0]["error"].startswith("not a line of JSON: ")
    assert answers[1]["error"].startswith("a line is an object such as ")
    assert answers[4]["error"] == f"a line has at most {MAX_LINE} bytes, and this one has more"
    assert lines.bad == 5


def test_a_bad_line_changes_nothing(make_filter: MakeFilter) -> None:
    """The others are decided as if it had not been there, were it only for one number."""
    clean, disturbed = make_filter(), make_filter()
    huge = {"at": 1, "subject": "shoe-1", "kind": "cards_removed", "body": {"cards_inside": 1 << 70}}
    expected = told(clean, EXAMPLE)
    got = told(disturbed, [bad for line in EXAMPLE for bad in (json.dumps(huge).encode(), line)])
    facts = [{**fact, "line": fact["line"] // 2} for fact in got if "error" not in fact]
    assert facts == expected
    assert (disturbed.state, disturbed.bad) == (clean.state, len(EXAMPLE))


def test_what_is_impossible_now_is_a_fact_and_no_error(make_filter: MakeFilter) -> None:
    """The law's refusals belong to the answer; the exit code speaks of lines that could not be read."""
    lines = make_filter()
    (fact,) = told(lines, [json.dumps({**OPEN, "kind": "begin_round", "body": {"back": "red"}}).encode()])
    assert (fact["kind"], fact["data"]["refused"], lines.bad) == ("input_refused", "begin_round", 0)


def _recorded(shown: dict[str, Any]) -> dict[str, Any]:
    return {key: shown[key] for key in ("subject", "kind", "data")}


async def test_the_inputs_of_a_journal_give_its_facts_again(tmp_path: Path, make_filter: MakeFilter) -> None:
    """`journal tail --stream input` can be piped in as it is, and the answer is what the daemon has decided."""
    clock = SystemClock()
    journal = Journal.open(tmp_path / "j.db", site="bench", table="t1")
    recorder = Recorder(journal, clock)
    engine = Engine(SETUPS["md-uth"], journal, recorder, clock)
    task = asyncio.create_task(engine.run())
    for raw in map(json.loads, EXAMPLE):
        body = body_from(raw["kind"], raw["body"])
        if "actor" in raw:
            await engine.act(body, Actor(raw["actor"]["who"], Role(raw["actor"]["role"])))
        else:
            engine.submit(raw["subject"], body)
    await engine.note(ServiceStopping("the end"))
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await recorder.close()
    inputs = [json.dumps(shown).encode() for shown in tail(journal.path, last=None, streams=[Stream.INPUT])]
    lines = make_filter()
    facts = [{k: v for k, v in answer.items() if k != "line"} for answer in told(lines, inputs)]
    assert facts == [_recorded(shown) for shown in tail(journal.path, last=None, streams=FACTS)]
    assert lines.state == engine.state
    assert {"round_voided", "service_stopping"} <= {fact["kind"] for fact in facts}
    schema = jsonschema.Draft202012Validator(input_schema())
    for line in inputs:
        schema.validate(json.loads(line))


@given(st.lists(st.binary(max_size=200), max_size=8))
def test_arbitrary_bytes_never_crash_and_are_answered_line_by_line(given_lines: list[bytes]) -> None:
    """Each line that is not blank is answered in JSON under its number."""
    lines = DecideFilter(SETUPS["md-uth"])
    for number, line in enumerate(given_lines, 1):
        answers = [json.loads(out) for out in lines.feed(line).splitlines()]
        assert {answer["line"] for answer in answers} == ({number} if line.strip() else set())


@settings(max_examples=60)
@given(st.data())
def test_damaged_lines_never_crash(data: st.DataObject) -> None:
    """A good line with bytes cut out, changed or put in: it is decided or told, and the next good line is decided."""
    lines = DecideFilter(SETUPS["ma-uth"])
    line = data.draw(st.sampled_from(EXAMPLE))
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, min(len(line), start + 8)))
    told(lines, [line[:start] + data.draw(st.binary(max_size=6)) + line[end:]])
    assert told(lines, [json.dumps(OPEN).encode()])[0]["kind"] in ("table_opened", "input_refused")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=60)
@given(st.data())
def test_any_json_in_any_place_never_crashes(data: st.DataObject) -> None:
    """Right keys with values of any form: whatever a program with a fault of its own may write."""
    lines = DecideFilter(SETUPS["md-uth"])
    raw = json.loads(data.draw(st.sampled_from(EXAMPLE)))
    inside = data.draw(st.sampled_from([part for part in (raw, raw["body"], raw.get("actor")) if part]))
    inside[data.draw(st.sampled_from(sorted(inside)))] = data.draw(JSON)
    for answer in told(lines, [json.dumps(raw).encode()]):
        assert answer.get("kind") != "decision_failed", answer


def _any_line(data: st.DataObject) -> dict[str, Any]:
    cls = data.draw(st.sampled_from(list(BODIES.values())))
    kind = cls.kind
    body = builtins(data.draw(st.from_type(cls)))
    line = {"at": data.draw(st.integers(0, MAX_AT)), "subject": data.draw(st.sampled_from(NAMES)), "kind": kind}
    line["body"] = body
    if kind in ACTS:
        line["actor"] = {"who": "eve", "role": data.draw(st.sampled_from(Role)).value}
    return line


@settings(max_examples=5, deadline=None)
@given(st.data())
def test_real_lines_of_a_random_sequence_keep_to_the_schemas(data: st.DataObject) -> None:
    """Inputs of every kind between those of a round: each validates as input, each answer as output, and none fails."""
    lines = DecideFilter(SETUPS[data.draw(st.sampled_from(sorted(SETUPS)))])
    for good in map(json.loads, EXAMPLE):
        for line in [*(_any_line(data) for _ in range(data.draw(st.integers(0, 2)))), good]:
            _INPUT.validate(line)
            for answer in told(lines, [json.dumps(line).encode()]):
                _OUTPUT.validate(answer)
                assert answer.get("kind") != "decision_failed", answer


_INPUT = jsonschema.Draft202012Validator(input_schema())
_OUTPUT = jsonschema.Draft202012Validator(output_schema())


@pytest.mark.parametrize(("name", "made"), [("decide-input", input_schema), ("decide-output", output_schema)])
def test_the_schema_on_file_is_that_of_the_records(name: str, made: Callable[[], dict[str, Any]]) -> None:
    """After a change: tablewarden decide --schema input > docs/schema/decide-input.json, and the same for output."""
    on_file = json.loads((DOCS / "schema" / f"{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(on_file)
    assert on_file == made()


def test_the_schemas_name_every_kind_and_refuse_what_the_filter_refuses() -> None:
    """A schema that accepts all would also be up to date."""
    assert input_schema()["$defs"]["InputLine"]["properties"]["kind"]["enum"] == list(BODIES)
    assert output_schema()["$defs"]["FactLine"]["properties"]["kind"]["enum"] == list(FACT_KINDS)
    for wrong in (
        {"kind": "x"},
        {"kind": "begin_round"},
        {"more": 1},
        {"body": {"x": 1}},
        {"actor": None},
        {"at": "x"},
    ):
        assert not _INPUT.is_valid({**OPEN, **wrong}), wrong
    assert not _OUTPUT.is_valid({"line": 1, "subject": "table", "kind": "table_opened", "data": {}})


def test_a_recorded_hand_that_is_sealed_is_told_so(make_filter: MakeFilter) -> None:
    """The journal prints it sealed; what can be done with it is said."""
    line = {
        "stream": "input", "kind": "record_hand", "version": 2, "subject": "table", "time": "2026-01-01T00:00:00Z",
        "mono_ns": 1, "boot": "b", "clock": "synced",
        "data": {"body": {"area": "dealer", "cards": ["c0ffee"]}, "actor": {"who": "ada", "role": "dealer"}, "sealed": {}},
    }  # fmt: skip
    (answer,) = told(make_filter(), [json.dumps(line).encode()])
    assert answer["error"].startswith("which cards it tells is sealed; `journal replay --verify` decides it")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"version": []}, "'version': expected int, got array"),
        ({"version": {}}, "'version': expected int, got object"),
        ({"version": 2, "kind": []}, "'kind': expected str, got array"),
        ({"version": 2, "kind": {}}, "'kind': expected str, got object"),
    ],
)
def test_a_record_whose_version_or_kind_is_of_another_type_is_told_so(
    make_filter: MakeFilter, changes: dict[str, Any], error: str
) -> None:
    """Both are looked at before the rest, since what is sealed has another form."""
    record = {
        "stream": "input",
        "kind": "record_hand",
        "version": 1,
        "subject": "table",
        "mono_ns": 1,
        "boot": "b",
    }
    record |= {"time": "2026-01-01T00:00:00.000001Z", "clock": "synced", "data": {"body": {}}}
    (answer,) = told(make_filter(), [json.dumps(record | changes).encode()])
    assert answer["error"] == error
