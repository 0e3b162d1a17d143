"""Changes answers on their way to the master: later, wrong, twice, in pieces, or none."""

from collections.abc import Iterator
from random import Random

from simulators.bus.faults import BUS_FAULTS
from simulators.bus.rtu import Question, crc, framed
from simulators.scenario.faults import Fault, FaultBook

Pieces = list[tuple[float, bytes]]
"""Seconds from now, and what is then on the bus."""

OF_ANSWERS = (
    "bus_exception", "bus_silent", "bus_late", "bus_wrong_unit", "bus_wrong_function", "bus_wrong_count", "bus_echo",
    "bus_crc", "bus_gap", "bus_twins",
)  # fmt: skip
BABBLE_EVERY_S = 0.01
NOISE = 16
NEIGHBOUR, NEIGHBOUR_S = 99, 0.01
"""The address of a unit that another master asks, and the time that its question takes on the line."""


class BusWire:
    """The faults of answers that have begun. `turnaround_s`: the silence that a unit keeps before it answers."""

    def __init__(self, faults: FaultBook, turnaround_s: float, rng: Random) -> None:
        self._faults, self._turnaround_s, self._rng = faults, turnaround_s, rng
        self._begun: list[tuple[Fault, float]] = []
        self._left: dict[int, int] = {}
        self._answers = 0

    def quiet(self) -> None:
        """Ends all faults."""
        self._begun.clear()

    def begin(self, occasion: int, now: float) -> None:
        """Starts the faults that are due."""
        for name in OF_ANSWERS:
            while fault := self._faults.take(name, occasion):
                self._begun.append((fault, now))
                self._left[id(fault)] = fault.number("times") if "times" in _parameters(name) else 0

    def carry(self, question: Question, said: bytes, now: float) -> Pieces:
        """Returns what reaches the bus in place of this answer."""
        pieces = [(self._turnaround_s, said)]
        self._answers += 1
        for fault in list(self._due(question, now)):
            pieces = self._changed(fault, question, pieces)
        return [piece for piece in pieces if piece[1]]

    def noise(self, seconds: float) -> Pieces:
        """Returns random bytes, without a silence that would let a unit speak."""
        count = int(seconds / BABBLE_EVERY_S)
        return [(n * BABBLE_EVERY_S, self._rng.randbytes(NOISE)) for n in range(count)]

    def neighbour(self, every: float, seconds: float) -> Pieces:
        """Returns valid requests and answers between other stations."""
        asked = framed(NEIGHBOUR, 3, bytes((0, 0, 0, 2)))
        said = framed(NEIGHBOUR, 3, bytes((4, 0, 1, 0, 2)))
        times = [n * every for n in range(int(seconds / every))]
        return [piece for at in times for piece in ((at, asked), (at + self._turnaround_s + NEIGHBOUR_S, said))]

    def _due(self, question: Question, now: float) -> Iterator[Fault]:
        for fault, since in list(self._begun):
            unit = fault.number("unit") if "unit" in _parameters(fault.name) else 0
            if unit not in (0, question.unit):
                continue
            if fault.name == "bus_silent" and fault.real("for") and now - since >= fault.real("for"):
                self._begun.remove((fault, since))
                continue
            if fault.name == "bus_crc" and self._answers % fault.number("each"):
                continue
            if self._left[id(fault)] == 1:
                self._begun.remove((fault, since))
            self._left[id(fault)] -= 1
            yield fault

    def _changed(self, fault: Fault, question: Question, pieces: Pieces) -> Pieces:
        whole = b"".join(data for _, data in pieces)
        at = pieces[0][0] if pieces else self._turnaround_s
        body = whole[:-2]
        match fault.name:
            case "bus_exception":
                code = bytes((fault.number("code"),))
                return [(at, framed(question.unit, question.function | 0x80, code))]
            case "bus_silent":
                return []
            case "bus_late":
                return [(at + fault.real("by"), whole)]
            case "bus_wrong_unit":
                return [(at, framed(question.unit % 247 + 1, body[1], body[2:]))]
            case "bus_wrong_function":
                return [(at, framed(question.unit, body[1] ^ 0x03, body[2:]))]
            case "bus_wrong_count":
                return [(at, framed(question.unit, body[1], bytes((body[2] + 1,)) + body[3:] + b"\x00"))]
            case "bus_echo":
                return [(0.0, question.raw), (at, whole)]
            case "bus_crc":
                return [(at, body + bytes(byte ^ 0x55 for byte in crc(body)))]
            case "bus_gap":
                return [(at, whole[:3]), (at + fault.real("by"), whole[3:])]
            case _:  # bus_twins
                return [(at, whole), (at, whole)]


def _parameters(name: str) -> tuple[str, ...]:
    return tuple(BUS_FAULTS[name].parameters)
