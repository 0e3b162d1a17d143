"""The corpus of recordings, put to the driver again: it sends the same bytes and says the same, whatever was changed since."""

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest

from drivers.device import DeviceConfig
from drivers.protocol.host import requests
from drivers.protocol.host.events import Reported
from drivers.protocol.reports import DeviceKind, Level
from drivers.recording.format import Header, Recording, RecordingInvalid, header_line, read_recording
from drivers.recording.replay import replay
from drivers.recording.tap import Recorder
from drivers.recording.words import event_words
from drivers.session.session import DeviceSession
from drivers.transport import LoopbackCable
from tests.captures.scenes import SCENES, SEALED, Kept, Scene, public_key_in

CAPTURES = Path(__file__).parents[2] / "captures"
LINE = DeviceConfig("line-1", DeviceKind.LINE, "cable", accept_test_only=True)
CORPUS = sorted(CAPTURES.glob("*.jsonl"))


@pytest.fixture
def key_of(tmp_path):
    """The key with which a recording of the corpus is replayed, None = none."""
    return lambda name: public_key_in(tmp_path) if name in SEALED else None


def load(name: str) -> Recording:
    return read_recording([CAPTURES / f"{name}.jsonl"])


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_driver_sends_what_it_sent_then(path, key_of):
    """Byte for byte, in order; a change here is a change of the wire, and the corpus is made anew on purpose."""
    found = replay(read_recording([path]), key_of(path.stem))
    assert found.differences == []
    assert found.sends > 0


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_driver_says_what_was_found_right(path, key_of):
    """The list beside the recording was read by a person once."""
    found = replay(read_recording([path]), key_of(path.stem))
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
def test_what_is_recorded_now_replays_at_once(name, virtual, tmp_path, key_of):
    """Also scenes whose files are of an older wire."""
    texts = []

    async def life():
        texts.append((await SCENES[name](Scene)).text)

    virtual(life())
    path = tmp_path / "now.jsonl"
    path.write_text(texts[0])
    found = replay(read_recording([path]), key_of(name))
    assert found.differences == []
    assert found.events


def test_a_sealed_session_replays_with_its_key_and_with_no_other(virtual, tmp_path):
    """The key is in no recording; whoever replays has to have it."""
    key_file, texts = tmp_path / "key", []
    tmp_path.chmod(0o700)
    key_file.touch(0o600)
    key_file.write_bytes(bytes(range(32)))

    async def life():
        async with Scene("progressive", key_file=key_file) as scene:
            await scene.want(Level.LOCKOUT, "released")
            await scene.hands("put_chip", seat=1, sensor=1)
        texts.append(scene.text)

    virtual(life())
    assert bytes(range(32)).hex() not in texts[0]
    path = tmp_path / "now.jsonl"
    path.write_text(texts[0])
    found = replay(read_recording([path]), key_file)
    assert found.differences == []
    assert any("wager_sensed" in event_words(event) for _, event in found.events)
    assert replay(read_recording([path])).differences, "without it the host never says AUTH"
    key_file.write_bytes(bytes(range(1, 33)))
    assert replay(read_recording([path]), key_file).differences


def test_lines_of_a_device_without_a_protocol_replay_too(virtual, tmp_path):
    """Its link end is kept over a loss of the port; each file begins it anew."""
    kept, said = Kept(), []

    async def life():
        cable = LoopbackCable()
        far = cable.device(lambda _: None, lambda *_: None)
        await far.open()
        session = DeviceSession(
            LINE, deliver=lambda d: said.append(d) or True, entropy=random.Random(1).randbytes, rng=random.Random(2),
            transport_factory=lambda _, on_data, on_lost: cable.host(on_data, on_lost),
            recorder=Recorder(kept, asyncio.get_running_loop().time),
        )  # fmt: skip
        task = asyncio.ensure_future(session.run())
        for line in (b"[game][7S]\r\n", b"[game]", b"[AH]\r\n"):
            await asyncio.sleep(0.1)
            far.write(line)
        await asyncio.sleep(0.1)
        cable.unplug()
        await far.close(0)
        await asyncio.sleep(1)
        cable.plug()
        await far.open()
        await asyncio.sleep(8)
        far.write(b"[game][]\r\n")
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.wait({task})
        await far.close(0)

    virtual(life())
    path = tmp_path / "line.jsonl"
    path.write_text("\n".join([header_line(Header.of(LINE, "tests", "2026-01-01T00:00:00Z", 1)), *kept.lines, ""]))
    found = replay(read_recording([path]))
    assert found.connections == 2
    told = [event.report.text for _, event in found.events if isinstance(event, Reported)]
    assert told == ["[game][7S]", "[game][AH]", "[game][]"]
    assert [d.body.text for d in said if d.origin] == ["[game][**]", "[game][**]", "[game][]"], (
        "it left no card to anyone"
    )
    assert "7S" not in "".join(event_words(event) for _, event in found.events)


def test_a_driver_that_sends_something_else_is_found_out(monkeypatch):
    """The first difference names the frame; without it the events may still be the same."""
    recording = load("progressive-round")
    before = [event_words(event) for _, event in replay(recording).events]
    monkeypatch.setattr(requests, "next_seq", lambda seq: seq + 2)
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
