"""Two machines that say they are one table: both say so, and neither throws the other out for ever."""

import asyncio

import pytest

from controller.publish.identity import REASON, SPACING_S, Identity, this_machine
from controller.publish.presence import Said
from tests.controller.publish.conftest import FakeJournal

S = 1_000_000_000
SHARED = "identity_shared"


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
@pytest.mark.parametrize("machines", [("aaaa", "bbbb"), ("aaaa", "aaaa")], ids=["apart", "alike"])
async def test_two_machines_with_one_client_id_both_say_so_and_come_to_rest(
    mosquitto, run, until, protocol, machines
):
    """A copy of the disk: the same journal, sessions counted on from the same number. Also where both look like one machine."""
    first, second = FakeJournal(), FakeJournal()
    one = run(mosquitto.port, keep=first, protocol=protocol, machine=machines[0])
    await until(lambda: one.publisher.status()["connected"])
    two = run(mosquitto.port, keep=second, protocol=protocol, machine=machines[1])
    await until(lambda: SHARED in one.kinds() and SHARED in two.kinds())
    for running in (one, two):
        assert running.kinds().count(SHARED) == 1
        assert running.publisher.status()["identity"]["reason"] == REASON
    await asyncio.sleep(0.5)  # dozens of connects at the waits of this test, where nothing holds them back
    assert sum(r.publisher.status()["connects"] for r in (one, two)) <= 7
    if machines[0] != machines[1]:
        assert {dict(r.reports)[SHARED].get("machine", "bbbb") for r in (one, two)} == {"aaaa", "bbbb"}


@pytest.mark.parametrize("will_delay_s", [0, 5])
async def test_a_table_that_begins_anew_takes_its_own_past_for_no_other(
    mosquitto, run, journal, until, will_delay_s
):
    """After a kill its birth or its will still stands on `conn`."""
    for _ in range(2):
        running = run(mosquitto.port, will_delay_s=will_delay_s)
        await until(lambda: running.publisher.status()["connected"])  # noqa: B023
        await running.kill()
    last = run(mosquitto.port, will_delay_s=will_delay_s)
    await until(lambda: last.publisher.status()["connected"])
    journal.add()
    last.publisher.wake()
    await until(lambda: last.publisher.status()["acked"] == 1 or "nobody_listening" in last.kinds())
    assert SHARED not in last.kinds()
    assert last.publisher.status()["identity"] is None


def heard(**changes):
    """What one process says about one message that stood on `conn` before its first birth."""
    reports = []
    identity = Identity("j", "mine", lambda kind, **data: reports.append((kind, data)))
    said = Said(**{"state": "online", "session": 7, "journal": "j", "machine": "mine", "process": "p", **changes})
    identity.hear(said, 8, 0, is_before=identity.begin(8))
    return [kind for kind, _ in reports]


@pytest.mark.parametrize(
    ("changes", "is_foreign"),
    [
        ({}, False),  # its last start
        ({"journal": "k", "session": 90}, False),  # its record was replaced
        ({"machine": "", "process": ""}, False),  # an older version
        ({"state": "lost", "session": 90, "machine": "", "process": "", "journal": None}, False),
        ({"state": "offline", "session": 90, "machine": "other"}, False),
        ({"machine": "other"}, True),
        ({"session": 8}, True),
        ({"session": 90}, True),
    ],
)
def test_journal_session_and_machine_are_compared(changes, is_foreign):
    """A session of this journal that was not given out yet is another's, and so is a living birth of another machine."""
    assert (heard(**changes) == [SHARED]) is is_foreign


def test_after_its_own_birth_every_other_one_is_foreign():
    """The broker keeps one message: what this process wrote there cannot turn into its past again."""
    reports = []
    identity = Identity("j", "mine", lambda kind, **data: reports.append(kind))
    identity.begin(3)
    identity.born()
    identity.hear(Said("online", 3, "j", "mine", identity.process), 3, 0, is_before=identity.begin(8))
    identity.hear(Said("lost", 3), 3, 0, is_before=False)
    identity.hear(Said("lost", 2, None, "mine", "p"), 3, 0, is_before=False)  # it died late
    assert reports == []
    identity.hear(Said("online", 3, "j", "mine", "p"), 3, 0, is_before=identity.begin(8))
    assert reports == [SHARED]


@pytest.mark.parametrize(("machine", "session"), [("other", 1), ("mine", 3)])
def test_a_will_of_another_process_is_foreign_after_our_birth(machine, session):
    """MQTT 3.1.1: whoever is thrown out leaves nothing else."""
    reports = []
    identity = Identity("j", "mine", lambda kind, **data: reports.append(kind))
    identity.begin(3)
    identity.born()
    identity.hear(Said("lost", session, None, machine, "p"), 4, 0, is_before=identity.begin(4))
    assert reports == [SHARED]


def test_two_that_share_an_identity_connect_twelve_times_an_hour_at_most():
    """Six each, one quick answer included; an hour with nobody else on one connection ends it."""
    reports = []
    identity = Identity("j", "mine", lambda kind, **data: reports.append(kind))
    assert identity.wait_s(0, 0, 0.0) == 0
    now, connects = 0, []
    identity.taken_over(now)
    while now < 3600 * S:
        now += round(identity.wait_s(now, connects[-1] if connects else 0, 0.0) * S) + S
        connects.append(now)
        identity.taken_over(now)
    assert len([at for at in connects if at < 3600 * S]) <= 6
    assert connects[0] == S
    assert SPACING_S * 5 >= 3600
    identity.look(now + 1800 * S, now)
    assert identity.is_shared
    identity.look(now + 3600 * S, now)
    assert not identity.is_shared
    assert reports == [SHARED, "identity_alone"]


def test_a_machine_has_one_name():
    """The same at each start, in hex digits."""
    assert this_machine() == this_machine()
    assert len(bytes.fromhex(this_machine())) == 8
