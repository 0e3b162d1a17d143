"""A whole simulator on a USB plug, and its command line: the daemon's session finds it, loses it, and finds it again."""

import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import sys
import time

import pytest
from click.testing import CliRunner

from drivers import events
from drivers.device import DeviceConfig
from drivers.protocol.reports import DeviceKind
from drivers.session.session import DeviceSession
from simulators.cable.cable import Cable
from simulators.cable.port import LinkTaken
from simulators.cable.wire import Wire
from simulators.cli.main import sim
from simulators.usb.descriptors import Description
from simulators.usb.device import UsbDevice
from simulators.usb.port import UsbPort
from simulators.usb.usbip import Exported


async def until(condition, what, within_s=30.0):
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, f"not within {within_s} s: {what}"
        await asyncio.sleep(0.01)


async def act(link, **request):
    reader, writer = await asyncio.open_unix_connection(f"{link}.ctl")
    writer.write(json.dumps(request).encode() + b"\n")
    answer = json.loads(await reader.readline())
    writer.close()
    await writer.wait_closed()
    assert answer["ok"], answer
    return answer


@contextlib.asynccontextmanager
async def simulator(link, kind, *arguments):
    """A process of its own; ends with the block, by SIGTERM, with exit code 0."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "simulators", kind, "--link", str(link), "--serial", "P-1", "--usb", "1-2", *arguments,
        stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        await until(link.exists, "the simulator is up")
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0


async def test_a_simulated_device_on_usb_serves_a_session_and_comes_back(tmp_path):
    """In another process, over USB/IP: online, unplugged, plugged in again, its power cut, and the log closes each gap."""
    link, got = tmp_path / "bus", []
    config = DeviceConfig(
        "prog-1", DeviceKind.PROGRESSIVE, f"usb:1209:0003/P-1@1-2?usbip={link}", "P-1", accept_test_only=True
    )

    def came(kind):
        return [d.body for d in got if isinstance(d.body, kind)]

    def deliver(delivery):
        got.append(delivery)
        return True

    async with simulator(link, "progressive", "--keep-log"):
        session = DeviceSession(config, deliver=deliver, entropy=os.urandom, rng=random.Random(1))
        task = asyncio.ensure_future(session.run())
        try:
            await until(lambda: len(came(events.DeviceOnline)) == 1, "online")
            await act(link, act="unplug", for_s=0.3)
            await until(lambda: len(came(events.DeviceOffline)) == 1, "offline")
            await until(lambda: len(came(events.DeviceOnline)) == 2, "online again")
            await act(link, act="put_chip", seat=2, sensor=1)
            await act(link, act="power_off", for_s=0.3)
            await until(lambda: len(came(events.DeviceOnline)) == 3, "online after the power cut")
        finally:
            task.cancel()
            await asyncio.wait({task})
    assert all(online.gap_closed for online in came(events.DeviceOnline))
    assert came(events.DeviceOnline)[2].rebooted
    assert not came(events.EventsLost)
    assert not link.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--usb", "1"], "no place on a bus"),
        (["--usb", "1-2", "--baud", "9600"], "for a tty"),
        (["--usb", "1-2", "--cooked"], "for a tty"),
        (["--usb", "1-2", "--listen", "3240"], "no HOST:PORT"),
        (["--listen", "127.0.0.1:3240"], "go with --usb"),
        (["--capture", "x.pcapng"], "go with --usb"),
    ],
)
def test_what_does_not_fit_together_is_said(tmp_path, arguments, told):
    """Before anything is made."""
    result = CliRunner().invoke(sim, ["shoe", "--link", str(tmp_path / "bus"), *arguments])
    assert result.exit_code == 2
    assert told in result.output
    assert not list(tmp_path.iterdir())


async def test_over_tcp_too_and_a_port_that_is_taken_is_an_error(tmp_path):
    """`--listen` is for the kernel's `usbip attach`; two simulators cannot share a port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = free.getsockname()[1]
        taken = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "simulators", "shoe", "--link", str(tmp_path / "bus"), "--usb", "1-2",
            "--listen", f"127.0.0.1:{number}", stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, said = await taken.communicate()
        assert taken.returncode == 1
        assert b"in use" in said
        assert b"Traceback" not in said
        assert not (tmp_path / "bus").exists()
    async with simulator(tmp_path / "bus", "shoe", "--listen", f"127.0.0.1:{number}"):
        reader, writer = await asyncio.open_connection("127.0.0.1", number)
        writer.write(bytes.fromhex("0111 8005 00000000"))
        assert (await reader.readexactly(12))[-1] == 1
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize("kind", ["file", "symlink"])
async def test_a_name_that_is_not_its_own_is_left_alone(tmp_path, kind):
    """A socket that a killed simulator left is replaced; anything else may be somebody's."""
    link = tmp_path / "bus"
    port = UsbPort(link, Exported(UsbDevice(Description(2, "S-1")), "1-2"), Cable(Wire([], random.Random(0))))
    link.write_text("mine") if kind == "file" else link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LinkTaken):
        port.plug()
    assert not port.is_plugged
    link.unlink()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(link))
    port.plug()
    assert port.is_plugged
    await asyncio.sleep(0)
    port.unplug()
    await asyncio.sleep(0)
    assert not link.exists()
