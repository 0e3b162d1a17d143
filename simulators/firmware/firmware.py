"""The misbehaviour of a device's firmware: commands, boots, log, or too much talk.

No I/O and no clock; `now` is real seconds. A fault leaves the device's book when it happens.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256

from drivers.protocol.device.link import DeviceLink
from drivers.protocol.device.log import ReportLog
from drivers.protocol.messages import Identity, LogSpan
from drivers.protocol.reports import Capability
from simulators.scenario.faults import Fault, FaultBook

OF_COMMANDS = ("hang_on_command", "no_answer", "not_done", "done_twice", "lock_slow")
OTHER_SERIAL, OTHER_FIRMWARE = "SIM-OTHER", "0.0.0-other"
MOST_AT_ONCE = 256
"""Reports of a flood in one moment, where the clock jumped over many."""


@dataclass(slots=True)
class _Repeating:
    """Something that repeats each `every` seconds, `left` times more, next at `due`."""

    name: str
    every: float
    left: int
    due: float


class _LogFrom(ReportLog):
    """A boot's log whose first report does not have number 1."""

    def __init__(self, boot: int, counter: int) -> None:
        super().__init__()
        self._spans[boot] = LogSpan(boot, counter, counter - 1)


def edit(log: ReportLog, what: str) -> None:
    """Changes a log as an attacker with access to its memory but without the key: only the chain is wrong.

    The log must be long enough (`can_edit`).
    """
    boot, counter = next(reversed(log._records))
    newest = log._records.pop((boot, counter))
    if what == "changed":
        log._records[boot, counter] = replace(newest, tick_us=newest.tick_us + 1)
    else:
        first = log._spans[boot].first
        log._records[boot, counter - 1] = replace(newest, counter=counter - 1)
        log._spans[boot] = LogSpan(boot, first, counter - 1)


def can_edit(log: ReportLog, what: str) -> bool:
    """Returns True if the newest boot has the reports that `edit` changes: one, or two if one is left out."""
    if not log._records:
        return False
    boot, counter = next(reversed(log._records))
    return what == "changed" or (boot, counter - 1) in log._records


def swap_image(link: DeviceLink) -> None:
    """Returns the program memory with every byte changed, as after an attack while running."""
    image = link._holder._image
    link._holder._image = None if image is None else bytes(byte ^ 0xFF for byte in image)


class Firmware:
    """The oddities of one device over its boots."""

    def __init__(self, faults: FaultBook) -> None:
        self._faults = faults
        self._repeating: list[_Repeating] = []

    def arm(self, fault: Fault, now: float) -> bool:
        """Begins a lasting fault; returns False for any other fault."""
        match fault.name:
            case "flood":
                every = 1 / max(1, fault.number("rate"))
                times = int(fault.real("for") / every)
                self._repeating.append(_Repeating("flood", every, times, now))
            case "chatter" | "boot_loop" as name:
                every = fault.real("every")
                self._repeating.append(_Repeating(name, every, fault.number("times"), now + every))
            case _:
                return False
        return True

    def due(self, now: float) -> list[str]:
        """Returns the names of what happens now, once for each time."""
        happening: list[str] = []
        for each in self._repeating:
            while each.left and each.due <= now and len(happening) < MOST_AT_ONCE:
                happening.append(each.name)
                each.left -= 1
                each.due += each.every
        self._repeating = [each for each in self._repeating if each.left]
        return happening

    def next_due(self) -> float | None:
        """Returns when the next repetition is due, in seconds; None if nothing repeats."""
        return min((each.due for each in self._repeating), default=None)

    def quiet(self) -> None:
        """Ends all lasting faults."""
        self._repeating.clear()

    def at_command(self, occasion: int) -> Fault | None:
        """Returns the fault of the command that came, if there is one."""
        return next((f for name in OF_COMMANDS if (f := self._faults.take(name, occasion))), None)

    def boot_id(self, former: int, fresh: Callable[[], int], occasion: int) -> int:
        """Returns the id of a new boot: a fresh one, or the former under the fault `boot_kept`."""
        return former if former and self._faults.take("boot_kept", occasion) else fresh()

    def log_at_boot(self, kept: ReportLog, boot: int, *, keeps: bool, occasion: int) -> ReportLog:
        """Returns the log that the new boot begins with. `keeps`: the log outlives a power cut."""
        if late := self._faults.take("counter_at", occasion):
            return _LogFrom(boot, late.number("counter"))
        if small := self._faults.take("log_small", occasion):
            return ReportLog(small.number("reports"))
        return kept if self._faults.take("log_kept", occasion) or keeps else ReportLog(kept.depth)

    def tamper(self, log: ReportLog, link: DeviceLink | None, occasion: int) -> None:
        """Does to log and program memory what is armed and possible now; the rest waits."""
        for what in ("changed", "left_out"):
            if can_edit(log, what) and self._faults.take_like("log_edited", occasion, what=what):
                edit(log, what)
        if link is not None and self._faults.take("image_swapped", occasion):
            swap_image(link)

    def key(self, honest: bytes | None, occasion: int) -> bytes | None:
        """Returns the device's key from this boot on."""
        wrong = honest is not None and self._faults.take("key_wrong", occasion)
        return bytes(byte ^ 0xFF for byte in honest) if wrong and honest else honest

    def image(self, honest: bytes | None, occasion: int) -> bytes | None:
        """Returns the image that runs from this boot on, whatever hash the device claims."""
        wrong = honest is not None and self._faults.take("image_wrong", occasion)
        return bytes(byte ^ 0xFF for byte in honest) if wrong and honest else honest

    def identity(self, honest: Identity, occasion: int) -> Identity:
        """Returns the identity that the device claims from this boot on."""
        fault = self._faults.take("identity", occasion)
        if fault is None:
            return honest
        if fault.text("serial") == "other":
            honest = replace(honest, serial=OTHER_SERIAL)
        if fault.text("firmware") == "other":
            honest = replace(
                honest, firmware=OTHER_FIRMWARE, firmware_hash=sha256(OTHER_FIRMWARE.encode()).digest()
            )
        if (lacks := fault.text("lacks")) != "none":
            able = tuple(c for c in honest.capabilities if c is not Capability(lacks))
            honest = replace(honest, capabilities=able)
        return honest
