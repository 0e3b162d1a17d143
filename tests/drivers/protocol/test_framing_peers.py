"""COBS and CRC-32C held against implementations by others, on random data and on published values."""

import random

import pytest
from cobs import cobs
from fastcrc import crc32

from drivers.protocol.framing import Cause, FrameError, cobs_decode, cobs_encode, crc32c

INPUTS = 100_000


def inputs():
    """Mostly frames' sizes; zeros as often as they come in frames, runs around 254 above all."""
    rng = random.Random(20)
    for n in range(INPUTS):
        size = rng.randrange(60) if n % 20 else rng.choice((0, 1, 253, 254, 255, 256, 508, 509, 512, 516))
        data = rng.randbytes(size)
        if n % 3 == 0:
            data = data.replace(b"\1", b"\0").replace(b"\2", b"\0")
        elif n % 3 == 1:
            data = data.replace(b"\0", b"\7")
        yield data


def test_crc_and_cobs_agree_with_others_on_a_hundred_thousand_inputs():
    """The same bytes out of ours and out of theirs, and each undoes the other's."""
    for data in inputs():
        assert crc32c(data) == crc32.iscsi(data)
        encoded = cobs_encode(data)
        theirs = cobs.encode(data)
        assert encoded == theirs
        assert cobs_decode(theirs) == cobs.decode(encoded) == data


def test_what_theirs_refuses_ours_refuses():
    """Damaged data: ours takes nothing that the other decoder does not take, and gives the same where both do."""
    rng = random.Random(21)
    refused = 0
    for _ in range(20_000):
        damaged = bytearray(cobs_encode(rng.randbytes(rng.randrange(40))))
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        del damaged[rng.randrange(len(damaged)) :][: rng.randrange(2)]
        try:
            theirs = cobs.decode(bytes(damaged))
        except cobs.DecodeError:
            refused += 1
            with pytest.raises(FrameError) as error:
                cobs_decode(bytes(damaged))
            assert error.value.cause is Cause.COBS
        else:
            assert cobs_decode(bytes(damaged)) == theirs
    assert refused > 1000


@pytest.mark.parametrize(
    ("data", "value"),
    [  # RFC 3720, B.4, and the check value of the catalogue of CRCs
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_published_values_of_the_check(data, value):
    """Three say the same: the standard, the other implementation, ours."""
    assert crc32c(data) == crc32.iscsi(data) == value
