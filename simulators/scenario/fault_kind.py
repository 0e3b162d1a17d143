"""What a named fault is: its effect, the devices that can have it, and the particulars it takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """`effect`: what it does, in one sentence. `parameters`: key -> default, or the choices with the default first, as `a|b`."""

    effect: str
    devices: tuple[str, ...]
    parameters: Mapping[str, str] = field(default_factory=dict)
