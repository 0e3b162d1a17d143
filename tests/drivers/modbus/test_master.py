"""The master on virtual time: one question at a time, silence in between, and late answers that die."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.modbus.frame import Function, Request, Wrong, crc16
from drivers.modbus.master import Master, NotIdentified
from drivers.modbus.timing import DIE_S, GAP_LIMIT_S, RESPONSE_S

BYTE_S = 11 / 19200
A = Request(1, Function.READ_INPUTS, 0, 8)
B = Request(1, Function.READ_INPUTS, 8, 8)
"""Two questions to one unit whose answers have the same form: nothing in a frame tells them apart."""


def answer(unit: int, bits: int) -> bytes:
    body = bytes((unit, 2, 1, bits))
    return body + crc16(body).to_bytes(2, "little")


def free_master() -> tuple[Master, float]:
    master = Master(byte_time_s=BYTE_S)
    master.start(100.0)
    now = master.next_deadline()
    assert now == 100.0 + RESPONSE_S + DIE_S, "what an earlier owner asked for has died"
    return master, now


def test_an_answer_is_over_with_the_silence_behind_it():
    """Three and a half characters after its last byte, and the next question may go at that instant."""
    master, now = free_master()
    master.ask(A, now)
    assert master.data_to_send() == bytes.fromhex("01 02 00 00 00 08 79 CC")
    assert not master.is_free(now + 1)
    assert master.receive(answer(1, 5), now + 0.02) is None
    over = master.next_deadline()
    assert over == pytest.approx(now + 0.02 + 3.5 * BYTE_S)
    assert master.tick(over - 0.001) is None
    outcome = master.tick(over)
    assert outcome.values == (1, 0, 1, 0, 0, 0, 0, 0)
    assert master.is_free(over)


def test_the_silence_has_a_floor_on_fast_lines():
    """At 115200 baud three and a half characters would be a third of a millisecond."""
    master = Master(byte_time_s=11 / 115200)
    master.start(0.0)
    master.ask(A, 1.0)
    master.receive(answer(1, 5), 1.02)
    assert master.next_deadline() == pytest.approx(1.02 + 0.00175)


@pytest.mark.parametrize("at", range(1, 6))
def test_an_answer_in_pieces_is_one_answer(at):
    """Split at each byte, with a silence of four characters and up to the limit of what a USB bridge does."""
    for gap_s in (4 * BYTE_S, GAP_LIMIT_S - 0.001):
        master, now = free_master()
        master.ask(A, now)
        whole = answer(1, 5)
        master.receive(whole[:at], now + 0.02)
        assert master.tick(now + 0.02 + gap_s) is None
        master.receive(whole[at:], now + 0.02 + gap_s)
        assert master.tick(master.next_deadline()).values == (1, 0, 1, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("came", "wrong"),
    [
        (b"", Wrong.SILENT),
        (answer(1, 5)[:4], Wrong.PARTIAL),
        (answer(1, 5)[:-1] + b"\xff", Wrong.CRC),
        (answer(2, 5), Wrong.UNIT),
        (answer(1, 5) * 2, Wrong.OVERLONG),
        (b"\x55" * 300, Wrong.OVERLONG),
        (bytes.fromhex("01 02 00 00 00 08 79 CC"), Wrong.ECHO),
    ],
)
def test_after_every_failure_a_late_answer_has_time_to_die(came, wrong):
    """The bus is left alone for a response time and 50 ms more; what comes meanwhile is nobody's answer."""
    master, now = free_master()
    master.ask(A, now)
    outcome = master.receive(came, now + 0.02) if came else None
    failed_at = now + 0.02
    while outcome is None:
        failed_at = master.next_deadline()
        outcome = master.tick(failed_at)
    assert (outcome.values, outcome.wrong) == (None, wrong)
    assert master.counters[wrong.value] == 1
    free_at = failed_at + RESPONSE_S + DIE_S
    assert not master.is_free(free_at - 0.001)
    assert master.receive(answer(1, 0xFF), free_at - 0.01) is None
    assert master.counters["stray_bytes"] == 6
    assert not master.is_free(free_at), "it may go on: the silence begins anew"
    assert master.is_free(free_at - 0.01 + GAP_LIMIT_S)


def test_a_unit_that_says_no_has_answered():
    """After an exception nothing late is to be feared, so the next question goes at once."""
    master, now = free_master()
    master.ask(A, now)
    master.receive(bytes.fromhex("01 82 02 C1 61"), now + 0.02)
    outcome = master.tick(master.next_deadline())
    assert (outcome.wrong, outcome.code) == (Wrong.EXCEPTION, 2)
    assert master.is_free(now + 0.03)


@given(st.floats(0.0, RESPONSE_S + DIE_S, exclude_max=True))
def test_late_answer_to_an_old_question(late_s):
    """A's answer comes any time after its time-out, while the bus is left alone: B never gets it, and gets its own."""
    master, now = free_master()
    master.ask(A, now)
    failed_at = master.next_deadline()
    assert master.tick(failed_at).wrong is Wrong.SILENT
    master.receive(answer(1, 0xAA), failed_at + late_s)
    now = master.next_deadline()
    assert master.is_free(now)
    master.ask(B, now)
    master.receive(answer(1, 0x01), now + 0.02)
    outcome = master.tick(master.next_deadline())
    assert (outcome.request, outcome.values) == (B, (1, 0, 0, 0, 0, 0, 0, 0))


@pytest.mark.parametrize(
    "write",
    [
        Request(7, Function.WRITE_COIL, 0, values=(1,)),
        Request(7, Function.WRITE_REGISTER, 0, values=(1,)),
        Request(7, Function.WRITE_COILS, 0, 2, (1, 1)),
        Request(7, Function.WRITE_REGISTERS, 0, 1, (1,)),
    ],
)
def test_nothing_is_written_to_a_unit_that_nobody_knows(write):
    """Every way to write is refused, before a byte goes out, until its identity was read in this very connection."""
    master, now = free_master()
    with pytest.raises(NotIdentified, match="unit 7"):
        master.ask(write, now)
    assert master.data_to_send() == b""
    master.identified(7)
    master.ask(write, now)
    master.start(now)
    later = master.next_deadline()
    with pytest.raises(NotIdentified):
        master.ask(write, later)


def test_one_question_at_a_time():
    """A second one before the answer, or before the silence, is a mistake of ours."""
    master, now = free_master()
    master.ask(A, now)
    with pytest.raises(ValueError, match="one question"):
        master.ask(B, now)


def test_our_own_pause_is_no_silence_of_the_unit():
    """A loop that stood still moves the deadline; the answer lies in the kernel meanwhile."""
    master, now = free_master()
    master.ask(A, now)
    late = master.next_deadline() + 1.0
    master.extend(1.0)
    assert master.tick(late - 0.01) is None
    master.receive(answer(1, 1), late - 0.01)
    assert master.tick(master.next_deadline()).values is not None


def test_a_bus_that_never_falls_silent_is_never_asked():
    """Somebody babbles: no question goes into it, and memory stays where it is."""
    master, now = free_master()
    master.ask(A, now)
    assert master.receive(b"U" * 300, now).wrong is Wrong.OVERLONG
    for n in range(1000):
        now += 0.01
        assert not master.is_free(now)
        assert master.receive(b"U" * 100, now) is None, n
    assert master.data_to_send() == bytes.fromhex("01 02 00 00 00 08 79 CC")
