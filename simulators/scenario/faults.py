"""Named faults of simulated devices: what goes wrong, on which occasion, with which parameters.

A fault is written `NAME[@N][:key=value]...`. N is the occasion: the N-th shuffle, deal or lock-out of the device
since the start (faults of dealing count deals); without N the fault happens as soon as it can. Each happens once.
Models ask for faults where they would happen; nothing here touches a device.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import field
from math import isfinite

from drivers.protocol.records import dataclass
from simulators.bus.faults import BUS_FAULTS
from simulators.cable.wire_faults import WIRE_FAULTS
from simulators.devices.cards import Witness, unseen
from simulators.firmware.faults import FIRMWARE_FAULTS
from simulators.scenario.fault_kind import ALL, DEALERS, LINES, PROGRESSIVE, REMOTE_IO, SHOE, SHUFFLER, FaultKind
from simulators.scenario.fault_values import allowed

_SPAN = {"after": "0.5", "for": "0"}

FAULTS: dict[str, FaultKind] = {
    # cards standing still
    "jam": FaultKind(
        "Card number `card` of a shuffle sticks at `place`; cards stay inside until hands take them out.",
        (SHUFFLER,),
        {"card": "20", "place": "rack|infeed|output"},
    ),
    "jam_self_cleared": FaultKind(
        "As jam, but the device frees the card by itself after `tries` attempts and goes on.",
        (SHUFFLER,),
        {"card": "20", "place": "rack|infeed|output", "tries": "2"},
    ),
    "jam_dealing": FaultKind(
        "The first card of stack `stack` sticks; it and the rest stay inside.", DEALERS, {"stack": "2"}
    ),
    "jam_dealing_self_cleared": FaultKind(
        "The first card of stack `stack` sticks, but the device frees the card by itself after `tries` attempts and goes on.",
        DEALERS,
        {"stack": "2", "tries": "2"},
    ),
    "stop": FaultKind("The shuffle stops at card `card` without a jam.", (SHUFFLER,), {"card": "20"}),
    "timeout": FaultKind(
        "The feed slips at card `card` until the time of a cycle is over.", (SHUFFLER,), {"card": "20"}
    ),
    "stop_dealing": FaultKind("The deal stops before stack `stack` is out.", DEALERS, {"stack": "2"}),
    "fail_to_deal": FaultKind("Stack `stack` does not come although the device tried.", DEALERS, {"stack": "2"}),
    # cards that are not what they should be
    "count_low": FaultKind(
        "`cards` cards are really missing from the set when it is loaded.", DEALERS, {"cards": "1"}
    ),
    "count_high": FaultKind(
        "`cards` cards too many are really in the set when it is loaded.", DEALERS, {"cards": "1"}
    ),
    "miscount": FaultKind("The set is right, but the counter is off by `by`.", (SHUFFLER,), {"by": "-1"}),
    "set_misread": FaultKind("The set is right, but the reader takes one card for another.", (SHUFFLER,)),
    "identity_wrong": FaultKind("One card is missing and another is there twice, so the count is right.", DEALERS),
    "foreign_back": FaultKind("One card of the set has the back of another one.", DEALERS),
    "unreadable": FaultKind("No reader can read `cards` cards of the set.", DEALERS, {"cards": "1"}),
    "face_up": FaultKind("`cards` cards lie face up in the set when it is loaded.", DEALERS, {"cards": "1"}),
    "double_feed": FaultKind(
        "Stack `stack` has one card too many; with `seen` no the device does not notice.",
        DEALERS,
        {"stack": "2", "seen": "yes|no"},
    ),
    "missed_feed": FaultKind(
        "Stack `stack` has one card too few; with `seen` no the device does not notice.",
        DEALERS,
        {"stack": "2", "seen": "yes|no"},
    ),
    "cycle_in_deal": FaultKind(
        "A shoe that reshuffles says before stack `stack` that it has done so.", (SHOE,), {"stack": "2"}
    ),
    # a shoe that hands deal from, card by card; draw 0 is the next one
    "drawn_double": FaultKind("Two cards leave at draw `card`, and one is reported.", (SHOE,), {"card": "0"}),
    "drawn_untold": FaultKind("The card of draw `card` is not told.", (SHOE,), {"card": "0"}),
    "told_twice": FaultKind("The card of draw `card` is reported twice.", (SHOE,), {"card": "0"}),
    "misread": FaultKind("The card of draw `card` is read as another one.", (LINES,), {"card": "0"}),
    "key_turned": FaultKind(
        "Before draw `card` somebody turns the key of the shoe to `to`.",
        (SHOE,),
        {"card": "0", "to": "burn|diagnostic"},
    ),
    "cutting_card_missing": FaultKind("No cutting card lies in the set.", (SHOE,)),
    # hands where they should not be
    "lid": FaultKind("Somebody opens the lid `after` seconds into the occasion.", DEALERS, {"after": "1"}),
    "late_chip": FaultKind(
        "A chip is put down `after` seconds after the lock-out, at `seat` (0: the first without a chip).",
        (PROGRESSIVE,),
        {"seat": "0", "after": "0.5"},
    ),
    "chip_gone": FaultKind(
        "A chip is lifted `after` seconds after the lock-out, at `seat` (0: the first with a chip).",
        (PROGRESSIVE,),
        {"seat": "0", "after": "0.5"},
    ),
    "stuck": FaultKind(
        "From `after` seconds into the occasion the sensor of `seat` reads `as` for good, whatever lies on it.",
        (PROGRESSIVE,),
        {"seat": "1", "as": "on|off", "after": "0"},
    ),
    "blinded": FaultKind(
        "Light from outside: the sensors of `seat` (0: all) read `as` for `for` s, and with `told` yes the device says so.",
        (PROGRESSIVE,),
        {"seat": "0", "as": "on|off", "after": "0", "for": "0.5", "told": "no|yes"},
    ),
    "bounce": FaultKind(
        "The next chip at `seat` is sensed, lost and sensed again `times` times.",
        (PROGRESSIVE,),
        {"seat": "1", "times": "2"},
    ),
    # the device as a whole
    "self_test": FaultKind("The self-test at the next power-up fails with `code`.", ALL, {"code": "7"}),
    "service_due": FaultKind("The service counter comes due.", ALL, {"after": "0"}),
    "hang": FaultKind("The firmware hangs `after` s into the occasion, for `for` s (0: until woken).", ALL, _SPAN),
    "unplug": FaultKind(
        "The cable is out `after` s into the occasion, for `for` s (0: until replugged).", ALL, _SPAN
    ),
    "power_loss": FaultKind(
        "The power fails `after` s into the occasion, for `for` s (0: until power_on).", ALL, _SPAN
    ),
    "reboot": FaultKind("The firmware restarts `after` s into the occasion.", ALL, {"after": "0.5"}),
    **FIRMWARE_FAULTS,
    **WIRE_FAULTS,
    **BUS_FAULTS,
}

OF_ANY_BUS = (
    "late_chip", "chip_gone", "stuck", "bounce", "hang", "unplug", "power_loss", "reboot",
    "wire_drop", "wire_corrupt", "wire_double",
)  # fmt: skip
"""Faults of a progressive that one made of remote I/O can have as well."""

OF_FRAMES = ("wire_undelimit", "wire_redelimit", "wire_echo")
"""Faults of a cable that ask for zero bytes between frames, or for a host that speaks."""
OF_LINES = (
    "count_low", "count_high", "identity_wrong", "foreign_back", "unreadable", "face_up",
    "drawn_double", "drawn_untold", "told_twice", "misread", "key_turned",
    "hang", "unplug", "power_loss", "reboot",
    *(name for name in WIRE_FAULTS if not name.startswith("frame_") and name not in OF_FRAMES),
)  # fmt: skip
"""Faults of a reading shoe that one has as well that only writes lines, and never listens."""

SHOE_ALIASES = {"jam": "jam_dealing", "jam_self_cleared": "jam_dealing_self_cleared", "stop": "stop_dealing"}
"""A shoe does nothing but deal, so there the short names mean the deal."""

NEVER = float("inf")
MOST_DIGITS = 9

WIRE = tuple(WIRE_FAULTS)
"""Faults of the wire: they have no occasion, and begin at once."""


class FaultError(ValueError):
    """An unknown fault, one that the device cannot have, or an unknown parameter."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One armed fault. `at`: occasion from 1; None = the next one. `given`: the written parameters."""

    name: str
    at: int | None = None
    given: Mapping[str, str] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """Returns a parameter of the fault; its first choice where none was given."""
        return self.given.get(key) or _choices(FAULTS[self.name].parameters[key])[0]

    def number(self, key: str) -> int:
        """Returns a parameter of the fault as a whole number."""
        return int(self.text(key))

    def real(self, key: str) -> float:
        """Returns a parameter of the fault as a number."""
        return float(self.text(key))

    def __str__(self) -> str:
        at = "" if self.at is None else f"@{self.at}"
        return f"{self.name}{at}" + "".join(f":{k}={v}" for k, v in self.given.items())


