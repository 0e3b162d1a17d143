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
    kind: ClassVar[str] = "take_device_out"
    device: str
    how: OutOfService
    failed: bool = True


class ReturnDevice(Act, frozen=True):
    kind: ClassVar[str] = "return_device"
    device: str


class ChangeMethod(Act, frozen=True):
    kind: ClassVar[str] = "change_method"
    method: Method
