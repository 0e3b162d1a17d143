"""The ASCII line codec and its link end: whatever comes, lines come out whole and the rest is counted by cause."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.lines.line import GAP_LIMIT_S, LONGEST_WAIT_S, LineCodec, line_link
from drivers.protocol.host.events import Damaged, Silence
from drivers.protocol.host.link import LevelRefused, Online, Reported, Welcomed
from drivers.protocol.reports import ENGAGED, Level, LineUnparsed

TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=128)


@given(st.lists(TEXT, max_size=20), st.data())
def test_lines_come_out_as_they_went_in_whatever_the_pieces(lines, data):
    """Each line once, in order, however the wire cuts the bytes."""
    wire = "".join(line + "\r\n" for line in lines).encode()
    cuts = data.draw(st.lists(st.integers(0, len(wire)), max_size=30).map(sorted))
    codec, out = LineCodec(), []
    for start, end in zip([0, *cuts], [*cuts, len(wire)], strict=True):
        out += codec.feed(wire[start:end], 0.0)
    assert out == lines
    assert codec.lines == len(lines)


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_noise_never_raises_never_grows_and_leaves_only_printable_lines(pieces):
    """Any bytes at all: no error, at most one line's bytes held, and what comes out is text of at most 128 characters."""
    codec = LineCodec()
    for piece in pieces:
        for line in codec.feed(piece, 0.0):
            assert 0 < len(line) <= 128
            assert line.isascii()
            assert line.isprintable()
        assert len(codec._held) <= 129
    codec.feed(b"\n", 0.0)
    assert codec.feed(b"after\r\n", 0.0) == ["after"]


@pytest.mark.parametrize(
    ("wire", "lines", "oversize", "non_ascii"),
    [
        (b"x" * 128 + b"\r\n", ["x" * 128], 0, 0),
        (b"x" * 129 + b"\r\nok\r\n", ["ok"], 1, 0),
        (b"x" * 1000 + b"\r\nok\r\n", ["ok"], 1, 0),
        (b"bare\nfeed\n", ["bare", "feed"], 0, 0),
        (b"\r\n\r\n\n", [], 0, 0),
        (b"caf\xe9\r\nok\r\n", ["ok"], 0, 1),
        (b"nul\0\r\nok\r\n", ["ok"], 0, 1),
        (b"a\rb\r\nok\r\n", ["ok"], 0, 1),
        (b"", [], 0, 0),
    ],
)
@pytest.mark.parametrize("step", [1, 7, 4096])
def test_what_is_no_line_is_counted_by_cause(wire, lines, oversize, non_ascii, step):
    """Both sides of the length limit, foreign bytes, empty lines; the same however the bytes are cut."""
    codec, out = LineCodec(), []
    for start in range(0, len(wire), step):
        out += codec.feed(wire[start : start + step], 0.0)
    assert out == lines
    assert (codec.oversize, codec.non_ascii, codec.partial) == (oversize, non_ascii, 0)


def test_a_line_that_stands_still_is_given_up_at_the_gap_limit():
    """A cable pulled in the middle of a line must not glue its beginning to another line."""
    codec = LineCodec()
    codec.feed(b"half a li", 10.0)
    assert codec.next_deadline() == 10.0 + GAP_LIMIT_S
    codec.tick(10.0 + GAP_LIMIT_S - 0.001)
    assert codec.partial == 0
    codec.tick(10.0 + GAP_LIMIT_S)
    assert codec.partial == 1
    assert codec.next_deadline() is None
    assert codec.feed(b"whole\r\n", 11.0) == ["whole"]


def test_bytes_that_waited_for_us_are_no_silence():
    """After a pause of our own loop the rest of the line is read before anybody looks at the limit."""
    codec = LineCodec()
    codec.feed(b"begun ", 10.0)
    assert codec.feed(b"and done\r\n", 12.0) == ["begun and done"]
    codec.feed(b"begun ", 20.0)
    codec.extend(5.0)
    codec.tick(24.0)
    assert codec.feed(b"again\r\n", 24.0) == ["begun again"]


def test_a_line_device_is_online_at_once_and_claims_no_closed_gap():
    """It cannot say who it is or what was missed; the host counts for it, and the count goes on over a loss."""
    link = line_link("bench-line", boot=7)
    link.connect(1.0)
    assert link.next_deadline() == 1.0
    welcomed, online = link.tick(1.0)
    assert isinstance(welcomed, Welcomed)
    assert (welcomed.identity.serial, welcomed.boot) == ("bench-line", 7)
    assert isinstance(online, Online)
    assert not online.gap_closed
    first = link.receive(b"one\r\ntwo\r\nthr", 2.0)
    assert first == [
        Reported(7, 1, 2_000_000, LineUnparsed("one"), False),
        Reported(7, 2, 2_000_000, LineUnparsed("two"), False),
    ]
    link.connect(3.0)
    again = link.receive(b"four\r\n", 3.0)
    assert [type(event) for event in again] == [Welcomed, Online, Damaged, Reported]
    assert again[-1] == Reported(7, 3, 3_000_000, LineUnparsed("four"), False), "no rest of before the loss in it"


