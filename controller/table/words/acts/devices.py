"""Acts about devices and the method of dealing."""

from enum import StrEnum
from typing import ClassVar

from controller.rules.vocabulary import Method
from controller.table.words.acts.act import Act


class OutOfService(StrEnum):
    """How a device was taken out of service before another method is used."""

    REMOVED = "removed"
    COVERED = "covered"
    SIGNED = "signed"


class TakeDeviceOut(Act, frozen=True):
    """A device leaves service. `failed`: because it failed."""

    kind: ClassVar[str] = "take_device_out"
    device: str
    how: OutOfService
    failed: bool = True


class ReturnDevice(Act, frozen=True):
    """A device is in service again."""

    kind: ClassVar[str] = "return_device"
    device: str


class ChangeMethod(Act, frozen=True):
    """Cards are dealt by another method from now on."""

    kind: ClassVar[str] = "change_method"
    method: Method