def known_to(device: str) -> list[str]:
    """Returns the faults that a device can have; remote I/O has chips, cable and power like any progressive unit."""
    if device == LINES:
        return list(OF_LINES)
    return [n for n, k in FAULTS.items() if device in k.devices or (device == REMOTE_IO and n in OF_ANY_BUS)]


def is_occasion(text: str) -> bool:
    """Returns True for an occasion number, from 1, that a bench could reach."""
    return text.isdecimal() and len(text) <= MOST_DIGITS and int(text) > 0


def parse(text: str, device: str) -> Fault:
    """Parses `NAME[@N][:key=value]...`. Raises `FaultError` that names the error and similar names."""
    head, *pairs = text.split(":")
    name, _, at = head.partition("@")
    if device == SHOE:
        name = SHOE_ALIASES.get(name, name)
    kind = FAULTS.get(name)
    mine = known_to(device)
    if kind is None or name not in mine:
        mine += SHOE_ALIASES if device == SHOE else ()
        near = difflib.get_close_matches(name, mine, 1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(mine)}"
        raise FaultError(f"{text!r}: no fault {name!r} for a {device}; {hint}")
    if "@" in head and not is_occasion(at):
        raise FaultError(f"{text!r}: the occasion after @ is a number from 1 to {10**MOST_DIGITS - 1}")
    given = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if key not in kind.parameters:
            raise FaultError(
                f"{text!r}: {name} takes {', '.join(kind.parameters) or 'no parameters'}, not {key!r}"
            )
        given[key] = _checked(text, name, key, value, kind.parameters[key])
    return Fault(name, int(at) if at else None, given)


