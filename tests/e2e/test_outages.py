"""What is away comes back: the broker, the cable, a port that could not be opened. Play goes on, nothing is lost."""

import asyncio
import fcntl
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

FROZEN_S = 3.5
BACK_S = 10.0
"""How long the table may take to be there again for whoever asks a broker that has come back."""
GROWTH_KIB = 5 * 1024

Make = Callable[..., Awaitable[Any]]


@pytest.mark.timeout(180)
async def test_a_broker_frozen_then_killed_then_empty_again_costs_nothing(rig: Make) -> None:
    """Play goes on meanwhile, memory stays flat, and who comes afterwards finds the table online and every event."""
    table = await rig()
    await table.up(people=True)
    await table.play_on(300)
    before = _resident_kib(table)

    table.child("mosquitto").process.send_signal(signal.SIGSTOP)
    loop = asyncio.get_running_loop()
    thawed = loop.time() + FROZEN_S
    while loop.time() < thawed:
        await table.play_on(20)
    await table.child("mosquitto").stop(signal.SIGKILL)
    await table.play_on(200)
    assert _resident_kib(table) - before < GROWTH_KIB

    def is_back() -> bool:
        return bool(table.latest("conn").get("session") == 2)

    assert not is_back()
    told = sum(len(table.told(stream)) for stream in ("main", "diag"))
    await table.start_broker()
    await table.until(is_back, "the table says that it is there", within_s=BACK_S)
    conn = await table.retained("conn")
    await table.until(lambda: conn().get("session") == 2, "a newcomer is told so", within_s=BACK_S)
    assert conn()["state"] == "online"
    await table.play_on(100)
    await table.child("people").stop()
    await table.assert_everything_is_told()
    assert sum(len(table.told(stream)) for stream in ("main", "diag")) > told + 200
    assert _resident_kib(table) - before < GROWTH_KIB
    assert table.facts("broker_connected")
    assert table.facts("broker_lost")


def _resident_kib(table: Any) -> int:
    """Memory of the daemon now."""
    lines = Path(f"/proc/{table.daemon.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


async def test_a_missing_port_is_a_state_with_its_reason_and_ends_when_the_device_comes(rig: Make) -> None:
    """The daemon starts without its shoe, says what is missing, and takes it up when it is plugged in."""
    table = await rig()
    await table.all_but_the_daemon_up()
    await table.hands("shoe", "unplug")
    await table.start_daemon()
    await _until_link_says(table, "absent", "link_missing")
    await table.hands("shoe", "replug")
    await table.all_online()


async def test_a_busy_port_is_a_state_with_its_reason_and_ends_when_it_is_free(rig: Make) -> None:
    """A port that another program has locked is not taken from it."""
    table = await rig()
    await table.all_but_the_daemon_up()
    port = os.open(table.names.link("shoe"), os.O_RDWR | os.O_NOCTTY)
    try:
        fcntl.flock(port, fcntl.LOCK_EX)
        await table.start_daemon()
        await _until_link_says(table, "absent", "link_busy")
    finally:
        os.close(port)
    await table.all_online()


async def test_a_forbidden_port_is_a_state_with_its_reason_and_ends_with_the_permission(rig: Make) -> None:
    """Who starts the daemon without the right to the port is told so, and need not restart it afterwards."""
    table = await rig()
    await table.all_but_the_daemon_up()
    port = table.names.link("shoe").resolve()
    port.chmod(0)
    without = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
    await table.start_daemon(through=without)
    await _until_link_says(table, "absent", "link_forbidden")
    port.chmod(0o600)
    await table.all_online()


async def _until_link_says(table: Any, state: str, reason: str) -> None:
    """The status names state and reason of the shoe's link, and the other devices are online all the same."""

    async def said() -> bool:
        devices = (await table.status())["devices"]
        link = devices["shoe-1"]["link"]
        others = all(d["online"] for name, d in devices.items() if name != "shoe-1")
        return others and (link["state"], link["reason"]) == (state, reason)

    await table.until(said, f"the shoe is {state} for {reason}")
