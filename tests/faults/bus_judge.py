"""What must hold of a progressive of remote I/O after every fault. It numbers nothing: its chips and its relay are the truth."""

import json
from typing import Any

from controller.journal.record import Record, Stream
from drivers.device import SessionState
from tests.faults.machine import Bus
from tests.faults.rig import Rig

SERVED = (SessionState.ONLINE, SessionState.FAULTED)
OPEN_ALONE_S = 4.0
"""How long the relay may stay released while the bus is not served: the questions of a new handshake, and a watchdog's time."""

TICK_S = 0.1


def account(device: Bus, rig: Rig, *, lies: bool) -> list[str]:
    """Counters without a hole; in the end what lies there is what is on record; the relay is open only while it may be."""
    records = rig.records()
    inputs = [r for r in records if r.stream is Stream.INPUT]
    wrong = counted(device, inputs)
    wrong += released_unwanted(device, records)
    wrong += [] if lies else covered(device, inputs) + open_alone(device, rig.loop.stalls)
    return wrong


def counted(device: Bus, inputs: list[Record]) -> list[str]:
    """Each boot counts from one; the host counts, so even over a loss no number is left out."""
    boots: dict[str, list[int]] = {}
    for record in inputs:
        if record.origin is not None and record.origin[0] == device.serial:
            boots.setdefault(record.origin[1], []).append(record.origin[2])
    return [
        f"{device.config.name} boot {boot}: recorded as {counters}"
        for boot, counters in boots.items()
        if counters != list(range(1, len(counters) + 1))
    ]


def covered(device: Bus, inputs: list[Record]) -> list[str]:
    """The sensors that are covered, by the record and by the hands that put the chips there."""
    spots: set[tuple[int, int]] = set()
    for record in inputs:
        if record.subject != device.config.name:
            continue
        body: dict[str, Any] = json.loads(record.data)["body"]
        match record.kind:
            case "device_online" | "levels_read":
                bits = body["levels"]["wagers"] or 0
                spots = {(n // 3 + 1, n % 3 + 1) for n in range(bits.bit_length()) if bits >> n & 1}
            case "wager_sensed":
                spots.add((body["seat"], body["sensor"]))
            case "wager_removed":
                spots.discard((body["seat"], body["sensor"]))
    lie = {(seat, sensor) for seat, sensor in device.state("chips")}
    return [] if spots == lie else [f"chips lie at {sorted(lie)}, on record are {sorted(spots)}"]


def released_unwanted(device: Bus, records: list[Record]) -> list[str]:
    """The relay released only after the record wanted it, once for each time."""
    wanted = [
        r.mono_ns
        for r in records
        if r.kind == "level_wanted"
        and (body := json.loads(r.data))["device"] == device.config.name
        and (body["level"], body["value"]) == ("lockout", "released")
    ]
    wrong = []
    for line in device.noted("relay"):
        if line["lockout"] != "released":
            continue
        if not wanted or wanted[0] > line["t"]:
            wrong.append(f"the relay released at {line['t']} and nobody had wanted it")
            continue
        wanted.pop(0)
    return wrong


def open_alone(device: Bus, stalls: list[tuple[float, float]]) -> list[str]:
    """When the relay was not engaged soon on a bus that nobody serves. In a stall the relay itself stood still."""
    moves = [(line["t"] / 1e9, line["lockout"] == "released") for line in device.noted("relay")]
    alone: list[list[float]] = []
    for status in device.states:
        if status.state in SERVED:
            if alone and alone[-1][1] == float("inf"):
                alone[-1][1] = status.since
        elif not alone or alone[-1][1] != float("inf"):
            alone.append([status.since, float("inf")])
    found = []
    for began, ended in alone:
        due = began + OPEN_ALONE_S
        if any(begin <= due <= end + TICK_S for begin, end in stalls):
            continue
        if due < ended and ([is_open for at, is_open in moves if at <= due] or [False])[-1]:
            found.append(f"nobody serves the bus since {began:.2f} and its relay is still released at {due:.2f}")
    return found
