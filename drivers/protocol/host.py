"""The host's end of a TDP/1 link, without I/O: bytes and times go in, events and bytes come out."""

from collections.abc import Callable, Mapping

from drivers.protocol.host_events import (
    Failed,
    HostEvent,
    LevelRefused,
    LevelSet,
    LevelsRead,
    LevelUnknown,
    Lost,
    Online,
    Recovered,
    Reported,
    Restarted,
    Suspect,
    Welcomed,
)  # fmt: skip
from drivers.protocol.messages import Identity
from drivers.protocol.reports import Level

__all__ = [
    "Failed", "HostEvent", "HostLink", "Identity", "LevelRefused", "LevelSet", "LevelUnknown", "LevelsRead", "Lost",
    "Online", "Recovered", "Reported", "Restarted", "Suspect", "Welcomed",
]  # fmt: skip


class HostLink:
    """One life of a link to one device, from HELLO to `Failed` or `bye`. Open a new one for the next.

    `last`: (boot, counter) of the last report that is durable at the host, None = never had one. `byte_time_s`: what
    one byte takes on the line (10 / baud; 0 for USB).
    """

    def __init__(
        self,
        *,
        entropy: Callable[[int], bytes],
        last: tuple[int, int] | None,
        stale_after_s: float,
        byte_time_s: float,
    ) -> None:
        self._last = last

    def connect(self, now: float) -> None:
        """Starts with a HELLO."""
        raise NotImplementedError

    def receive(self, data: bytes, now: float) -> list[HostEvent]:
        """Takes bytes off the line."""
        raise NotImplementedError

    def tick(self, now: float) -> list[HostEvent]:
        """Runs the timers that are due."""
        raise NotImplementedError

    def next_deadline(self) -> float | None:
        """When `tick` is due next."""
        raise NotImplementedError

    def data_to_send(self) -> bytes:
        """Bytes to write now, the most urgent frame first; each is handed out once."""
        raise NotImplementedError

    def acknowledge(self, boot: int, counter: int, now: float) -> None:
        """All reports of `boot` up to `counter` are durable: tells the device so."""
        raise NotImplementedError

    def set_level(self, level: Level, value: str, operation: int, now: float) -> None:
        """Asks for a level. One of LevelSet, LevelRefused, LevelUnknown follows. Raises ValueError for an impossible value."""
        raise NotImplementedError

    def read_levels(self, now: float) -> None:
        """Asks for a full read; `LevelsRead` follows."""
        raise NotImplementedError

    def bye(self, now: float) -> None:
        """Says an orderly end; nothing follows."""
        raise NotImplementedError

    def extend_deadlines(self, lag_s: float) -> None:
        """Moves every deadline by a pause of the host's own loop."""
        raise NotImplementedError

    @property
    def counters(self) -> Mapping[str, int]:
        """Frames in and out, retransmissions, dropped frames by cause, and `peer_` + cause from the last PONG."""
        raise NotImplementedError
