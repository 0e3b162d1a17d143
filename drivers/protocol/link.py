"""Shared by both ends of a link: frames waiting to be written, sequence numbers, measured round trips."""

from dataclasses import dataclass, field

from drivers.protocol.auth import Seal
from drivers.protocol.codec import encode
from drivers.protocol.constants import RTO_FIRST_S, RTO_MAX_S, rto_min
from drivers.protocol.framing import encode_frame
from drivers.protocol.messages import Frame

_SEQUENCE_SIZE = 1 << 16


class LinkFault(Exception):
    """Ends a link. `fault`: an id of `drivers.errors.Fault`. Never leaves a link end; it becomes `Failed`."""

    def __init__(self, fault: str, detail: str) -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault, self.detail = fault, detail


def next_seq(seq: int) -> int:
    """Returns the sequence number after `seq`; skips 0, which means "none yet"."""
    return seq % (_SEQUENCE_SIZE - 1) + 1


def is_newer(seq: int, than: int) -> bool:
    """Returns True if `seq` comes after `than` on the circle of sequence numbers."""
    return 0 < (seq - than) % _SEQUENCE_SIZE < _SEQUENCE_SIZE // 2


@dataclass(slots=True)
class Outbox:
    """Frames not yet sent; lowest `urgency` first, equal ones in order of arrival.

    `seal`: that of the session; None if no key was proven. Seals are added as frames leave, so that their numbers
    grow on the line.
    """

    seal: Seal | None = None
    frames: int = 0
    repeats: int = 0
    _waiting: list[tuple[int, bytes, Seal | None]] = field(default_factory=list)

    def add(self, urgency: int, frame: Frame, *, is_plain: bool = False) -> None:
        """Encodes and queues one frame. `is_plain`: it is sent unsealed, as part of the handshake."""
        self._waiting.append((urgency, encode(frame), None if is_plain else self.seal))
        self.frames += 1
        self.repeats += frame.retransmit

    @property
    def counters(self) -> dict[str, int]:
        """Counts frames sent, and repeats among them."""
        return {"frames_out": self.frames, "retransmits": self.repeats}

    def drain(self) -> bytes:
        """Takes all frames as bytes for the line; the outbox is empty afterwards."""
        if not self._waiting:
            return b""
        self._waiting.sort(key=lambda entry: entry[0])
        data = b"".join(encode_frame(seal(body) if seal else body) for _, body, seal in self._waiting)
        self._waiting.clear()
        return data


class RoundTrip:
    """The time-out of requests by RFC 6298: smoothed round trip plus four deviations, within the line's bounds."""

    def __init__(self, byte_time_s: float) -> None:
        self._floor_s = rto_min(byte_time_s)
        self._smoothed_s: float | None = None
        self._deviation_s = 0.0
        self.timeout_s = max(RTO_FIRST_S, self._floor_s)

    def sample(self, rtt_s: float) -> None:
        """Takes one round trip; never that of a repeated frame, because its answer may belong to either copy."""
        if self._smoothed_s is None:
            self._smoothed_s, self._deviation_s = rtt_s, rtt_s / 2
        else:
            self._deviation_s += (abs(self._smoothed_s - rtt_s) - self._deviation_s) / 4
            self._smoothed_s += (rtt_s - self._smoothed_s) / 8
        self.timeout_s = min(max(self._smoothed_s + 4 * self._deviation_s, self._floor_s), RTO_MAX_S)

    def backed_off(self, transmissions: int) -> float:
        """Returns the wait in seconds after this many sendings (1 or more) of one frame."""
        return float(min(self.timeout_s * 2 ** (transmissions - 1), RTO_MAX_S))
