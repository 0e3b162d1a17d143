"""The USB/IP server: the kernel's layouts byte for byte, one user at a time, and a host program by others."""

import asyncio
import contextlib
import socket
import struct
import time
from random import Random

import pytest
from usbip import host as foreign
from usbip.core import NotFound, Stall

from simulators.cable.cable import Cable
from simulators.cable.wire import Wire
from simulators.usb.descriptors import ACM, BULK_IN, Description
from simulators.usb.device import UsbDevice
from simulators.usb.port import UsbPort
from simulators.usb.usbip import Exported

# Written by hand from Documentation/usb/usbip_protocol.rst of Linux.
REQ_DEVLIST = bytes.fromhex("0111 8005 00000000")
REQ_IMPORT = bytes.fromhex("0111 8003 00000000") + b"1-2.3".ljust(32, b"\0")
REP_IMPORT = bytes.fromhex("0111 0003 00000000")
RECORD = (
    b"/sys/devices/simulated/usb1/1-2.3".ljust(256, b"\0")
    + b"1-2.3".ljust(32, b"\0")
    + bytes.fromhex("00000001 00000002 00000002 1209 0002 0100 00 00 00 01 01 01")
)
NOTHING = bytes(8)


def submit(number, direction, endpoint, length, setup=NOTHING, data=b""):
    head = struct.pack(">IIIII", 1, number, 0x00010002, direction, endpoint)
    return head + struct.pack(">IIIII", 0, length, 0, 0, 0) + setup + data


def unlink(number, unwanted):
    return struct.pack(">IIIIII", 2, number, 0x00010002, 0, 0, unwanted) + bytes(24)


def answer(command, number, status, moved=0, data=b""):
    return struct.pack(">IIIIIiIIII", command, number, 0, 0, 0, status, moved, 0, 0, 0) + NOTHING + data


class Server:
    """A device that is plugged in behind a Unix socket, in the loop of the test."""

    def __init__(self, folder, **about):
        self.came = []
        self.device = UsbDevice(Description(2, "S-1", **about), self.came.append)
        self.exported = Exported(self.device, "1-2.3")
        self.port = UsbPort(folder / "bus", self.exported, Cable(Wire([], Random(0))))
        self.path = str(self.port.link)


@pytest.fixture
async def server(tmp_path):
    made = Server(tmp_path)
    made.port.plug()
    await asyncio.sleep(0)
    yield made
    made.port.unplug()
    await asyncio.sleep(0)


async def until(condition):
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.002)


@contextlib.asynccontextmanager
async def client(server, *, imported=True):
    reader, writer = await asyncio.open_unix_connection(server.path)
    if imported:
        writer.write(REQ_IMPORT)
        assert await reader.readexactly(8 + 312) == REP_IMPORT + RECORD
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def test_the_list_of_devices_is_laid_out_as_the_kernel_writes_it(server):
    """One device with one interface of the vendor class; the connection stays open."""
    async with client(server, imported=False) as (reader, writer):
        for _ in range(2):
            writer.write(REQ_DEVLIST)
            expected = bytes.fromhex("0111 0005 00000000 00000001") + RECORD + bytes.fromhex("ff000000")
            assert await reader.readexactly(len(expected)) == expected


async def test_an_import_takes_the_device_and_a_second_one_is_refused(server):
    """Until the first connection ends."""
    async with client(server, imported=False) as (reader, writer):
        async with client(server):
            writer.write(REQ_IMPORT)
            assert await reader.readexactly(8) == bytes.fromhex("0111 0003 00000002")
        await until(lambda: server.exported.user is None)
        writer.write(REQ_IMPORT)
        assert await reader.readexactly(8 + 312) == REP_IMPORT + RECORD


async def test_a_place_where_nothing_is_plugged_in_cannot_be_imported(server):
    """Somebody else's device must not be lent for it."""
    async with client(server, imported=False) as (reader, writer):
        writer.write(REQ_IMPORT.replace(b"1-2.3", b"1-2\0\0"))
        assert await reader.readexactly(8) == bytes.fromhex("0111 0003 00000001")


async def test_transfers_are_answered_by_their_number(server):
    """A descriptor, bytes towards the device, and bytes towards the host that were waited for."""
    async with client(server) as (reader, writer):
        writer.write(submit(1, 1, 0, 18, bytes.fromhex("80 06 00 01 0000 1200")))
        expected = answer(3, 1, 0, 18, server.device.description.device())
        assert await reader.readexactly(len(expected)) == expected
        writer.write(submit(7, 1, 1, 4096) + submit(8, 0, 1, 5, data=b"hello"))
        assert await reader.readexactly(48) == answer(3, 8, 0, 5)
        assert server.came == [b"hello"]
        server.device.write(b"world")
        assert await reader.readexactly(53) == answer(3, 7, 0, 5, b"world")


async def test_a_transfer_that_is_taken_back_did_not_happen_or_is_answered_first(server):
    """Nothing of it may be lost, and nothing come twice."""
    server.device = server.exported.device = UsbDevice(server.device.description, pads=False)
    async with client(server) as (reader, writer):
        writer.write(submit(1, 1, 1, 4096) + unlink(2, 1))
        assert await reader.readexactly(48) == answer(4, 2, -104)
        server.device.write(b"x" * 64)
        writer.write(submit(3, 1, 1, 4096) + unlink(4, 3))
        assert await reader.readexactly(48 + 64 + 48) == answer(3, 3, 0, 64, b"x" * 64) + answer(4, 4, 0)
        writer.write(unlink(5, 3))
        assert await reader.readexactly(48) == answer(4, 5, 0), "it is done long since"


