"""Our side of USB/IP: a device by others, and servers that lie, stall, flood or vanish."""

import asyncio
import contextlib
import errno
import socket
import struct
import threading
import time

import pytest
from usbip import Endpoint, Interface, USBDevice
from usbip.device import In, Out
from usbip.protocol import serve_connection

from drivers.errors import Fault, PortUnavailable
from drivers.transport import UsbAddress, UsbIpBus, UsbTransport
from drivers.transport.usb_configuration import Configuration
from simulators.usb.descriptors import ACM, Description

HERE = UsbAddress.parse("usb:1209:0001/S-1@1-2.3")
GONE = (Fault.LINK_EOF, Fault.LINK_IO_ERROR)


class Listening:
    """A Unix socket whose every connection is served by `serve(socket)` in a thread of its own."""

    def __init__(self, path, serve):
        self.path, self.serve = str(path), serve
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(self.path)
        self.listening.listen()
        self.threads, self.sockets = [threading.Thread(target=self._run)], []
        self.threads[0].start()

    def _run(self):
        while True:
            try:
                made, _ = self.listening.accept()
            except OSError:
                return
            self.sockets.append(made)
            self.threads.append(threading.Thread(target=self._serve, args=(made,)))
            self.threads[-1].start()

    def _serve(self, made):
        with contextlib.suppress(OSError):
            self.serve(made)

    def close(self):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        for made in self.sockets:
            with contextlib.suppress(OSError):
                made.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join(10)
        for made in self.sockets:
            made.close()


class Echo(Interface):
    """An interface of the vendor class that gives back what it gets, in big letters."""

    came = In(0x81, "bulk", mps=64)
    goes = Out(0x01, "bulk", mps=64)

    def on_out(self, ep: Endpoint, data: bytes):
        self.came.write(data.upper())


def transport(path, owner):
    return UsbTransport(HERE, UsbIpBus(str(path)), owner.on_data, owner.on_lost)


async def test_a_device_by_others_is_served_as_a_device_of_ours(tmp_path, owner, until):
    """Another implementation of the server, of the descriptors and of the endpoints; unplugged it is a loss."""
    device = USBDevice(0x1209, 1, serial="S-1", product="echo", manufacturer="others")
    device.add(Echo())
    device.busid, device.busnum, device.devnum = "1-2.3", 1, 5
    server = Listening(tmp_path / "bus", lambda made: serve_connection(made, [device]))
    port = transport(server.path, owner)
    await port.open()
    for text in (b"shuffled", b"x" * 500, b"done"):
        port.write(text)
        await port.drain()
    await until(lambda: len(owner.data) == 512, "all comes back")
    assert owner.data == b"SHUFFLED" + b"X" * 500 + b"DONE"
    server.close()
    await until(lambda: owner.losses, "the loss")
    assert owner.losses[0][0] in GONE
    await port.close()
    (tmp_path / "bus").unlink()
    with pytest.raises(PortUnavailable) as gone:
        await port.open()
    assert gone.value.fault is Fault.LINK_MISSING


def op(code, status=0):
    return struct.pack(">HHI", 0x0111, code, status)


RECORD = (
    b"/sys".ljust(256, b"\0")
    + b"1-2.3".ljust(32, b"\0")
    + struct.pack(">IIIHHHBBBBBB", 1, 2, 2, 0x1209, 1, 0x100, 0, 0, 0, 1, 1, 1)
)
LIST = op(5) + struct.pack(">I", 1) + RECORD + bytes.fromhex("ff000000")
IMPORTED = op(3) + RECORD
WHAT = Description(1, "S-1")


class Liar:
    """A server that is honest until its device is open, and then does `lie(socket, number)` to each transfer."""

    def __init__(self, lie, *, listed=LIST, imported=IMPORTED, configuration=None):
        self.lie, self.listed, self.imported = lie, listed, imported
        self.configuration = configuration or WHAT.configuration()

    def __call__(self, made):
        code = struct.unpack(">HHI", self._take(made, 8))[1]
        if code == 0x8005:
            made.sendall(self.listed)
            made.recv(1)
            return
        self._take(made, 32)
        made.sendall(self.imported)
        while True:
            _, number, _, direction, endpoint = struct.unpack(">IIIII", self._take(made, 20))
            _, length, _, _, _, setup = struct.unpack(">iiiii8s", self._take(made, 28))
            if endpoint:
                self._take(made, 0 if direction else length)
                self.lie(made, number)
            else:
                data = self._told(setup)[:length]
                made.sendall(answer(3, number, 0, len(data), data))

    def _told(self, setup):
        kind, index = setup[3], setup[2]
        if setup[1] == 8:
            return b"\x01"
        return {1: WHAT.device(), 2: self.configuration}.get(kind) or WHAT.string(index)

    @staticmethod
    def _take(made, size):
        data = b""
        while len(data) < size:
            part = made.recv(size - len(data))
            if not part:
                raise ConnectionError
            data += part
        return data


def answer(command, number, status, moved=0, data=b""):
    return struct.pack(">IIIIIiiIII", command, number, 0, 0, 0, status, moved, 0, 0, 0) + bytes(8) + data


