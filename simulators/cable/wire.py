"""What a bad cable does to bytes, timing and frames; random, from a seed."""

from collections.abc import Iterable
from dataclasses import field
from random import Random

from drivers.protocol.framing import encode_frame
from drivers.protocol.records import dataclass
from simulators.cable.wire_bytes import GHOST_BYTES, damaged, noise
from simulators.cable.wire_frames import FORGES, FrameFault, body_of, name_of
from simulators.scenario.faults import Fault

TIMING = ("wire_gap", "wire_trickle", "wire_bunch", "wire_slow")
SLOW_BUNCH_S = 0.02
"""A slow line hands over what came in this much time."""
UNFRAMED_BYTES = 1024
"""More than this without a zero byte is no frame and goes on as it is."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that arrive at one end, not before `at` (0 = now). `aside`: later pieces may overtake them."""

    data: bytes
    towards_device: bool
    at: float = 0.0
    aside: bool = False


@dataclass(slots=True)
class _Direction:
    """One direction: its faults, and the bytes that it still holds."""

    bytes_: list[Fault] = field(default_factory=list)
    timing: list[Fault] = field(default_factory=list)
    frames: list[FrameFault] = field(default_factory=list)
    before: bytes = b""  # comes ahead of whatever comes next
    begun: bytes = b""  # of a frame
    recent: bytearray = field(default_factory=bytearray)
    busy_until: float = 0.0


class Wire:
    """Both directions of one cable. `towards_device`: the host's bytes."""

    def __init__(self, faults: Iterable[Fault], rng: Random) -> None:
        self._rng = rng
        self._ways = {True: _Direction(), False: _Direction()}
        self._echoes = False
        for fault in faults:
            self.add(fault)

    def add(self, fault: Fault) -> None:
        """Adds a fault; it replaces one of the same name, type and direction."""
        if fault.name == "wire_echo":
            self._echoes = True
            return
        if fault.name == "wire_ghosts":
            way = self._ways[False]
            way.before += bytes(way.recent)
            return
        for towards_device in {"in": (True,), "out": (False,), "both": (True, False)}[fault.text("dir")]:
            way = self._ways[towards_device]
            if fault.name == "wire_noise":
                way.before += noise(fault, self._rng)
            elif fault.name.startswith("frame_"):
                way.frames.append(FrameFault(fault))
            else:
                among = way.timing if fault.name in TIMING else way.bytes_
                among[:] = [other for other in among if other.name != fault.name]
                if fault.name in TIMING or fault.name == "wire_stuck" or fault.real("rate") > 0:
                    among.append(fault)

    def heal(self) -> None:
        """Ends all faults; bytes under way arrive."""
        self._echoes = False
        for way in self._ways.values():
            way.bytes_.clear()
            way.timing.clear()
            way.frames.clear()
            way.before, way.begun = way.begun, b""
            way.busy_until = 0.0

    def carry(self, data: bytes, *, towards_device: bool, now: float) -> list[Piece]:
        """Returns what arrives of `data`, where and when."""
        way = self._ways[towards_device]
        if not towards_device:
            way.recent += data
            del way.recent[:-GHOST_BYTES]
        data, way.before = way.before + data, b""
        pieces = self._framed(way, data, towards_device, now) if way.frames else [Piece(data, towards_device)]
        if self._echoes and towards_device:
            pieces.append(Piece(data, towards_device=False))
        arriving = []
        for piece in pieces:
            there = self._ways[piece.towards_device]
            hurt = damaged(piece.data, there.bytes_, self._rng) if there.bytes_ else piece.data
            if hurt:
                whole = Piece(hurt, piece.towards_device, piece.at, piece.aside)
                arriving += [whole] if piece.aside else _timed(there, whole, now)
        return arriving

    def _framed(self, way: _Direction, data: bytes, towards_device: bool, now: float) -> list[Piece]:
        """Handles whole frames; a begun frame waits for its end."""
        *whole, way.begun = (way.begun + data).split(b"\0")
        pieces = []
        for raw in filter(None, whole):
            pieces += self._strike(way, raw, towards_device, now)
        if len(way.begun) > UNFRAMED_BYTES:
            pieces.append(Piece(way.begun, towards_device))
            way.begun = b""
        return pieces

    def _strike(self, way: _Direction, raw: bytes, towards_device: bool, now: float) -> list[Piece]:
        """Returns what becomes of one frame; the first fault that picks it decides."""
        wired = b"\0" + raw + b"\0"
        body = body_of(raw)
        kind = "" if body is None else name_of(body)
        for frames in way.frames:
            struck = body is not None and self._picked(frames, body, kind)
            if frames.fault.name == "frame_reorder":
                wired = frames.behind(wired, strike=struck)
            if struck and body is not None:
                return self._struck(frames, body, wired, towards_device, now)
        return [Piece(wired, towards_device)]

    def _picked(self, frames: FrameFault, body: bytes, kind: str) -> bool:
        if frames.fault.name == "frame_replay" and frames.former(body, kind) is None:
            return False
        return frames.picks(kind)

    def _struck(
        self, frames: FrameFault, body: bytes, wired: bytes, towards_device: bool, now: float
    ) -> list[Piece]:
        fault, here = frames.fault, Piece(wired, towards_device)
        match fault.name:
            case "frame_reorder":
                return [here]
            case "frame_duplicate":
                after = fault.real("after")
                again = Piece(encode_frame(body), towards_device, now + after if after else 0.0, aside=after > 0)
                return [here, again]
            case "frame_delay":
                return [Piece(wired, towards_device, now + fault.real("by"), aside=True)]
            case "frame_mirror":
                return [here, Piece(wired, not towards_device)]
            case "frame_replay":
                return [Piece(frames.former(body, name_of(body)) or b"", towards_device), here]
            case "frame_tick":
                return [Piece(frames.ticked(body), towards_device)]
            case name:
                return [Piece(FORGES[name](body, fault, self._rng), towards_device)]


def _timed(way: _Direction, piece: Piece, now: float) -> list[Piece]:
    """Returns the bytes with the delays of a slow, halting or bunching line."""
    pieces = [piece]
    for fault in way.timing:
        pieces = [late for each in pieces for late in _late(way, each, fault, now)]
    return pieces


def _late(way: _Direction, piece: Piece, fault: Fault, now: float) -> list[Piece]:
    start = max(now, way.busy_until)
    match fault.name:
        case "wire_bunch":
            if now >= way.busy_until:
                way.busy_until = now + fault.real("every")
            return [Piece(piece.data, piece.towards_device, way.busy_until)]
        case "wire_trickle":
            parts, step = [piece.data[i : i + 1] for i in range(len(piece.data))], fault.real("apart")
        case "wire_slow":
            bunch = max(1, int(fault.real("rate") * SLOW_BUNCH_S))
            parts = [piece.data[i : i + bunch] for i in range(0, len(piece.data), bunch)]
            step = bunch / fault.real("rate")
        case _:
            cut = fault.number("bytes")
            frames = [b"\0" + raw + b"\0" for raw in piece.data.split(b"\0") if raw]
            if b"\0" not in piece.data:
                frames = [piece.data]  # lines
            parts = [part for wired in frames for part in (wired[:cut], wired[cut:])]
            way.busy_until = start + fault.real("for") * len(frames)
            return [
                Piece(part, piece.towards_device, start + fault.real("for") * ((i + 1) // 2))
                for i, part in enumerate(parts)
            ]
    way.busy_until = start + step * len(parts)
    return [Piece(part, piece.towards_device, start + step * (i + 1)) for i, part in enumerate(parts)]
