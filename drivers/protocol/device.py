"""The device's end of a TDP/1 link, without I/O: for simulators, and for a maker to read beside the document."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from drivers.protocol.device_log import ReportLog
from drivers.protocol.messages import Identity
from drivers.protocol.reports import Level, Levels, Report, ResetCause

__all__ = [
    "Acknowledged",
    "DeviceEvent",
    "DeviceLink",
    "HostFound",
    "HostLost",
    "Identity",
    "LevelRequested",
    "ReportLog",
]


@dataclass(frozen=True, slots=True)
class LevelRequested:
    """The host wants a level. Carry it out once and `answer`; repeats never come up here. `token`: the link's own number."""

    level: Level
    value: str
    operation: int
    token: int


@dataclass(frozen=True, slots=True)
class HostLost:
    """No valid frame of the session for 3 s, or the host said BYE: take the safe levels now, by yourself."""


@dataclass(frozen=True, slots=True)
class HostFound:
    """A host speaks in a session. Stay at the safe levels until it asks for others."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The host has every report of `boot` up to `counter` on disk."""

    boot: int
    counter: int


DeviceEvent = LevelRequested | HostLost | HostFound | Acknowledged


class DeviceLink:
    """One boot of a device. `boot`: u64, drawn at power-up. `log`: one that outlived the last boot, else a new one."""

    def __init__(
        self,
        identity: Identity,
        *,
        boot: int,
        entropy: Callable[[int], bytes],
        log: ReportLog | None = None,
        reset_cause: ResetCause = ResetCause.POWER,
        byte_time_s: float = 0.0,
    ) -> None:
        self._log = log or ReportLog()

    def report(self, report: Report, tick_us: int) -> int:
        """Puts a report into the log and, within the window, on the wire. Returns its counter."""
        raise NotImplementedError

    def set_levels(self, levels: Levels) -> None:
        """What the device is now: the answer to a read, and the digest on each PONG."""
        raise NotImplementedError

    def receive(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Takes bytes off the line."""
        raise NotImplementedError

    def tick(self, now: float) -> list[DeviceEvent]:
        """Runs the timers that are due."""
        raise NotImplementedError

    def next_deadline(self) -> float | None:
        """When `tick` is due next."""
        raise NotImplementedError

    def data_to_send(self) -> bytes:
        """Bytes to write now; each is handed out once."""
        raise NotImplementedError

    def answer(self, request: LevelRequested, ok: bool, code: int = 0, text: str = "") -> None:
        """The outcome of a requested level; call `set_levels` first. `code` and `text` say why not."""
        raise NotImplementedError

    @property
    def counters(self) -> Mapping[str, int]:
        """Frames in and out, resent reports, dropped frames by cause."""
        raise NotImplementedError
