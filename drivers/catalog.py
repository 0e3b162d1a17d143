"""Decides which devices may serve a table, by what each device says of itself and proves, never by its port.

The list of approved firmware is configuration. That simulators serve only in tests is code: no list and no key
makes a simulator a device for real play.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import StrEnum

from drivers.errors import Fault
from drivers.protocol.messages import Identity
from drivers.protocol.records import dataclass
from drivers.protocol.reports import SIMULATED_VENDOR, Capability, DeviceKind

LINE_VENDOR = "unidentified"
"""Vendor under which a line device is listed: it cannot say who it is."""

MODBUS_VENDOR = "remote i/o"
"""Vendor under which a progressive of remote I/O is listed; the units do not name their maker."""

BEETEK_VENDOR = "bee-tek"
"""Vendor under which a shoe that sends its lines is listed: it does not say who it is."""

TEST_VENDORS = frozenset({SIMULATED_VENDOR, LINE_VENDOR, MODBUS_VENDOR, BEETEK_VENDOR})
"""Vendors whose devices are for tests only, whatever a list says of them."""


class Codec(StrEnum):
    """The wire language of a device."""

    TDP = "tdp/1"
    LINE = "line"
    MODBUS = "modbus"  # remote I/O on an RS-485 bus
    BEETEK = "bee-tek"  # the lines of one reading shoe


ONLY_LINES = (Codec.LINE, Codec.BEETEK)
"""Devices that write lines, hear nothing and keep nothing."""


class Approval(StrEnum):
    """Whether a firmware may run at a table with real play."""

    APPROVED = "approved"
    TEST_ONLY = "test_only"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Firmware:
    """One approved firmware of one model. `sha256`: 32 bytes. `image`: its bytes; None = it is not measured.

    `config`: SHA-256 of the settings that are approved with it, None = any.
    """

    vendor: str
    model: str
    kind: DeviceKind
    sha256: bytes
    approval: Approval
    image: bytes | None = field(default=None, repr=False)
    config: bytes | None = None


@dataclass(frozen=True, slots=True)
class Rejection:
    """Says why a device may not serve this table, and what a person has to check."""

    fault: Fault
    detail: str


LEAST: Mapping[DeviceKind, frozenset[Capability]] = {
    DeviceKind.SHUFFLER: frozenset(),
    DeviceKind.SHOE: frozenset(),
    DeviceKind.PROGRESSIVE: frozenset({Capability.LOCKOUT, Capability.SENSES_WAGERS}),
    DeviceKind.LINE: frozenset(),
}
"""What a device of each kind must be able to do, however it is spoken to; one that speaks TDP keeps a log too."""

SHOES = (Capability.DISPENSES_STACKS, Capability.TELLS_DRAWS)
"""A shoe gives out stacks, or tells of each card that hands draw from it; one that does neither is of no use."""


def codec_of(kind: DeviceKind) -> Codec:
    """Returns the wire language that devices of this kind usually speak."""
    return Codec.LINE if kind is DeviceKind.LINE else Codec.TDP


def images_of(approved: Iterable[Firmware], kind: DeviceKind) -> dict[bytes, bytes]:
    """Returns the firmware images of this kind of device, by SHA-256, to measure devices against."""
    return {row.sha256: row.image for row in approved if row.kind is kind and row.image is not None}


def judge(
    identity: Identity,
    *,
    kind: DeviceKind,
    serial: str | None,
    accept_test_only: bool,
    approved: Iterable[Firmware] = (),
    codec: Codec = Codec.TDP,
) -> Rejection | None:
    """Returns None if the device may serve; otherwise the first reason why not. `kind`, `serial`: expected values,
    `serial` None = any."""
    if identity.kind is not kind:
        return Rejection(Fault.AUTH_WRONG_DEVICE, f"a {identity.kind} answers where a {kind} is expected")
    if serial is not None and identity.serial != serial:
        return Rejection(Fault.AUTH_WRONG_DEVICE, f"serial number {identity.serial}, expected {serial}")
    if (reason := _not_approved(identity, approved, accept_test_only)) is not None:
        return Rejection(Fault.AUTH_NOT_APPROVED, reason)
    if kind is DeviceKind.SHOE and not set(SHOES) & set(identity.capabilities):
        lacks = " nor ".join(SHOES)
        return Rejection(Fault.AUTH_NOT_APPROVED, f"{_named(identity)} can do neither {lacks}, as a shoe must")
    needed = LEAST[kind] | ({Capability.EVENT_LOG} if codec is Codec.TDP else set())
    if missing := needed - set(identity.capabilities):
        lacks = ", ".join(sorted(missing))
        return Rejection(Fault.AUTH_NOT_APPROVED, f"{_named(identity)} cannot do what a {kind} must: {lacks}")
    return None


def _not_approved(identity: Identity, approved: Iterable[Firmware], accept_test_only: bool) -> str | None:
    name = _named(identity)
    if identity.vendor in TEST_VENDORS and not accept_test_only:
        return f"{name} is for tests only"
    rows = [
        row
        for row in approved
        if (row.vendor, row.model, row.kind) == (identity.vendor, identity.model, identity.kind)
    ]
    if not rows and identity.vendor in TEST_VENDORS:
        return None  # a bench without a list for its simulators
    if not rows:
        return f"{name} is not in the list of approved devices"
    row = next((row for row in rows if row.sha256 == identity.firmware_hash), None)
    told = f"firmware {identity.firmware or 'without a name'} ({identity.firmware_hash.hex()[:16]}) of {name}"
    if row is None:
        return f"{told} is not in the list of approved devices"
    if row.approval is Approval.REVOKED:
        return f"the approval of {told} was withdrawn"
    if row.approval is Approval.TEST_ONLY and not accept_test_only:
        return f"{told} is for tests only"
    if row.config is not None and row.config != identity.config_hash:
        return f"the settings of {name} ({identity.config_hash.hex()[:16]}) are not those that are approved"
    return None


def _named(identity: Identity) -> str:
    return f"{identity.vendor} {identity.model}"
