"""Time for the whole daemon: one stamp has the wall clock for reports and the monotonic clock for order and deadlines.

The wall clock may step; the monotonic clock may not, but starts anew with each boot, so a stamp names the boot.
Everything that needs time takes a `Clock`, so that a test or an accelerated bench can bring its own.
"""

import ctypes
import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import msgspec

ClockState = Literal["synced", "holdover", "unsynced"]
"""`synced`: disciplined now. `holdover`: was, since this process began, and runs on by itself. `unsynced`: never seen so."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
STATE_KEPT_NS = 1_000_000_000
"""How long an answer of the kernel about its discipline is used again; it changes in minutes."""
MAX_ERROR_US = 1_000_000
"""Above this bound the wall clock no longer counts as synced. The kernel adds 0.5 ms a second to its bound after the last
correction, and the longest usual polling interval is 1,024 s: one missed poll is tolerated, two are not."""
STA_UNSYNC, STA_NANO = 0x0040, 0x2000  # <sys/timex.h>
TIMEX_BYTES = 256  # struct timex has 208 bytes on 64-bit Linux; the kernel writes no further


class Stamp(msgspec.Struct, frozen=True):
    """One instant. `wall_us`: microseconds since 1970 UTC; `mono_ns`: nanoseconds of this `boot` (16 hex digits)."""

    wall_us: int
    mono_ns: int
    boot: str
    clock: ClockState


class Clock(Protocol):
    """The source of time."""

    def stamp(self) -> Stamp:
        """Returns the present instant on both clocks."""
        ...

    def mono_ns(self) -> int:
        """Returns the monotonic time in nanoseconds, for intervals and deadlines."""
        ...

    def boot_ns(self) -> int:
        """Returns nanoseconds since the boot, time asleep included: with the wall clock it shows a step, not a
        sleep."""
        ...

    def discipline(self) -> "Discipline | None":
        """Returns what disciplines the wall clock; None = that cannot be read."""
        ...


class Discipline(NamedTuple):
    """Of the wall clock. `status`: bits of <sys/timex.h>; `max_error_us`: bound of its error; `offset_us`: what is still to be
    corrected, as far as is known."""

    status: int
    max_error_us: int
    offset_us: int = 0


class SystemClock:
    """The clocks of this machine."""

    def __init__(self) -> None:
        self.boot = BOOT_ID.read_text().strip().replace("-", "")[:16]
        self._was_synced = False
        self._state: ClockState = "unsynced"
        self._asked_ns: int | None = None

    def stamp(self) -> Stamp:
        """Returns the present wall time, monotonic time, boot id and clock state."""
        mono = time.monotonic_ns()
        if self._asked_ns is None or mono - self._asked_ns > STATE_KEPT_NS:
            self._asked_ns = mono
            self._state = self._judge(kernel_discipline())
        return Stamp(time.time_ns() // 1000, mono, self.boot, self._state)

    def mono_ns(self) -> int:
        """Returns the monotonic clock in nanoseconds; the clock stands still while the machine sleeps."""
        return time.monotonic_ns()

    def boot_ns(self) -> int:
        """Returns nanoseconds since the machine's boot, time asleep included."""
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME)

    def discipline(self) -> Discipline | None:
        """Returns what the kernel says about the wall clock's synchronisation; None where the kernel gives no
        answer."""
        return kernel_discipline()

    def _judge(self, found: Discipline | None) -> ClockState:
        if found is not None and not found.status & STA_UNSYNC and found.max_error_us <= MAX_ERROR_US:
            self._was_synced = True
            return "synced"
        return "holdover" if self._was_synced else "unsynced"


class _Timex(ctypes.Structure):
    """The head of `struct timex`; the rest is room for the kernel to write in."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("_rest", ctypes.c_char * TIMEX_BYTES),
    )


def kernel_discipline() -> Discipline | None:
    """Returns the kernel's state of its clock; None if reading is forbidden.

    A service unit with `ProtectClock=` forbids the reading, so the clock then counts as unsynced.
    """
    timex = _Timex()
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        answer = libc.adjtimex(ctypes.byref(timex))
    except (OSError, AttributeError):
        return None
    if answer < 0:
        return None
    offset_us = timex.offset // 1000 if timex.status & STA_NANO else timex.offset
    return Discipline(timex.status, timex.maxerror, offset_us)


class ManualClock:
    """A clock that moves only when a test moves it. `wall_us`: microseconds since 1970 UTC."""

    def __init__(
        self,
        wall_us: int = 1_767_225_600_000_000,  # 2026-01-01T00:00:00Z
        mono_ns: int = 1_000_000_000,
        boot: str = "00000000000000b1",
        clock: ClockState = "synced",
    ) -> None:
        self.wall_us, self.now_ns, self.boot, self.clock = wall_us, mono_ns, boot, clock
        self.asleep_ns = self.offset_us = 0

    def stamp(self) -> Stamp:
        """Returns a stamp with the times that the test has set."""
        return Stamp(self.wall_us, self.now_ns, self.boot, self.clock)

    def mono_ns(self) -> int:
        """Returns the monotonic time that the test has set, in nanoseconds."""
        return self.now_ns

    def boot_ns(self) -> int:
        """Returns the set monotonic time plus the time asleep, in nanoseconds."""
        return self.now_ns + self.asleep_ns

    def discipline(self) -> Discipline | None:
        """Returns the synchronisation that the test has set: unsynchronised or not, and the offset."""
        return Discipline(STA_UNSYNC if self.clock == "unsynced" else 0, 0, self.offset_us)

    def advance(self, seconds: float) -> None:
        """Lets time pass on both clocks."""
        self.now_ns += round(seconds * 1_000_000_000)
        self.wall_us += round(seconds * 1_000_000)

    def sleep(self, seconds: float) -> None:
        """Puts the machine to sleep: the wall clock goes on, the monotonic clock does not."""
        self.asleep_ns += round(seconds * 1_000_000_000)
        self.wall_us += round(seconds * 1_000_000)

    def step_wall(self, seconds: float) -> None:
        """Sets the wall clock forward or back; the monotonic clock does not change."""
        self.wall_us += round(seconds * 1_000_000)


def rfc3339(time_us: int) -> str:
    """Returns `time_us` (microseconds since 1970) as RFC 3339 in UTC with six digits: texts sort like times."""
    hour, rest_us = divmod(time_us, 3_600_000_000)
    minute, rest_us = divmod(rest_us, 60_000_000)
    second, rest_us = divmod(rest_us, 1_000_000)
    return f"{_hour(hour)}:{minute:02d}:{second:02d}.{rest_us:06d}Z"


@lru_cache(maxsize=1024)  # a third of the time, where a page tells of thousands of rounds
def _hour(hours: int) -> str:
    return (_EPOCH + timedelta(hours=hours)).replace(tzinfo=None).isoformat(timespec="hours")


def microseconds(text: str) -> int:
    """Returns the microseconds since 1970 of an RFC 3339 time. Raises `ValueError`, also for one without an offset."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"{text!r} does not say its offset from UTC")
    since = at - _EPOCH
    return (
        since.days * 86_400 + since.seconds
    ) * 1_000_000 + since.microseconds  # a division of timedeltas is slow
