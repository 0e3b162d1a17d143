"""The description of a named fault: effect, possible devices, parameters."""

from collections.abc import Mapping
from dataclasses import field

from drivers.protocol.records import dataclass
from drivers.protocol.reports import DeviceKind

SHUFFLER, SHOE, PROGRESSIVE = DeviceKind.SHUFFLER, DeviceKind.SHOE, DeviceKind.PROGRESSIVE
DEALERS = (SHUFFLER, SHOE)
ALL = (SHUFFLER, SHOE, PROGRESSIVE)
REMOTE_IO = "remote_io"
"""A progressive made of units on a bus: no kind of its own to the table, and faults of its own."""
LINES = "bee-tek"
"""A reading shoe that only writes lines: it numbers nothing, takes no command and keeps no log."""


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One named fault. `effect`: in one sentence. `parameters`: key -> default, or choices as `a|b`, default
    first."""

    effect: str
    devices: tuple[str, ...]
    parameters: Mapping[str, str] = field(default_factory=dict)
