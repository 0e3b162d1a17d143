"""What only a USB device can show: who it is, where it is plugged in, and what its bus does wrong."""

import asyncio
import errno
import subprocess
import sys
import threading
import time

import pytest

from drivers.errors import Fault, PortUnavailable
from drivers.transport import LibusbBus, UsbAddress, UsbTransport
from drivers.transport import usb as usb_module
from drivers.transport import usb_port as usb_port_module
from drivers.transport.usb_owner import READ_AHEAD
from simulators.usb.bus import SimulatedBus, failing
from simulators.usb.descriptors import ACM, BULK_IN, BULK_OUT, Description
from simulators.usb.device import UsbDevice

PLACE = "1-2.3"
HERE = UsbAddress.parse(f"usb:1209:0001/S-1@{PLACE}")


class Table:
    """A bus, the right device in its place, and a transport that looks for it."""

    def __init__(self, owner, *, serial="S-1", product=1, interfaces=None, place=PLACE, fill=b""):
        self.bus, self.owner = SimulatedBus(), owner
        what = Description(product, serial, **({"interfaces": interfaces} if interfaces else {}))
        self.device = UsbDevice(what)
        if place:
            self.bus.plug(self.device, place)
        self.port = UsbTransport(HERE, self.bus, owner.on_data, owner.on_lost, fill=fill)

    async def refusal(self):
        with pytest.raises(PortUnavailable) as refused:
            await self.port.open()
        return refused.value


@pytest.fixture
async def table(owner, until):
    made = Table(owner)
    yield made
    await made.port.close()
    await until(lambda: not made.bus.handles, "the device is given back")


@pytest.mark.parametrize(
    ("text", "model", "serial", "place"),
    [
        ("usb:1209:5457/FT5XYZ01@1-2.3", "1209:5457", "FT5XYZ01", "1-2.3"),
        ("usb:04D8:00AA/A-1/b:2@10-1", "04d8:00aa", "A-1/b:2", "10-1"),
    ],
)
def test_an_address_is_read_as_it_is_written(text, model, serial, place):
    """Vendor, product, serial number and place; written again it is the same, in small letters."""
    address = UsbAddress.parse(text)
    assert (address.model, address.serial, address.place) == (model, serial, place)
    assert UsbAddress.parse(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        "usb:1209:5457/S-1",
        "usb:1209:5457@1-2",
        "usb:1209/S-1@1-2",
        "usb:1209:5457/S-1@1",
        "usb:1209:5457/S-1@1-0",
        "usb:1209:5457/S-1@1-2.",
        "usb:12:5457/S-1@1-2",
        "usb:1209:5457/@1-2",
        "usb:1209:5457/S 1@1-2",
        "usb:",
    ],
)
def test_an_address_that_leaves_something_open_is_refused(text):
    """Model, serial number and place are all needed; the message shows how it is written."""
    with pytest.raises(ValueError, match="VID:PID/SERIAL@BUS-PORT"):
        UsbAddress.parse(text)


async def test_the_right_device_in_another_socket_is_a_matter_of_security(owner):
    """Somebody moved it: that is told with the place where it was found, and it is not opened."""
    moved = Table(owner, place="1-4")
    refused = await moved.refusal()
    assert refused.fault is Fault.AUTH_WRONG_PORT
    assert "1-4" in refused.remedy
    assert not moved.bus.handles
    assert moved.bus.calls["claim_interface"] == 0


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"serial": "S-2"}, "serial number S-2"),
        ({"serial": None}, "without a serial number"),
        ({"product": 9}, "1209:0009"),
    ],
)
async def test_another_device_in_the_right_socket_is_refused_by_identity(owner, given, told):
    """Another one of the same model, one that has no serial number, and another model: each is named."""
    wrong = Table(owner, **given)
    refused = await wrong.refusal()
    assert refused.fault is Fault.AUTH_WRONG_DEVICE
    assert told in refused.remedy
    assert not wrong.bus.handles
    assert wrong.bus.calls["claim_interface"] == 0


