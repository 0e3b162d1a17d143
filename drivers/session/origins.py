"""Dates and identifies reports for the record: origin, time, losses, and what a device has proven."""

from collections import deque
from typing import NamedTuple

from drivers.events import DeviceOnline, EventsLost, FirmwareMeasured, Origin
from drivers.protocol.host.device_time import DeviceTime, Interval, narrowest
from drivers.protocol.host.link import Online, Reported
from drivers.protocol.messages import Identity

LINKS_KEPT = 8
"""Former links whose echoes say when something happened before or between links."""


NO_SLEEP_S = 0.001
"""Less is how two clocks are read, and no sleep; by so much a sleep may have been shorter or longer than it looks."""


class Asleep(NamedTuple):
    """How many seconds the machine had slept when a link began, and when that was last read."""

    began_s: float
    last_s: float


NEVER_ASLEEP = Asleep(0.0, 0.0)


class _Known(NamedTuple):
    """A device's clock by one link's echoes."""

    time: DeviceTime
    asleep: Asleep

    def interval(self, tick_us: int, asleep_s: float) -> Interval | None:
        """Returns when the clock read `tick_us`, on a machine that has slept `asleep_s` by now.

        The machine's monotonic clock stood still in each sleep and the device's clock went on, so earlier moments
        lie back by that much.
        """
        found = self.time.interval(tick_us)
        most, least = asleep_s - self.asleep.began_s, asleep_s - self.asleep.last_s
        if found is None or most < NO_SLEEP_S:
            return found
        return Interval(found.low - most - NO_SLEEP_S, found.high - max(0.0, least - NO_SLEEP_S))


class Origins:
    """The origins of one device's reports over all its links."""

    def __init__(self) -> None:
        self._former: deque[_Known] = deque(maxlen=LINKS_KEPT)

    def keep(self, time: DeviceTime | None, asleep: Asleep = NEVER_ASLEEP) -> None:
        """Keeps a finished link's knowledge of the device's clock. `asleep`: at the link's begin and end."""
        if time is not None and time.interval(0) is not None:
            self._former.append(_Known(time, asleep))

    def of(
        self,
        event: Reported,
        who: Identity | None,
        time: DeviceTime | None,
        now: float,
        *,
        sealed: bool,
        asleep: Asleep = NEVER_ASLEEP,
    ) -> Origin:
        """Returns the origin of a report of the device `who` that came at `now` (loop's clock).

        `time`, `asleep`: of the link that brought it. The time before `now` is real time: a sleep of this machine
        counts.
        """
        at_ns = error_ns = None
        if (found := self._interval(event, time, now, asleep)) is not None:
            low, high = found
            at_ns, error_ns = int((low + high) * 5e8), int((high - low) * 5e8) + 2
        return Origin(
            who.serial if who else "", boot_words(event.boot), event.counter, event.tick_us, event.from_log,
            event.chain.hex() or None, at_ns, error_ns, sealed,
        )  # fmt: skip

    def _interval(self, event: Reported, time: DeviceTime | None, now: float, asleep: Asleep) -> Interval | None:
        """Returns when it happened, by every link that heard this boot; never after now."""
        tick_us, found = event.tick_us, None
        if time is not None and time.boot == event.boot:
            found = _Known(time, asleep).interval(tick_us, asleep.last_s)
        if self._former:
            heard = [known for known in self._former if known.time.boot == event.boot]
            former = [known.interval(tick_us, asleep.last_s) for known in heard]
            found = narrowest([interval for interval in (found, *former) if interval is not None])
        if found is None or found.high <= now:
            return found
        return Interval(found.low, now) if found.low <= now else None


def measured(who: Identity | None, boot: int | None) -> FirmwareMeasured:
    """Returns the finding about the firmware of the device `who` in this boot."""
    if who is None or boot is None:
        raise AssertionError("a device is measured after its welcome")
    return FirmwareMeasured(who.serial, boot_words(boot), who.firmware_hash.hex())


def lost(who: Identity | None, boot: int, first: int, last: int, *, reused: bool = False) -> EventsLost:
    """Returns the loss of reports `first`..`last` of the device `who`; `reused`: as in `EventsLost`."""
    return EventsLost(who.serial if who else "", boot_words(boot), first, last, reused or None)


def came_online(
    who: Identity | None, boot: int | None, event: Online, rebooted: bool, sealed: bool
) -> DeviceOnline:
    """Returns what is known of the device `who` when its link is up. `sealed`: it has proven its key."""
    if who is None or boot is None:
        raise AssertionError("online comes after welcome")
    return DeviceOnline(
        who.kind, who.model, who.serial, who.firmware, boot_words(boot), rebooted, event.gap_closed, who.capabilities,
        event.levels, sealed, hash_words(who.firmware_hash), hash_words(who.config_hash),
    )  # fmt: skip


def hash_words(digest: bytes) -> str | None:
    """Returns a device's hash as 64 hex digits; None for zeros, which mean "not told"."""
    return digest.hex() if any(digest) else None


def boot_words(boot: int) -> str:
    """Returns a boot as in the record: 16 hex digits."""
    return f"{boot:016x}"
