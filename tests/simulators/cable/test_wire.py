"""What a bad cable does to bytes."""

from random import Random

import pytest

from drivers.protocol.reports import DeviceKind
from simulators.cable.wire import Wire
from simulators.scenario.faults import parse


def carried(wire: Wire, data: bytes, *, towards_device: bool) -> bytes:
    return b"".join(piece.data for piece in wire.carry(data, towards_device=towards_device, now=1.0))


@pytest.mark.parametrize(
    ("fault", "towards_device", "arrives"),
    [
        ("wire_drop:rate=1", True, b""),
        ("wire_drop:rate=1:dir=out", True, b"abc"),
        ("wire_drop:rate=1:dir=out", False, b""),
        ("wire_double:rate=1:dir=in", True, b"aabbcc"),
    ],
)
def test_a_wire_does_what_its_faults_say(fault: str, towards_device: bool, arrives: bytes) -> None:
    """Rates and directions; without a fault nothing changes."""
    wire = Wire([parse(fault, DeviceKind.SHOE)], Random(1))
    assert carried(wire, b"abc", towards_device=towards_device) == arrives
    assert carried(Wire([], Random(1)), b"abc", towards_device=towards_device) == b"abc"


def test_a_corrupted_byte_has_exactly_one_bit_flipped() -> None:
    """As noise does; and the same seed flips the same bits."""
    fault = parse("wire_corrupt:rate=1", DeviceKind.SHOE)
    data = bytes(range(256))
    arrived = carried(Wire([fault], Random(1)), data, towards_device=False)
    assert all((a ^ b).bit_count() == 1 for a, b in zip(data, arrived, strict=True))
    assert arrived == carried(Wire([fault], Random(1)), data, towards_device=False)
