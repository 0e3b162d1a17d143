"""The last frames of a link: bounded in memory and on disk, written when something has to be explained, never in the way."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from drivers.device import SessionState
from drivers.errors import Fault
from drivers.protocol.constants import FLIGHT_FRAMES, MAX_WIRE
from drivers.protocol.reports import DoorOpened, SelfTestFailed
from drivers.recording.flight_recorder import FILES_KEPT, PERIOD_S, FlightRecorder, is_evidence


@pytest.fixture
def clock():
    class Clock:
        now = 100.0

        def __call__(self) -> float:
            return self.now

    return Clock()


@pytest.fixture
def flight(tmp_path: Path, clock) -> FlightRecorder:
    return FlightRecorder(tmp_path / "frames", "shoe-1", is_masked=False, clock=clock)


def entries(path: Path):
    about, *lines = map(json.loads, path.read_text().splitlines())
    return about, lines


def test_a_file_says_what_happened_and_holds_both_directions_in_order(flight):
    """First the fault, then each frame with its time."""
    flight.went(b"\0\x01\x02\0")
    flight.came(b"\0\x03\x04\0")
    flight.went(b"\0\x05\0")
    path = flight.keep(Fault.PROTO_PAYLOAD, "a lie")
    about, lines = entries(path)
    assert (about["device"], about["fault"], about["detail"]) == ("shoe-1", "proto_payload", "a lie")
    assert [(line["dir"], line["hex"]) for line in lines] == [
        ("out", "00010200"),
        ("in", "00030400"),
        ("out", "000500"),
    ]
    assert [line["us"] for line in lines] == sorted(line["us"] for line in lines)
    assert path.stat().st_mode & 0o777 == 0o640 & ~os.umask(os.umask(0))


def test_a_frame_that_came_in_pieces_is_one_entry(flight):
    """Byte by byte as a slow line brings it."""
    for byte in b"\0\x07\x08\x09\0\0\x0a\0":
        flight.came(bytes([byte]))
    assert [json.loads(line)["hex"] for line in flight.lines()] == ["00", "07080900", "00", "0a00"]


@pytest.mark.parametrize("size", [1, 500, 5000])
def test_memory_is_bounded_whatever_comes(flight, size):
    """Noise without an end of a frame, or megabytes at once."""
    for _ in range(3000):
        flight.came(b"\x01" * size)
        flight.went(b"\x02\0" * (size // 2 + 1))
    for ring in flight._rings.values():
        assert len(ring.entries) <= FLIGHT_FRAMES
        assert sum(len(data) for _, data in ring.entries) <= FLIGHT_FRAMES * MAX_WIRE
    assert flight.keep(Fault.AUTH_BAD_MAC, "").stat().st_size < 5 * FLIGHT_FRAMES * MAX_WIRE


def test_files_are_bounded_in_number_and_pace(flight, clock, tmp_path):
    """One for each kind of fault in ten minutes, the newest sixteen of the device, none of another's touched."""
    folder = tmp_path / "frames"
    folder.mkdir()
    (folder / "shuffler-1-x.jsonl").write_text("")
    for _ in range(200):
        flight.came(b"\0\x01\0")
        flight.keep(Fault.PROTO_PAYLOAD, "again")
    assert len(list(folder.glob("shoe-1-*"))) == 1
    for _ in range(40):
        clock.now += PERIOD_S
        flight.came(b"\0\x01\0")
        newest = flight.keep(Fault.PROTO_PAYLOAD, "again")
    kept = sorted(folder.glob("shoe-1-*"))
    assert len(kept) == FILES_KEPT
    assert kept[-1] == newest
    assert (folder / "shuffler-1-x.jsonl").exists()


def test_a_missing_device_writes_nothing(flight, clock):
    """Where no byte came there is nothing to look at, however often nobody answers."""
    for _ in range(10):
        clock.now += PERIOD_S
        flight.went(b"\0\x01\0")
        assert flight.keep(Fault.TIMEOUT_HANDSHAKE, "nobody") is None