async def test_of_two_devices_with_one_serial_number_the_place_decides(table, owner, until):
    """A twin elsewhere, found first, is neither opened nor in the way."""
    twin = UsbDevice(Description(1, "S-1"))
    table.bus.plugged.insert(0, table.bus.plug(twin, "1-9"))
    table.bus.plugged.pop()
    await table.port.open()
    twin.write(b"from the twin")
    table.device.write(b"from the right one")
    await until(lambda: owner.data, "bytes")
    assert owner.data == b"from the right one"


async def test_a_missing_device_is_a_state_with_a_remedy(owner):
    """Nothing in the socket, nothing elsewhere."""
    nothing = Table(owner, place="")
    refused = await nothing.refusal()
    assert refused.fault is Fault.LINK_MISSING
    assert "plug" in refused.remedy
    assert not nothing.port.present()


async def test_a_serial_port_of_usb_is_sent_to_where_serial_ports_are_configured(owner):
    """A CDC-ACM device has bulk pipes too, but the kernel's driver serves it: its path is a tty."""
    acm = Table(owner, interfaces=ACM)
    refused = await acm.refusal()
    assert refused.fault is Fault.LINK_OPEN_FAILED
    assert "/dev/table" in refused.remedy
    assert not acm.bus.handles


@pytest.mark.parametrize(
    ("call", "after", "fault"),
    [
        ("get_device_descriptor", 0, Fault.LINK_MISSING),
        ("open_device", 0, Fault.LINK_OPEN_FAILED),
        ("ctrl_transfer", 0, Fault.LINK_OPEN_FAILED),
        ("ctrl_transfer", 1, Fault.LINK_OPEN_FAILED),
        ("claim_interface", 0, Fault.LINK_OPEN_FAILED),
    ],
)
async def test_an_error_while_opening_passes_with_the_next_try(table, call, after, fault):
    """One error of the bus is no other device: nothing stays open, nobody is suspected, and then it works."""
    table.bus.at(call, failing(errno.EIO), after=after)
    assert (await table.refusal()).fault is fault
    assert not table.bus.handles
    await table.port.open()


async def test_another_device_that_cannot_say_what_it_is_hides_nobody(table):
    """Somebody's broken gadget is on the bus as well."""
    table.bus.plug(UsbDevice(Description(7, None)), "1-7")
    table.bus.plugged.reverse()
    table.bus.at("get_device_descriptor", failing(errno.EIO))
    await table.port.open()


async def test_permission_that_comes_late_is_waited_for(table):
    """udev gives the device to its group a moment after the plug-in."""
    table.bus.at("open_device", failing(errno.EACCES), times=3)
    await table.port.open()
    assert table.bus.calls["open_device"] >= 4


async def test_permission_that_never_comes_is_told_after_two_seconds(table, monkeypatch):
    """Then a person has to look at the rights."""
    monkeypatch.setattr(usb_port_module, "ACCESS_RETRY_S", 0.8)
    table.bus.at("open_device", failing(errno.EACCES), times=1000)
    refused = await table.refusal()
    assert refused.fault is Fault.LINK_FORBIDDEN
    assert "rules" in refused.remedy
    assert 2 <= table.bus.calls["open_device"] <= 10


async def test_a_device_that_vanishes_between_claim_and_first_read_is_one_loss(table, owner, until):
    """The open has succeeded by then, so it is a loss and not a refusal."""
    table.bus.at("bulk_read", lambda: table.bus.unplug(table.device))
    await table.port.open()
    await until(lambda: owner.losses, "the loss")
    assert [fault for fault, _ in owner.losses] == [Fault.LINK_EOF]


async def test_a_device_that_vanishes_while_it_is_claimed_is_missing(table):
    """The same a moment earlier."""
    table.bus.at("claim_interface", lambda: table.bus.unplug(table.device))
    assert (await table.refusal()).fault is Fault.LINK_MISSING


@pytest.mark.parametrize("nth", [0, 1, 5])
@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (errno.ENODEV, Fault.LINK_EOF),
        (errno.ENOENT, Fault.LINK_EOF),
        (errno.ESHUTDOWN, Fault.LINK_EOF),
        (errno.ENOMEM, Fault.LINK_IO_ERROR),
        (errno.EBADF, Fault.LINK_IO_ERROR),
    ],
)
async def test_an_error_that_ends_the_link_is_told_once_and_frees_the_device(
    table, owner, until, code, fault, nth
):
    """At the first read, the second, or later."""
    table.bus.at("bulk_read", failing(code), after=nth)
    await table.port.open()
    await until(lambda: owner.losses, "the loss")
    await until(lambda: not table.bus.handles, "the device is free")
    assert [found for found, _ in owner.losses] == [fault]
    await table.port.close()
    assert len(owner.losses) == 1
    await table.port.open()


