"""A link moves by its table: each row is reached, and no input makes a move that the table does not have."""

import random
from hashlib import sha256

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drivers.protocol.auth import Trust
from drivers.protocol.constants import STALE_AFTER_S
from drivers.protocol.host import state as states
from drivers.protocol.host.link import FirmwareMeasured, HostLink, Online
from drivers.protocol.host.state import TRANSITIONS, LinkMove, LinkStanding, LinkState, NoSuchLinkMove

KEY, IMAGE = bytes(range(32)), random.Random(5).randbytes(20_000)
WITHOUT_KEY: dict = {}
WITH_KEY = {"trust": Trust(KEY, {}), "key": KEY, "image": IMAGE}
MEASURED = {"trust": Trust(KEY, {sha256(IMAGE).digest(): IMAGE}), "key": KEY, "image": IMAGE}
ROWS = {(state, event) for state, row in TRANSITIONS.items() for event in row}


@pytest.fixture
def moves(monkeypatch):
    """All that links do in this test: (state, event)."""
    found = set()
    move = LinkStanding.move

    def noted(standing, event):
        found.add((standing.state, event))
        move(standing, event)

    monkeypatch.setattr(LinkStanding, "move", noted)
    return found


def ended(make_world, ends, until, **keys):
    """A life of a link that is ended by `ends` once it stands where it is wanted."""
    world = make_world(**keys)
    world.reconnecting = False
    world.connect()
    standing = world.host._standing
    assert world.run(9.0, until=lambda: standing.state is until), until
    ends(world)
    assert standing.state is LinkState.CLOSED


def by_bye(world):
    world.host.bye(world.now)


def by_fault(world):
    world.to_host.faults = lambda frame: []
    world.run(4 * STALE_AFTER_S)


WHERE = [
    (WITHOUT_KEY, LinkState.HELLO), (WITHOUT_KEY, LinkState.SYNC), (WITHOUT_KEY, LinkState.ONLINE), (WITH_KEY, LinkState.AUTH),
    (WITH_KEY, LinkState.ONLINE), (MEASURED, LinkState.MEASURE), (MEASURED, LinkState.SYNC), (MEASURED, LinkState.ONLINE),
]  # fmt: skip


def test_each_row_is_reached(make_world, moves):
    for keys, where in WHERE:
        for end in (by_bye, by_fault):
            ended(make_world, end, where, **keys)
    new = HostLink(entropy=random.Random(1).randbytes, last=None, stale_after_s=5.0, byte_time_s=0.0)
    new.bye(0.0)
    new.bye(0.0)
    world = make_world(**MEASURED)
    world.connect()
    assert world.run(9.0, until=lambda: world.host._standing.state is LinkState.SYNC)
    world.host.measure(world.now)
    assert world.run(9.0, until=lambda: bool(world.of(Online)))
    world.host.measure(world.now)
    assert world.run(9.0, until=lambda: len(world.of(FirmwareMeasured)) > 1)
    assert ROWS - moves <= {(LinkState.SYNC, LinkMove.MEASURED)}, "measuring takes longer than the log is read for"
    assert moves <= ROWS


def test_measured_anew_while_the_log_is_read_changes_nothing():
    standing = LinkStanding()
    for event in (LinkMove.CONNECTED, LinkMove.WELCOMED, LinkMove.MEASURED):
        standing.move(event)
    assert standing.state is LinkState.SYNC


@pytest.mark.parametrize("state", LinkState)
@pytest.mark.parametrize("event", LinkMove)
def test_what_has_no_row_is_an_error_and_moves_nothing(state, event):
    standing = LinkStanding()
    standing.state = state
    if (state, event) in ROWS:
        standing.move(event)
        assert standing.state is TRANSITIONS[state][event]
    else:
        with pytest.raises(NoSuchLinkMove, match=event.name):
            standing.move(event)
        assert standing.state is state


def test_nothing_leads_out_of_a_closed_link():
    assert set(TRANSITIONS) == set(LinkState)
    assert set(TRANSITIONS[LinkState.CLOSED].values()) == {LinkState.CLOSED}
    assert set(states.OPENING) | set(states.BELIEVED) | {LinkState.NEW, LinkState.CLOSED} == set(LinkState)


INPUTS = st.lists(
    st.one_of(
        st.tuples(st.just("wait"), st.floats(0.001, 4)),
        st.tuples(st.just("report"), st.integers(1, 9)),
        st.tuples(st.sampled_from(("repeat", "drop", "bytes", "pass")), st.binary(max_size=9)),
        st.tuples(st.sampled_from(("measure", "bye", "reboot", "levels")), st.none()),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(inputs=INPUTS, keys=st.sampled_from((WITHOUT_KEY, WITH_KEY, MEASURED)), seed=st.integers(0, 99))
def test_no_input_makes_a_move_without_a_row(make_world, inputs, keys, seed):
    """Frames lost, doubled, in pieces, in between; a device that restarts; a caller who wants and leaves."""
    world = make_world(seed, **keys)
    world.reconnecting = False
    host = world.connect()
    for what, how in inputs:
        match what:
            case "wait":
                world.run(how)
            case "report":
                world.report(how)
            case "repeat":
                world.to_host.faults = lambda frame: [(0.001, frame), (0.02, frame)]
            case "drop":
                world.to_host.faults = lambda frame: []
            case "pass":
                world.to_host.faults = lambda frame: [(0.001, frame)]
            case "bytes":
                world.to_host.inject(how, world.now)
            case "measure":
                host.measure(world.now)
            case "bye":
                host.bye(world.now)
            case "reboot":
                world.boot_device()
            case "levels" if host._standing.state is not LinkState.CLOSED:
                host.read_levels(world.now)
    world.run(1.0)
    assert host._standing.state in LinkState
