"""A configuration descriptor, from bytes to what pyusb asks for. Only USB/IP needs it: libusb does this by itself."""

import errno
from types import SimpleNamespace

import usb.core

from drivers.protocol.records import dataclass

CONFIGURATION, INTERFACE, ENDPOINT = 2, 4, 5


@dataclass(frozen=True, slots=True)
class Configuration:
    """One configuration. Its parts have the names of the USB specification, as pyusb reads them."""

    head: SimpleNamespace
    interfaces: dict[tuple[int, int], tuple[SimpleNamespace, list[SimpleNamespace]]]

    @classmethod
    def parse(cls, raw: bytes) -> "Configuration":
        """From the bytes of one configuration with all that belongs to it. Raises `USBError` where they make no sense."""
        head: SimpleNamespace | None = None
        interfaces: dict[tuple[int, int], tuple[SimpleNamespace, list[SimpleNamespace]]] = {}
        numbers: list[int] = []
        last = None
        for part in _parts(raw):
            if part[1] == CONFIGURATION and len(part) == 9:
                head = _head(part)
            elif part[1] == INTERFACE and len(part) == 9:
                if part[2] not in numbers:
                    numbers.append(part[2])
                last = (numbers.index(part[2]), part[3])
                interfaces[last] = (_interface(part), [])
            elif part[1] == ENDPOINT and len(part) >= 7 and last is not None:
                interfaces[last][1].append(_endpoint(part))
        if head is None:
            raise usb.core.USBError("no configuration descriptor", -1, errno.EIO)
        return cls(head, interfaces)

    def descriptor(self, index: int) -> SimpleNamespace:
        """Configuration number `index`. Raises `IndexError`: there is one."""
        if index:
            raise IndexError(index)
        return self.head

    def interface(self, index: int, setting: int) -> SimpleNamespace:
        """Raises `IndexError` for one that is not there."""
        return self._at(index, setting)[0]

    def endpoint(self, endpoint: int, index: int, setting: int) -> SimpleNamespace:
        """Raises `IndexError` for one that is not there."""
        return self._at(index, setting)[1][endpoint]

    def _at(self, index: int, setting: int) -> tuple[SimpleNamespace, list[SimpleNamespace]]:
        if (index, setting) not in self.interfaces:
            raise IndexError((index, setting))
        return self.interfaces[index, setting]


def _parts(raw: bytes) -> list[bytes]:
    """The descriptors one behind the other; a length that cannot be ends them."""
    parts, at = [], 0
    while at + 2 <= len(raw) and raw[at] >= 2 and at + raw[at] <= len(raw):
        parts.append(raw[at : at + raw[at]])
        at += raw[at]
    return parts


def _head(part: bytes) -> SimpleNamespace:
    return SimpleNamespace(
        bLength=9, bDescriptorType=CONFIGURATION, wTotalLength=int.from_bytes(part[2:4], "little"),
        bNumInterfaces=part[4], bConfigurationValue=part[5], iConfiguration=part[6], bmAttributes=part[7],
        bMaxPower=part[8], extra_descriptors=[],
    )  # fmt: skip


def _interface(part: bytes) -> SimpleNamespace:
    return SimpleNamespace(
        bLength=9, bDescriptorType=INTERFACE, bInterfaceNumber=part[2], bAlternateSetting=part[3], bNumEndpoints=part[4],
        bInterfaceClass=part[5], bInterfaceSubClass=part[6], bInterfaceProtocol=part[7], iInterface=part[8],
        extra_descriptors=[],
    )  # fmt: skip


def _endpoint(part: bytes) -> SimpleNamespace:
    return SimpleNamespace(
        bLength=7, bDescriptorType=ENDPOINT, bEndpointAddress=part[2], bmAttributes=part[3],
        wMaxPacketSize=int.from_bytes(part[4:6], "little"), bInterval=part[6], bRefresh=0, bSynchAddress=0,
        extra_descriptors=[],
    )  # fmt: skip