@pytest.mark.parametrize("code", [errno.EIO, errno.EOVERFLOW, errno.EINTR])
async def test_trouble_is_borne_three_times_and_costs_nothing_else(table, owner, until, code):
    """What comes behind it arrives."""
    table.bus.at("bulk_read", failing(code), times=3)
    await table.port.open()
    table.device.write(b"after the trouble")
    await until(lambda: owner.data == b"after the trouble", "the bytes")
    assert not owner.losses


@pytest.mark.parametrize("code", [errno.EIO, errno.EOVERFLOW])
async def test_trouble_without_end_is_a_loss(table, owner, until, code):
    """A bus that only gives errors is closed and looked for anew, and is no spin until then."""
    table.bus.at("bulk_read", failing(code), times=10_000)
    await table.port.open()
    await until(lambda: owner.losses, "the loss")
    assert owner.losses[0][0] is Fault.LINK_IO_ERROR
    assert table.bus.calls["bulk_read"] == 4


async def test_a_stall_is_cleared_once_and_the_second_is_the_devices_fault(table, owner, until):
    """What waited in the device is not lost by the stall."""
    await table.port.open()
    table.device.halt(BULK_IN)
    table.device.write(b"behind the stall")
    await until(lambda: owner.data == b"behind the stall", "the bytes")
    assert table.bus.calls["clear_halt"] == 1
    table.device.halt(BULK_IN)
    await until(lambda: owner.losses, "the loss")
    assert owner.losses[0][0] is Fault.PROTO_UNEXPECTED


async def test_a_stall_on_the_way_out_repeats_what_was_refused(table, until):
    """The device refused the transfer, so it took none of it."""
    await table.port.open()
    table.device.halt(BULK_OUT)
    table.port.write(b"once")
    got = bytearray()

    def came():
        got.extend(table.device.read())
        return got

    await until(came, "the bytes")
    assert got == b"once"


async def test_what_came_before_a_time_out_is_kept(table, owner, until):
    """A device that ends a transfer with a full packet leaves the host waiting; the time-out brings what there is."""
    careless = UsbDevice(Description(1, "S-1"), pads=False)
    table.bus.unplug(table.device)
    table.bus.plug(careless, PLACE)
    await table.port.open()
    careless.write(bytes(range(64)) * 2)
    await until(lambda: len(owner.data) == 128, "both full packets")
    assert owner.data == bytes(range(64)) * 2


async def test_a_transfer_that_would_end_with_a_full_packet_is_filled(owner, until):
    """One zero byte between frames instead of an empty packet behind them; other transfers stay as they are."""
    made = Table(owner, fill=b"\0")
    await made.port.open()
    got = bytearray()
    for size, arrives in ((63, 63), (64, 65), (65, 65), (128, 129), (521, 521)):
        got.clear()
        made.port.write(b"x" * size)

        def came(arrives=arrives):
            got.extend(made.device.read())
            return len(got) >= arrives

        await until(came, f"{arrives} bytes for {size}")
        await made.port.drain()
        assert bytes(got) == b"x" * size + b"\0" * (arrives - size)
    await made.port.close()


async def test_a_device_that_takes_no_bytes_is_reset_once_and_let_go(table, owner, until, monkeypatch):
    """Three writes without a byte taken; reading went on meanwhile."""
    monkeypatch.setattr("drivers.transport.usb_owner.WRITE_TIMEOUT_S", 0.05)
    await table.port.open()
    table.bus.at("bulk_write", failing(errno.ETIMEDOUT), times=10_000)
    table.port.write(b"hello?")
    table.device.write(b"still talking")
    await until(lambda: owner.losses, "the loss")
    assert owner.data == b"still talking"
    assert owner.losses[0][0] is Fault.LINK_IO_ERROR
    assert "reset" in owner.losses[0][1]
    await until(lambda: not table.bus.handles, "the device is free")
    assert (table.bus.calls["bulk_write"], table.bus.calls["reset_device"]) == (3, 1)


