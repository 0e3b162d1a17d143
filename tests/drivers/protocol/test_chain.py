"""The chain over a device's log: what a key makes of each record, and what a host no longer takes for granted."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from drivers.protocol import messages as m
from drivers.protocol.auth import Trust
from drivers.protocol.chain import CHAIN_START, LogChain
from drivers.protocol.codec import decode, encode
from drivers.protocol.device.log import ReportLog
from drivers.protocol.host.link import Failed, Lost, Online, Reported
from drivers.protocol.reports import Capability, DoorClosed, DoorOpened

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "tdp1.json").read_text())["chain"]
KEY = bytes(range(32))


def test_every_record_of_a_log_over_two_boots_is_chained_as_published(independent):
    """By ours, by the second reading, and by the page's own bytes; an addition of a later version counts as well."""
    key = bytes.fromhex(VECTORS["key"])
    chain, before = LogChain(key), CHAIN_START
    assert independent.chain_key(key).hex() == VECTORS["chain key"]
    for vector in VECTORS["records"]:
        payload = bytes.fromhex(vector["event"])
        event = decode(m_frame(payload)).message
        assert independent.chained(key, payload, before).hex() == vector["chain"], vector["name"]
        assert chain.value(event.boot, event.record, before).hex() == vector["chain"], vector["name"]
        assert event.record.chain.hex() == vector["chain"], vector["name"]
        before = event.record.chain


def m_frame(payload):
    """An EVENT's body around a payload."""
    empty = encode(m.Frame(m.Bye(), 7))
    return bytes([empty[0], 0x20, 0, 1]) + empty[4:12] + len(payload).to_bytes(2, "little") + payload


@pytest.fixture
def world(make_chained):
    return make_chained()


@pytest.fixture
def make_chained(make_world):
    """Both ends have the key, and the device chains its log; nothing is connected yet."""

    def make(**given):
        return make_world(trust=Trust(KEY), key=KEY, capabilities=(Capability.CHAINS_LOG,), **given)

    return make


def online(world, times=1):
    assert world.run(10.0, until=lambda: len(world.of(Online)) >= times), world.of(Failed)


def fault(world):
    return next(((f.fault, f.detail) for f in world.of(Failed)), None)


def test_reports_carry_their_value_from_live_events_and_from_the_log(world):
    """What was reported before the host came is read; what comes afterwards is told: one chain."""
    world.report(30)
    world.connect()
    online(world)
    world.report(3)
    world.run(1.0)
    found = world.of(Reported)
    assert len(found) == 33
    chain, before = LogChain(KEY), CHAIN_START
    assert {r.from_log for r in found} == {True, False}
    for told in found:
        before = chain.value(world.boot, m.Record(told.counter, told.tick_us, told.report), before)
        assert told.chain == before


def test_a_device_without_the_capability_or_without_a_key_is_not_held_to_it(make_world):
    """Devices from before the chain go on as they were, and no value is kept with what they report."""
    for trust, key in ((Trust(KEY), KEY), (None, None)):
        world = make_world(trust=trust, key=key)
        world.report(2)
        world.connect()
        online(world)
        assert [r.chain for r in world.of(Reported)] == [b"", b""]


def edit(world, counter, **changes):
    """Somebody changes a record in the device's memory and has not got its key."""
    records = world.device._log._records
    records[world.boot, counter] = replace(records[world.boot, counter], **changes)


@pytest.mark.parametrize(
    "changes", [{"report": DoorOpened()}, {"tick_us": 5}, {"chain": bytes(8)}], ids=["contents", "time", "value"]
)
@pytest.mark.parametrize("counter", [1, 3, 5])
def test_a_record_that_was_changed_in_the_log_is_not_taken(world, counter, changes):
    """What came before it is good; it and what follows is lost and said so, and the link ends as a matter of security."""
    world.report(5)
    edit(world, counter, **changes)
    world.reconnecting = False
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert fault(world)[0] == "auth_chain"
    assert f"report {counter} of" in fault(world)[1]
    assert [r.counter for r in world.of(Reported)] == list(range(1, counter))
    assert world.of(Lost) == [Lost(world.boot, counter, 5)]
    assert isinstance(world.host_events[-1], Failed)


