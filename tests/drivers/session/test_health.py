"""What a session says of a device that is out of order, and when it says so no more."""

import pytest

from drivers.device import SessionState
from drivers.errors import Fault
from drivers.session.health import Health

WORDS = "it failed its self-test (code 21)"


def faulty():
    health = Health(lambda _: None)
    health.new_link()
    health.online(Fault.DEVICE_SELF_TEST)
    health.says_faulty(Fault.DEVICE_SELF_TEST, WORDS)
    return health


@pytest.mark.parametrize("is_whole", [False, True])
def test_only_a_device_that_is_whole_again_comes_out_of_suspicion_online(virtual, is_whole):
    """One whose broken part rested meanwhile; any other stays out of order until it connects anew."""

    async def scene():
        health = faulty()
        assert (health.status.state, health.status.detail) == (SessionState.FAULTED, WORDS)
        health.suspect(Fault.TIMEOUT_LIVENESS, half_dead=True)
        if is_whole:
            health.is_whole()
            assert health.status.state is SessionState.SUSPECT, "whether it is there is another question"
        health.online(Fault.DEVICE_SELF_TEST)
        assert health.status.state is (SessionState.ONLINE if is_whole else SessionState.FAULTED)

    virtual(scene())


def test_a_device_that_is_whole_again_is_online(virtual):
    """And nothing is left of what was said of it."""

    async def scene():
        health = faulty()
        health.is_whole()
        assert (health.status.state, health.status.reason, health.status.detail) == (SessionState.ONLINE, "", "")

    virtual(scene())
