"""A third decoder of TDP/1, in Lua inside tshark, written from docs/protocol.md alone, against the other two.

It fails, and is not skipped, where tshark is not there: `.ci/system-packages` brings it.
"""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from drivers.catalog import Codec
from drivers.protocol.codec import decode
from drivers.protocol.framing import FrameError, decode_piece
from drivers.recording.format import Entry, Recording, read_recording
from drivers.recording.pcapng import Packet, packets, pcapng, pcapng_of

HERE = Path(__file__).parent
TESTS = HERE.parent
VECTORS = json.loads((TESTS / "vectors" / "tdp1.json").read_text())
CORPUS = sorted((TESTS / "captures").glob("*.jsonl"))
HEADER = read_recording([CORPUS[0]]).header
FIELDS = (
    "tdp.type", "tdp.flags", "tdp.channel", "tdp.seq", "tdp.ack", "tdp.session", "tdp.value", "tdp.refused",
    "tdp.malformed", "_ws.malformed", "_ws.lua.error", "frame.packet_flags_direction", "tdp.seal.number", "tdp.seal.mac",
)  # fmt: skip
JOINED = ("capabilities", "defects")
UNIT = "\x1f"


def dissect(tmp_path: Path, data: bytes) -> list[dict[str, list[str]]]:
    """One entry for each packet, every value of every field."""
    tshark = shutil.which("tshark")
    assert tshark, "tshark is missing: run .ci/system-packages"
    path = tmp_path / "wire.pcapng"
    path.write_bytes(data)
    command = [
        tshark,
        "-X",
        f"lua_script:{HERE / 'tdp.lua'}",
        "-r",
        str(path),
        "-T",
        "fields",
        "-E",
        "separator=/t",
    ]
    command += ["-E", f"aggregator={UNIT}", *(word for field in FIELDS for word in ("-e", field))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=50)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return [{f: v.split(UNIT) if v else [] for f, v in zip(FIELDS, row, strict=True)} for row in rows]


def dissect_wires(tmp_path: Path, wires: list[bytes]) -> list[dict[str, list[str]]]:
    found = dissect(tmp_path, pcapng_of(HEADER, [Packet(n, True, wire) for n, wire in enumerate(wires)], 0))
    assert len(found) == len(wires)
    return found


def flat(value: object, path: str = "") -> list[str]:
    """A meaning of the vector file as the dissector's lines."""
    match value:
        case dict():
            return [line for key, inner in value.items() for line in flat(inner, f"{path}.{key}" if path else key)]
        case list() if path.rpartition(".")[2] in JOINED:
            return [f"{path}={','.join(value)}"]
        case list():
            return [line for n, inner in enumerate(value) for line in flat(inner, f"{path}.{n}")]
        case None:
            return [f"{path}=null"]
        case bool():
            return [f"{path}={str(value).lower()}"]
    text = "".join(c if 31 < ord(c) < 127 and c != "\\" else _escaped(c) for c in str(value))
    return [f"{path}={text}"]


def _escaped(c: str) -> str:
    return f"\\x{ord(c):02x}" if c == "\\" or ord(c) < 32 or ord(c) == 127 else c


def agree(row: dict[str, list[str]], meaning: dict[str, object]) -> None:
    """Header and every value, and nothing that tshark calls malformed."""
    assert row["tdp.refused"] == row["tdp.malformed"] == row["_ws.malformed"] == row["_ws.lua.error"] == []
    assert row["tdp.type"] == [meaning["type"]]
    for key in ("channel", "seq", "ack"):
        assert row[f"tdp.{key}"] == [str(meaning[key])], key
    assert int(row["tdp.flags"][0], 16) == meaning["flags"]
    assert int(row["tdp.session"][0], 16) == int(str(meaning["session"]), 16)
    assert sorted(row["tdp.value"]) == sorted(flat(meaning["payload"]))


def test_every_good_vector_means_the_same(tmp_path: Path) -> None:
    """Hex in, meaning out, for the third time."""
    good = VECTORS["good"]
    for row, vector in zip(dissect_wires(tmp_path, [bytes.fromhex(v["wire"]) for v in good]), good, strict=True):
        agree(row, vector["meaning"])