def _same(one: str, other: str) -> bool:
    """Returns True if two values are equal, also if a number is written otherwise (07)."""
    return one == other or (one.isdecimal() and other.isdecimal() and int(one) == int(other))


def _choices(parameter: str) -> list[str]:
    return parameter.split("|")


def _checked(text: str, fault: str, key: str, value: str, parameter: str) -> str:
    """Returns the value if it is one of the choices, or a number within its range."""
    if "|" in parameter:
        if value not in _choices(parameter):
            raise FaultError(f"{text!r}: {key} is one of {', '.join(_choices(parameter))}, not {value!r}")
        return value
    is_fraction = "." in parameter or key in ("after", "for")
    least, most = allowed(fault, key)
    try:
        number = float(value) if is_fraction else int(value)
        if not isfinite(number):
            raise ValueError
    except (ValueError, OverflowError):
        wanted = "a number" if is_fraction else "a whole number"
        raise FaultError(f"{text!r}: {key} is {wanted}, not {value!r}") from None
    if not least <= number <= most:
        raise FaultError(f"{text!r}: {key} is from {least:g} to {most:g}, not {value}")
    return value


OWN_FAULTS = ("hang", "unplug", "power_loss", "reboot")
"""Faults of the device as a whole, carried out by the simulator's shell; all others happen in the models."""


class FaultBook:
    """The faults still to come. A model takes each where it would happen."""

    def __init__(self, faults: Iterable[Fault] = (), witness: Witness = unseen) -> None:
        self._armed = list(faults)
        self._witness = witness

    def arm(self, fault: Fault) -> None:
        """Adds a fault that will happen when its occasion comes."""
        self._armed.append(fault)

    def disarm(self) -> None:
        """Removes all faults that have not happened."""
        self._armed.clear()

    @property
    def armed(self) -> tuple[Fault, ...]:
        """The faults that have not happened yet."""
        return tuple(self._armed)

    def take(self, name: str, occasion: int, **where: int) -> Fault | None:
        """Takes the fault due on this occasion; None = none is due. `where`: only with these parameters."""
        return self.take_like(name, occasion, **{key: str(value) for key, value in where.items()})

    def take_like(self, name: str, occasion: int, **where: str) -> Fault | None:
        """Takes the fault due on this occasion whose parameters, as words, match; None = none is due."""
        for fault in self._armed:
            due = fault.name == name and fault.at in (None, occasion)
            if due and all(_same(fault.text(key), value) for key, value in where.items()):
                self._armed.remove(fault)
                self._witness("fault", {"fault": str(fault), "occasion": occasion})
                return fault
        return None

    def take_timed(self, name: str, occasion: int, since: float, now: float) -> Fault | None:
        """Takes the fault once its `after` seconds since the occasion's begin (`since`) are over."""
        for fault in self._armed:
            if fault.name == name and self._at(fault, occasion, since) <= now:
                return self.take(name, occasion)
        return None

    def next_timed(self, names: Iterable[str], occasion: int, since: float) -> float | None:
        """Returns when the next of these faults is due; None = none is."""
        wanted = set(names)
        times = [self._at(f, occasion, since) for f in self._armed if f.name in wanted]
        return min((t for t in times if t != NEVER), default=None)

    def take_first(self, names: Iterable[str], occasion: int, since: float, now: float) -> Fault | None:
        """Takes the first due fault, in the order of the names."""
        taken = (self.take_timed(name, occasion, since, now) for name in names)
        return next((fault for fault in taken if fault), None)

    @staticmethod
    def _at(fault: Fault, occasion: int, since: float) -> float:
        if occasion == 0 or fault.at not in (None, occasion):
            return NEVER
        return since + fault.real("after")
