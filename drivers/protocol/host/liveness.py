"""Checks that the device is alive: a PING each second, and only the echo of its nonce counts."""

from collections import OrderedDict
from collections.abc import Callable

from drivers.protocol.constants import (
    CLOCK_SAMPLE_PERIOD_S,
    CLOCK_SAMPLES,
    PING_PERIOD_S,
    SUSPECT_AFTER_S,
)
from drivers.protocol.host.clock import DeviceClock
from drivers.protocol.host.device_time import DeviceTime
from drivers.protocol.host.events import HostEvent, Recovered, Suspect
from drivers.protocol.link import LinkFault
from drivers.protocol.messages import Welcome


class Liveness:
    """Watches a device from its WELCOME on."""

    def __init__(self, stale_after_s: float) -> None:
        self._stale_after_s = stale_after_s
        self._sent: OrderedDict[bytes, float] = OrderedDict()  # nonce -> when
        self._highest_tick = (0, 0.0)  # device clock in an echo, and when that echo came
        self.clock = DeviceClock()
        self.time: DeviceTime | None = None
        self._quick = CLOCK_SAMPLES  # PINGs still to follow each other quickly
        self._moved: set[bytes] = (
            set()
        )  # PINGs under way in a pause of ours: their times are not those of the line
        self._next_ping = 0.0
        self._echoed_at = 0.0
        self._heard_at = 0.0
        self._told: Suspect | None = None

    @property
    def counters(self) -> dict[str, int]:
        """Counts about the device's clock."""
        return self.clock.counters | (self.time.counters if self.time is not None else {})

    def start(self, now: float, welcome: Welcome) -> None:
        """Starts the watch: the WELCOME came, or a step of the handshake was done."""
        self.time = self.time or DeviceTime(welcome.boot, welcome.identity.tick_hz)
        self._echoed_at = self._heard_at = self._next_ping = now

    def heard(self, now: float) -> None:
        """Notes a valid frame of the session: one direction works."""
        self._heard_at = now

    def ping_at_once(self, now: float) -> None:
        """Makes the next PING due now, unless one was just sent."""
        if not any(sent == now for sent in self._sent.values()):
            self._next_ping = now

    def ping(self, entropy: Callable[[int], bytes], now: float) -> bytes | None:
        """Returns the nonce of a PING that is due now, otherwise None."""
        if now < self._next_ping:
            return None
        self._quick = max(0, self._quick - 1)
        self._next_ping = now + (CLOCK_SAMPLE_PERIOD_S if self._quick else PING_PERIOD_S)
        nonce = entropy(8)
        self._sent[nonce] = now
        while next(iter(self._sent.values())) < now - self._stale_after_s:
            self._moved.discard(self._sent.popitem(last=False)[0])
        return nonce

    def echo(self, nonce: bytes, tick_us: int, now: float) -> float | None:
        """Returns the round trip of an echoed PING in seconds; None for an unknown, old or repeated nonce.

        Raises `LinkFault` if the device's clock ran backwards between two PINGs.
        """
        sent_at = self._sent.pop(nonce, None)
        if sent_at is None:
            return None
        highest, seen_at = self._highest_tick
        if tick_us < highest and sent_at > seen_at:  # two PINGs under way at once may overtake each other
            raise LinkFault("proto_unexpected", "the device's clock ran backwards without a new boot")
        if tick_us > highest:
            self._highest_tick = (tick_us, now)
        self._echoed_at = now
        if nonce not in self._moved:
            self.clock.sample(sent_at, now, tick_us)
            if self.time is not None:
                self.time.echo(sent_at, now, tick_us)
        self._moved.discard(nonce)
        return now - sent_at

    def was_paused(self, nonce: bytes) -> bool:
        """Returns True for a PING that was under way while our own loop stood still."""
        return nonce in self._moved

    def verify_not_stale(self, now: float) -> None:
        """Raises `LinkFault` (timeout_liveness) if no echo came for too long."""
        if now >= self._echoed_at + self._stale_after_s:
            half = ", though frames come in" if self._is_half_dead(now) else ""
            raise LinkFault("timeout_liveness", f"no PING was echoed for {self._stale_after_s:g} s{half}")

    def changes(self, now: float) -> list[HostEvent]:
        """Returns what is new since the last call: suspect, other suspicion, or recovered."""
        state = Suspect(self._is_half_dead(now)) if now >= self._echoed_at + SUSPECT_AFTER_S else None
        if state == self._told:
            return []
        self._told = state
        return [state or Recovered()]

    def next_deadline(self, now: float) -> float:
        """Returns when `ping` or `changes` may have something to do."""
        earliest = min(self._next_ping, self._echoed_at + self._stale_after_s)
        for heard_at in (self._echoed_at, self._heard_at):
            if now < heard_at + SUSPECT_AFTER_S < earliest:
                earliest = heard_at + SUSPECT_AFTER_S
        return earliest

    def extend(self, lag_s: float) -> None:
        """Moves all deadlines; PINGs under way get the time too."""
        self._echoed_at += lag_s
        self._heard_at += lag_s
        self._highest_tick = (self._highest_tick[0], self._highest_tick[1] + lag_s)
        self._moved = set(self._sent)
        self._sent = OrderedDict((nonce, sent + lag_s) for nonce, sent in self._sent.items())

    def _is_half_dead(self, now: float) -> bool:
        return now < self._heard_at + SUSPECT_AFTER_S
