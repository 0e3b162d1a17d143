"""What both ends share: sequence numbers on their circle, and time-outs that follow the line."""

from drivers.protocol import messages as m
from drivers.protocol.constants import RTO_FIRST_S, RTO_FLOOR_S, RTO_MAX_S, rto_min
from drivers.protocol.device.requests import RequestMemory
from drivers.protocol.host.requests import Requests
from drivers.protocol.link import Outbox, RoundTrip, is_newer, next_seq


def test_an_answer_to_a_repeated_frame_is_no_measurement():
    """Nobody knows which copy it answers; taken for a round trip it would make the time-out too short or too long."""
    round_trip = RoundTrip(0.0)
    requests = Requests(Outbox(), round_trip)
    requests.add(m.GetLevels(), 0.0)
    requests.start_next(0.0)
    requests.tick(0.4)
    before = round_trip.timeout_s
    assert requests.answered(1, m.Response(b""), 0.401) is not None
    assert round_trip.timeout_s == before
    requests.add(m.GetLevels(), 1.0)
    requests.start_next(1.0)
    assert requests.answered(2, m.Response(b""), 1.01) is not None
    assert round_trip.timeout_s == RTO_FLOOR_S


def test_the_time_out_follows_the_line_within_its_bounds():
    """Four deviations above the smoothed round trip; never under the floor of the line, never over 3.2 s."""
    slow_line = RoundTrip(10 / 9600)
    assert slow_line.timeout_s == rto_min(10 / 9600) > 1.0
    line = RoundTrip(10 / 115200)
    assert line.timeout_s == RTO_FIRST_S
    for _ in range(50):
        line.sample(0.3)
    assert 0.3 <= line.timeout_s < 0.32
    line.sample(20.0)
    assert line.timeout_s == RTO_MAX_S
    assert [line.backed_off(n) for n in (1, 2, 5)] == [RTO_MAX_S] * 3


def test_sequence_numbers_go_round_without_zero():
    """65535 is followed by 1, and newer is judged on the circle."""
    assert next_seq(0) == 1
    assert next_seq(65535) == 1
    assert is_newer(1, 65535)
    assert not is_newer(65535, 1)
    assert not is_newer(7, 7)
    memory = RequestMemory()
    assert [memory.is_new(seq) for seq in (65534, 65535, 1, 65535, 1, 2, 0)] == [
        True,
        True,
        True,
        False,
        False,
        True,
        False,
    ]
