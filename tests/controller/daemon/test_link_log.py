"""A cable that is plugged about fills no log."""

import asyncio

import pytest

from controller.daemon.link_log import LinkLog
from controller.limits.limited_log import BURST, PERIOD_S
from drivers.device import SessionState, SessionStatus
from tests.drivers.conftest import Bench, VirtualLoop


@pytest.fixture
def told():
    return []


def status(n: int) -> SessionStatus:
    return SessionStatus(SessionState.ABSENT, float(n), "link_eof", str(n))


def test_every_change_is_told_while_they_are_few(told):
    """An hour of a table on which a device comes and goes now and then."""
    now = [0.0]
    log = LinkLog("shoe-1", lambda event, **fields: told.append(fields), lambda: now[0])
    for n in range(400):
        now[0] = n * 10.0
        log(status(n))
    assert [line["detail"] for line in told] == [str(n) for n in range(400)]
    assert all("left_out" not in line for line in told)


def test_a_flood_is_cut_and_what_was_left_out_is_counted(told):
    """Nothing vanishes without a number."""
    now = [0.0]
    log = LinkLog("shoe-1", lambda event, **fields: told.append(fields), lambda: now[0])
    for n in range(6000):
        now[0] = n / 100
        log(status(n))
    assert len(told) <= BURST + 60 / PERIOD_S + 1
    now[0] += 60
    log(status(6000))
    assert told[-1]["detail"] == "6000"
    assert sum(line.get("left_out", 0) for line in told) + len(told) == 6001


@pytest.mark.parametrize("period_s", [0.05, 0.3, 1.0])
def test_a_storm_of_plugs_costs_a_bounded_number_of_lines_and_of_opens(told, period_s):
    """A minute of a loose plug, up to twenty times a second; at rest the device is online after one back-off."""

    async def storm():
        b = Bench()
        loop = asyncio.get_running_loop()
        log = LinkLog("prog-1", lambda event, **fields: told.append(fields), loop.time)
        b.session = b.new_session(None)
        b.session._health._on_state = log
        async with b:
            end = loop.time() + 60
            while loop.time() < end:
                await b.unplug()
                await asyncio.sleep(period_s / 2)
                await b.plug()
                await asyncio.sleep(period_s / 2)
            assert b.session.counters["opened"] <= 60 * min(4.5, 1 / period_s + 1)
            assert len(told) <= BURST + 60 / PERIOD_S + 1
            assert len(b.owner.deliveries) <= 60 * 9
            await b.until(lambda: b.session.state is SessionState.ONLINE, 6.5)

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(storm())
