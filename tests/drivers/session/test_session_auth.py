"""A session with a key: what people and the table hear, and what the session does when the key is wrong or gone."""

import asyncio
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from drivers import events
from drivers.catalog import Approval, Firmware
from drivers.commands import WantedLevel
from drivers.device import SessionState
from drivers.protocol.messages import Identity
from drivers.protocol.reports import SIMULATED_VENDOR, Capability, DeviceKind, DoorClosed, DoorOpened
from drivers.protocol.words import ENGAGED, Level

KEY = bytes(range(32))
PROGRESSIVE = Identity(
    DeviceKind.PROGRESSIVE, SIMULATED_VENDOR, "tiny progressive", "1", "P-1", "1.0",
    capabilities=(Capability.EVENT_LOG, Capability.LOCKOUT, Capability.SENSES_WAGERS),
)  # fmt: skip


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "prog-1.key"
    path.write_bytes(KEY)
    path.chmod(0o400)
    return path


def with_key(bench, key_file, key=KEY):
    """A bench whose device has a key."""
    b = bench(key_file=key_file)
    b.device.key = key
    b.device.power_up()
    return b


def test_a_device_with_the_key_comes_online_as_authenticated(bench, virtual, key_file):
    """Its states are told on the way; what is wanted of it on the safe side goes out as soon as it is heard."""

    async def scene():
        b = with_key(bench, key_file)
        b.device.link.report(DoorOpened(), 0)
        b.session.want(WantedLevel("prog-1", Level.LOCKOUT, ENGAGED, 7))
        async with b:
            await b.until_online()
            (online,) = b.owner.bodies(events.DeviceOnline)
            assert online.authenticated
            assert len(b.owner.counters) == 1
            states = [status.state for status in b.owner.states]
            assert states[:4] == [SessionState.OPENING, SessionState.HELLO, SessionState.AUTH, SessionState.SYNC]
            await b.until(lambda: b.owner.bodies(events.LevelConfirmed), 1.0)
            assert [request.operation for request in b.device.asked] == [7]

    virtual(scene())


def test_a_device_without_a_key_says_so_with_its_event(bench, virtual):
    """Whoever reads the record must see that nothing proved who this was."""

    async def scene():
        async with bench() as b:
            await b.until_online()
            assert [online.authenticated for online in b.owner.bodies(events.DeviceOnline)] == [False]

    virtual(scene())


def test_a_wrong_key_is_told_once_and_tried_once_a_minute(bench, virtual, key_file):
    """When the right one is put in, the device is online within that minute, without a restart of the daemon."""

    async def scene():
        b = with_key(bench, key_file, key=bytes(range(1, 33)))
        async with b:
            await b.until(lambda: b.session.state is SessionState.REJECTED, 5.0)
            start = b.session.counters["opened"]
            await asyncio.sleep(600)
            assert [r.reason for r in b.owner.bodies(events.DeviceRejected)] == ["auth_bad_key"]
            assert 9 <= b.session.counters["opened"] - start <= 11
            assert b.owner.counters == []
            key_file.chmod(0o600)
            key_file.write_bytes(bytes(range(1, 33)))
            await b.until_online(within_s=61.0)

    virtual(scene())


@pytest.mark.parametrize("harm", ["missing", "readable"])
def test_a_key_file_that_cannot_be_used_is_a_state_and_no_end(bench, virtual, key_file, harm):
    """The reason names the file and what to type; the port is left alone meanwhile."""
    key_file.chmod(0o600)
    if harm == "missing":
        key_file.unlink()
    else:
        key_file.chmod(0o644)

    async def scene():
        b = with_key(bench, key_file)
        async with b:
            await b.until(lambda: b.session.state is SessionState.REJECTED, 5.0)
            assert b.session.status.reason == "auth_key_file"
            assert str(key_file) in b.session.status.detail
            assert [r.reason for r in b.owner.bodies(events.DeviceRejected)] == ["auth_key_file"]
            key_file.write_bytes(KEY)
            key_file.chmod(0o400)
            await b.until_online(within_s=61.0)

    virtual(scene())


