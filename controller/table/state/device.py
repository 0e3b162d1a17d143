"""A device as the table knows it: what it said of itself, what is wanted of it, and whether it is in service."""

from collections.abc import Mapping

from msgspec import Struct, field

from controller.table.words.acts import OutOfService
from drivers.events import Capability, DeviceKind, Level, Levels


class Device(Struct, frozen=True):
    """`awaited`: not heard again since the daemon started. `wanted`: level -> value that shall hold.

    `disturbed`: the shuffle that is running, or ran last, jammed or stopped. `holds`: the set that was shuffled in it last
    and did not come out since, "" = none is known.
    """

    kind: DeviceKind
    online: bool = False
    awaited: bool = False
    serial: str = ""
    model: str = ""
    firmware: str = ""
    firmware_sha256: str | None = None
    config_sha256: str | None = None
    capabilities: frozenset[Capability] = frozenset()
    levels: Levels = field(default_factory=Levels)
    wanted: Mapping[str, str] = field(default_factory=dict)
    jammed: bool = False
    failed: bool = False
    disturbed: bool = False
    holds: str = ""
    out: OutOfService | None = None
    liveness: str = ""  # known | unknown, of a device that only speaks and once was silent for long
    unknown: frozenset[Level] = frozenset()  # levels whose command was never answered, until they are read back

    @property
    def in_service(self) -> bool:
        """True unless a person took it out of service."""
        return self.out is None

    def knows(self, level: Level, value: str) -> bool:
        """True where the device itself said so, and nothing has put it in doubt since."""
        return level not in self.unknown and getattr(self.levels, level.value) == value


ALWAYS_HAS = {DeviceKind.SHOE: Level.DISPENSING, DeviceKind.PROGRESSIVE: Level.LOCKOUT}


def has_level(device: Device, level: Level) -> bool:
    """True where the device has this level by its kind, or said so: neither a batch shuffler nor a shoe that hands deal from
    has anything to inhibit."""
    if getattr(device.levels, level.value, None) is not None:  # nobody reads back what a display shows
        return True
    return ALWAYS_HAS.get(device.kind) is level and Capability.TELLS_DRAWS not in device.capabilities
