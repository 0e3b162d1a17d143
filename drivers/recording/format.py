"""A recording: JSON lines, one for each thing that happened at a port, in order. `docs/recordings.md` is the definition.

`in` and `out` are the bytes of the wire. What the host's link end drew and received stands beside them, so that a replay
can put the same link end through the same life, and compare byte for byte.
"""

import json
from calendar import timegm
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field
from itertools import pairwise
from pathlib import Path
from time import strptime
from typing import Any, TypeGuard

from drivers.catalog import Codec
from drivers.device import DeviceConfig
from drivers.modbus.units import Unit
from drivers.protocol.chain import Place
from drivers.protocol.records import dataclass
from drivers.protocol.reports import DeviceKind

FORMAT = 1
"""Version of the form; a reader refuses a higher one."""

IN, OUT, PORT, HOST, NOTE = "in", "out", "port", "host", "recording"
KINDS = (IN, OUT, PORT, HOST, NOTE)

WALL = "%Y-%m-%dT%H:%M:%SZ"
"""How the wall time of a header is written."""

BESIDE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "acknowledge": (("counter",), ("boot",)),
    "set_level": (("operation",), ("level", "value")),
    "paused": (("lag_us",), ()),
    "gap": (("entries",), ()),
}
"""Numbers and texts without which an entry of this word cannot be followed."""