def test_a_forged_frame_takes_the_device_off_the_table_and_says_why(bench, virtual, key_file):
    """The safe side is the device's own after three seconds; a minute later the link is tried again."""

    async def scene():
        async with with_key(bench, key_file) as b:
            await b.until_online()
            await b.until(lambda: b.session.counters["frames_in"] > 6, 10.0)
            real = b.device.write
            b.device.write = lambda data: real(data + data)  # somebody plays everything back
            await b.until(lambda: b.session.state is SessionState.REJECTED, 5.0)
            b.device.write = real
            (rejected,) = b.owner.bodies(events.DeviceRejected)
            assert rejected.reason == "auth_replay"
            assert b.owner.ups_and_downs == ["device_online", "device_offline", "device_rejected"]
            assert b.session.counters["mac"] == 1
            await b.until_online(times=2, within_s=62.0)

    virtual(scene())


CHAINED = replace(PROGRESSIVE, capabilities=(*PROGRESSIVE.capabilities, Capability.CHAINS_LOG))


def edit(device, counter):
    """Somebody changes a record in the device's log."""
    records = device.log._records
    records[device.boots, counter] = replace(records[device.boots, counter], report=DoorClosed())


def chained(bench, key_file):
    b = bench(key_file=key_file)
    b.device.identity, b.device.key = CHAINED, KEY
    b.device.power_up()
    b.owner.on_delivery = lambda d: d.origin and b.session.acknowledge(d.origin.boot, d.origin.counter)
    return b


@pytest.mark.parametrize("restarted", [True, False], ids=["the daemon started anew", "the link was lost"])
def test_a_log_that_was_changed_in_an_outage_is_no_record(bench, virtual, key_file, restarted):
    """The value with the last report on record is what the first one afterwards is held against."""

    async def scene():
        async with chained(bench, key_file) as b:
            await b.until_online()
            for _ in range(3):
                b.device.report(DoorOpened())
            await b.until(lambda: len(b.owner.counters) == 3, 5.0)
            await asyncio.sleep(0.1)
            last = b.owner.deliveries[-1].origin
            assert len(last.chain) == 16
            await b.unplug()
            await asyncio.sleep(1.0)
            if restarted:
                await b.stop_session()
                b.new_session((last.boot, last.counter), chain=last.chain)
                b.task = asyncio.ensure_future(b.session.run())
            for _ in range(3):
                b.device.link.report(DoorOpened(), 2000)
            edit(b.device, 5)
            await b.plug()
            await b.until(lambda: b.session.state is SessionState.REJECTED, 15.0)
            assert [r.reason for r in b.owner.bodies(events.DeviceRejected)] == ["auth_chain"]
            assert [counter for _, counter in b.owner.counters] == [1, 2, 3, 4]
            (lost,) = b.owner.bodies(events.EventsLost)
            assert (lost.first, lost.last) == (5, 6)
            b.session.acknowledge(lost.boot, lost.last)
            b.device.link.report(DoorOpened(), 3000)
            await b.until_online(times=2, within_s=62.0)
            await b.until(lambda: len(b.owner.counters) == 5, 2.0)
            assert b.owner.counters[-1][1] == 7

    virtual(scene())


def test_a_reboot_is_told_although_the_first_link_after_it_failed(bench, virtual, key_file):
    """Otherwise whoever wants a reboot unseen would only have to spoil one handshake."""

    async def scene():
        async with chained(bench, key_file) as b:
            await b.until_online()
            b.device.key = bytes(32)
            b.device.power_up()
            await b.until(lambda: b.session.state is SessionState.REJECTED, 15.0)
            b.device.link = replace_key(b.device)
            await b.until_online(times=2, within_s=65.0)
            assert [online.rebooted for online in b.owner.bodies(events.DeviceOnline)] == [False, True]

    virtual(scene())


def replace_key(device):
    """The same boot, with the right key."""
    device.key, device.boots = KEY, device.boots - 1
    device.power_up()
    return device.link


IMAGE = bytes(range(251)) * 40
MAKERS = replace(PROGRESSIVE, vendor="Maker", model="Prog 3", firmware_hash=sha256(IMAGE).digest())
ROW = Firmware("Maker", "Prog 3", DeviceKind.PROGRESSIVE, sha256(IMAGE).digest(), Approval.APPROVED, IMAGE)


