"""What both ends of a link share: the frames that wait to be written, sequence numbers, and measured round trips."""

from dataclasses import dataclass, field

from drivers.protocol.auth import Seal
from drivers.protocol.codec import encode
from drivers.protocol.constants import RTO_FIRST_S, RTO_MAX_S, rto_min
from drivers.protocol.framing import encode_frame
from drivers.protocol.messages import Frame

_SEQUENCE_SIZE = 1 << 16


class LinkFault(Exception):
    """The link cannot go on. `fault`: an id of `drivers.errors.Fault`. Never leaves a link end; it becomes `Failed`."""

    def __init__(self, fault: str, detail: str) -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault, self.detail = fault, detail


def next_seq(seq: int) -> int:
    """The sequence number after `seq`; 0 is left out, as it means "none yet"."""
    return seq % (_SEQUENCE_SIZE - 1) + 1


def is_newer(seq: int, than: int) -> bool:
    """True where `seq` comes after `than` on the circle of sequence numbers."""
    return 0 < (seq - than) % _SEQUENCE_SIZE < _SEQUENCE_SIZE // 2


@dataclass(slots=True)
class Outbox:
    """Frames not yet handed to the line; the lowest `urgency` goes first, equal ones in the order they came.

    `seal`: that of the session, None where no key was proven. Seals are put on as frames leave, so that their numbers
    grow on the line.
    """

    seal: Seal | None = None
    frames: int = 0
    repeats: int = 0
    _waiting: list[tuple[int, bytes, Seal | None]] = field(default_factory=list)

    def add(self, urgency: int, frame: Frame, *, is_plain: bool = False) -> None:
        """Encodes and queues one frame. `is_plain`: it goes without a seal, being part of the handshake."""
        self._waiting.append((urgency, encode(frame), None if is_plain else self.seal))
        self.frames += 1
        self.repeats += frame.retransmit

    @property
    def counters(self) -> dict[str, int]:
        """Frames that went out, and repeats among them."""
        return {"frames_out": self.frames, "retransmits": self.repeats}

    def drain(self) -> bytes:
        """All of them as bytes for the line; the outbox is empty afterwards."""
        if not self._waiting:
            return b""
        self._waiting.sort(key=lambda entry: entry[0])
        data = b"".join(encode_frame(seal(body) if seal else body) for _, body, seal in self._waiting)
        self._waiting.clear()
        return data


class RoundTrip:
    """The time-out of requests by RFC 6298: smoothed round trip plus four deviations, within the bounds of the line."""

    def __init__(self, byte_time_s: float) -> None:
        self._floor_s = rto_min(byte_time_s)
        self._smoothed_s: float | None = None
        self._deviation_s = 0.0
        self.timeout_s = max(RTO_FIRST_S, self._floor_s)

    def sample(self, rtt_s: float) -> None:
        """Takes in one round trip. Never give it one of a repeated frame: nobody knows which copy was answered."""
        if self._smoothed_s is None:
            self._smoothed_s, self._deviation_s = rtt_s, rtt_s / 2
        else:
            self._deviation_s += (abs(self._smoothed_s - rtt_s) - self._deviation_s) / 4
            self._smoothed_s += (rtt_s - self._smoothed_s) / 8
        self.timeout_s = min(max(self._smoothed_s + 4 * self._deviation_s, self._floor_s), RTO_MAX_S)

    def backed_off(self, transmissions: int) -> float:
        """How long to wait after the given number of transmissions of one frame, 1 or more."""
        return float(min(self.timeout_s * 2 ** (transmissions - 1), RTO_MAX_S))
