"""Sessions on real ttys: a pseudo-terminal that hangs up twenty times, socat that is killed, a line left cooked."""

import asyncio
import contextlib
import os
import random
import socket
import subprocess
import time

import pytest

from drivers import events
from drivers.protocol.reports import DeviceKind, DoorOpened, LineUnparsed
from drivers.session.session import DeviceSession
from tests.support.far_ends import TtyDevice, running, session_on, until


async def test_twenty_hang_ups_are_twenty_losses_and_twenty_returns_at_no_cost(tmp_path, recorder, tiny_device):
    """Every hang-up is told once, every return is online within seconds, and the processor is idle meanwhile."""
    far = TtyDevice(tmp_path / "port", tiny_device)
    far.plug()
    session = session_on(far.path, recorder)
    async with running(session):
        started_at, cpu = time.monotonic(), time.process_time()
        for turn in range(1, 21):
            await until(lambda turn=turn: len(recorder.bodies(events.DeviceOnline)) == turn, f"online {turn}")
            if turn % 4 == 0:
                far.device.report(DoorOpened())  # bytes in flight in both directions
                session.acknowledge(*recorder.counters[-1]) if recorder.counters else None
            far.unplug()
            await until(
                lambda turn=turn: len(recorder.bodies(events.DeviceOffline)) == turn, f"offline {turn}", 1.0
            )
            await asyncio.sleep(0.35)
            far.plug()
        await until(lambda: len(recorder.bodies(events.DeviceOnline)) == 21, "online at the end")
        share = (time.process_time() - cpu) / (time.monotonic() - started_at)
        assert share < 0.05, f"{share:.1%} of a processor"
        assert recorder.ups_and_downs == ["device_online", "device_offline"] * 20 + ["device_online"]
    far.unplug()


async def test_a_usb_serial_port_that_is_numbered_anew_in_the_middle_of_a_frame_loses_nothing(
    tmp_path, recorder, tiny_device
):
    """ttyACM0 becomes ttyACM1 while it is open; its by-id name follows, and every report comes once, in order."""
    far = TtyDevice(tmp_path / "usb-Acme_Stacker_PS-1-if00", tiny_device)
    far.plug()
    nodes = {far.path.resolve()}
    session = session_on(far.path, recorder)
    held = []
    async with running(session):
        recorder.on_delivery = lambda d: d.origin and session.acknowledge(d.origin.boot, d.origin.counter)
        for turn in range(1, 6):
            await until(lambda turn=turn: len(recorder.bodies(events.DeviceOnline)) == turn, f"online {turn}")
            for _ in range(3):
                far.device.report(DoorOpened())
            far.device.write = lambda data, cut=9 * turn: far._write(data[:cut])  # the rest never leaves it
            far.device.report(DoorOpened())
            await asyncio.sleep(0.05)
            held.append(os.open(far.path.resolve(), os.O_RDWR | os.O_NOCTTY))  # so its number is not given again
            far.unplug()
            await until(lambda turn=turn: len(recorder.bodies(events.DeviceOffline)) == turn, f"offline {turn}")
            far.device.write = far._write
            far.plug()
            nodes.add(far.path.resolve())
        await until(lambda: len(recorder.counters) == 20, "every report")
        assert [n for _, n in recorder.counters] == list(range(1, 21))
        assert all(online.gap_closed for online in recorder.bodies(events.DeviceOnline)[1:])
        assert not recorder.bodies(events.EventsLost)
        assert len(nodes) == 6, "each time under another number"
    far.unplug()
    for fd in held:
        os.close(fd)


async def test_a_daemon_that_stops_leaves_the_port_to_the_next_one(tmp_path, recorder, tiny_device):
    """Stop and start: the second session opens the same port at once and reads what the first did not make durable."""
    far = TtyDevice(tmp_path / "port", tiny_device)
    far.plug()
    session = session_on(far.path, recorder)
    async with running(session):
        await until(lambda: recorder.bodies(events.DeviceOnline), "online")
        for _ in range(3):
            far.device.report(DoorOpened())
        await until(lambda: len(recorder.counters) == 3, "three reports")
        session.acknowledge(recorder.counters[0][0], 1)
        await until(lambda: far.device.acknowledged, "acknowledged")
        last = far.device.acknowledged[-1]
    recorder.deliveries.clear()
    again = DeviceSession(
        session.config,
        deliver=recorder.deliver,
        entropy=os.urandom,
        rng=random.Random(1),
        last=(f"{last[0]:016x}", last[1]),
    )
    async with running(again):
        await until(lambda: len(recorder.counters) == 2, "the two that were not durable")
        assert [n for _, n in recorder.counters] == [2, 3]
        await until(lambda: recorder.bodies(events.DeviceOnline), "online")
        assert recorder.bodies(events.DeviceOnline)[0].gap_closed
    far.unplug()