def test_a_record_that_was_left_out_is_found_by_the_next_one(world):
    """The one behind it has its number; its value is not that of the place."""
    world.report(4)
    records = world.device._log._records
    for counter in (2, 3):
        records[world.boot, counter] = replace(records.pop((world.boot, counter + 1)), counter=counter)
    world.device._log._spans[world.boot] = m.LogSpan(world.boot, 1, 3)
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert fault(world)[0] == "auth_chain"
    assert [r.counter for r in world.of(Reported)][:1] == [1]


def test_a_live_report_that_does_not_follow_ends_the_link(world):
    """Not only what is read from the log: firmware that loses its place is no witness either."""
    world.connect()
    online(world)
    world.device._chain = LogChain(bytes(32))
    world.reconnecting = False
    world.report(3)
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert fault(world)[0] == "auth_chain"
    assert not world.of(Reported)
    assert world.of(Lost) == [Lost(world.boot, 1, 1)]


def test_reports_behind_a_broken_one_in_the_same_read_are_not_released(world):
    """All came in one burst of bytes: none of them may be taken for the start of another chain."""
    world.connect()
    online(world)
    world.report(1)
    world.run(1.0)
    world.reconnecting = False
    held = []
    world.to_host.faults = lambda frame: held.append(frame) or []
    world.device._chain = LogChain(bytes(32))
    world.report(4)
    world._flush()
    world.to_host.inject(b"".join(held), world.now)
    assert world.run(1.0, until=lambda: world.of(Failed))
    assert [r.counter for r in world.of(Reported)] == [1]


def test_afterwards_the_device_goes_on_from_behind_the_loss(world):
    """The next link knows no value there, takes the first one as it is, and holds the others against it."""
    world.report(3)
    edit(world, 3, tick_us=5)
    world.connect()
    online(world)
    assert fault(world)[0] == "auth_chain"
    world.device._log._records[world.boot, 3] = replace(world.device._log.get(world.boot, 3), chain=b"whatever")
    world.report(3)
    world.run(2.0)
    assert [r.counter for r in world.of(Reported)] == [1, 2, 4, 5, 6]
    assert world.of(Lost) == [Lost(world.boot, 3, 3)]
    assert len(world.of(Failed)) == 1


# --- over links, boots and lost parts ---------------------------------------------------------------------------------


def test_a_link_begins_at_the_value_on_record(world):
    """The first report after an outage is held against the last durable one, from before the outage."""
    world.report(3)
    world.connect()
    online(world)
    world.host = None
    world.report(2)
    edit(world, 4, report=DoorClosed())
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert fault(world)[0] == "auth_chain"
    assert [r.counter for r in world.of(Reported)] == [1, 2, 3]


def test_without_a_value_on_record_the_first_report_is_taken_as_it_is(world):
    """A record from before the chain: no alarm, and from there on all are checked."""
    world.report(5)
    world.last = (world.boot, 2)
    edit(world, 2, tick_us=1)
    world.connect()
    online(world)
    assert [r.counter for r in world.of(Reported)] == [3, 4, 5]
    assert not world.of(Failed)


def kept(world):
    return world.device._log


def test_the_chain_goes_on_over_boots_where_the_log_is_kept(world):
    """The rest of the old boot, and the new one behind it: nothing is lost, all is one chain."""
    world.report(2)
    world.connect()
    online(world)
    world.host = None
    world.report(2)
    world.boot_device(log=kept(world))
    world.report(2)
    world.connect()
    online(world, 2)
    assert [r.counter for r in world.of(Reported)] == [1, 2, 3, 4, 1, 2]
    assert not world.of(Failed)


def test_a_boot_that_was_taken_out_of_the_log_is_found(world):
    """It was started in between, and somebody took the traces away: the next boot does not follow from the last one known."""
    world.report(2)
    world.connect()
    online(world)
    world.host = None
    log = kept(world)
    world.boot_device(log=log)
    world.report(1)
    between = world.boot
    world.boot_device(log=log)
    world.report(1)
    del log._records[between, 1], log._spans[between]
    world.boot_device_as(world.boot, log)
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert fault(world)[0] == "auth_chain"


def test_a_boot_whose_log_began_empty_is_checked_from_its_first_report(world):
    """The old log is gone, and said to be; nobody can put a record before the first one."""
    world.report(2)
    world.connect()
    online(world)
    world.host = None
    world.boot_device()
    world.report(2)
    edit(world, 1, tick_us=1)
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert fault(world)[0] == "auth_chain"
    assert [r.counter for r in world.of(Reported)] == [1, 2]


