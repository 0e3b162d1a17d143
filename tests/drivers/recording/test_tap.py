"""The tap writes down what passes and changes nothing: not the bytes, not the order, not the session above it."""

import asyncio
import os
import threading
import time
from pathlib import Path

import pytest

from drivers.device import DeviceConfig
from drivers.errors import Fault
from drivers.protocol.reports import DeviceKind
from drivers.recording import writer as writer_module
from drivers.recording.format import Header, read_recording
from drivers.recording.tap import Recorder, TappedTransport, recorder_in, recorder_to
from drivers.recording.writer import Writer, one_file
from drivers.transport import LoopbackCable, WriteBufferFull
from tests.captures.scenes import SCENES, Scene

CONFIG = DeviceConfig("shoe-1", DeviceKind.SHOE, "cable")


def header(wall, part):
    return Header.of(CONFIG, "tests", wall, part)


class Owner:
    def __init__(self):
        self.data, self.losses = bytearray(), []

    def on_lost(self, fault, detail):
        self.losses.append(fault)


async def _opened(cable, recorder, owner):
    tapped = TappedTransport(cable.host, recorder, "cable", owner.data.extend, owner.on_lost)
    await tapped.open()
    return tapped


@pytest.mark.parametrize("name", ["progressive-round", "noisy-wire", "firmware-hangs"])
def test_a_session_with_a_tap_lives_the_same_life(name, virtual):
    """Every delivery, and every counter of the link, with and without the tap; a microsecond is all that may differ."""
    lives = []

    class Plain(Scene):
        def __init__(self, *args, **given):
            super().__init__(*args, **given)
            self.unrecorded()

    async def life(kind):
        scene = await SCENES[name](kind)
        lives.append(([d.body for d in scene.deliveries], dict(scene.session.counters), len(scene.kept.lines)))

    virtual(life(Scene))
    virtual(life(Plain))
    (with_tap, counted, lines), (without, counted_without, none) = lives
    assert with_tap == without
    assert counted == counted_without
    assert (lines > 50, none) == (True, 0)


async def test_every_byte_and_every_loss_is_in_the_file(tmp_path):
    """In the order in which they passed, with what the port was."""
    cable, owner, at_device = LoopbackCable(), Owner(), bytearray()
    far = cable.device(at_device.extend, lambda *_: None)
    await far.open()
    path = tmp_path / "wire.jsonl"
    tapped = await _opened(cable, recorder_to(path, CONFIG, "tests", asyncio.get_running_loop().time), owner)
    tapped.write(b"\0ask\0")
    far.write(b"\0answer\0")
    await asyncio.sleep(0.05)
    cable.unplug()
    await asyncio.sleep(0.05)
    await tapped.close()
    await far.close()
    recording = read_recording([path])
    assert recording.header == header(recording.header.wall, 1)
    said = [(e.kind, e.word, e.data) for e in recording.entries]
    assert said == [
        ("port", "opened", b""),
        ("out", "", b"\0ask\0"),
        ("in", "", b"\0answer\0"),
        ("port", "lost", b""),
    ]
    assert recording.entries[-1].given["fault"] == "link_eof"
    assert (bytes(at_device), bytes(owner.data), owner.losses) == (b"\0ask\0", b"\0answer\0", [Fault.LINK_EOF])
    assert path.stat().st_mode & 0o777 == 0o640


async def test_bytes_that_the_peer_did_not_take_are_marked():
    """The owner hears the same refusal as without a tap."""
    cable, lines = LoopbackCable(), []

    class Sink:
        state, missed = "on", 0

        def begin(self): ...

        def put(self, line):
            lines.append(line)
            return True

        async def end(self): ...

    far = cable.device(lambda _: None, lambda *_: None)
    await far.open()
    far.pause_reading()
    tapped = await _opened(cable, Recorder(Sink(), asyncio.get_running_loop().time), Owner())
    for _ in range(6):  # what the far end's buffer and the near one hold
        tapped.write(bytes(1000))
    with pytest.raises(WriteBufferFull):
        tapped.write(bytes(1000))
    assert lines[-1].endswith('"refused": true}')
    assert lines[-2].count("00" * 1000) == 1
    await tapped.close(0)
    await far.close(0)


