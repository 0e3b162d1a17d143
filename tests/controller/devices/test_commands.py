"""The commands of `device` as people type them, against a simulated device on a pseudo-terminal."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial
from click.testing import Result

from controller.devices.documents import event_document, shown_input
from controller.devices.page import event_page
from drivers.conformance import frames
from drivers.protocol.framing import Cause
from drivers.protocol.host.events import Reported, Reused, Welcomed
from drivers.protocol.messages import Identity
from drivers.protocol.reports import DeviceKind, LineUnparsed, ResetCause
from drivers.recording.words import event_words

Command = Callable[..., Result]
CAPTURES = Path(__file__).resolve().parents[2] / "captures"


def test_probe_tells_a_technician_what_stands_there(command: Command, shoe: Path) -> None:
    """In words, with what to do next; for a program the same as JSON."""
    done = command("device", "probe", shoe)
    assert done.exit_code == 0, done.output
    assert f"{shoe}  shoe, serial number SIM-shoe-1" in done.output
    assert "now      dispensing inhibited" in done.output
    assert "event log, senses cards inside, display of 40 characters" in done.output
    assert "10 of 10 pings answered" in done.output
    assert "waits    report 1: powered up" in done.output
    assert "nothing was changed" in done.output
    told = json.loads(command("device", "probe", shoe, "--json").output)
    assert told["identity"]["kind"] == "shoe"
    assert told["log"]["first"] == 1
    assert told["line"]["echoed"] == 10


def test_a_port_that_somebody_has_is_named_with_its_holder(command: Command, shoe: Path) -> None:
    """And nothing is opened a second time."""
    with serial.Serial(str(shoe), exclusive=True):
        done = command("device", "probe", shoe)
    assert done.exit_code == 3
    assert "has this port (" in done.output
    assert "end it first" in done.output


def test_a_port_that_is_none(command: Command, tmp_path: Path) -> None:
    """Missing, and not a serial port at all."""
    assert command("device", "probe", tmp_path / "none").exit_code == 3
    plain = tmp_path / "plain"
    plain.touch()
    done = command("device", "probe", plain)
    assert (done.exit_code, "this is not a serial port" in done.output) == (3, True)


def test_list_without_a_daemon_names_the_devices_of_a_configuration(command: Command, tmp_path: Path) -> None:
    """Exit code 1: none of them is served."""
    example = Path(__file__).resolve().parents[3] / "config" / "tables" / "example.toml"
    done = command("device", "list", "--config", example, "--socket", tmp_path / "none")
    assert done.exit_code == 1
    assert "no daemon" in done.output
    assert "shoe-1  shoe" in done.output
    told = json.loads(command("device", "list", "--socket", tmp_path / "none", "--json").output)
    assert told["daemon"]["running"] is False
    assert told["devices"] == []


@pytest.mark.parametrize(
    "name", ["list", "probe", "record", "replay", "export", "anonymise", "monitor", "conformance"]
)
def test_help_shows_an_example(command: Command, name: str) -> None:
    """For whoever has not seen it before."""
    assert "tablewarden device" in command("device", name, "--help").output


@pytest.mark.parametrize(
    "given", [("probe",), ("monitor",), ("record", "--to", "wire.jsonl"), ("conformance", "--yes")]
)
def test_an_address_of_a_usb_device_that_is_none_is_an_error_of_usage(
    command: Command, given: tuple[str, ...]
) -> None:
    """It names how one is written; nothing is opened."""
    done = command("device", *given, "usb:1-1")
    assert (done.exit_code, "usb:VID:PID/SERIAL@BUS-PORT.PORT" in done.output) == (2, True)


def test_a_folder_is_no_port(command: Command, tmp_path: Path) -> None:
    """It is said in words."""
    done = command("device", "probe", tmp_path)
    assert (done.exit_code, "this is not a serial port" in done.output) == (3, True)


def test_a_wire_is_recorded_replayed_and_compared(command: Command, shoe: Path, tmp_path: Path) -> None:
    """What was recorded is what the driver does again; a list that is changed by hand is found out."""
    wire, expect = tmp_path / "wire.jsonl", tmp_path / "wire.expect"
    done = command("device", "record", shoe, "--to", wire, "--for", "1.5")
    assert done.exit_code == 0, done.output
    assert "shoe SIM-shoe-1 answers" in done.output
    done = command("device", "replay", wire, "--strict", "--golden", expect, "--write")
    assert done.exit_code == 0, done.output
    assert "the driver sends the same, byte by byte" in done.output
    expect.write_text(expect.read_text().replace("powered_up", "door_opened"))
    done = command("device", "replay", wire, "--golden", expect)
    assert done.exit_code == 1
    assert "the events differ from the list" in done.output
    expect.write_bytes(b"\x8e\xff")
    done = command("device", "replay", wire, "--golden", expect)
    assert (done.exit_code, "no list of events" in done.output) == (1, True)
    done = command("device", "record", shoe, "--to", wire)
    assert (done.exit_code, "there already" in done.output) == (1, True)
    done = command("device", "record", shoe, "--to", tmp_path / "none" / "x")
    assert (done.exit_code, "no such folder" in done.output) == (1, True)


def test_a_frame_that_differs_is_shown_in_words(command: Command, tmp_path: Path) -> None:
    """With its instant; a program gets the same."""
    text = (CAPTURES / "shoe-jam.jsonl").read_text()
    changed = tmp_path / "changed.jsonl"
    changed.write_text(text.replace('"counter": 12}', '"counter": 11}'))
    done = command("device", "replay", changed, "--strict")
    assert done.exit_code == 1
    assert "recorded  EVENT_ACK" in done.output
    assert "counter=12" in done.output
    assert "now       " in done.output
    told = json.loads(command("device", "replay", changed, "--strict", "--json").output)
    assert told["same"] is False
    bad = tmp_path / "bad.jsonl"
    bad.write_text("no recording")
    assert command("device", "replay", bad).exit_code == 1
    assert command("device", "replay", CAPTURES / "shoe-jam.jsonl", "--write").exit_code == 2


def test_monitor_tells_reports_as_they_come(command: Command, shoe: Path) -> None:
    """In words; with --json one object a line."""
    done = command("device", "monitor", shoe, "--for", "1")
    assert done.exit_code == 0, done.output
    assert "report 2" in done.output
    assert "dispensing inhibited cause power up" in done.output
    assert "online: dispensing inhibited" in done.output
    lines = command("device", "monitor", shoe, "--for", "1", "--json").output.splitlines()
    assert json.loads(lines[0])["event"] == "welcomed"


def test_a_count_that_went_back_is_called_a_loss() -> None:
    """With the numbers under which something is missing."""
    assert (
        event_page(Reused(7, 3, 4)) == "LOST: its count went back; what else it reports under 3 to 4 cannot be had"
    )
    assert event_words(Reused(7, 3, 4)) == "reused boot=0000000000000007 first=3 last=4"


def test_a_line_of_text_from_a_device_is_never_shown() -> None:
    """A shoe of old writes every card that leaves it: into the terminal of whoever looks, were it shown."""
    event = Reported(1, 2, 3, LineUnparsed("[game][AS]"), False)
    assert "AS" not in event_page(event) + str(event_document(event)) + event_words(event)
    record = {"kind": "line_unparsed", "subject": "shoe-2", "data": {"body": {"text": "[game][AS]"}}}
    assert "AS" not in str(shown_input(record))
    hostile = Welcomed(Identity(DeviceKind.SHOE, "a\x1b[2J", "m", "1", "S\n9", "1"), 1, ResetCause.POWER, 1, 0)
    assert event_page(hostile).isprintable()


def test_a_recording_is_exported_for_other_programs(command: Command, tmp_path: Path) -> None:
    """Once: what is there is not written over."""
    out = tmp_path / "out.pcapng"
    done = command("device", "export", CAPTURES / "shoe-jam.jsonl", "--pcapng", out)
    assert done.exit_code == 0, done.output
    assert out.read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"
    assert command("device", "export", CAPTURES / "shoe-jam.jsonl", "--pcapng", out).exit_code == 1


def test_a_recording_is_made_fit_to_leave_the_house(command: Command, tmp_path: Path) -> None:
    """It replays as before; a sealed one needs its key."""
    out = tmp_path / "out.jsonl"
    done = command("device", "anonymise", CAPTURES / "shoe-jam.jsonl", "--to", out)
    assert done.exit_code == 0, done.output
    assert "SIM-" not in out.read_text()
    again = command("device", "anonymise", CAPTURES / "shoe-jam.jsonl", "--to", tmp_path / "b", "--json")
    assert json.loads(again.output)["entries"] > 50
    assert command("device", "replay", out, "--strict").exit_code == 0
    assert command("device", "anonymise", CAPTURES / "shoe-jam.jsonl", "--to", out).exit_code == 1


def test_probe_proves_a_key(command: Command, keyed: Path) -> None:
    """Both ends, each frame; another key, or none, is said to be what is missing."""
    done = command("device", "probe", keyed, "--key-file", keyed.parent / "key")
    assert done.exit_code == 0, done.output
    assert "key      proven by both ends; every frame was sealed" in done.output
    told = json.loads(command("device", "probe", keyed, "--key-file", keyed.parent / "key", "--json").output)
    assert (told["key_proven"], told["bad_seals"], told["needs_key"]) == (True, 0, False)
    for words in ((), ("--key-file", keyed.parent / "other")):
        done = command("device", "probe", keyed, *words)
        assert done.exit_code == 1
        assert "probe again with --key-file and the key of this device" in done.output


def test_a_key_that_others_can_read_is_not_used(command: Command, keyed: Path) -> None:
    """As everywhere: the file says nothing any more once others may have read it."""
    loose = keyed.parent / "loose"
    loose.write_bytes(bytes(range(32)))
    loose.chmod(0o644)
    for words in (("probe",), ("conformance", "--yes")):
        done = command("device", words[0], keyed, *words[1:], "--key-file", loose)
        assert (done.exit_code, "chmod 400" in done.output) == (3, True), done.output


def test_conformance_tries_key_seals_and_measurement(command: Command, keyed: Path) -> None:
    """The clauses of 6.9 on a port; an image that is not in the device fails."""
    key = ("--key-file", keyed.parent / "key")
    words = ("device", "conformance", keyed, "--yes", "--clause", "6.9", *key)
    done = command(*words, "--image", keyed.parent / "image")
    assert done.exit_code == 0, done.output
    for clause in ("6.9(1)", "6.9(2)", "6.9(3)", "6.9(5)", "6.9(6)"):
        assert f"meets    {clause}" in done.output
    assert "0 failed, 0 left out" in done.output
    (other := keyed.parent / "other-image").write_bytes(b"firmwarE" * 1000)
    done = command(*words, "--image", other)
    assert (done.exit_code, "FAILS    6.9(6)" in done.output) == (1, True)
    assert command("device", "conformance", keyed, "--yes", "--image", other).exit_code == 2, "no key was given"


def test_conformance_tells_clause_by_clause(command: Command, progressive: Path) -> None:
    """On a bench, and only where somebody said that it is one."""
    done = command("device", "conformance", progressive, "--clause", "1.2")
    assert (done.exit_code, "nothing was tried" in done.output) == (2, True), (
        "nobody said yes, so no clause is not met"
    )
    done = command("device", "conformance", progressive, "--yes", "--clause", "1.2", "--clause", "6.9(1)")
    assert done.exit_code == 0, done.output
    assert "meets    1.2     a frame whose check is wrong is dropped in silence" in done.output
    assert "left out 6.9(1)" in done.output
    assert "1 checks met, 0 failed, 1 left out" in done.output
    told = json.loads(command("device", "conformance", progressive, "--yes", "--json", "--clause", "1.2").output)
    assert (told["meets"], told["fails"]) == (1, 0)
    assert told["results"][0]["check"] == "wrong_check"
    assert command("device", "conformance", progressive, "--json").exit_code == 2
    assert command("device", "conformance", progressive, "--yes", "--clause", "99").exit_code == 2


def test_conformance_of_a_broken_device_ends_with_one(
    command: Command, progressive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clauses that are broken stand in the last line."""
    monkeypatch.setattr(
        frames, "Cause", SimpleNamespace(CRC=Cause.COBS)
    )  # what is counted is then never what is awaited
    done = command("device", "conformance", progressive, "--yes", "--clause", "1.2")
    assert done.exit_code == 1
    assert "FAILS    1.2" in done.output
    assert "-> a wrong check was not counted as cobs (counted: crc)" in done.output
    assert "NOT CONFORMING: clauses 1.2 of docs/protocol.md" in done.output


@pytest.mark.full
@pytest.mark.timeout(200)
@pytest.mark.parametrize("kind", ["progressive", "shoe"])
def test_a_simulator_on_a_port_meets_every_clause(
    command: Command, kind: str, request: pytest.FixtureRequest
) -> None:
    """In real time, through the kernel: a minute each. `make test` tries the same device on virtual time."""
    done = command("device", "conformance", request.getfixturevalue(kind), "--yes")
    assert done.exit_code == 0, done.output
    assert " 0 failed" in done.output