def test_every_bad_vector_is_refused_for_the_same_cause(tmp_path: Path) -> None:
    """And is marked malformed."""
    bad = VECTORS["bad"]
    for row, vector in zip(dissect_wires(tmp_path, [bytes.fromhex(v["wire"]) for v in bad]), bad, strict=True):
        assert row["tdp.refused"] == [vector["cause"]], vector["name"]
        assert row["tdp.malformed"], vector["name"]
        assert row["_ws.lua.error"] == [], vector["name"]


def test_seals_are_shown_and_what_they_close_is_read(tmp_path: Path, independent: object) -> None:
    """Number and MAC; a dissector has no key, so it judges no seal."""
    sealed = VECTORS["auth"]["sealed"]
    rows = dissect_wires(tmp_path, [bytes.fromhex(vector["wire"]) for vector in sealed])
    for row, vector in zip(rows, sealed, strict=True):
        assert row["tdp.seal.number"] == [str(vector["number"])]
        assert row["tdp.seal.mac"] == [vector["seal"][16:]]
        body = decode_piece(bytes.fromhex(vector["wire"]).strip(b"\0"))
        agree(row, independent.meaning_of(body))  # type: ignore[attr-defined]


def test_every_frame_of_every_recording_means_the_same(tmp_path: Path, independent: object) -> None:
    """Direction and all; what the wire damaged is refused as the codec refuses it, and nothing else is."""
    passed = [packet for path in CORPUS for packet in packets(read_recording([path]))]
    rows = dissect(tmp_path, pcapng_of(HEADER, passed, 0))
    assert len(rows) == len(passed) > 200
    for row, packet in zip(rows, passed, strict=True):
        assert int(row["frame.packet_flags_direction"][0], 16) == (1 if packet.is_inbound else 2)
        body, cause = _read(packet.data)
        if cause:
            assert row["tdp.refused"] == [cause]
        else:
            agree(row, independent.meaning_of(body))  # type: ignore[attr-defined]
    assert {cause for _, cause in map(_read, (p.data for p in passed)) if cause} >= {"crc", "cobs", "partial"}


def _read(wire: bytes) -> tuple[bytes, str]:
    """The body of a piece of the wire, or the cause for which the codec refuses it."""
    if not wire.endswith(b"\0"):
        return b"", "partial"
    try:
        body = decode_piece(wire.strip(b"\0"))
        decode(body)
    except FrameError as error:
        return b"", error.cause.value
    return body, ""


def test_an_exported_file_says_what_it_is_of_and_what_happened(tmp_path: Path) -> None:
    """Name, port and baud rate of the device; the loss of the port as a comment."""
    recording = read_recording([TESTS / "captures" / "unplugged-in-the-deal.jsonl"])
    path = tmp_path / "wire.pcapng"
    path.write_bytes(pcapng(recording))
    command = ["tshark", "-r", str(path), "-T", "fields", "-e", "frame.interface_name", "-e", "frame.comment"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=50).stdout
    assert "shoe-1" in said
    assert "port lost: fault link_eof" in said


def test_a_modbus_wire_is_read_by_wiresharks_own_dissector(tmp_path: Path) -> None:
    """Question and answer, cut where the direction turns, without a complaint about their check."""
    question, answer = (
        bytes.fromhex("01010000000a bc0d".replace(" ", "")),
        bytes.fromhex("010102cd01 2cac".replace(" ", "")),
    )
    entries = (
        Entry(1_000_000, "out", "", question),
        Entry(1_010_000, "in", "", answer[:3]),
        Entry(1_012_000, "in", "", answer[3:]),
        Entry(1_500_000, "out", "", question),
    )
    header = replace(HEADER, speaks=Codec.MODBUS, device="io-1")
    path = tmp_path / "wire.pcapng"
    path.write_bytes(pcapng(Recording(header, entries)))
    command = ["tshark", "-r", str(path), "-d", "rtacser.data,mbrtu", "-T", "fields", "-E", "separator=/t"]
    for field in ("rtacser.eventtype", "modbus.func_code", "mbrtu.unit_id", "_ws.malformed", "_ws.expert"):
        command += ["-e", field]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=50).stdout
    assert [line.split("\t") for line in said.splitlines()] == [
        ["0x01", "1", "1", "", ""],
        ["0x02", "1", "1", "", ""],
        ["0x01", "1", "1", "", ""],
    ]