def test_a_disk_that_is_full_costs_the_file_and_nothing_else(clock):
    """It is counted."""
    flight = FlightRecorder(Path("/dev/null/frames"), "shoe-1", is_masked=False, clock=clock)
    flight.came(b"\0\x01\0")
    assert flight.keep(Fault.PROTO_PAYLOAD, "") is None
    assert (flight.files, flight.failed) == (0, 1)


def test_text_of_a_line_device_is_left_out(tmp_path, clock):
    """Its lines name cards."""
    flight = FlightRecorder(tmp_path, "line-1", is_masked=True, clock=clock)
    flight.came(b"[GAME][AS]\r\n")
    _, lines = entries(flight.keep(Fault.PROTO_UNEXPECTED, ""))
    assert lines[0]["bytes"] == 12
    assert "4153" not in json.dumps(lines)


def test_what_is_evidence():
    """The families of the device's bugs, of security and of reports that are gone, and a handshake that failed."""
    wanted = {fault for fault in Fault if is_evidence(fault)}
    assert {Fault.PROTO_UNEXPECTED, Fault.AUTH_REPLAY, Fault.DATA_EVENTS_LOST, Fault.TIMEOUT_HANDSHAKE} <= wanted
    assert not {Fault.LINK_EOF, Fault.TIMEOUT_LIVENESS, Fault.HOST_LOOP_LAG, Fault.FRAME_CRC} & wanted


def test_a_session_keeps_the_frames_of_a_bug(bench, virtual, tmp_path):
    """A device whose counters run backwards: the frames that show it are in the file, the link goes on."""

    async def scene():
        b = bench()
        b.session = b.new_session(None, frames=tmp_path / "frames")
        async with b:
            await b.until_online()
            b.device.report(DoorOpened())
            await b.until(lambda: b.owner.counters, 1.0)
            b.session.acknowledge(*b.owner.counters[-1])
            b.device.power_up()
            b.device.boots = 0
            b.device.power_up()  # the same boot number again, its counters from 1
            await b.until(lambda: b.session.counters["frames_kept"], 30.0)
        about, lines = entries(next((tmp_path / "frames").iterdir()))
        assert about["fault"].startswith("proto_")
        assert {line["dir"] for line in lines} == {"in", "out"}

    virtual(scene())


def test_a_device_that_says_it_is_out_of_order_is_faulted_until_it_connects_anew(bench, virtual):
    """Its link is up, and people see that it is of no use."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            b.device.report(SelfTestFailed(17))
            await b.until(lambda: b.session.state is SessionState.FAULTED, 1.0)
            assert b.session.status.reason == "device_self_test"
            assert "code 17" in b.session.status.detail
            await asyncio.sleep(20)
            assert b.session.state is SessionState.FAULTED
            await b.unplug()
            await b.plug()
            await b.until_online(times=2)
            assert b.session.state is SessionState.ONLINE

    virtual(scene())


@pytest.mark.parametrize(("slept_s", "ends"), [(0.9, False), (600.0, True)])
def test_after_this_machine_slept_every_device_is_asked_anew(bench, virtual, monkeypatch, slept_s, ends):
    """The monotonic clock stood still, so nothing would look old; what was asked has no known outcome."""
    asleep = [0.0]
    monkeypatch.setattr("drivers.session.pump.asleep_s", lambda: asleep[0])

    async def scene():
        async with bench() as b:
            await b.until_online()
            asleep[0] += slept_s
            if ends:
                await b.until_online(times=2, within_s=5.0)
                assert "host_suspended" in [status.reason for status in b.owner.states]
                assert b.owner.ups_and_downs == ["device_online", "device_offline", "device_online"]
            else:
                await b.until(lambda: b.session.counters["frames_in"] > 20, 30.0)
                assert b.owner.ups_and_downs == ["device_online"]

    virtual(scene())
