"""A table whose devices are on USB, each in a socket of its own: killed, unplugged, and one plugged in elsewhere."""

import signal
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from controller.journal.record import Stream

Make = Callable[..., Awaitable[Any]]


@pytest.mark.timeout(180)
async def test_a_table_on_usb_plays_through_a_kill_and_a_replug(rig: Make) -> None:
    """What the devices were told is durable is on record, once; every gap is closed from their logs."""
    table = await rig(link="usb")
    await table.up(people=True)
    await table.play_on(60)
    await table.kill_daemon()
    await table.start_daemon()
    await table.all_online()
    await table.play_on(40)
    await table.hands("shoe", "unplug", for_s=0.5)
    await table.until(lambda: table.facts("device_offline"), "the loss is on record")
    await table.all_online()
    assert table.facts("device_offline")[0]["reason"] == "link_eof"
    await table.play_on(40)
    await table.child("people").stop()
    assert await table.daemon.stop() == 0
    table.assert_journal_verifies()
    table.assert_reports_are_on_record()
    table.assert_nothing_was_opened_off_the_record()
    assert all(fact["gap_closed"] for fact in table.facts("device_online"))


async def test_a_shoe_in_another_socket_is_rejected_and_nothing_of_it_is_on_record(rig: Make) -> None:
    """The status names the fault and where the device is; the other devices serve on."""
    table = await rig(link="usb")
    await table.up()
    before = len([r for r in table.records(Stream.INPUT) if r.origin and r.origin[0] == "SIM-shoe"])
    shoe = table.child("shoe-1")
    await shoe.stop(signal.SIGTERM)
    command = table.names.device_command("shoe", seeded=False)
    command[command.index("--usb") + 1] = "1-4"
    await table._start("shoe-1", command)

    async def is_rejected() -> bool:
        devices = (await table.status())["devices"]
        link = devices["shoe-1"]["link"]
        return (link["state"], link["reason"]) == ("rejected", "auth_wrong_port") and "1-4" in link["detail"]

    await table.until(is_rejected, "the shoe is rejected")
    devices = (await table.status())["devices"]
    assert not devices["shoe-1"]["online"]
    assert devices["shuffler-1"]["online"]
    assert devices["progressive-1"]["online"]
    await table.until(lambda: table.facts("device_rejected"), "the rejection is on record")
    assert [fact["reason"] for fact in table.facts("device_rejected")] == ["auth_wrong_port"]
    assert len([r for r in table.records(Stream.INPUT) if r.origin and r.origin[0] == "SIM-shoe"]) == before