async def test_a_full_disk_ends_the_recording_and_nothing_else(tmp_path, monkeypatch):
    """It says so, with the place; the link goes on, and what is not written is counted."""
    real_open = os.open
    monkeypatch.setattr(writer_module.os, "open", lambda *_: real_open("/dev/full", os.O_WRONLY))
    cable, owner = LoopbackCable(), Owner()
    far = cable.device(lambda _: None, lambda *_: None)
    await far.open()
    recorder = recorder_to(tmp_path / "wire.jsonl", CONFIG, "tests", asyncio.get_running_loop().time)
    tapped = await _opened(cable, recorder, owner)
    end = time.monotonic() + 10
    while recorder.writer.state == "on":
        tapped.write(b"x")
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
    assert recorder.writer.state.startswith("stopped: No space left on device")
    assert str(tmp_path / "wire.jsonl") in recorder.writer.state
    far.write(b"still here")
    await asyncio.sleep(0.05)
    assert owner.data == b"still here"
    assert recorder.document()["missed"] > 0
    await tapped.close()
    assert owner.losses == [Fault.LINK_CLOSED]
    assert recorder.writer.state.startswith("stopped"), "until the port is opened again"
    await far.close()


async def test_a_disk_that_stands_still_costs_entries_and_no_time(tmp_path, monkeypatch):
    """What waits is bounded; when the disk comes back the file says how much is missing."""
    go = threading.Event()
    monkeypatch.setattr(writer_module, "WAITING", 50)
    name = one_file(tmp_path / "wire.jsonl")
    writer = Writer(lambda part: (go.wait(20), name(part))[1], header)
    recorder = Recorder(writer, asyncio.get_running_loop().time)
    writer.begin()
    before = time.monotonic()
    for n in range(200):
        recorder.note("in", data=bytes([n]))
    assert time.monotonic() - before < 1.0, "nothing of the disk is waited for"
    assert writer.missed == 200 + 149 - 50, "and every try to say so while it stands is counted as well"
    go.set()
    end = time.monotonic() + 10
    while writer._lines.qsize():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
    recorder.note("in", data=b"after")
    await writer.end()
    entries = read_recording([tmp_path / "wire.jsonl"]).entries
    assert [e.data for e in entries if e.kind == "in"] == [*(bytes([n]) for n in range(50)), b"after"]
    assert [e.given for e in entries if e.word == "gap"] == [{"entries": 150}]


async def test_files_are_bounded_in_size_and_in_number(tmp_path, monkeypatch):
    """The newest stay; those of another device, and whatever else lies there, are left alone."""
    monkeypatch.setattr(writer_module, "FILE_BYTES", 2000)
    monkeypatch.setattr(writer_module, "FILES", 3)
    others = [tmp_path / "shoe-10-20260101T000000Z-0001.jsonl", tmp_path / "shoe-1-notes.txt"]
    for other in others:
        other.touch()
    recorder = recorder_in(tmp_path, CONFIG, "tests", asyncio.get_running_loop().time)
    recorder.writer.begin()
    for n in range(100):
        recorder.note("in", data=n.to_bytes(2, "big") * 50)
    await recorder.writer.end()
    mine = sorted(set(tmp_path.iterdir()) - set(others))
    assert len(mine) == 3
    assert all(path.stat().st_size < 2600 for path in mine)
    last = read_recording(mine)
    assert last.entries[-1].data == (99).to_bytes(2, "big") * 50
    assert last.header.part > 1
    assert all(other.exists() for other in others)


async def test_a_file_that_is_there_is_never_written_over(tmp_path):
    """Evidence is not replaced by evidence."""
    path = tmp_path / "wire.jsonl"
    path.write_text("precious")
    recorder = recorder_to(path, CONFIG, "tests", asyncio.get_running_loop().time)
    recorder.writer.begin()
    recorder.note("in", data=b"x")
    await recorder.writer.end()
    assert recorder.writer.state.startswith("stopped: File exists")
    assert path.read_text() == "precious"


async def test_the_clock_of_a_recording_only_grows():
    """Also where the loop's clock says the same twice, or is asked at a fraction of a microsecond."""
    times = iter([1.0000001, 1.0000001, 0.5, 2.0])
    recorder = Recorder(Writer(lambda _: Path("/none"), header), lambda: next(times))
    assert [recorder.note("in") for _ in range(4)] == [1.000001, 1.000001, 1.000001, 2.0]