async def test_while_the_loop_stands_still_bytes_stay_in_the_device(table, owner, until):
    """A device that talks on must not fill our memory."""
    await table.port.open()
    await until(lambda: table.bus.calls["bulk_read"], "reading")
    end = time.monotonic() + 0.5
    sent = 0
    while time.monotonic() < end:  # on purpose: the loop does not run
        if table.device.room >= 63:
            table.device.write(sent.to_bytes(2, "big") + b"x" * 61)
            sent += 1
    in_device = 4096 - table.device.room
    assert in_device > 3900, "the device is full, since nobody takes"
    assert sent * 63 - in_device <= (READ_AHEAD + 1) * 4096
    await until(lambda: len(owner.data) == sent * 63, "all of it, late")
    assert [owner.data[at : at + 2] for at in range(0, len(owner.data), 63)] == [
        n.to_bytes(2, "big") for n in range(sent)
    ]


async def test_a_driver_that_holds_open_does_not_hold_us(table, monkeypatch, ticker, until):
    """The open fails at its deadline; while the driver holds on the device is busy; then it can be opened."""
    letting_go = threading.Event()
    table.bus.at("open_device", lambda: letting_go.wait(20))
    monkeypatch.setattr(usb_module, "OPEN_DEADLINE_S", 0.2)
    ticker.start()
    for fault in (Fault.LINK_OPEN_FAILED, Fault.LINK_BUSY):
        assert (await table.refusal()).fault is fault
    letting_go.set()
    await _open_soon(table.port)
    assert await ticker.stop() < 0.25


async def test_a_driver_that_holds_close_does_not_hold_us(table, owner, ticker):
    """Close returns at its deadline, and until the driver lets go the device is busy."""
    letting_go = threading.Event()
    table.bus.at("release_interface", lambda: letting_go.wait(20))
    await table.port.open()
    ticker.start()
    started = time.monotonic()
    await table.port.close(0.3)
    assert 0.25 < time.monotonic() - started < 2.0
    assert [fault for fault, _ in owner.losses] == [Fault.LINK_CLOSED]
    assert (await table.refusal()).fault is Fault.LINK_BUSY
    letting_go.set()
    await _open_soon(table.port)
    assert await ticker.stop() < 0.25


ON_A_REAL_BUS = """
import asyncio, os
from drivers.errors import PortUnavailable
from drivers.transport import LibusbBus, UsbAddress, UsbTransport

async def main():
    nowhere = UsbAddress.parse("usb:1209:000f/nobody-has-this@99-14.7")
    port = UsbTransport(nowhere, LibusbBus(), lambda _: None, lambda *_: None)
    for _ in range(5):
        try:
            await port.open()
        except PortUnavailable as refused:
            print(refused.fault, port.present(), len(os.listdir("/proc/self/fd")))

asyncio.run(main())
"""


def test_on_a_real_bus_a_device_that_is_not_there_is_missing():
    """libusb itself, loaded and asked, in a process of its own: what it opens it keeps, and five searches keep no more."""
    done = subprocess.run(
        [sys.executable, "-c", ON_A_REAL_BUS], capture_output=True, text=True, timeout=50, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 5
    assert set(lines) == {lines[0]}
    assert lines[0].startswith("link_missing False")
    assert not done.stderr


async def test_without_libusb_the_device_says_what_to_install(owner, monkeypatch):
    """A table PC that was set up for serial ports only."""
    monkeypatch.setattr("usb.backend.libusb1.get_backend", lambda: None)
    port = UsbTransport(HERE, LibusbBus(), owner.on_data, owner.on_lost)
    with pytest.raises(PortUnavailable) as refused:
        await port.open()
    assert refused.value.fault is Fault.LINK_OPEN_FAILED
    assert "libusb-1.0-0" in refused.value.remedy


async def _open_soon(port):
    end = time.monotonic() + 5
    while True:
        try:
            return await port.open()
        except PortUnavailable:
            assert time.monotonic() < end
            await asyncio.sleep(0.01)
