"""What has happened to devices: taken out, returned, the method in use, and the levels that shall hold at them."""

from typing import ClassVar

from msgspec import Struct

from controller.rules.vocabulary import Method
from controller.table.words.acts import OutOfService
from drivers.events import IfAny


class DeviceTakenOut(Struct, frozen=True):
    """A person took a device out of service."""

    kind: ClassVar[str] = "device_taken_out"
    device: str
    how: OutOfService
    failed: bool
    by: str


class DeviceReturned(Struct, frozen=True):
    """A person returned a device to service."""

    kind: ClassVar[str] = "device_returned"
    device: str
    by: str


class MethodChanged(Struct, frozen=True):
    """The table deals by another method from now on."""

    kind: ClassVar[str] = "method_changed"
    method: Method
    by: str


class LevelWanted(Struct, frozen=True):
    """The table wants this level at a device from now on; the command goes out after this is durable."""

    kind: ClassVar[str] = "level_wanted"
    device: str
    level: str
    value: str
    operation: int
    because: str


class SecurityAlarm(Struct, frozen=True):
    """Somebody must look at this device, its cable and its seals. `reason`: id of a fault `auth_...`, or one of these.

    `device_changed`: another serial number, model, firmware (by name or by hash) or settings than when it was last here.
    `device_rebooted`: it started anew while the table was open, and nobody had asked it to. `cleared_in_dispute`: it was
    cleared although a disputed round keeps it as it is.
    """

    kind: ClassVar[str] = "security_alarm"
    reason: str
    detail: IfAny[str]
