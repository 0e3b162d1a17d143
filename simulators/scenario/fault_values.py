"""The allowed values of a fault's numbers; others would be nonsense or break the simulator."""

from collections.abc import Mapping

Range = tuple[float, float]

LONGEST_S, OFTEN, U16, U32 = 7 * 24 * 3600, 1_000_000, 65_535, 2**32 - 1

RANGES: Mapping[str, Range] = {
    "after": (0, LONGEST_S), "for": (0, LONGEST_S), "by": (0, 3600), "apart": (0, 60), "jump": (-LONGEST_S, LONGEST_S),
    "card": (0, 1000), "cards": (0, 416), "stack": (1, 60), "seat": (1, 15), "tries": (1, 255), "code": (0, U16),
    "times": (0, OFTEN), "every": (1, OFTEN), "skip": (0, OFTEN), "each": (1, OFTEN), "reports": (1, 4096),
    "counter": (1, U32), "unit": (0, 247), "bytes": (0, 100_000), "bits": (1, 8), "rate": (0, 1),
}  # fmt: skip
"""Least and most value of a parameter, both included."""

OF_FAULT: Mapping[tuple[str, str], Range] = {
    ("miscount", "by"): (-416, 416),
    ("late_chip", "seat"): (0, 15),
    ("chip_gone", "seat"): (0, 15),
    ("blinded", "seat"): (0, 15),
    ("bounce", "times"): (0, 100),
    ("flood", "rate"): (1, 100_000),
    ("flood", "for"): (0, 3600),
    ("boot_loop", "every"): (0.01, LONGEST_S),
    ("chatter", "every"): (0.01, LONGEST_S),
    ("wire_bunch", "every"): (0, 60),
    ("wire_slow", "rate"): (1, OFTEN),
    ("wire_gap", "for"): (0, 3600),
    ("frame_tick", "rate"): (0, 1000),
    ("frame_length", "by"): (-U16, U16),
    ("frame_seq", "by"): (-U16, U16),
    ("frame_counter", "by"): (-OFTEN, OFTEN),
    ("frame_log_last", "by"): (-OFTEN, OFTEN),
    ("frame_error", "code"): (1, U16),
    ("bus_exception", "code"): (1, 255),
    ("bus_babble", "for"): (0, 600),
    ("bus_neighbour", "every"): (0.05, 600),
    ("bus_neighbour", "for"): (0, 600),
    ("unit_stranger", "unit"): (1, 247),
    ("unit_restart", "unit"): (1, 247),
    ("watchdog_zero", "unit"): (1, 247),
    ("watchdog_ignored", "unit"): (1, 247),
    ("watchdog_fires", "unit"): (1, 247),
    ("coil_ignored", "unit"): (1, 247),
}
"""Where one fault bears other values under a name than the rest."""


def allowed(fault: str, key: str) -> Range:
    """Returns the least and greatest value of `key` of `fault`."""
    return OF_FAULT.get((fault, key)) or RANGES[key]