class RecordingInvalid(Exception):
    """A file that is no recording, or not a whole one; the text names file, line and remedy."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a recording is of. `wall`: UTC at its beginning, as text; `part`: from 1, of files that follow each other.

    `units`: what stands on a Modbus bus, as it was configured.
    """

    device: str
    kind: DeviceKind
    path: str
    baud: int
    speaks: Codec
    serial: str | None
    software: str
    wall: str
    part: int = 1
    units: tuple[Unit, ...] = ()

    @classmethod
    def of(cls, config: DeviceConfig, software: str, wall: str, part: int) -> "Header":
        """Of a configured device."""
        name, kind, path = config.name, config.kind, config.path
        return cls(name, kind, path, config.baud, config.codec, config.serial, software, wall, part, config.units)

    @property
    def config(self) -> DeviceConfig:
        """The device as it was configured when it was recorded, so that its link end can be made again."""
        return DeviceConfig(
            self.device, self.kind, self.path, self.serial, self.baud,
            accept_test_only=True, speaks=self.speaks, units=self.units,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. `us`: CLOCK_MONOTONIC of the recording machine in microseconds. `kind`: one of `KINDS`.

    `word`: what happened, of all but bytes. `data`: the bytes of the wire, or what was drawn. `given`: the rest.
    """

    us: int
    kind: str
    word: str = ""
    data: bytes = b""
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """The same instant as a link end was given it."""
        return self.us / 1e6


@dataclass(frozen=True, slots=True)
class Recording:
    """`is_torn`: the last line was cut off, as a power cut leaves it; what came before is whole."""

    header: Header
    entries: tuple[Entry, ...]
    is_torn: bool = False


def header_line(header: Header) -> str:
    """The first line of each file."""
    return json.dumps(
        {
            "tablewarden_recording": FORMAT,
            "device": header.device,
            "kind": header.kind.value,
            "path": header.path,
            "baud": header.baud,
            "speaks": header.speaks.value,
            "serial": header.serial,
            "software": header.software,
            "wall": header.wall,
            "part": header.part,
            **({"units": [_plain(unit) for unit in header.units]} if header.units else {}),
        }
    )


def _plain(unit: Unit) -> dict[str, Any]:
    """JSON has no keys of two numbers: terminals stand as [seat, sensor, place], lamps as [seat, place]."""
    sensors = [[*spot, place] for spot, place in unit.sensors.items()]
    return {**asdict(unit), "sensors": sensors, "lamps": [[*pair] for pair in unit.lamps.items()]}


def _unit(raw: Mapping[str, Any]) -> Unit:
    """Undoes `_plain`. Raises KeyError, TypeError or ValueError."""
    sensors = {(seat, sensor): place for seat, sensor, place in raw["sensors"]}
    return Unit(**{**raw, "identity": tuple(raw["identity"]), "sensors": sensors, "lamps": dict(raw["lamps"])})


def line_of(entry: Entry) -> str:
    """One line, without its end."""
    if entry.kind in (IN, OUT):
        rest = "".join(f", {json.dumps(k)}: {json.dumps(v)}" for k, v in entry.given.items())
        return f'{{"us": {entry.us}, "{entry.kind}": "{entry.data.hex()}"{rest}}}'
    data = {"bytes": entry.data.hex()} if entry.data else {}
    return json.dumps({"us": entry.us, entry.kind: entry.word, **data, **entry.given})


def read_recording(paths: Iterable[Path]) -> Recording:
    """The files of one recording, in the order of their parts. Raises `RecordingInvalid`."""
    header: Header | None = None
    entries: list[Entry] = []
    is_torn = False
    for path in paths:
        first, *rest = _lines(path)
        head = _header(path, first)
        if header is None:
            header = head
        elif (head.device, head.path, head.part) < (header.device, header.path, header.part):
            raise RecordingInvalid(
                f"{path}: part {head.part} of {head.device} cannot follow; name the parts in order"
            )
        for number, line in enumerate(rest, 2):
            entry = _entry(line)
            if entry is not None:
                entries.append(entry)
            elif number == len(rest) + 1:
                is_torn = True
            else:
                raise RecordingInvalid(f"{path}: line {number} is no entry of a recording; the file was damaged")
    if header is None:
        raise RecordingInvalid("no file was named")
    if any(b.us < a.us for a, b in pairwise(entries)):
        raise RecordingInvalid(f"{header.device}: its clock runs backwards; these parts do not belong together")
    return Recording(header, tuple(entries), is_torn)


def durable_words(durable: Place) -> list[str | int]:
    """The last durable report as it stands in a recording; its chain value only where it is known."""
    words: list[str | int] = [f"{durable.boot:016x}", durable.counter]
    return [*words, durable.chain.hex()] if durable.chain else words


def durable_in(entry: Entry) -> Place | None:
    """What was durable when a link end was made; None where nothing was, and for any other entry."""
    words = entry.given.get("durable")
    return Place(int(words[0], 16), int(words[1]), bytes.fromhex("".join(words[2:]))) if words else None


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError as exc:
        raise RecordingInvalid(f"{path}: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise RecordingInvalid(f"{path}: this is no recording of tablewarden") from exc
    if not lines:
        raise RecordingInvalid(f"{path}: the file is empty")
    return lines


def _header(path: Path, line: str) -> Header:
    raw = _object(line)
    form = raw.get("tablewarden_recording")
    if not isinstance(form, int):
        raise RecordingInvalid(f"{path}: this is no recording of tablewarden")
    if form > FORMAT:
        raise RecordingInvalid(f"{path}: form {form} is newer than this software, which reads up to {FORMAT}")
    try:
        if timegm(strptime(str(raw["wall"]), WALL)) < 0 or int(raw["baud"]) <= 0:
            raise ValueError("an impossible time or speed")
        return Header(
            str(raw["device"]),
            DeviceKind(raw["kind"]),
            str(raw["path"]),
            int(raw["baud"]),
            Codec(raw["speaks"]),
            None if raw["serial"] is None else str(raw["serial"]),
            str(raw["software"]),
            str(raw["wall"]),
            int(raw["part"]),
            tuple(_unit(unit) for unit in raw.get("units", ())),
        )
    except (KeyError, ValueError, TypeError, OverflowError) as exc:
        raise RecordingInvalid(f"{path}: its first line lacks what a recording says of itself ({exc})") from exc


def _entry(line: str) -> Entry | None:
    raw = _object(line)
    us = raw.pop("us", None)
    kind = next((k for k in KINDS if k in raw), None)
    if not _is_number(us) or kind is None or not isinstance(word := raw.pop(kind), str):
        return None
    try:
        if kind in (IN, OUT):
            entry = Entry(us, kind, "", bytes.fromhex(word), raw)
        else:
            entry = Entry(us, kind, word, bytes.fromhex(raw.pop("bytes", "")), raw)
        return entry if _says_enough(entry) else None
    except (ValueError, TypeError, LookupError):
        return None


def _says_enough(entry: Entry) -> bool:
    """Whether what stands beside its word can be followed. May raise ValueError, TypeError or LookupError instead."""
    durable_in(entry)
    numbers, texts = BESIDE.get(entry.word, ((), ()))
    return all(_is_number(entry.given.get(k)) for k in numbers) and all(
        isinstance(entry.given.get(k), str) for k in texts
    )


def _is_number(value: object) -> TypeGuard[int]:
    """One that the wire and the clock can have."""
    return isinstance(value, int) and 0 <= value < 1 << 64


def _object(line: str) -> dict[str, Any]:
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return raw if isinstance(raw, dict) else {}