def makers(bench, key_file, image=IMAGE, **config):
    """A bench in real play whose device is a maker's, with firmware that can be measured."""
    b = bench(key_file=key_file, accept_test_only=False, **config)
    b.device.identity, b.device.key, b.device.image = MAKERS, KEY, image
    b.device.power_up()
    return b


def test_an_approved_and_measured_device_serves_in_real_play(bench, virtual, key_file):
    """Key, list and image together; MEASURE is a state of its own, before anything is believed."""

    async def scene():
        async with makers(bench, key_file, approved=(ROW,)) as b:
            await b.until_online()
            states = [status.state for status in b.owner.states]
            assert states[2:6] == [SessionState.AUTH, SessionState.MEASURE, SessionState.SYNC, SessionState.ONLINE]
            assert b.session.counters["measured"] == 1
            digest = sha256(IMAGE).hexdigest()
            measured = events.FirmwareMeasured("P-1", f"{b.device.boots:016x}", digest)
            assert b.owner.bodies(events.FirmwareMeasured) == [measured]
            (online,) = b.owner.bodies(events.DeviceOnline)
            assert (online.firmware_sha256, online.config_sha256) == (digest, None)
            b.session.measure()
            await b.until(lambda: b.session.counters["measured"] == 2, 2.0)
            assert b.owner.bodies(events.FirmwareMeasured) == [measured] * 2
            b.device.link._holder._image = IMAGE[::-1]
            b.session.measure()
            await b.until(lambda: b.session.state is SessionState.REJECTED, 2.0)
            assert [r.reason for r in b.owner.bodies(events.DeviceRejected)] == ["auth_measure"]
            b.session.measure()  # nobody is there; it is measured when it comes back

    virtual(scene())


@pytest.mark.parametrize(
    ("row", "image", "reason"),
    [
        (replace(ROW, approval=Approval.REVOKED), IMAGE, "auth_not_approved"),
        (replace(ROW, approval=Approval.TEST_ONLY), IMAGE, "auth_not_approved"),
        (replace(ROW, sha256=bytes(32)), IMAGE, "auth_not_approved"),
        (ROW, IMAGE[::-1], "auth_measure"),
        (ROW, None, "auth_measure"),
    ],
    ids=["withdrawn", "for tests", "not listed", "other bytes", "not measurable"],
)
def test_what_is_not_approved_or_not_the_image_is_rejected(bench, virtual, key_file, row, image, reason):
    """Its reports stay undelivered, and a person is told once."""

    async def scene():
        b = makers(bench, key_file, image, approved=(row,))
        b.device.link.report(DoorOpened(), 0)
        async with b:
            await b.until(lambda: b.session.state is SessionState.REJECTED, 15.0)
            assert [r.reason for r in b.owner.bodies(events.DeviceRejected)] == [reason]
            assert b.owner.counters == []

    virtual(scene())


def test_a_simulator_with_the_right_key_and_a_row_of_its_own_is_rejected_in_real_play(bench, virtual, key_file):
    """Neither makes it a device."""
    row = replace(ROW, vendor=PROGRESSIVE.vendor, model=PROGRESSIVE.model, sha256=bytes(32), image=None)

    async def scene():
        b = bench(key_file=key_file, accept_test_only=False, approved=(row,))
        b.device.key = KEY
        b.device.power_up()
        async with b:
            await b.until(lambda: b.session.state is SessionState.REJECTED, 5.0)
            (rejected,) = b.owner.bodies(events.DeviceRejected)
            assert rejected.reason == "auth_not_approved"
            assert "for tests only" in rejected.detail

    virtual(scene())


def test_no_key_stands_in_what_a_session_tells(bench, virtual, key_file):
    """Neither in states, nor in deliveries, nor in what an error would print of it."""

    async def scene():
        async with with_key(bench, key_file) as b:
            await b.until_online()
            told = repr((b.owner.states, b.owner.deliveries, b.config, dict(b.session.counters)))
            assert KEY.hex() not in told
            assert repr(KEY)[2:20] not in told

    virtual(scene())
