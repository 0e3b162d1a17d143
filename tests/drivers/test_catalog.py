"""Who may serve a table: judged by what the device says of itself."""

from dataclasses import replace

import pytest

from drivers.catalog import CATALOG, Approval, Codec, Model, codec_of, judge, model_of
from drivers.errors import Fault
from drivers.protocol.messages import Identity
from drivers.protocol.reports import SIMULATED_VENDOR, Capability, DeviceKind

SHOE = Identity(
    DeviceKind.SHOE, SIMULATED_VENDOR, "any shoe", "1", "S-1", "1.0",
    capabilities=(Capability.EVENT_LOG, Capability.DISPENSES_STACKS),
)  # fmt: skip
REAL = Model("Maker", "Shoe 9", DeviceKind.SHOE, Codec.TDP, Approval.APPROVED, firmware=frozenset({"2.1"}))


def judged(identity, *, kind=DeviceKind.SHOE, serial=None, accept_test_only=True, catalog=CATALOG):
    return judge(identity, kind=kind, serial=serial, accept_test_only=accept_test_only, catalog=catalog)


def test_a_simulator_serves_where_test_models_are_accepted_and_nowhere_else():
    """In real play a simulator must never be taken for a device."""
    assert judged(SHOE) is None
    refused = judged(SHOE, accept_test_only=False)
    assert refused is not None
    assert refused.fault is Fault.AUTH_NOT_APPROVED


@pytest.mark.parametrize("kind", [DeviceKind.SHUFFLER, DeviceKind.SHOE, DeviceKind.PROGRESSIVE, DeviceKind.LINE])
def test_every_kind_has_a_row(kind):
    """Each kind that a table can be configured with has at least one model, all for tests only so far."""
    rows = [row for row in CATALOG if row.kind is kind]
    assert codec_of(kind) in {row.codec for row in rows}
    assert {row.approval for row in rows} == {Approval.TEST_ONLY}
    assert (Codec.MODBUS in {row.codec for row in rows}) == (kind is DeviceKind.PROGRESSIVE)


@pytest.mark.parametrize(
    ("change", "given", "fault"),
    [
        ({"kind": DeviceKind.SHUFFLER}, {}, Fault.AUTH_WRONG_DEVICE),
        ({"serial": "S-2"}, {"serial": "S-1"}, Fault.AUTH_WRONG_DEVICE),
        ({"vendor": "Nobody"}, {}, Fault.AUTH_NOT_APPROVED),
        ({"capabilities": (Capability.EVENT_LOG,)}, {}, Fault.AUTH_NOT_APPROVED),
    ],
)
def test_the_wrong_device_is_rejected_with_the_reason(change, given, fault):
    """Another kind, another serial number, an unknown maker, or fewer abilities than the model must have."""
    rejection = judged(replace(SHOE, **change), **given)
    assert rejection is not None
    assert rejection.fault is fault
    assert rejection.detail


def test_the_expected_serial_number_is_accepted():
    """The other side of the check."""
    assert judged(SHOE, serial="S-1") is None


def test_firmware_and_approval_belong_to_the_row():
    """A listed model serves with approved firmware only, and not once its approval was withdrawn."""
    shoe = replace(SHOE, vendor="Maker", model="Shoe 9", firmware="2.1")
    assert judged(shoe, catalog=(REAL,), accept_test_only=False) is None
    assert judged(replace(shoe, firmware="2.2"), catalog=(REAL,)) is not None
    assert judged(shoe, catalog=(replace(REAL, approval=Approval.REVOKED),)) is not None


def test_a_row_with_the_models_name_goes_before_one_for_the_whole_maker():
    """So one model of a maker can be withdrawn while the others stay."""
    general = replace(REAL, name="", firmware=frozenset())
    shoe = replace(SHOE, vendor="Maker", model="Shoe 9")
    assert model_of(shoe, (general, REAL)) == REAL
    assert model_of(replace(shoe, model="Shoe 8"), (general, REAL)) == general
