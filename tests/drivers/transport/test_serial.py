"""What only a real tty can show: locks, raw mode, paths, and a driver that holds a call."""

import asyncio
import errno
import fcntl
import os
import struct
import subprocess
import termios
import threading
import time

import pytest
import serial

from drivers.errors import Fault, PortUnavailable
from drivers.transport import SerialSettings, SerialTransport
from drivers.transport import serial as serial_module


async def test_the_lock_is_one_that_other_programs_see(pty_wire, owner):
    """The port is held with flock, so a second daemon of any make that locks is kept out, root included."""
    port = pty_wire.transport(owner)
    await port.open()
    stranger = os.open(pty_wire.path, os.O_RDWR | os.O_NOCTTY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(stranger, fcntl.LOCK_EX | fcntl.LOCK_NB)
    await port.close()
    fcntl.flock(stranger, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with pytest.raises(PortUnavailable) as busy:
        await port.open()
    assert busy.value.fault is Fault.LINK_BUSY
    assert f"end process {os.getpid()} (" in busy.value.remedy
    os.close(stranger)


TIOCGEXCL = 0x80045440
"""Linux: whether a tty may be opened again."""


async def test_nobody_else_may_open_a_port_that_is_open(pty_wire, owner, monkeypatch):
    """Also who asks for no lock, like cat; and the mark goes with us, though somebody else keeps the port open."""
    monkeypatch.setattr(serial_module, "_is_pseudo", lambda _: False)
    monkeypatch.setattr(serial_module, "others_at", lambda _: [])
    beside = os.open(pty_wire.path, os.O_RDWR | os.O_NOCTTY)

    def is_exclusive() -> bool:
        return bool(struct.unpack("I", fcntl.ioctl(beside, TIOCGEXCL, bytes(4)))[0])

    port = pty_wire.transport(owner)
    await port.open()
    assert is_exclusive()
    await port.close()
    assert not is_exclusive()
    os.close(beside)


async def test_who_reads_the_port_too_is_named(pty_wire, owner, monkeypatch):
    """It would take bytes of every report: the port is not used until that process has ended."""
    monkeypatch.setattr(serial_module, "_is_pseudo", lambda _: False)
    beside = os.open(pty_wire.path, os.O_RDWR | os.O_NOCTTY)
    port = pty_wire.transport(owner)
    with subprocess.Popen(["sleep", "60"], stdin=beside) as reader:
        with pytest.raises(PortUnavailable) as read:
            await port.open()
        reader.kill()
    assert read.value.fault is Fault.LINK_BUSY
    assert f"end process {reader.pid} (sleep 60), which reads it too" in read.value.remedy
    await port.open()
    await port.close()
    os.close(beside)


async def test_a_pseudo_terminal_is_left_open_to_its_simulator(pty_wire, owner):
    """The simulator holds this end as well, and a daemon that was killed could not take the mark away."""
    port = pty_wire.transport(owner)
    await port.open()
    assert not struct.unpack("I", fcntl.ioctl(pty_wire.fd, TIOCGEXCL, bytes(4)))[0]
    await port.close()


async def test_a_missing_port_names_its_fault_and_its_remedy(owner, tmp_path):
    """An unplugged device is a state with a reason."""
    port = SerialTransport(str(tmp_path / "none"), SerialSettings(), owner.on_data, owner.on_lost)
    with pytest.raises(PortUnavailable) as gone:
        await port.open()
    assert gone.value.fault is Fault.LINK_MISSING
    assert "plug" in gone.value.remedy
    assert not owner.losses, "what never opened cannot be lost"


async def test_a_file_that_is_no_port_says_so(owner, tmp_path):
    """A path that leads to an ordinary file is a mistake in the configuration, and reads like one."""
    path = tmp_path / "file"
    path.touch()
    port = SerialTransport(str(path), SerialSettings(), owner.on_data, owner.on_lost)
    with pytest.raises(PortUnavailable) as wrong:
        await port.open()
    assert wrong.value.fault is Fault.LINK_OPEN_FAILED
    assert "not a serial port" in wrong.value.remedy


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (errno.EACCES, Fault.LINK_FORBIDDEN),
        (errno.EPERM, Fault.LINK_FORBIDDEN),
        (errno.EBUSY, Fault.LINK_BUSY),
        (errno.ENXIO, Fault.LINK_MISSING),
        (errno.EIO, Fault.LINK_OPEN_FAILED),
    ],
)
async def test_each_refusal_of_the_system_has_its_fault(pty_wire, owner, monkeypatch, code, fault):
    """Missing, busy and forbidden need different people with different remedies."""
    real = os.open

    def refuse(path, *args, **kwargs):
        if path == str(pty_wire.path):
            raise OSError(code, os.strerror(code))
        return real(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PortUnavailable) as refused:
        await pty_wire.transport(owner).open()
    assert refused.value.fault is fault
    assert refused.value.remedy


async def test_a_refused_configuration_is_a_refused_open(pty_wire, owner, monkeypatch):
    """termios has an error class of its own, related to no other; it must not escape, nor leave the port open."""

    def refuse(*_):
        raise termios.error(errno.EIO, "Input/output error")

    monkeypatch.setattr(termios, "tcsetattr", refuse)
    with pytest.raises(PortUnavailable) as refused:
        await pty_wire.transport(owner).open()
    assert refused.value.fault is Fault.LINK_OPEN_FAILED