@pytest.mark.parametrize("cause", ["never answers", "cannot be opened"])
async def test_failed_attempts_leak_no_descriptor(tmp_path, recorder, tiny_device, monkeypatch, cause):
    """Forty attempts: the process holds as many descriptors after the fortieth as after the fifth."""
    monkeypatch.setattr("drivers.session.backoff.BACKOFF_FIRST_S", 0.005)
    monkeypatch.setattr("drivers.session.backoff.BACKOFF_MAX_S", 0.005)
    monkeypatch.setattr("drivers.protocol.host.handshake.HANDSHAKE_TIMEOUT_S", 0.01)
    far = TtyDevice(tmp_path / "port", tiny_device)
    far.plug()
    far.device.mute = True
    if cause == "cannot be opened":
        far.path.unlink()
        far.path.write_text("no port")
    session = session_on(far.path, recorder)

    def tries():
        return sum(n for name, n in session.counters.items() if name.startswith("open"))

    async with running(session):
        counts = []
        for attempts in (5, 40):
            await until(lambda attempts=attempts: tries() >= attempts, f"{attempts} attempts")
            counts.append(len(os.listdir("/proc/self/fd")))
        assert abs(counts[1] - counts[0]) <= 6, counts  # one attempt holds a tty and two pairs of pipes
    far.unplug()


async def test_a_killed_socat_is_a_loss_and_a_new_one_a_return(tmp_path, recorder, tiny_device):
    """The far end dies with its process; when it is started again under the same name the device is back."""
    link, address = tmp_path / "port", str(tmp_path / "far")
    loop = asyncio.get_running_loop()
    session = session_on(link, recorder)
    async with running(session):
        for turn in (1, 2):
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(address)
                server.listen()
                server.setblocking(False)
                process = subprocess.Popen(["socat", f"PTY,link={link}", f"UNIX-CONNECT:{address}"])
                far, _ = await asyncio.wait_for(loop.sock_accept(server), 10)
            os.unlink(address)
            far.setblocking(False)
            device = tiny_device(far.send)
            loop.add_reader(far, lambda far=far, device=device: device.feed(far.recv(4096)))
            await until(lambda turn=turn: len(recorder.bodies(events.DeviceOnline)) == turn, f"online {turn}")
            loop.remove_reader(far)
            device.off()
            process.kill()
            process.wait()
            await until(lambda turn=turn: len(recorder.bodies(events.DeviceOffline)) == turn, f"offline {turn}", 2)
            far.close()
            link.unlink(missing_ok=True)


async def test_a_line_device_floods_a_pty_without_a_line_lost(tmp_path, recorder, monkeypatch):
    """Two thousand lines as fast as the pty takes them, which is what had piled up: all arrive, in order."""
    monkeypatch.setattr("drivers.lines.line.BACKLOG", 1 << 20)
    master, slave = os.openpty()
    path = os.ttyname(slave)
    os.close(slave)
    os.set_blocking(master, False)
    count = 2_000
    wire = memoryview(b"".join(b"$%08x,%s\r\n" % (n, b"x" * 36) for n in range(count)))
    loop = asyncio.get_running_loop()

    def push():
        nonlocal wire
        with contextlib.suppress(BlockingIOError):
            wire = wire[os.write(master, wire[:4096]) :]
        if not wire:
            loop.remove_writer(master)

    session = session_on(path, recorder, kind=DeviceKind.LINE, name="line-1")
    async with running(session):
        await until(lambda: recorder.bodies(events.DeviceOnline), "online")
        loop.add_writer(master, push)
        await until(lambda: len(recorder.deliveries) > count, "all lines", 30)
        texts = [body.text for body in recorder.bodies(LineUnparsed)]
        assert [int(text[1:9], 16) for text in texts] == list(range(count))
    os.close(master)