def test_a_broken_rest_of_an_old_boot_is_lost_and_the_new_boot_goes_on(world):
    """It cannot be mended any more, so it must not keep the device out for ever."""
    world.report(2)
    world.connect()
    online(world)
    world.host = None
    world.report(3)
    old = world.boot
    edit(world, 4, tick_us=1)
    world.boot_device(log=kept(world))
    world.report(2)
    world.connect()
    online(world, 2)
    assert fault(world)[0] == "auth_chain"
    assert len(world.of(Failed)) == 1
    assert world.of(Lost) == [Lost(old, 4, 5)]
    assert [(r.boot == old, r.counter) for r in world.of(Reported)] == [
        (True, 1), (True, 2), (True, 3), (False, 1), (False, 2),
    ]  # fmt: skip


def test_what_fell_out_of_the_ring_is_lost_and_the_chain_goes_on_behind_it(make_chained):
    """No value is known there: the first record that is left is taken as it is, the others are checked."""
    world = make_chained(log=ReportLog(4))
    world.report(2)
    world.connect()
    online(world)
    world.host = None
    world.report(6)
    world.connect()
    online(world, 2)
    assert [r.counter for r in world.of(Reported)] == [1, 2, 5, 6, 7, 8]
    assert world.of(Lost) == [Lost(world.boot, 3, 4)]
    assert not world.of(Failed)


def test_firmware_that_begins_to_chain_does_not_speak_ill_of_the_old_one(make_world):
    """An update over a kept log: the rest of the old boot has no values, and the new boot is held together from its first on."""
    world = make_world(trust=Trust(KEY), key=KEY)
    world.report(2)
    world.connect()
    online(world)
    world.host = None
    world.report(3)
    world.capabilities = (Capability.CHAINS_LOG,)
    world.boot_device(log=kept(world))
    world.report(3)
    world.connect()
    online(world, 2)
    assert [r.counter for r in world.of(Reported)] == [1, 2, 3, 4, 5, 1, 2, 3]
    assert not world.of(Failed)
    world.host = None
    world.report(2)
    edit(world, 4, tick_us=1)
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert fault(world)[0] == "auth_chain"


def test_zeros_in_the_present_boot_are_no_excuse(world):
    """It says that it chains: whoever takes the values out of its log is found, also behind a loss."""
    world.report(4)
    world.last = (world.boot, 1)  # nothing of the chain is on record here
    for counter in (2, 3, 4):
        edit(world, counter, chain=bytes(8))
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert fault(world)[0] == "auth_chain"
    assert [r.counter for r in world.of(Reported)] == [2]


def test_a_device_cannot_stop_chaining_within_a_boot(world):
    """Its capabilities are under its proof; a firmware that no longer chains what it chained before is asked about."""
    world.report(2)
    world.connect()
    online(world)
    world.host = None
    world.capabilities = ()
    world.boot_device_as(world.boot, kept(world))
    world.connect()
    assert world.run(5.0, until=lambda: world.of(Failed))
    assert fault(world) == ("auth_chain", "the device no longer chains its log, and did before")


def test_an_unreadable_report_is_part_of_the_chain(world, monkeypatch):
    """A code of a later version is lost to this host, and what follows still follows."""
    world.connect()
    online(world)
    world.report(1)
    boot, log, chain = world.boot, world.device._log, world.device._chain
    record = m.Record(2, 7, m.UnknownReport(0x7D, b"\1\2", "not known"))
    log.append(boot, replace(record, chain=chain.value(boot, record, log.newest_chain)))
    world.report(1)
    world.run(2.0)
    assert [r.counter for r in world.of(Reported)] == [1, 3]
    assert world.of(Lost) == [Lost(boot, 2, 2)]
    assert not world.of(Failed)


def test_fields_of_a_later_version_are_part_of_the_chain():
    """They are passed over by the reader and held under the chain by the key: the bytes count, not what was read."""
    plain = m.Record(1, 2, DoorOpened())
    data = encode(m.Frame(m.Event(9, plain), 7))
    longer = bytearray(data + b"\x09\x01\x55")
    longer[12:14] = (len(longer) - 14).to_bytes(2, "little")
    read = decode(bytes(longer)).message.record
    assert read == plain
    chain = LogChain(KEY)
    assert chain.value(9, read, CHAIN_START) != chain.value(9, plain, CHAIN_START)