async def test_the_line_is_fully_raw(pty_wire, owner):
    """8N1, no echo, no mapping, no flow control, and an empty read means the end: the settings themselves, read back."""
    port = pty_wire.transport(owner)
    await port.open()
    iflag, oflag, cflag, lflag, ispeed, ospeed, cc = termios.tcgetattr(pty_wire.fd)
    on_input = (
        "BRKINT",
        "ICRNL",
        "INLCR",
        "IGNCR",
        "ISTRIP",
        "IXON",
        "IXOFF",
        "IXANY",
        "PARMRK",
        "INPCK",
        "IMAXBEL",
    )
    assert not [name for name in on_input if iflag & getattr(termios, name)]
    assert not oflag & termios.OPOST
    assert not lflag & (termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
    assert cflag & termios.CSIZE == termios.CS8
    assert not cflag & (termios.PARENB | termios.CSTOPB | termios.CRTSCTS | termios.HUPCL)
    assert ispeed == ospeed == termios.B115200
    assert cc[termios.VMIN] in (1, b"\x01")
    await port.close()


async def test_a_link_is_followed_anew_at_each_open(pty_wire, owner, tmp_path, until):
    """After a replug the same by-id name may lead to another tty; the old one must not be opened again."""
    port = pty_wire.transport(owner)
    await port.open()
    await port.close()
    other, slave = os.openpty()
    fresh = tmp_path / "fresh"
    fresh.symlink_to(os.ttyname(slave))
    fresh.rename(pty_wire.path)
    os.close(slave)
    await port.open()
    os.write(other, b"from the other one")
    await until(lambda: owner.after_loss, "bytes from the tty that the link leads to now")
    assert owner.after_loss == b"from the other one"
    await port.close()
    os.close(other)


async def test_what_came_while_nobody_listened_is_kept(pty_wire, owner, until):
    """A line device says each thing once: a restart of the daemon must not throw away what waits in the kernel."""
    port = pty_wire.transport(owner)
    await port.open()  # leaves the line raw, so that the kernel keeps the bytes as they are
    await port.close()
    await pty_wire.far_write(b"said meanwhile")
    await port.open()
    await until(lambda: len(owner.after_loss) >= 14, "the bytes that waited")
    assert owner.after_loss == b"said meanwhile"
    await port.close()


async def test_a_driver_that_holds_close_does_not_hold_us(pty_wire, owner, monkeypatch, ticker):
    """Close returns at its deadline, the loop never stands still, and until the driver lets go the port is busy."""
    letting_go = threading.Event()
    real = serial_module._Port.close

    def held(port):
        if port.is_open:  # a port of an earlier test that is collected now has nothing to hold
            letting_go.wait(20)
        real(port)

    monkeypatch.setattr(serial_module._Port, "close", held)
    port = pty_wire.transport(owner)
    await port.open()
    ticker.start()
    started = time.monotonic()
    await port.close(0.3)
    assert 0.25 < time.monotonic() - started < 2.0
    assert [fault for fault, _ in owner.losses] == [Fault.LINK_CLOSED]
    with pytest.raises(PortUnavailable) as held_open:
        await port.open()
    assert held_open.value.fault is Fault.LINK_BUSY
    letting_go.set()
    monkeypatch.setattr(serial_module._Port, "close", real)
    await _open_soon(port)
    await port.close()
    assert await ticker.stop() < 0.25


async def test_a_driver_that_holds_open_does_not_hold_us(pty_wire, owner, monkeypatch, ticker):
    """The open fails at its deadline; the port that comes too late is closed again, and then can be opened."""
    letting_go = threading.Event()
    real = serial_module._Port.open

    def held(port):
        letting_go.wait(20)
        real(port)

    monkeypatch.setattr(serial_module._Port, "open", held)
    monkeypatch.setattr(serial_module, "OPEN_DEADLINE_S", 0.2)
    port = pty_wire.transport(owner)
    ticker.start()
    for fault in (Fault.LINK_OPEN_FAILED, Fault.LINK_BUSY):
        with pytest.raises(PortUnavailable) as refused:
            await port.open()
        assert refused.value.fault is fault
    monkeypatch.setattr(serial_module._Port, "open", real)
    letting_go.set()
    await _open_soon(port)
    await port.close()
    assert await ticker.stop() < 0.25
    assert [fault for fault, _ in owner.losses] == [Fault.LINK_CLOSED]


def test_a_loop_that_ends_during_an_open_leaves_no_port_open(tmp_path, monkeypatch):
    """The thread that opens outlives the loop: it must close what nobody can take any more."""
    master, slave = os.openpty()
    name = os.ttyname(slave)
    os.close(slave)
    letting_go = threading.Event()
    real = serial_module._Port.open

    def held(port):
        letting_go.wait(20)
        real(port)

    monkeypatch.setattr(serial_module._Port, "open", held)

    async def start_and_leave() -> None:
        port = SerialTransport(name, SerialSettings(), lambda _: None, lambda *_: None)
        opening = asyncio.ensure_future(port.open())
        await asyncio.sleep(0.05)
        opening.cancel()
        await asyncio.wait({opening})

    asyncio.run(start_and_leave())
    letting_go.set()
    end = time.monotonic() + 5
    while any(thread.name == "port open" for thread in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.01)
    assert os.path.realpath(name) not in [
        os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")
    ]
    os.close(master)


async def _open_soon(port: SerialTransport) -> None:
    end = time.monotonic() + 5
    while True:
        try:
            return await port.open()
        except PortUnavailable:
            assert time.monotonic() < end
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(("line", "held"), [("dsr", True), ("dsr", False), ("cts", True)])
async def test_a_modem_line_is_read_where_there_is_one(pty_wire, owner, monkeypatch, line, held):
    """A pseudo-terminal has none, and says so; neither has a closed port."""
    port = pty_wire.transport(owner)
    assert port.asserts(line) is None
    await port.open()
    assert port.asserts(line) is None
    monkeypatch.setattr(serial.Serial, line, property(lambda _: held))
    assert port.asserts(line) is held
    await port.close()