def test_a_minute_without_a_line_is_told_each_minute_and_the_next_line_ends_it():
    """Silence is not told from a dead cable. Noise is no line; our own pause is no silence."""
    link = line_link("bench-line", boot=7)
    link.connect(100.0)
    link.tick(100.0)
    assert link.next_deadline() == 160.0
    assert link.tick(159.9) == []
    assert link.tick(160.0) == [Silence(ended=False)]
    assert link.receive(b"\xff\xff\r\n\r\n", 170.0) == [Damaged(1, 0, 0)], "noise on a dead cable is no line"
    assert link.tick(220.0) == [Silence(ended=False)]
    heard = link.receive(b"H3\r\nS12\r\n", 230.0)
    assert heard[0] == Silence(ended=True)
    assert [type(event) for event in heard[1:]] == [Reported, Reported]
    assert link.next_deadline() == 290.0
    link.extend_deadlines(5.0)
    assert link.tick(290.0) == []
    assert link.next_deadline() == 295.0
    assert link.tick(295.0) == [Silence(ended=False)]
    link.connect(300.0)
    link.tick(300.0)
    assert [type(event) for event in link.receive(b"H3\r\n", 301.0)] == [Reported], "a new connection begins anew"


def test_what_was_no_line_is_told_at_once_by_its_cause_and_without_a_byte():
    """Before the lines that came with it: whoever relies on these must know that one is missing."""
    link = line_link("bench-line", boot=7)
    link.connect(1.0)
    link.tick(1.0)
    came = link.receive(b"one\r\ncaf\xe9\r\n" + b"x" * 200 + b"\r\ntwo\r\nthr", 2.0)
    assert [type(event) for event in came] == [Damaged, Reported, Reported]
    assert came[0] == Damaged(not_text=1, too_long=1, cut_off=0)
    assert [event.counter for event in came[1:]] == [1, 2], "a line that is none has no number"
    assert link.next_deadline() == 2.0 + GAP_LIMIT_S
    assert link.tick(2.5) == [], "gathered for a second"
    assert link.next_deadline() == 3.0
    assert link.tick(3.0) == [Damaged(0, 0, cut_off=1)]
    assert link.next_deadline() == 62.0


def test_the_rest_of_a_line_that_a_lost_port_cut_off_is_told_on_the_next_one():
    """The device was away, so its gap is told as well; that a line was begun is a fact of its own."""
    link = line_link("bench-line", boot=7)
    link.connect(1.0)
    link.receive(b"one\r\ntw", 2.0)
    link.connect(3.0)
    assert [type(event) for event in link.tick(3.0)] == [Welcomed, Online, Damaged]


def test_after_the_last_word_gathered_damage_waits_for_no_more():
    """Whoever stops will not come back for it; and it is told once."""
    link = line_link("bench-line", boot=7)
    link.connect(0.0)
    link.tick(0.0)
    for now in (1.0, 2.0, 4.0, 4.1, 4.2):
        link.receive(b"\xff\r\n", now)
    assert link.tick(4.5) == []
    link.bye(4.5)
    assert link.tick(4.5) == [Damaged(2, 0, 0)]
    assert link.tick(50.0) == []


@pytest.mark.parametrize("noise", [b"\xff\r\n", b"x" * 500 + b"\n", b"\r\r\n"])
def test_a_day_of_noise_is_told_each_eight_seconds_and_all_of_it_is_counted(noise):
    """It may neither fill the disk nor be silent; whoever plays on after a hold learns within a round that it goes on."""
    link = line_link("bench-line", boot=7)
    link.connect(0.0)
    link.tick(0.0)
    told, sent = [], 0
    for step in range(40 * 3600):
        now = step / 40
        told += [(now, event) for event in link.receive(noise, now) if isinstance(event, Damaged)]
        sent += 1
    times = [now for now, _ in told]
    assert times[:5] == [0.0, 1.0, 3.0, 7.0, 15.0]
    assert {after - before for before, after in pairwise(times[4:])} == {LONGEST_WAIT_S}
    assert len(told) <= 3600 / LONGEST_WAIT_S + 4
    told += [(0.0, event) for event in link.tick(3600.0 + LONGEST_WAIT_S) if isinstance(event, Damaged)]
    assert sum(d.not_text + d.too_long + d.cut_off for _, d in told) == sent


def test_damage_after_a_quiet_while_is_told_at_once_again():
    """The wait grows only while the noise goes on."""
    link = line_link("bench-line", boot=7)
    link.connect(0.0)
    link.tick(0.0)
    for now in (1.0, 2.0, 4.0):
        assert link.receive(b"\xff\r\n", now) == [Damaged(1, 0, 0)]
    assert link.receive(b"\xff\r\n", 30.0) == [Damaged(1, 0, 0)]
    assert link.receive(b"\xff\r\n", 30.5) == []
    assert link.next_deadline() == 31.0, "a second again"


def test_a_line_device_refuses_every_command():
    """It does not listen; whoever wants something of it is told so, not left waiting."""
    link = line_link("bench-line", boot=7)
    link.connect(1.0)
    link.tick(1.0)
    link.set_level(Level.LOCKOUT, ENGAGED, 5, 2.0)
    assert link.next_deadline() == 2.0
    (refused,) = link.tick(2.0)
    assert isinstance(refused, LevelRefused)
    assert refused.operation == 5
    assert link.data_to_send() == b""
