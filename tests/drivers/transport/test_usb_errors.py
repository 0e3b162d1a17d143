"""The table of USB errors, row by row: what is borne, how often, and what ends the link."""

import errno
import math

import pytest

from drivers.errors import Fault
from drivers.transport.usb_errors import AT_OPEN, ON_READ, ON_WRITE, WINDOW_S, Borne, Patience

EVER = math.inf
ROWS = [
    # error, writing, how often it is borne within ten seconds, what is done then, the fault of one more
    (errno.ENODEV, False, 0, None, Fault.LINK_EOF),
    (errno.ENODEV, True, 0, None, Fault.LINK_EOF),
    (errno.ENOENT, False, 0, None, Fault.LINK_EOF),
    (errno.ESHUTDOWN, False, 0, None, Fault.LINK_EOF),
    (errno.ETIMEDOUT, False, EVER, Borne.GO_ON, None),
    (errno.ETIMEDOUT, True, 2, Borne.GO_ON, Fault.LINK_IO_ERROR),
    (errno.EPIPE, False, 1, Borne.CLEAR_HALT, Fault.PROTO_UNEXPECTED),
    (errno.EPIPE, True, 1, Borne.CLEAR_HALT, Fault.PROTO_UNEXPECTED),
    (errno.EOVERFLOW, False, 3, Borne.WAIT, Fault.LINK_IO_ERROR),
    (errno.EOVERFLOW, True, 0, None, Fault.LINK_IO_ERROR),
    (errno.EIO, False, 3, Borne.WAIT, Fault.LINK_IO_ERROR),
    (errno.EIO, True, 3, Borne.WAIT, Fault.LINK_IO_ERROR),
    (errno.EINTR, False, 3, Borne.WAIT, Fault.LINK_IO_ERROR),
    (errno.ENOMEM, False, 0, None, Fault.LINK_IO_ERROR),
    (errno.EBUSY, False, 0, None, Fault.LINK_IO_ERROR),
    (errno.EACCES, True, 0, None, Fault.LINK_IO_ERROR),
    (0, False, 0, None, Fault.LINK_IO_ERROR),
]


@pytest.mark.parametrize(("code", "writing", "times", "borne", "fault"), ROWS)
def test_each_error_is_borne_as_often_as_its_row_says(code, writing, times, borne, fault):
    """One error too many within ten seconds ends the link, by its own fault; fewer never do."""
    patience = Patience()
    for n in range(50 if times == EVER else times):
        assert patience.judge(code, n * 0.1, writing=writing).borne is borne
    if times != EVER:
        verdict = patience.judge(code, times * 0.1, writing=writing)
        assert (verdict.borne, verdict.row.fault) == (None, fault)
        assert verdict.row.detail


def test_every_row_of_the_tables_is_judged_above():
    """A row that is added without a line here is a row nobody has thought about."""
    named = {(code, writing) for code, writing, *_ in ROWS}
    known = {(code, False) for code in ON_READ} | {(code, True) for code in ON_WRITE}
    anywhere = {code for code, _ in named}
    assert {code for code, _ in known} <= anywhere


@pytest.mark.parametrize("code", [errno.EPIPE, errno.EIO, errno.EOVERFLOW])
def test_an_error_now_and_then_is_borne_for_ever(code):
    """What comes once in ten seconds is a bad cable, not a dead one."""
    patience = Patience()
    for n in range(100):
        assert patience.judge(code, n * (WINDOW_S + 0.1), writing=False).borne is not None


def test_a_device_that_takes_bytes_again_was_not_stuck():
    """Three time-outs in a row are one too many; two, however often, are not."""
    patience = Patience()
    for turn in range(20):
        for n in range(2):
            assert patience.judge(errno.ETIMEDOUT, turn * 3.0 + n, writing=True).borne is not None
        patience.wrote()
    verdicts = [patience.judge(errno.ETIMEDOUT, 100.0 + n, writing=True) for n in range(3)]
    assert [verdict.borne is None for verdict in verdicts] == [False, False, True]
    assert verdicts[-1].row.resets


def test_reading_and_writing_are_counted_together_where_the_bus_is_in_trouble():
    """A cable that spoils both directions is not borne twice as long."""
    patience = Patience()
    borne = [patience.judge(errno.EIO, 0.1 * n, writing=n % 2 == 0).borne for n in range(4)]
    assert borne[-1] is None


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (errno.ENODEV, Fault.LINK_MISSING),
        (errno.ENOENT, Fault.LINK_MISSING),
        (errno.ESHUTDOWN, Fault.LINK_MISSING),
        (errno.EACCES, Fault.LINK_FORBIDDEN),
        (errno.EPERM, Fault.LINK_FORBIDDEN),
        (errno.EBUSY, Fault.LINK_BUSY),
        (errno.ENOMEM, Fault.LINK_OPEN_FAILED),
    ],
)
def test_each_refusal_at_open_has_its_fault_and_a_remedy(code, fault):
    """Missing, busy and forbidden need different people with different remedies."""
    assert AT_OPEN[code][0] is fault
    assert len(AT_OPEN[code][1]) > 10
    assert len(AT_OPEN) == 7
