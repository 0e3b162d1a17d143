"""Devices that send lines of ASCII text: no check, no counter, no clock, no answer.

The daemon counts their reports, so each report has an identity. Missing lines cannot be detected, and each
`Online` says so. Text is kept unchanged; of damaged input only the count is reported (`Damaged`). The link end has
the methods of `drivers.protocol.host.link.HostLink`.
"""

from collections.abc import Callable, Mapping
from math import inf

from drivers.catalog import LINE_VENDOR
from drivers.errors import Fault
from drivers.protocol.constants import MAX_LINE
from drivers.protocol.host.events import Damaged, Silence
from drivers.protocol.host.link import Failed, HostEvent, LevelRefused, Online, Reported, Welcomed
from drivers.protocol.messages import ERR_UNSUPPORTED, Identity
from drivers.protocol.reports import DeviceKind, Level, Levels, LineUnparsed, Report, ResetCause
from drivers.session.edge import Allowance

GAP_LIMIT_S = 0.5
"""Longest silence inside a line. A line that is cut off for longer is not a line."""

LIVENESS_S = 60.0
"""Without a line for so long nobody knows whether the device is there: its silence is not told from a dead cable."""

FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 8.0
"""Damage is reported at once, then gathered for a second, and for twice as long each time while it goes on: a noisy
cable fills no disk in a day, and no round ends before its damage is reported."""

BACKLOG = 4096 + 65_536
"""Bytes that the tty and its driver keep while we do not read: so many may come at once."""

LINE_END = b"\n"


class LineCodec:
    """Cuts bytes into lines that end in CR LF or LF. Never raises; counts damaged input by cause."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._last_byte = 0.0
        self._skipping = False  # inside a line that is too long, up to its end
        self.oversize = self.partial = self.non_ascii = self.lines = 0

    def feed(self, data: bytes, now: float) -> list[str]:
        """Returns the lines that `data` completes, without line ends and without empty lines. `now`: monotonic
        seconds.

        Does not look at the gap limit, `tick` does: bytes that waited because we were slow are no silence.
        """
        self._last_byte = now
        self._held += data
        if LINE_END not in data:
            self._bound()
            return []
        *raw, rest = bytes(self._held).split(LINE_END)
        self._held = bytearray(rest)
        lines = [line for line in map(self._accept, raw) if line]
        self._bound()
        self.lines += len(lines)
        return lines

    def _accept(self, raw: bytes) -> str:
        """Returns a complete line as text; "" if it is empty or not text."""
        if self._skipping:
            self._skipping = False
            return ""
        line = raw.removesuffix(b"\r")
        if len(line) > MAX_LINE:
            self.oversize += 1
        elif not line.isascii() or not (text := line.decode("ascii")).isprintable():
            self.non_ascii += 1
        else:
            return text
        return ""

    def _bound(self) -> None:
        """Drops what exceeds the longest line, CR included."""
        if self._skipping or len(self._held) > MAX_LINE + 1:
            self.oversize += not self._skipping
            self._skipping = True
            self._held.clear()

    def tick(self, now: float) -> None:
        """Drops a begun line after too long a silence."""
        deadline = self.next_deadline()
        if deadline is not None and now >= deadline:
            self.partial += not self._skipping
            self._skipping = False
            self._held.clear()

    def extend(self, lag_s: float) -> None:
        """Moves the gap limit by `lag_s` seconds."""
        self._last_byte += lag_s

    def next_deadline(self) -> float | None:
        """Returns when a begun line is dropped; None if no line is begun."""
        return self._last_byte + GAP_LIMIT_S if self._held or self._skipping else None


class Damage:
    """Collects a codec's damaged lines until they may be reported."""

    def __init__(self, codec: LineCodec) -> None:
        self._codec = codec
        self._told = (0, 0, 0)
        self._from = -inf
        self._wait_s = FIRST_WAIT_S

    def _found(self) -> tuple[int, int, int]:
        return self._codec.non_ascii, self._codec.oversize, self._codec.partial

    def news(self, now: float) -> list[HostEvent]:
        """Returns all unreported damage as one event, once it may be reported. `now`: monotonic seconds."""
        found = self._found()
        if found == self._told or now < self._from:
            return []
        goes_on = now < self._from + self._wait_s
        self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S) if goes_on else FIRST_WAIT_S
        self._from = now + self._wait_s
        not_text, too_long, cut_off = (n - before for n, before in zip(found, self._told, strict=True))
        self._told = found
        return [Damaged(not_text, too_long, cut_off)]

    def hurry(self, now: float) -> None:
        """Lets all collected damage be reported from now on."""
        self._from = min(self._from, now)

    def next_deadline(self) -> float:
        """Returns when damage is due to be reported; infinity if there is none."""
        return inf if self._found() == self._told else self._from


