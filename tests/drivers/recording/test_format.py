"""The form of a recording: what a line says, and what is refused with file, line and remedy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.recording.format import Entry, RecordingInvalid, line_of, read_recording

HEADER = (
    '{"tablewarden_recording": 1, "device": "shoe-1", "kind": "shoe", "path": "/dev/table/shoe-1", "baud": 115200, '
    '"speaks": "tdp/1", "serial": "S-9", "software": "tablewarden 0.1.0", "wall": "2026-01-01T00:00:00Z", "part": 1}'
)
LINES = [
    '{"us": 5, "port": "opened", "path": "/dev/table/shoe-1", "leads_to": "/dev/ttyUSB0"}',
    '{"us": 6, "host": "begin", "durable": ["00000000000000ff", 7]}',
    '{"us": 6, "host": "drew", "bytes": "0102"}',
    '{"us": 9, "out": "00ff00"}',
    '{"us": 12, "in": "00aa"}',
    '{"us": 12, "out": "0011", "refused": true}',
    '{"us": 14, "recording": "gap", "entries": 3}',
]


@pytest.fixture
def write(tmp_path):
    def write(*lines, name="r.jsonl", end="\n"):
        path = tmp_path / name
        path.write_text("\n".join(lines) + end)
        return path

    return write


def test_what_each_line_means(write):
    """Written by hand, from docs/recordings.md."""
    recording = read_recording([write(HEADER, *LINES)])
    assert recording.header.device == "shoe-1"
    assert recording.header.config.serial == "S-9"
    assert not recording.is_torn
    assert [(e.us, e.kind, e.word, e.data) for e in recording.entries] == [
        (5, "port", "opened", b""),
        (6, "host", "begin", b""),
        (6, "host", "drew", b"\x01\x02"),
        (9, "out", "", b"\x00\xff\x00"),
        (12, "in", "", b"\x00\xaa"),
        (12, "out", "", b"\x00\x11"),
        (14, "recording", "gap", b""),
    ]
    assert recording.entries[1].given == {"durable": ["00000000000000ff", 7]}
    assert recording.entries[5].given == {"refused": True}
    assert [line_of(entry) for entry in recording.entries] == LINES


@given(
    st.builds(
        Entry, st.integers(0, 2**53), st.just("host"), st.text(min_size=1), st.binary(), st.dictionaries(
            st.sampled_from(["level", "value", "detail"]), st.text() | st.integers(0, 2**64) | st.none()
        ),
    ) | st.builds(Entry, st.integers(0, 2**53), st.sampled_from(["in", "out"]), st.just(""), st.binary())
)  # fmt: skip
def test_any_entry_comes_back_as_it_was_written(tmp_path_factory, entry):
    """Whatever a device wrote into a text: one line, ASCII."""
    path = tmp_path_factory.mktemp("f") / "r.jsonl"
    line = line_of(entry)
    assert line.isascii()
    assert "\n" not in line
    path.write_text(f"{HEADER}\n{line}\n")
    assert read_recording([path]).entries == (entry,)


def test_a_line_that_a_power_cut_tore_costs_that_line(write):
    """The last one of a file only."""
    torn = write(HEADER, *LINES, '{"us": 15, "in": "00a', end="")
    recording = read_recording([torn])
    assert (len(recording.entries), recording.is_torn) == (7, True)
    with pytest.raises(RecordingInvalid, match=r"line 3 is no entry.*damaged"):
        read_recording([write(HEADER, LINES[0], '{"us": 15, "in": "00a', LINES[1])])


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "the file is empty"),
        (["no json"], "this is no recording"),
        (['{"us": 1}'], "this is no recording"),
        ([HEADER.replace(": 1,", ": 2,", 1)], "newer than this software"),
        ([HEADER.replace('"shoe"', '"spoon"')], "lacks what a recording says"),
        ([HEADER, '{"us": 9, "in": "00"}', '{"us": 8, "in": "00"}'], "clock runs backwards"),
        ([HEADER, '{"us": 9, "in": 5}', LINES[0]], "line 2 is no entry"),
        ([HEADER, "[]", LINES[0]], "line 2 is no entry"),
        ([HEADER, '{"us": -1, "in": "00"}', LINES[0]], "line 2 is no entry"),
        ([HEADER, '{"us": 6, "host": "begin", "durable": 5}', LINES[0]], "line 2 is no entry"),
        ([HEADER, '{"us": 6, "host": "begin", "durable": ["x", 7]}', LINES[0]], "line 2 is no entry"),
        ([HEADER, '{"us": 6, "host": "begin", "durable": ["0f"]}', LINES[0]], "line 2 is no entry"),
        (
            [HEADER, '{"us": 6, "host": "acknowledge", "boot": "0f", "counter": null}', LINES[0]],
            "line 2 is no entry",
        ),
        (
            [HEADER, '{"us": 6, "host": "set_level", "level": "lamps", "value": 4, "operation": 1}', LINES[0]],
            "line 2 is no",
        ),
        ([HEADER, '{"us": 6, "host": "paused"}', LINES[0]], "line 2 is no entry"),
        ([HEADER, '{"us": 6, "recording": "gap", "entries": "many"}', LINES[0]], "line 2 is no entry"),
        ([HEADER.replace("2026-01-01T00:00:00Z", "yesterday")], "lacks what a recording says"),
        ([HEADER.replace("115200", "0")], "lacks what a recording says"),
    ],
)
def test_what_is_no_recording_is_refused_in_words(write, lines, says):
    """Nothing raises but the one error that names the file."""
    path = write(*lines) if lines else write(end="")
    with pytest.raises(RecordingInvalid, match=says):
        read_recording([path])


def test_parts_are_read_in_their_order(write):
    """A wrong order is refused, and so is a file that is not there or holds bytes."""
    first = write(HEADER, LINES[0])
    second = write(HEADER.replace('"part": 1', '"part": 2'), LINES[3], name="r-0002.jsonl")
    assert [e.us for e in read_recording([first, second]).entries] == [5, 9]
    with pytest.raises(RecordingInvalid, match="name the parts in order"):
        read_recording([second, first])
    with pytest.raises(RecordingInvalid, match="No such file"):
        read_recording([first.with_name("none")])
    raw = first.with_name("raw")
    raw.write_bytes(b"\xff\x00")
    with pytest.raises(RecordingInvalid, match="no recording"):
        read_recording([raw])