async def test_a_stall_and_an_unplugging_are_statuses_and_the_end(server):
    """EPIPE, then ENODEV for what waits, then the connection is gone and so is the name."""
    async with client(server) as (reader, writer):
        server.device.halt(BULK_IN)
        writer.write(submit(1, 1, 1, 64))
        assert await reader.readexactly(48) == answer(3, 1, -32)
        server.device.clear_halt(BULK_IN)
        writer.write(submit(2, 1, 1, 64) + submit(3, 1, 0, 18, bytes.fromhex("80 06 00 01 0000 1200")))
        await reader.readexactly(48 + 18)
        server.port.unplug()
        with contextlib.suppress(ConnectionError):
            assert await reader.read() in (b"", answer(3, 2, -19))
        assert not server.port.link.exists()


@pytest.mark.parametrize(
    "nonsense",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        bytes.fromhex("0110 8005 00000000"),
        REQ_IMPORT + struct.pack(">IIIII", 9, 1, 0, 0, 0) + bytes(28),
        REQ_IMPORT + submit(1, 1, 1, 0x7FFFFFFF),
        REQ_IMPORT + submit(1, 0, 1, 0xFFFFFFFF),
    ],
)
async def test_a_client_that_does_not_speak_it_is_hung_up_on(server, nonsense):
    """The device is free for the next one."""
    async with client(server, imported=False) as (reader, writer):
        writer.write(nonsense)
        with contextlib.suppress(ConnectionError):
            await asyncio.wait_for(reader.read(), 5)
    async with client(server):
        pass


async def test_bytes_in_single_pieces_are_the_same_bytes(server):
    """A network may cut anywhere."""
    async with client(server, imported=False) as (reader, writer):
        for byte in REQ_IMPORT + submit(8, 0, 1, 5, data=b"hello"):
            writer.write(bytes([byte]))
            await writer.drain()
        await reader.readexactly(8 + 312)
        assert await reader.readexactly(48) == answer(3, 8, 0, 5)
        assert server.came == [b"hello"]


class Foreign:
    """The host program of the usbip package, on our socket, in a thread: it blocks."""

    def __init__(self, path):
        self.path = path
        self.made = []

    def connect(self):
        made = socket.socket(socket.AF_UNIX)
        self.made.append(made)
        made.settimeout(10)
        made.connect(self.path)
        return made


async def in_thread(work):
    return await asyncio.wait_for(asyncio.get_running_loop().run_in_executor(None, work), 20)


@pytest.fixture
async def executor():
    yield
    await asyncio.get_running_loop().shutdown_default_executor()


async def test_a_host_by_others_finds_the_device_and_speaks_to_it(server, executor):
    """Lists, imports, reads the descriptors with its own parser, clears a stall, and moves bytes both ways."""

    def work():
        (found,) = foreign.list_devices(Foreign(server.path))
        handle = foreign.open(0x1209, 2, transport=Foreign(server.path))
        with handle:
            sent = handle.bulk_out(0x01, b"to the device")
            server.device.write(b"to the host")
            got = handle.bulk_in(0x81, 64)
            server.device.halt(BULK_IN)
            with pytest.raises(Stall):
                handle.bulk_in(0x81, 64)
            handle.clear_halt(0x81)
            server.device.write(b"again")
            return found, handle.device_descriptor, sent, got, handle.bulk_in(0x81, 64)

    found, descriptor, sent, got, again = await in_thread(work)
    assert (found["busid"], found["idVendor"], found["idProduct"]) == ("1-2.3", 0x1209, 2)
    assert found["interfaces"] == [(0xFF, 0, 0)]
    assert (descriptor.idVendor, descriptor.bMaxPacketSize0, descriptor.iSerialNumber) == (0x1209, 64, 3)
    assert (sent, got, again) == (13, b"to the host", b"again")
    assert server.came == [b"to the device"]


async def test_a_host_by_others_sees_a_serial_port_of_usb(tmp_path, executor):
    """CDC-ACM: line settings are kept, and bytes go through the data interface."""
    server = Server(tmp_path, interfaces=ACM)
    server.port.plug()
    await asyncio.sleep(0)

    def work():
        with foreign.open(0x1209, 2, transport=Foreign(server.path)) as handle:
            handle.control(0x21, 0x20, 0, 0, bytes.fromhex("80250000 00 00 08"))
            handle.control(0x21, 0x22, 3, 0, b"")
            handle.bulk_out(0x01, b"AT\r")
            server.device.write(b"no modem")
            return handle.control(0xA1, 0x21, 0, 0, 7), handle.bulk_in(0x81, 64)

    coding, got = await in_thread(work)
    assert (coding, got) == (bytes.fromhex("80250000 00 00 08"), b"no modem")
    server.port.unplug()
    await asyncio.sleep(0)


async def test_a_host_by_others_is_refused_another_place(server, executor):
    """It says so in its own words."""

    def work():
        way = Foreign(server.path)
        with pytest.raises(NotFound):
            foreign.open(busid="3-1", transport=way)
        way.made[0].close()  # it forgets to

    await in_thread(work)