class LineLink:
    """Link end for one line device; lives as long as the daemon, and is online while its port is open.

    `identity`: from the configuration, because the device cannot say it. `boot`: u64, drawn for each run of the
    daemon; the counter goes on over losses of the port. `read(line, now)`: the grammar of the device.
    `byte_time_s`: seconds a byte; the link ends if more comes than the line can carry; 0 = no limit.
    """

    def __init__(
        self, identity: Identity, *, boot: int, read: Callable[[str, float], Report], byte_time_s: float = 0.0
    ) -> None:
        self._identity = identity
        self._read = read
        self._boot = boot
        self._counter = 0
        self._carries = Allowance(BACKLOG, 1 / byte_time_s) if byte_time_s else None
        self._codec = LineCodec()
        self._damage = Damage(self._codec)
        self._waiting: list[HostEvent] = []
        self._since = 0.0
        self._silent_at = 0.0  # when silence is due to be reported
        self._is_known = True

    def connect(self, now: float) -> None:
        """Starts a connection; the next call reports the device as welcome and online."""
        self._codec.tick(
            now + GAP_LIMIT_S
        )  # the rest of a line from before a loss does not belong to the next one
        self._since, self._silent_at, self._is_known = now, now + LIVENESS_S, True
        welcome = Welcomed(self._identity, self._boot, ResetCause.UNKNOWN, self._counter + 1, self._counter)
        self._waiting = [welcome, Online(gap_closed=False, levels=Levels())]

    def receive(self, data: bytes, now: float) -> list[HostEvent]:
        """Returns one `Reported` for each line. `tick_us` is the host's monotonic clock, because the device has
        none.

        Damage stands before the lines of the same read, so that nobody relies on these lines unwarned.
        """
        events, self._waiting = self._waiting, []
        if self._carries is not None and not self._carries.allows(now, len(data)):
            detail = "it sends more than its line can carry; look what is at the other end, and at the baud rate of its entry"
            return [*events, Failed(Fault.PROTO_FLOOD, detail)]
        tick_us = int(now * 1_000_000)
        lines = self._codec.feed(data, now)
        events += self._damage.news(now)
        if lines:
            self._silent_at = now + LIVENESS_S
            events += [] if self._is_known else [Silence(ended=True)]
            self._is_known = True
        for text in lines:
            self._counter += 1
            events.append(Reported(self._boot, self._counter, tick_us, self._read(text, now), False))
        return events

    def tick(self, now: float) -> list[HostEvent]:
        """Drops a line that does not end; reports collected damage, and each minute without a line."""
        self._codec.tick(now)
        events, self._waiting = self._waiting, []
        events += self._damage.news(now)
        if now >= self._silent_at:
            self._silent_at, self._is_known = now + LIVENESS_S, False
            events.append(Silence(ended=False))
        return events

    def next_deadline(self) -> float | None:
        """Returns when `tick` must be called: now if events wait, otherwise at the next time limit."""
        if self._waiting:
            return self._since
        gap = self._codec.next_deadline()
        return min(self._silent_at, self._damage.next_deadline(), inf if gap is None else gap)

    def data_to_send(self) -> bytes:
        """Returns no bytes: a line device does not listen."""
        return b""

    def acknowledge(self, boot: int, counter: int, now: float) -> None:
        """Does nothing: a line device sends each line once."""

    def set_level(self, level: Level, value: str, operation: int, now: float) -> None:
        """Refuses the command: a line device takes none."""
        self._since = now
        text = "a line device takes no commands"
        self._waiting.append(LevelRefused(level, value, operation, ERR_UNSUPPORTED, text))

    def measure(self, now: float) -> None:
        """Does nothing: the firmware of a line device cannot be measured."""

    def read_levels(self, now: float) -> None:
        """Does nothing: a line device has no levels."""

    def bye(self, now: float) -> None:
        """Lets collected damage be reported at the next `tick`, before a stop or a new link."""
        self._damage.hurry(now)

    def extend_deadlines(self, lag_s: float) -> None:
        """Moves the time limits by the host's own pause, which is no silence of the line."""
        self._codec.extend(lag_s)
        self._silent_at += lag_s

    @property
    def time(self) -> None:
        """None: a line device has no clock."""
        return None

    @property
    def counters(self) -> Mapping[str, int]:
        """Counts lines delivered, and damaged input by cause."""
        codec = self._codec
        return {
            "lines": codec.lines,
            "oversize": codec.oversize,
            "partial": codec.partial,
            "non_ascii": codec.non_ascii,
        }


def line_link(serial: str, *, boot: int, byte_time_s: float = 0.0) -> LineLink:
    """Returns a link end for a device whose lines have no grammar here: each line is kept unchanged."""
    identity = Identity(DeviceKind.LINE, LINE_VENDOR, "ascii line", "", serial, "")
    return LineLink(identity, boot=boot, read=lambda line, _: LineUnparsed(line), byte_time_s=byte_time_s)
