"""Where a report came from and when it happened, and what its device has proven, in the words of the record."""

from collections import deque

from drivers.events import FirmwareMeasured, Origin
from drivers.protocol.device_time import DeviceTime, Interval, narrowest
from drivers.protocol.host import Reported
from drivers.protocol.messages import Identity

__all__ = ["Origins", "boot_words", "hash_words", "measured"]

LINKS_KEPT = 8
"""Former links whose echoes say when something happened before or between links."""


class Origins:
    """Of one device over all its links: what was reported while there was none lies between the echoes of two."""

    def __init__(self) -> None:
        self._former: deque[DeviceTime] = deque(maxlen=LINKS_KEPT)

    def keep(self, time: DeviceTime | None) -> None:
        """A link is over; what it knew of the device's clock stays."""
        if time is not None and time.interval(0) is not None:
            self._former.append(time)

    def forget(self) -> None:
        """This machine slept: its monotonic clock stood still, and what was known of others beside it is void."""
        self._former.clear()

    def of(
        self, event: Reported, who: Identity | None, time: DeviceTime | None, now: float, *, sealed: bool
    ) -> Origin:
        """The origin of a report that the device `who` made, and that came in at `now` (loop's clock)."""
        at_ns = error_ns = None
        if (found := self._interval(event, time, now)) is not None:
            low, high = found
            at_ns, error_ns = int((low + high) * 5e8), int((high - low) * 5e8) + 2
        return Origin(
            who.serial if who else "", boot_words(event.boot), event.counter, event.tick_us, event.from_log,
            event.chain.hex() or None, at_ns, error_ns, sealed,
        )  # fmt: skip

    def _interval(self, event: Reported, time: DeviceTime | None, now: float) -> Interval | None:
        """By every link that heard this boot; and nothing is reported before it has happened."""
        found = time.interval(event.tick_us) if time is not None and time.boot == event.boot else None
        if self._former:
            former = [known.interval(event.tick_us) for known in self._former if known.boot == event.boot]
            found = narrowest([interval for interval in (found, *former) if interval is not None])
        if found is None or found.high <= now:
            return found
        return Interval(found.low, now) if found.low <= now else None


def measured(who: Identity | None, boot: int | None) -> FirmwareMeasured:
    """What was found out about the firmware of the device `who` in this boot."""
    if who is None or boot is None:
        raise AssertionError("a device is measured after its welcome")
    return FirmwareMeasured(who.serial, boot_words(boot), who.firmware_hash.hex())


def hash_words(digest: bytes) -> str | None:
    """A hash that a device tells, as 64 hex digits; None for the zeros that mean that it does not."""
    return digest.hex() if any(digest) else None


def boot_words(boot: int) -> str:
    """A boot as it stands in the record: 16 hex digits."""
    return f"{boot:016x}"
