"""The faults of remote I/O on a bus: at the wire, in a unit, at the relay. Written like every other fault.

`unit` 0 = any. `times` 0 = lasting. A fault begins at once, or with the lock-out that @N names.
"""

from simulators.scenario.fault_kind import REMOTE_IO, FaultKind

_ANY = {"unit": "0", "times": "1"}


def _fault(effect: str, **parameters: str) -> FaultKind:
    return FaultKind(effect, (REMOTE_IO,), parameters)


BUS_FAULTS: dict[str, FaultKind] = {
    # answers that are none
    "bus_exception": _fault("`unit` answers exception `code`, `times` times.", code="4", **_ANY),
    "bus_silent": _fault("`unit` answers nothing for `for` s (0: for good).", unit="1", **{"for": "0"}),
    "bus_late": _fault("`unit` answers `by` s late, `times` times.", by="0.25", **_ANY),
    "bus_wrong_unit": _fault("`unit` answers in the name of the next address, `times` times.", **_ANY),
    "bus_wrong_function": _fault("`unit` answers another function, `times` times.", **_ANY),
    "bus_wrong_count": _fault("`unit` answers one byte more than was asked for, `times` times.", **_ANY),
    "bus_echo": _fault("The adapter hears what it sends, `times` times.", **_ANY),
    "bus_crc": _fault("Each `each`-th answer has a wrong check, `times` times.", each="3", unit="0", times="0"),
    "bus_gap": _fault("`unit` pauses for `by` s in the middle of an answer, `times` times.", by="0.0023", **_ANY),
    "bus_twins": _fault(
        "A second unit has the address of `unit` and answers too, `times` times.", unit="1", times="0"
    ),
    "bus_neighbour": _fault(
        "A second master on the bus asks a unit of its own each `every` s, for `for` s, and gets its answer.",
        every="0.3",
        **{"for": "3"},
    ),
    "bus_babble": _fault("Somebody sends noise for `for` s.", **{"for": "1"}),
    # units that are not what they seem
    "unit_stranger": _fault("`unit` is another one: its identity registers differ.", unit="1"),
    "unit_restart": _fault(
        "`unit` loses its power for a moment: coils off, watchdog as the factory set it.", unit="1"
    ),
    "watchdog_zero": _fault("The watchdog register of `unit` reads 0 whatever was written.", unit="1"),
    "watchdog_ignored": _fault("`unit` takes a new watchdog time and keeps the old one of a minute.", unit="1"),
    "watchdog_fires": _fault("The watchdog of `unit` switches its coils off although it is asked.", unit="1"),
    "coil_ignored": _fault("`unit` takes a coil and does not set it, `times` times.", unit="1", times="0"),
    # relay and sensors
    "relay_welded": _fault("The lock-out relay stays where it is when its coil goes off."),
    "relay_slow": _fault("The lock-out relay moves `by` s late.", by="0.3"),
    "contact_flickers": _fault("The relay's contact reads wrong at one look."),
    "curtain": _fault("Light from outside: every sensor reads covered for `for` s.", **{"for": "0.5"}),
    "chatters": _fault(
        "The sensor of `seat` reads on and off for `for` s (0: for good).", seat="1", **{"for": "0"}
    ),
}
"""Name -> fault. The numbers of the catalogue stand in `docs/modbus.md`."""
