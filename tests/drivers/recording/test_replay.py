"""The corpus of recordings, put to the driver again: it sends the same bytes and says the same, whatever was changed since."""

from dataclasses import replace
from pathlib import Path

import pytest

from drivers.protocol import host_requests
from drivers.recording.format import Recording, RecordingInvalid, read_recording
from drivers.recording.replay import replay
from drivers.recording.words import event_words
from tests.captures.scenes import SCENES, Scene

CAPTURES = Path(__file__).parents[2] / "captures"
CORPUS = sorted(CAPTURES.glob("*.jsonl"))


def load(name: str) -> Recording:
    return read_recording([CAPTURES / f"{name}.jsonl"])


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_driver_sends_what_it_sent_then(path):
    """Byte for byte, in order; a change here is a change of the wire, and the corpus is made anew on purpose."""
    found = replay(read_recording([path]))
    assert found.differences == []
    assert found.sends > 0


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_driver_says_what_was_found_right(path):
    """The list beside the recording was read by a person once."""
    found = replay(read_recording([path]))
    assert [event_words(event) for _, event in found.events] == path.with_suffix(
        ".expect"
    ).read_text().splitlines()


def test_the_corpus_holds_what_goes_wrong_on_a_wire():
    """Each scene is there, and so is each thing that it is for."""
    assert {path.stem for path in CORPUS} >= set(SCENES)
    said = "\n".join(path.read_text() for path in CAPTURES.glob("*.expect"))
    for word in (
        "jammed",
        "lost ",
        "suspect",
        "restarted",
        "from_log",
        "timeout_liveness",
        "locked=yes",
        "count=51",
    ):
        assert word in said, word


@pytest.mark.parametrize("name", SCENES)
def test_what_is_recorded_now_replays_at_once(name, virtual, tmp_path):
    """Also scenes whose files are of an older wire."""
    texts = []

    async def life():
        texts.append((await SCENES[name](Scene)).text)

    virtual(life())
    path = tmp_path / "now.jsonl"
    path.write_text(texts[0])
    found = replay(read_recording([path]))
    assert found.differences == []
    assert found.events


def test_a_driver_that_sends_something_else_is_found_out(monkeypatch):
    """The first difference names the frame; without it the events may still be the same."""
    recording = load("progressive-round")
    before = [event_words(event) for _, event in replay(recording).events]
    monkeypatch.setattr(host_requests, "next_seq", lambda seq: seq + 2)
    found = replay(recording)
    assert found.differences
    first = found.differences[0]
    assert first.expected != first.sent
    assert [event_words(event) for _, event in found.events] != before


def test_a_device_that_says_something_else_is_found_out():
    """One byte of one frame changed: its report does not come, and the driver asks for it."""
    recording = load("shoe-jam")
    entries = list(recording.entries)
    place = max(n for n, e in enumerate(entries) if e.kind == "in" and len(e.data) > 40)
    data = bytearray(entries[place].data)
    data[20] ^= 1
    entries[place] = replace(entries[place], data=bytes(data))
    found = replay(replace(recording, entries=tuple(entries)))
    was = replay(recording)
    assert (found.differences or [e for _, e in found.events]) != (was.differences or [e for _, e in was.events])


def test_entries_that_the_disk_missed_end_that_connection_and_not_the_next():
    """What is behind a gap cannot be compared; the following connection can."""
    recording = load("firmware-hangs")
    entries = list(recording.entries)
    begins = [n for n, e in enumerate(entries) if e.word == "begin"]
    gap = replace(
        entries[begins[0]], us=entries[20].us, kind="recording", word="gap", given={"entries": 2}, data=b""
    )
    entries[20:22] = [gap]
    found = replay(replace(recording, entries=tuple(entries)))
    assert found.gaps == 2
    assert found.differences == []
    assert found.connections == len(begins)


def test_a_recording_without_its_beginning_is_refused():
    """As the last of several parts alone."""
    recording = load("shoe-jam")
    tail = tuple(e for e in recording.entries if e.word not in ("begin", "connect"))
    with pytest.raises(RecordingInvalid, match="name its earlier parts before it"):
        replay(replace(recording, entries=tail))


def test_less_chance_than_is_needed_now_is_said():
    """A driver that draws more than then cannot be compared at all."""
    recording = load("shoe-jam")
    entries = tuple(e for e in recording.entries if e.word != "drew")
    with pytest.raises(RecordingInvalid, match="record anew"):
        replay(replace(recording, entries=entries))
