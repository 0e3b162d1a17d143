"""The device table: which models the daemon knows, and what each must be. Adding a model is adding a row.

A device is judged by what it says of itself in the handshake, never by the name of its port.
"""

from dataclasses import dataclass
from enum import StrEnum

from drivers.errors import Fault
from drivers.protocol.messages import Identity
from drivers.protocol.reports import SIMULATED_VENDOR, Capability, DeviceKind

__all__ = [
    "CATALOG",
    "LINE_VENDOR",
    "MODBUS_VENDOR",
    "Approval",
    "Codec",
    "Model",
    "Rejection",
    "codec_of",
    "judge",
    "model_of",
]

LINE_VENDOR = "unidentified"
"""Vendor under which a line device is listed: it cannot say who it is."""

MODBUS_VENDOR = "remote i/o"
"""Vendor under which a progressive of remote I/O is listed, whoever made the units: they do not say."""


class Codec(StrEnum):
    """How a device speaks."""

    TDP = "tdp/1"
    LINE = "line"
    MODBUS = "modbus"  # remote I/O on an RS-485 bus


class Approval(StrEnum):
    APPROVED = "approved"
    TEST_ONLY = "test_only"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Model:
    """One row. `name` "" = every model of the vendor that is of this kind.

    `capabilities`: the least it must have. `firmware`: versions that are approved, as the device words them;
    empty = any.
    """

    vendor: str
    name: str
    kind: DeviceKind
    codec: Codec
    approval: Approval
    capabilities: frozenset[Capability] = frozenset()
    firmware: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a device may not serve this table, and in words what a person has to look at."""

    fault: Fault
    detail: str


CATALOG: tuple[Model, ...] = (
    Model(
        SIMULATED_VENDOR, "", DeviceKind.SHUFFLER, Codec.TDP, Approval.TEST_ONLY,
        frozenset({Capability.EVENT_LOG}),
    ),
    Model(
        SIMULATED_VENDOR, "", DeviceKind.SHOE, Codec.TDP, Approval.TEST_ONLY,
        frozenset({Capability.EVENT_LOG, Capability.DISPENSES_STACKS}),
    ),
    Model(
        SIMULATED_VENDOR, "", DeviceKind.PROGRESSIVE, Codec.TDP, Approval.TEST_ONLY,
        frozenset({Capability.EVENT_LOG, Capability.LOCKOUT, Capability.SENSES_WAGERS}),
    ),
    Model(LINE_VENDOR, "", DeviceKind.LINE, Codec.LINE, Approval.TEST_ONLY),
    Model(
        MODBUS_VENDOR, "", DeviceKind.PROGRESSIVE, Codec.MODBUS, Approval.TEST_ONLY,
        frozenset({Capability.LOCKOUT, Capability.SENSES_WAGERS}),
    ),
)  # fmt: skip
"""Every model we know. No maker ships a TDP/1 device yet, so the rows are the simulators and the bare line device."""


def codec_of(kind: DeviceKind) -> Codec:
    """How the devices of a kind are spoken to before they have said who they are."""
    return Codec.LINE if kind is DeviceKind.LINE else Codec.TDP


def model_of(identity: Identity, catalog: tuple[Model, ...] = CATALOG) -> Model | None:
    """The row for a device: one with its very name before one for the whole vendor. None = not listed."""
    rows = [row for row in catalog if row.vendor == identity.vendor and row.kind is identity.kind]
    exact = [row for row in rows if row.name == identity.model]
    general = [row for row in rows if not row.name]
    return next(iter(exact + general), None)


def judge(
    identity: Identity,
    *,
    kind: DeviceKind,
    serial: str | None,
    accept_test_only: bool,
    catalog: tuple[Model, ...] = CATALOG,
) -> Rejection | None:
    """None if this device may serve where `kind` and `serial` (None = any) are expected; else the first reason why not."""
    if identity.kind is not kind:
        return Rejection(Fault.AUTH_WRONG_DEVICE, f"a {identity.kind} answers where a {kind} is expected")
    if serial is not None and identity.serial != serial:
        return Rejection(Fault.AUTH_WRONG_DEVICE, f"serial number {identity.serial}, expected {serial}")
    name = f"{identity.vendor} {identity.model}"
    row = model_of(identity, catalog)
    if row is None:
        return Rejection(Fault.AUTH_NOT_APPROVED, f"{name} is not in the device table")
    if row.approval is Approval.REVOKED:
        return Rejection(Fault.AUTH_NOT_APPROVED, f"the approval of {name} was withdrawn")
    if row.approval is Approval.TEST_ONLY and not accept_test_only:
        return Rejection(Fault.AUTH_NOT_APPROVED, f"{name} is for tests only")
    if row.firmware and identity.firmware not in row.firmware:
        return Rejection(Fault.AUTH_NOT_APPROVED, f"firmware {identity.firmware} of {name} is not approved")
    missing = row.capabilities - set(identity.capabilities)
    if missing:
        return Rejection(Fault.AUTH_NOT_APPROVED, f"{name} no longer offers {', '.join(sorted(missing))}")
    return None
