"""A look at a device that changes nothing: who it is, what it says of itself now, and how good its line is.

No level is asked for and no report acknowledged. A device that hears a host leaves its safe side only when it is asked to,
and at the end it gets BYE.
"""

import asyncio
from collections.abc import Mapping

from drivers.conformance.bare_host import BareHost
from drivers.protocol import messages as m
from drivers.protocol.constants import HELLO_TIMEOUT_S, RTO_FIRST_S, SUSPECT_AFTER_S
from drivers.protocol.framing import CAUSES
from drivers.protocol.payloads import decode_levels
from drivers.protocol.records import dataclass
from drivers.protocol.reports import Levels

PINGS = 10
PING_PERIOD_S = 0.25
HELLO_TRIES = 3


@dataclass(frozen=True, slots=True)
class Silence:
    """Nobody answered as a TDP/1 device. `bytes_in`: bytes that came anyway; `dropped`: how they were counted."""

    bytes_in: int
    dropped: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Probe:
    """What was seen. `levels` None: they could not be read, `why_not` says why. Seconds and microseconds by name.

    `round_trips_s`: of the PINGs that were echoed, of `pings`. `dropped`: bad frames here; `peer_dropped`: those that the
    device counted while we looked. `reports`: those that it sent by itself and that wait for the daemon.
    `needs_key`: it obeys only a host that proves its key, so nothing but its WELCOME is known; `why_not` says what is wrong.
    `key_proven`: both ends have proven the key; `bad_seals`: frames of the device without a right seal since then.
    `clock_ppm`: how fast its clock ran beside ours, None = too short to tell; `clock_error_ppm`: how far that may be off.
    """

    welcome: m.Welcome
    levels: Levels | None
    why_not: str
    pings: int
    round_trips_s: tuple[float, ...]
    tick_us: int
    clock_ppm: float | None
    clock_error_ppm: float
    dropped: Mapping[str, int]
    peer_dropped: Mapping[str, int]
    reports: tuple[m.Event, ...]
    needs_key: bool = False
    key_proven: bool = False
    bad_seals: int = 0

    @property
    def is_clean(self) -> bool:
        """True if every PING came back, nothing was damaged, and the levels could be read."""
        all_echoed = len(self.round_trips_s) == self.pings
        undamaged = not self.dropped and not self.peer_dropped and not self.bad_seals
        return all_echoed and self.levels is not None and undamaged


@dataclass(frozen=True, slots=True)
class _Echo:
    at: float  # the middle of the round trip
    round_trip_s: float
    pong: m.Pong


async def probe(host: BareHost, pings: int = PINGS) -> Probe | Silence:
    """Looks at the device behind an open port for some three seconds. Raises `LinkLost`."""
    welcome = await host.greet(max(HELLO_TIMEOUT_S / 2, 2 * RTO_FIRST_S), HELLO_TRIES)
    if welcome is None:
        return Silence(host.bytes_in, _named(host))
    before = _named(host)
    echoes = []
    for _ in range(pings):
        sent = asyncio.get_running_loop().time()
        if (echo := await host.ping(SUSPECT_AFTER_S)) is not None:
            echoes.append(_Echo(sent + echo[1] / 2, echo[1], echo[0]))
            await host.quiet(PING_PERIOD_S)
        elif host.key_trouble:
            break  # it will answer none of them
    levels, why_not = await _levels(host) if not host.key_trouble else (None, host.key_trouble)
    host.send(m.Bye())
    ppm, error = _clock(echoes)
    return Probe(
        welcome,
        levels,
        why_not,
        pings,
        tuple(echo.round_trip_s for echo in echoes),
        echoes[-1].pong.tick_us if echoes else 0,
        ppm,
        error,
        {cause: n - before.get(cause, 0) for cause, n in _named(host).items() if n > before.get(cause, 0)},
        _peer(echoes),
        tuple(_reports(host)),
        bool(host.key_trouble),
        host.keys is not None,
        host.bad_seals,
    )


async def _levels(host: BareHost) -> tuple[Levels | None, str]:
    seq, since = host.next_seq(), host.mark
    host.send(m.Request(m.GetLevels()), seq)
    if (found := await host.wait(m.Response, since, 1.0, lambda h: h.frame.seq == seq)) is not None:
        data = found[1].levels
        return (None, "it answered without levels") if data is None else (decode_levels(data), "")
    refused = await host.wait(m.Error, since, 0.0, lambda h: h.frame.seq == seq)
    return None, f"it refused ({refused[1].code}): {refused[1].text}" if refused else "no answer"


def _reports(host: BareHost) -> list[m.Event]:
    """Returns each received report once, in the device's order."""
    seen: dict[int, m.Event] = {}
    for heard in host.heard:
        if isinstance(heard.frame.message, m.Event) and heard.frame.session == host.session:
            seen[heard.frame.message.record.counter] = heard.frame.message
    return [seen[counter] for counter in sorted(seen)]


def _clock(echoes: list[_Echo]) -> tuple[float | None, float]:
    """Returns the device clock's speed beside ours in ppm, from first and last echo, and its error bound."""
    if len(echoes) < 2 or (span_s := echoes[-1].at - echoes[0].at) < 1.0:
        return None, 0.0
    theirs_s = (echoes[-1].pong.tick_us - echoes[0].pong.tick_us) / 1e6
    error_s = (echoes[0].round_trip_s + echoes[-1].round_trip_s) / 2
    return (theirs_s / span_s - 1) * 1e6, error_s / span_s * 1e6


def _peer(echoes: list[_Echo]) -> dict[str, int]:
    """Returns the frames that the device dropped between first and last echo, by cause."""
    if len(echoes) < 2:
        return {}
    pairs = zip(CAUSES, echoes[0].pong.dropped, echoes[-1].pong.dropped, strict=True)
    return {cause.value: now - then for cause, then, now in pairs if now != then}


def _named(host: BareHost) -> dict[str, int]:
    return {cause.value: n for cause, n in host.dropped.items() if n}