LIES = {
    "another number": lambda made, n: made.sendall(answer(3, n + 1, 0)),
    "another command": lambda made, n: made.sendall(answer(9, n, 0)),
    "more than was asked for": lambda made, n: made.sendall(answer(3, n, 0, 5000, bytes(5000))),
    "less than nothing": lambda made, n: made.sendall(answer(3, n, 0, -1)),
    "half an answer": lambda made, n: made.sendall(answer(3, n, 0)[:20]),
    "less than it promised": lambda made, n: made.sendall(answer(3, n, 0, 100, bytes(10))),
    "nothing at all": lambda made, n: None,
    "the end": lambda made, n: made.shutdown(socket.SHUT_RDWR),
    "gone": lambda made, n: made.sendall(answer(3, n, -errno.ENODEV)),
    "shut down": lambda made, n: made.sendall(answer(3, n, -errno.ESHUTDOWN)),
    "no memory": lambda made, n: made.sendall(answer(3, n, -errno.ENOMEM)),
    "noise": lambda made, n: made.sendall(bytes(range(256))),
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_server_that_lies_or_stalls_is_a_lost_device(tmp_path, owner, until, monkeypatch, lie):
    """Told once, within the time that an answer may take; nothing that it said counts."""
    monkeypatch.setattr("drivers.transport.usbip.ANSWER_S", 1.0)
    server = Listening(tmp_path / "bus", Liar(LIES[lie]))
    port = transport(server.path, owner)
    await port.open()
    await until(lambda: owner.losses, "the loss")
    assert owner.losses[0][0] in GONE
    assert not owner.data
    await port.close()
    assert len(owner.losses) == 1
    server.close()


async def test_a_flood_fills_nothing(tmp_path, owner, until):
    """A server that answers every read at once with all it may: the loop takes it, and memory does not grow."""

    def flood(made, number):
        made.sendall(answer(3, number, 0, 4096, bytes(4096)))

    server = Listening(tmp_path / "bus", Liar(flood))
    port = transport(server.path, owner)
    await port.open()
    await until(lambda: len(owner.data) > 60_000, "more than may be read ahead")
    await port.close()
    assert [fault for fault, _ in owner.losses] == [Fault.LINK_CLOSED]
    server.close()


@pytest.mark.parametrize(
    ("about", "fault"),
    [
        ({"imported": op(3, 2)}, Fault.LINK_BUSY),
        ({"imported": op(3, 1)}, Fault.LINK_BUSY),
        ({"imported": op(3, 4)}, Fault.LINK_MISSING),
        ({"imported": b""}, Fault.LINK_MISSING),
        ({"listed": op(5) + struct.pack(">I", 0)}, Fault.LINK_MISSING),
        ({"listed": op(5) + struct.pack(">I", 0xFFFFFFFF)}, Fault.LINK_OPEN_FAILED),
        ({"listed": LIST.replace(b"1-2.3", b"1-3\0\0")}, Fault.AUTH_WRONG_PORT),
        ({"listed": LIST.replace(b"1-2.3", b"\xff-x\0\0")}, Fault.AUTH_WRONG_PORT),
        ({"configuration": bytes.fromhex("0902000001010050fa")}, Fault.LINK_OPEN_FAILED),
        ({"configuration": Description(1, "S-1", interfaces=ACM).configuration()}, Fault.LINK_OPEN_FAILED),
        ({"configuration": WHAT.configuration().replace(b"\x40\x00", b"\x00\x00")}, Fault.LINK_OPEN_FAILED),
    ],
)
async def test_each_way_of_refusing_has_its_fault(tmp_path, owner, monkeypatch, about, fault):
    """Busy, missing, moved, or a description that makes no sense; nothing is left open."""
    monkeypatch.setattr("drivers.transport.usbip.ANSWER_S", 1.0)
    server = Listening(tmp_path / "bus", Liar(LIES["gone"], **about))
    with pytest.raises(PortUnavailable) as refused:
        await transport(server.path, owner).open()
    assert refused.value.fault is fault
    assert not owner.losses
    server.close()


@pytest.mark.parametrize("server", ["127.0.0.1:1", "nowhere:port", "/nonexistent/bus"])
async def test_where_no_server_is_no_device_is(owner, server):
    """As on a bus without devices; where that cannot be told beforehand it is not asked more than once a second."""
    port = transport(server, owner)
    with pytest.raises(PortUnavailable) as missing:
        await port.open()
    assert missing.value.fault is Fault.LINK_MISSING
    assert not port.present()
    if "/" not in server:
        port._look_again_at = time.monotonic()
        assert port.present()


@pytest.mark.parametrize("cut", range(len(WHAT.configuration())))
def test_a_configuration_that_is_cut_off_is_read_as_far_as_it_goes(cut):
    """No length in it is believed beyond its end; without a head it is refused."""
    raw = WHAT.configuration()[:cut]
    if cut < 9:
        with pytest.raises(OSError, match="no configuration"):
            Configuration.parse(raw)
    else:
        parsed = Configuration.parse(raw)
        assert parsed.descriptor(0).bNumInterfaces == 1
        assert len(parsed.interfaces) == (cut >= 18)


async def test_over_tcp_it_is_the_same(tmp_path, owner, until):
    """Host and port instead of a path: the kernel's own way."""
    device = USBDevice(0x1209, 1, serial="S-1")
    device.add(Echo())
    device.busid, device.busnum, device.devnum = "1-2.3", 1, 5
    server = Listening(tmp_path / "bus", lambda made: serve_connection(made, [device]))
    relay = await asyncio.start_server(lambda r, w: _relay(r, w, server.path), "127.0.0.1", 0)
    host, number = relay.sockets[0].getsockname()
    port = transport(f"{host}:{number}", owner)
    await port.open()
    port.write(b"hello")
    await until(lambda: owner.data == b"HELLO", "the echo")
    await port.close()
    relay.close()
    await relay.wait_closed()
    server.close()
    await until(lambda: len(asyncio.all_tasks()) <= 2, "the relay's ends")


async def _relay(reader, writer, path):
    far_reader, far_writer = await asyncio.open_unix_connection(path)

    async def copy(source, target):
        with contextlib.suppress(ConnectionError):
            while data := await source.read(4096):
                target.write(data)
        target.close()

    await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
