"""The units of a bus, as a `[[device]]` that speaks Modbus lists them: each with its address and what its terminals mean."""

import re

from controller.readers.table import Table
from drivers.catalog import Codec
from drivers.device import DeviceConfig
from drivers.events import DeviceKind
from drivers.modbus.units import MAX_SEATS, MAX_SENSORS, Spot, Unit, misfits

WORDS = re.compile(r"[0-9A-Fa-f]{4}( [0-9A-Fa-f]{4}){0,15}")
"""Registers as a person writes them down: four hex digits each."""
LAST = 0xFFFF
"""The highest number of a register, an input or a coil."""
MAX_SERIAL_WORDS = 16
MAX_TICK_MS = 1000


def read_units(device: Table) -> tuple[Unit, ...]:
    """Every `[[device.unit]]` in order; a fault for each thing that could not be read, unknown keys included."""
    return tuple(_unit(section) for section in device.tables("unit", "name"))


def verify_units(section: Table, device: DeviceConfig) -> None:
    """Units stand where Modbus is spoken and nowhere else, and together they are one progressive."""
    if device.codec is not Codec.MODBUS:
        if device.units:
            section.fault("unit", 'units stand on a bus; a device that has them speaks = "modbus"', "key_unfit")
    elif device.kind is not DeviceKind.PROGRESSIVE:
        section.fault("speaks", f"remote I/O is a progressive and no {device.kind}", "key_unfit")
    else:
        for misfit in misfits(device.units):
            section.fault("unit", misfit, "units_unfit")


def _unit(section: Table) -> Unit:
    identity = section.table("identity")
    words = identity.text("words", None, WORDS)
    identity_register = identity.whole("register", 0, LAST)
    identity.close()
    serial_register = serial_words = 0
    if "serial" in section:
        serial = section.table("serial")
        serial_register = serial.whole("register", 0, LAST)
        serial_words = serial.whole("words", 1, MAX_SERIAL_WORDS)
        serial.close()
    watchdog, tick_ms = None, 1
    if "watchdog" in section:
        guard = section.table("watchdog")
        watchdog, tick_ms = guard.whole("register", 0, LAST), guard.whole("tick_ms", 1, MAX_TICK_MS, 1)
        guard.close()
    inputs, coils = section.table("inputs"), section.table("coils")
    unit = Unit(
        address=section.whole("address", 1, 247),
        identity_register=identity_register,
        identity=tuple(int(word, 16) for word in words.split()) if identity.is_sound else (),
        serial_register=serial_register,
        serial_words=serial_words,
        sensors=_sensors(inputs),
        button=inputs.maybe_whole("button", 0, LAST),
        contact=inputs.maybe_whole("contact", 0, LAST),
        lockout=coils.maybe_whole("lockout", 0, LAST),
        lamps=_lamps(coils),
        watchdog=watchdog,
        watchdog_tick_ms=tick_ms,
    )
    for part in (inputs, coils, section):
        part.close()
    return unit


def _sensors(inputs: Table) -> dict[Spot, int]:
    """`seat3` is the first sensor of seat 3, `seat3_2` its second."""
    sensors = {}
    for seat in range(1, MAX_SEATS + 1):
        for sensor in range(1, MAX_SENSORS + 1):
            name = f"seat{seat}" if sensor == 1 else f"seat{seat}_{sensor}"
            if (place := inputs.maybe_whole(name, 0, LAST)) is not None:
                sensors[seat, sensor] = place
    return sensors


def _lamps(coils: Table) -> dict[int, int]:
    lamps = {}
    for seat in range(1, MAX_SEATS + 1):
        if (place := coils.maybe_whole(f"lamp{seat}", 0, LAST)) is not None:
            lamps[seat] = place
    return lamps
