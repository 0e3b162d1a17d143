"""What a `[[device]]` may be, once it was read: judged alone, and more strictly for a table in production."""

import re
from pathlib import Path

from controller.config.modbus_units import verify_units
from controller.readers.table import Table
from drivers.catalog import ONLY_LINES, Codec
from drivers.device import DeviceConfig
from drivers.events import DeviceKind
from drivers.keys import KeyRefused, read_key
from drivers.transport.usb_address import USB_SCHEME, UsbAddress

UNSTABLE_NAME = re.compile(r"/dev/tty(?:USB|ACM)\d+")
"""Names that the kernel gives in the order of plugging in: after a restart they may be another device's."""

SIMULATOR_SERIAL = "SIM-"
RESERVED = re.compile("table|lockout|rules|sets|round|last-round|seat-[0-9]+")
"""Names that stand for the table itself where a device's would stand, as in `state/*`."""

MODEM_LINES = ("dsr", "cts")


def verify_device(section: Table, device: DeviceConfig, production: bool, *, reads_key: bool = True) -> None:
    """Names in `section` every fault of a device that was read from it; `reads_key`: also those of its key's file."""
    if RESERVED.fullmatch(device.name):
        section.fault("name", f"{device.name!r} stands for the table itself; choose another", "word_refused")
    if device.key_file is not None:
        _verify_key(section, device, device.key_file, reads=reads_key)
    verify_units(section, device)
    if device.modem_line:
        _verify_modem_line(section, device)
    if production:
        _verify_for_production(section, device)


def _verify_key(section: Table, device: DeviceConfig, key_file: Path, *, reads: bool) -> None:
    """The key is read here only to be judged; the session reads it anew each time it connects."""
    if device.codec is not Codec.TDP:
        section.fault("key_file", f"a device that speaks {device.codec} has no key", "key_unfit")
        return
    if not reads:
        return
    try:
        read_key(key_file)
    except KeyRefused as exc:
        section.fault("key_file", str(exc), "key_file_unfit")


def _verify_modem_line(section: Table, device: DeviceConfig) -> None:
    if device.modem_line not in MODEM_LINES:
        section.fault(
            "modem_line", f"is one of {', '.join(MODEM_LINES)}, not {device.modem_line!r}", "word_unknown"
        )
    if device.codec not in ONLY_LINES or device.path.startswith(USB_SCHEME):
        section.fault(
            "modem_line", "is for a device on a serial port that only writes lines; others answer", "key_unfit"
        )


def _verify_for_production(section: Table, device: DeviceConfig) -> None:
    """In real play each device is one known machine at a name that stays its own."""
    if UNSTABLE_NAME.fullmatch(device.path):
        section.fault(
            "path",
            f"{device.path} may be another device after a restart; use its name under /dev/table/",
            "path_unstable",
        )
    if device.codec is Codec.MODBUS:
        section.fault(
            "speaks",
            "remote I/O keeps no log and proves nothing of itself, so no gap can be closed; it is for benches",
            "bench_only",
        )
    if device.path.startswith(USB_SCHEME) and UsbAddress.parse(device.path).usbip:
        section.fault(
            "path", "a bus over USB/IP is for benches; name the socket of this computer alone", "bench_only"
        )
    if device.codec is Codec.BEETEK:
        section.fault(
            "speaks", "such a shoe cannot prove that its reports are complete; it is for benches", "bench_only"
        )
    if device.kind is DeviceKind.LINE:
        section.fault(
            "kind", "a line device cannot prove that its reports are complete; it is for benches", "bench_only"
        )
    elif device.serial is None:
        section.fault(
            "serial", "is missing; in production each device is known by its serial number", "needed_in_production"
        )
    elif device.serial.upper().startswith(SIMULATOR_SERIAL):
        section.fault("serial", f"{device.serial} is a simulator's", "bench_only")
    if device.codec is Codec.TDP and device.key_file is None:
        section.fault(
            "key_file",
            "is missing; in production a device proves its key, and every frame is sealed with it",
            "needed_in_production",
        )
