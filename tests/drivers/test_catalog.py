"""Who may serve a table: judged by what the device says of itself and by the list, and never a simulator in real play."""

from dataclasses import replace

import pytest

from drivers.catalog import LEAST, LINE_VENDOR, MODBUS_VENDOR, Approval, Codec, Firmware, images_of, judge
from drivers.errors import Fault
from drivers.protocol.messages import Identity
from drivers.protocol.reports import SIMULATED_VENDOR, Capability, DeviceKind

SHOE = Identity(
    DeviceKind.SHOE, SIMULATED_VENDOR, "any shoe", "1", "S-1", "1.0",
    capabilities=(Capability.EVENT_LOG, Capability.DISPENSES_STACKS),
)  # fmt: skip
HASH = bytes(range(32))
REAL = replace(SHOE, vendor="Maker", model="Shoe 9", firmware="2.1", firmware_hash=HASH)
ROW = Firmware("Maker", "Shoe 9", DeviceKind.SHOE, HASH, Approval.APPROVED)


def judged(identity, *, kind=DeviceKind.SHOE, serial=None, accept_test_only=True, approved=()):
    return judge(identity, kind=kind, serial=serial, accept_test_only=accept_test_only, approved=approved)


def test_a_simulator_serves_where_test_models_are_accepted():
    """A bench needs no list."""
    assert judged(SHOE) is None


@pytest.mark.parametrize("approval", Approval)
@pytest.mark.parametrize("vendor", [SIMULATED_VENDOR, LINE_VENDOR, MODBUS_VENDOR])
def test_a_simulator_is_no_device_for_real_play_whatever_the_list_says(vendor, approval):
    """Its vendor is for tests only by code; a row of its own, with its very hash, changes nothing."""
    simulator = replace(SHOE, vendor=vendor, firmware_hash=HASH)
    row = replace(ROW, vendor=vendor, model="any shoe", approval=approval)
    refused = judged(simulator, accept_test_only=False, approved=(row,))
    assert refused is not None
    assert refused.fault is Fault.AUTH_NOT_APPROVED
    assert "for tests only" in refused.detail


@pytest.mark.parametrize(
    ("changes", "told", "why"),
    [
        ({}, {}, ""),
        ({"approval": Approval.REVOKED}, {}, "withdrawn"),
        ({}, {"firmware_hash": bytes(32)}, "not in the list"),
        ({"config": HASH}, {}, "settings"),
    ],
)
def test_the_list_can_be_tried_with_a_simulator(changes, told, why):
    """On a bench a simulator whose model has a row is judged by it, as a maker's device is in real play."""
    row = replace(ROW, vendor=SIMULATED_VENDOR, model="any shoe", **{"approval": Approval.TEST_ONLY, **changes})
    rejection = judged(replace(SHOE, **{"firmware_hash": HASH, **told}), approved=(ROW, row))
    assert (rejection.detail if rejection else "").find(why) >= 0
    assert (rejection is None) == (not why)


def test_only_a_device_that_speaks_tdp_must_keep_a_log():
    """Remote I/O has none; what its kind must do is asked of it all the same."""
    units = replace(
        SHOE, kind=DeviceKind.PROGRESSIVE, vendor=MODBUS_VENDOR, capabilities=tuple(LEAST[DeviceKind.PROGRESSIVE])
    )
    given = {"kind": DeviceKind.PROGRESSIVE, "serial": None, "accept_test_only": True}
    assert judge(units, **given, codec=Codec.MODBUS) is None
    assert judge(units, **given) is not None
    assert judge(replace(units, capabilities=()), **given, codec=Codec.MODBUS) is not None


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
    """Another kind, another serial number, an unknown maker, or fewer abilities than its kind must have."""
    rejection = judged(replace(SHOE, **change), **given)
    assert rejection is not None
    assert rejection.fault is fault
    assert rejection.detail


def test_the_expected_serial_number_is_accepted():
    """The other side of the check."""
    assert judged(SHOE, serial="S-1") is None


@pytest.mark.parametrize("accept_test_only", [True, False])
def test_firmware_that_is_approved_serves(accept_test_only):
    """By maker, model, kind and hash together."""
    assert judged(REAL, accept_test_only=accept_test_only, approved=(ROW,)) is None


@pytest.mark.parametrize(
    ("identity", "row", "words"),
    [
        (
            replace(REAL, firmware_hash=bytes(32)),
            ROW,
            "firmware 2.1 (0000000000000000) of Maker Shoe 9 is not in the list",
        ),
        (replace(REAL, model="Shoe 8"), ROW, "Maker Shoe 8 is not in the list"),
        (REAL, replace(ROW, vendor="maker"), "Maker Shoe 9 is not in the list"),
        (REAL, replace(ROW, kind=DeviceKind.SHUFFLER), "Maker Shoe 9 is not in the list"),
        (REAL, replace(ROW, approval=Approval.REVOKED), "was withdrawn"),
        (REAL, replace(ROW, approval=Approval.TEST_ONLY), "(0001020304050607) of Maker Shoe 9 is for tests only"),
    ],
)
def test_any_other_firmware_is_rejected_in_real_play(identity, row, words):
    """Not listed, of another model or kind, withdrawn, or for tests: each with its own words."""
    rejection = judged(identity, accept_test_only=False, approved=(row,))
    assert rejection is not None
    assert rejection.fault is Fault.AUTH_NOT_APPROVED
    assert words in rejection.detail


def test_settings_that_are_part_of_the_approval_must_be_those():
    """Without a hash of settings in the row any serve, as the approval does not speak of them."""
    row = replace(ROW, config=HASH)
    assert judged(replace(REAL, config_hash=HASH), accept_test_only=False, approved=(row,)) is None
    rejection = judged(REAL, accept_test_only=False, approved=(row,))
    assert rejection.fault is Fault.AUTH_NOT_APPROVED
    assert rejection.detail == "the settings of Maker Shoe 9 (0000000000000000) are not those that are approved"
    assert judged(replace(REAL, config_hash=HASH), accept_test_only=False, approved=(ROW,)) is None


def test_one_firmware_can_be_withdrawn_while_another_stays():
    """A row is one firmware."""
    old = replace(ROW, sha256=bytes(32), approval=Approval.REVOKED)
    assert judged(REAL, approved=(old, ROW), accept_test_only=False) is None
    assert judged(replace(REAL, firmware_hash=bytes(32)), approved=(old, ROW)) is not None


def test_withdrawn_firmware_serves_on_no_bench_either():
    """A withdrawal has its reason."""
    assert judged(REAL, approved=(replace(ROW, approval=Approval.REVOKED),), accept_test_only=True) is not None


def test_images_are_found_by_hash_and_kind():
    """A device is measured against the image of its own kind."""
    with_image = replace(ROW, image=b"image")
    assert images_of((ROW, with_image), DeviceKind.SHOE) == {HASH: b"image"}
    assert images_of((with_image,), DeviceKind.SHUFFLER) == {}
    assert "image" not in repr(with_image)
