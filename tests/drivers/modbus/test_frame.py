"""RTU frames against bytes that were written down elsewhere, and every kind of answer that is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.modbus.frame import MAX_ADU, AnswerWrong, Function, Request, Wrong, crc16, decode, encode

# Question and answer as the public examples of the eight functions print them.
EXCHANGES = {
    "read coils": (
        Request(0x11, Function.READ_COILS, 0x13, 0x25),
        "11 01 00 13 00 25 0E 84",
        "11 01 05 CD 6B B2 0E 1B 45 E6",
        tuple(int(bit) for byte in (0xCD, 0x6B, 0xB2, 0x0E, 0x1B) for bit in f"{byte:08b}"[::-1])[:0x25],
    ),
    "read inputs": (
        Request(0x11, Function.READ_INPUTS, 0xC4, 0x16),
        "11 02 00 C4 00 16 BA A9",
        "11 02 03 AC DB 35 20 18",
        tuple(int(bit) for byte in (0xAC, 0xDB, 0x35) for bit in f"{byte:08b}"[::-1])[:0x16],
    ),
    "read holding registers": (
        Request(0x11, Function.READ_HOLDING, 0x6B, 3),
        "11 03 00 6B 00 03 76 87",
        "11 03 06 AE 41 56 52 43 40 49 AD",
        (0xAE41, 0x5652, 0x4340),
    ),
    "read input registers": (
        Request(0x11, Function.READ_INPUT_REGISTERS, 8, 1),
        "11 04 00 08 00 01 B2 98",
        "11 04 02 00 0A F8 F4",
        (10,),
    ),
    "write a coil": (
        Request(0x11, Function.WRITE_COIL, 0xAC, values=(1,)),
        "11 05 00 AC FF 00 4E 8B",
        "11 05 00 AC FF 00 4E 8B",
        (),
    ),
    "write a register": (
        Request(0x11, Function.WRITE_REGISTER, 1, values=(3,)),
        "11 06 00 01 00 03 9A 9B",
        "11 06 00 01 00 03 9A 9B",
        (),
    ),
    "write coils": (
        Request(0x11, Function.WRITE_COILS, 0x13, 10, (1, 0, 1, 1, 0, 0, 1, 1, 1, 0)),
        "11 0F 00 13 00 0A 02 CD 01 BF 0B",
        "11 0F 00 13 00 0A 26 99",
        (),
    ),
    "write registers": (
        Request(0x11, Function.WRITE_REGISTERS, 1, 2, (0x000A, 0x0102)),
        "11 10 00 01 00 02 04 00 0A 01 02 C6 F0",
        "11 10 00 01 00 02 12 98",
        (),
    ),
}
READ = Request(0x11, Function.READ_INPUTS, 0xC4, 0x16)
ANSWER = bytes.fromhex("11 02 03 AC DB 35 20 18")


def whole(text: str) -> bytes:
    """These bytes with their CRC behind them."""
    body = bytes.fromhex(text)
    return body + crc16(body).to_bytes(2, "little")


@pytest.mark.parametrize(("request_", "asked", "answered", "values"), EXCHANGES.values(), ids=EXCHANGES)
def test_each_function_is_spoken_as_the_public_examples_print_it(request_, asked, answered, values):
    """Question and answer of functions 1 to 6, 15 and 16, byte for byte."""
    assert encode(request_) == bytes.fromhex(asked)
    assert decode(request_, bytes.fromhex(answered)) == values
    assert request_.answer_size == len(bytes.fromhex(answered))


def test_the_check_value_of_the_crc():
    """CRC-16/MODBUS of the nine digits, and the two bytes of a published exception."""
    assert crc16(b"123456789") == 0x4B37
    assert whole("0A 81 02") == bytes.fromhex("0A 81 02 B0 53")


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        (whole("11 82 02"), Wrong.EXCEPTION, 2),
        (whole("11 82 0B"), Wrong.EXCEPTION, 11),
        (whole("11 82 00"), Wrong.FUNCTION, 0),
        (whole("12 02 03 AC DB 35"), Wrong.UNIT, 0),
        (whole("12 82 02"), Wrong.UNIT, 0),
        (whole("11 01 03 AC DB 35"), Wrong.FUNCTION, 0),
        (whole("11 81 02"), Wrong.FUNCTION, 0),
        (whole("11 02 02 AC DB"), Wrong.COUNT, 0),
        (whole("11 02 04 AC DB 35 00"), Wrong.COUNT, 0),
        (whole("11 02 02 AC DB 35"), Wrong.COUNT, 0),
        (ANSWER[:-1] + b"\x19", Wrong.CRC, 0),
        (bytes([0x91]) + ANSWER[1:], Wrong.CRC, 0),
        (ANSWER[:7], Wrong.PARTIAL, 0),
        (ANSWER[:3], Wrong.PARTIAL, 0),
        (b"", Wrong.PARTIAL, 0),
        (ANSWER + ANSWER, Wrong.OVERLONG, 0),
        (ANSWER + b"\x00", Wrong.OVERLONG, 0),
        (whole("11 82 02") + b"\x55", Wrong.OVERLONG, 0),
        (encode(READ), Wrong.ECHO, 0),
        (encode(READ) + ANSWER, Wrong.ECHO, 0),
    ],
)
def test_each_answer_that_is_none_has_an_error_of_its_own(answer, kind, code):
    """Wrong unit, function, count, an exception and its code, noise, a piece, too much, our own question."""
    with pytest.raises(AnswerWrong) as wrong:
        decode(READ, answer)
    assert (wrong.value.kind, wrong.value.code) == (kind, code)


@pytest.mark.parametrize("answered", ["11 05 00 AC 00 00", "11 05 00 AD FF 00", "11 05 00 AC FF 00 00"])
def test_a_write_that_is_answered_with_something_else_was_not_taken(answered):
    """Another value, another coil, one byte too many: none of them says that the coil was written."""
    with pytest.raises(AnswerWrong) as wrong:
        decode(Request(0x11, Function.WRITE_COIL, 0xAC, values=(1,)), whole(answered))
    assert wrong.value.kind is Wrong.CONTENT


@pytest.mark.parametrize(
    "given_",
    [
        {"unit": 0}, {"unit": 248}, {"count": 0}, {"count": 2001}, {"address": 65536}, {"address": 65535, "count": 2},
        {"values": (1,)}, {"function": Function.WRITE_COIL}, {"function": Function.WRITE_COIL, "values": (2,)},
        {"function": Function.WRITE_COILS, "count": 3, "values": (1, 1)},
        {"function": Function.READ_HOLDING, "count": 126},
        {"function": Function.WRITE_REGISTER, "values": (65536,)},
    ],
)  # fmt: skip
def test_what_no_frame_can_carry_is_refused_before_it_is_sent(given_):
    """Broadcast and reserved addresses, counts and values out of their bounds."""
    with pytest.raises(ValueError, match=r"unit|cannot"):
        Request(**{"unit": 1, "function": Function.READ_INPUTS, "address": 0, **given_})


@given(st.binary(max_size=MAX_ADU), st.sampled_from([exchange[0] for exchange in EXCHANGES.values()]))
def test_any_bytes_are_an_answer_or_one_named_error(data, request_):
    """Noise never raises anything else, and is never taken for values without a right CRC and the right length."""
    try:
        values = decode(request_, data)
    except AnswerWrong:
        return
    assert crc16(data) == 0
    assert len(values) == (0 if request_.function.writes else request_.count)


@given(st.integers(0, len(ANSWER) * 8 - 1), st.integers(0, len(ANSWER) * 8 - 1))
def test_one_or_two_flipped_bits_are_always_seen(first, second):
    """The CRC finds every error of one and of two bits in an answer of this length."""
    damaged = int.from_bytes(ANSWER, "big") ^ (1 << first | 1 << second)
    with pytest.raises(AnswerWrong):
        decode(READ, damaged.to_bytes(len(ANSWER), "big"))
