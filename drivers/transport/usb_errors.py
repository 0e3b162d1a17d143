"""What each error of the USB system means, as data: what is borne, how often, and what ends the link.

libusb gives the system's error numbers. The same number means one thing while a device is being opened, and another
while it is read or written, so there are three tables. What stands in none ends the link as an I/O error.
"""

import errno
import math
from collections import defaultdict, deque
from collections.abc import Mapping
from enum import StrEnum

from drivers.errors import Fault
from drivers.protocol.records import dataclass

WINDOW_S = 10.0
"""Errors that are borne now and then are counted over this time."""


class Borne(StrEnum):
    """What is done about an error that is borne."""

    GO_ON = "go_on"
    WAIT = "wait"  # a moment, so that an error that comes at once each time is no spin
    CLEAR_HALT = "clear_halt"


@dataclass(frozen=True, slots=True)
class Row:
    """An error is borne `times` within `window_s`; one more ends the link with `fault` and `detail`.

    `window_s` infinite: until one such transfer goes well. `resets`: the device is reset before it is released.
    """

    fault: Fault
    detail: str
    times: float = 0
    window_s: float = math.inf
    borne: Borne = Borne.GO_ON
    resets: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one error. `borne` None: the link is over, by `row`."""

    row: Row
    borne: Borne | None


_GONE = Row(Fault.LINK_EOF, "unplugged")
_STALLED = Row(
    Fault.PROTO_UNEXPECTED, "the device stalls its endpoint again and again", 1, WINDOW_S, Borne.CLEAR_HALT
)
_TROUBLE = Row(Fault.LINK_IO_ERROR, "the bus gives errors again and again", 3, WINDOW_S, Borne.WAIT)
_BABBLE = Row(Fault.LINK_IO_ERROR, "the device sends more than it is asked for", 3, WINDOW_S, Borne.WAIT)
_NO_MEMORY = Row(Fault.LINK_IO_ERROR, "the system has no memory for USB transfers (usbfs_memory_mb)")
UNKNOWN = Row(Fault.LINK_IO_ERROR, "an error that nobody expects here")

_ANY: Mapping[int, Row] = {
    errno.ENODEV: _GONE,
    errno.ENOENT: _GONE,
    errno.ESHUTDOWN: _GONE,
    errno.EPIPE: _STALLED,
    errno.EIO: _TROUBLE,
    errno.EINTR: _TROUBLE,
    errno.ENOMEM: _NO_MEMORY,
}
ON_READ: Mapping[int, Row] = {
    **_ANY,
    errno.ETIMEDOUT: Row(Fault.LINK_IO_ERROR, "nothing to say", math.inf),
    errno.EOVERFLOW: _BABBLE,
}
ON_WRITE: Mapping[int, Row] = {
    **_ANY,
    errno.ETIMEDOUT: Row(Fault.LINK_IO_ERROR, "the device takes no bytes; it was reset", 2, resets=True),
}

AT_OPEN: Mapping[int, tuple[Fault, str]] = {
    errno.ENODEV: (Fault.LINK_MISSING, "plug the device in"),
    errno.ENOENT: (Fault.LINK_MISSING, "plug the device in"),
    errno.ESHUTDOWN: (Fault.LINK_MISSING, "plug the device in"),
    errno.EACCES: (Fault.LINK_FORBIDDEN, "give the daemon's group the device: systemd/60-tablewarden.rules"),
    errno.EPERM: (Fault.LINK_FORBIDDEN, "give the daemon's group the device: systemd/60-tablewarden.rules"),
    errno.EBUSY: (Fault.LINK_BUSY, "end the other program, or unload the kernel driver that holds it (lsusb -t)"),
    errno.ENOMEM: (Fault.LINK_OPEN_FAILED, "raise usbfs_memory_mb of the module usbcore"),
}
"""Fault and remedy of a device that cannot be opened; any other number is `LINK_OPEN_FAILED`, and is tried again."""


class Patience:
    """Counts the errors of one open device."""

    def __init__(self) -> None:
        self._seen: dict[Row, deque[float]] = defaultdict(deque)

    def judge(self, code: int, now: float, *, writing: bool) -> Verdict:
        """`code`: the error number, 0 = none was given. `now`: monotonic seconds."""
        row = (ON_WRITE if writing else ON_READ).get(code, UNKNOWN)
        if math.isinf(row.times):
            return Verdict(row, row.borne)
        seen = self._seen[row]
        seen.append(now)
        while now - seen[0] > row.window_s:
            seen.popleft()
        return Verdict(row, row.borne if len(seen) <= row.times else None)

    def wrote(self) -> None:
        """The device took bytes: it is not stuck."""
        self._seen.pop(ON_WRITE[errno.ETIMEDOUT], None)
