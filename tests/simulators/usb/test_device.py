"""The simulated USB device by itself: its descriptors byte for byte, and what becomes of each transfer."""

import errno

import pytest

from simulators.usb.descriptors import ACM, BULK_IN, BULK_OUT, Description
from simulators.usb.device import CONTROL, FIFO, Request, UsbDevice

# Written by hand from USB 2.0, tables 9-8, 9-10, 9-12, 9-13 and 9-16.
DEVICE = bytes.fromhex("12 01 0002 00 00 00 40 0912 0200 0001 01 02 03 01")
CONFIGURATION = bytes.fromhex(
    "09 02 2000 01 01 00 c0 32  09 04 00 00 02 ff 00 00 00  07 05 01 02 4000 00  07 05 81 02 4000 00"
)
SERIAL = bytes.fromhex("08 03 5300 2d00 3100")
LANGUAGES = bytes.fromhex("04 03 0904")


def get_descriptor(kind, index=0):
    return bytes([0x80, 6, index, kind, 0, 0, 255, 0])


@pytest.fixture
def device():
    return UsbDevice(Description(2, "S-1"))


def ask(device, endpoint, *, length=255, data=b"", setup=b""):
    """A request and how often it was done."""
    done = []
    request = Request(endpoint, length, done.append, data, setup)
    device.submit(request)
    return request, done


@pytest.mark.parametrize(
    ("setup", "answer"),
    [
        (get_descriptor(1), DEVICE),
        (get_descriptor(2), CONFIGURATION),
        (get_descriptor(3, 0), LANGUAGES),
        (get_descriptor(3, 3), SERIAL),
        (bytes([0x80, 8, 0, 0, 0, 0, 1, 0]), b"\x01"),
        (bytes([0x80, 0, 0, 0, 0, 0, 2, 0]), b"\x01\x00"),
        (bytes([0x81, 10, 0, 0, 0, 0, 1, 0]), b"\x00"),
        (bytes([0x82, 0, 0, 0, 0x81, 0, 2, 0]), b"\x00\x00"),
    ],
)
def test_what_it_says_of_itself_is_what_the_specification_writes(device, setup, answer):
    """Each descriptor and status, byte for byte."""
    request, done = ask(device, CONTROL, setup=setup)
    assert done == [request]
    assert (request.status, bytes(request.got)) == (0, answer)


def test_a_short_question_gets_the_beginning_of_the_answer(device):
    """Hosts ask for nine bytes of the configuration first, to learn how long it is."""
    request, _ = ask(device, CONTROL, length=9, setup=get_descriptor(2))
    assert bytes(request.got) == CONFIGURATION[:9]


@pytest.mark.parametrize(
    "setup", [get_descriptor(3, 9), get_descriptor(2, 1), get_descriptor(6), bytes([0x40, 1, *bytes(6)])]
)
def test_what_it_does_not_know_it_stalls(device, setup):
    """A string, a configuration or a request that it does not have."""
    request, _ = ask(device, CONTROL, setup=setup)
    assert request.status == -errno.EPIPE


def test_a_device_without_a_serial_number_says_so_twice():
    """The index is 0, and the string is refused."""
    device = UsbDevice(Description(2, None))
    assert ask(device, CONTROL, setup=get_descriptor(1))[0].got[16] == 0
    assert ask(device, CONTROL, setup=get_descriptor(3, 3))[0].status == -errno.EPIPE


def test_a_serial_port_of_usb_has_two_interfaces_and_no_at_commands():
    """Communication class with protocol 0, and the data class; the union of both lies between."""
    device = UsbDevice(Description(2, "S-1", interfaces=ACM))
    got = bytes(ask(device, CONTROL, setup=get_descriptor(2))[0].got)
    assert len(got) == int.from_bytes(got[2:4], "little") == 67
    assert got[9:18] == bytes.fromhex("09 04 00 00 01 02 02 00 00")
    assert bytes.fromhex("05 24 06 00 01") in got
    coding = bytes.fromhex("80250000 00 00 08")
    ask(device, CONTROL, setup=bytes([0x21, 0x20, 0, 0, 0, 0, 7, 0]), data=coding)
    assert bytes(ask(device, CONTROL, setup=bytes([0xA1, 0x21, 0, 0, 0, 0, 7, 0]))[0].got) == coding


def test_a_transfer_ends_with_a_short_packet_or_when_it_is_full(device):
    """Two writes are two transfers; a full packet alone would leave the host waiting, so a zero follows it."""
    device.write(b"a" * 100)
    device.write(b"b" * 64)
    first, second, third = (ask(device, BULK_IN, length=4096) for _ in range(3))
    assert (bytes(first[0].got), len(first[1])) == (b"a" * 100, 1)
    assert bytes(second[0].got) == b"b" * 64 + b"\0"
    assert third[1] == [], "nothing more: it waits"
    device.write(b"c")
    assert third[1] == [third[0]]


def test_what_waits_is_taken_back_with_what_it_had(device):
    """A host that gives up keeps what came; what was done already cannot be taken back."""
    careless = UsbDevice(Description(2, "S-1"), pads=False)
    careless.write(b"x" * 64)
    request, done = ask(careless, BULK_IN, length=4096)
    assert done == []
    assert careless.take_back(request)
    assert (bytes(request.got), request.status) == (b"x" * 64, -errno.ECONNRESET)
    assert not careless.take_back(request)
    careless.write(b"y")
    assert done == []


def test_a_device_that_reads_nothing_takes_what_its_buffer_holds(device):
    """Then the host waits; once there is room the rest goes on."""
    request, done = ask(device, BULK_OUT, data=b"x" * (FIFO + 10))
    assert (request.taken, done) == (FIFO, [])
    assert device.read() == b"x" * FIFO
    assert (request.taken, done) == (FIFO + 10, [request])
    assert device.read() == b"x" * 10


def test_more_than_the_buffer_holds_is_lost_as_a_whole(device):
    """Half a report would be worse than none; it is counted."""
    device.write(b"x" * (FIFO - 1))
    device.write(b"yy")
    assert device.overruns == 2
    assert device.room == 1
    device.forget()
    assert device.room == FIFO


def test_a_stall_refuses_what_waits_and_what_comes_until_it_is_cleared(device):
    """Cleared by the request of the specification; what waited in the device is still there."""
    waiting, done = ask(device, BULK_IN)
    device.halt(BULK_IN)
    assert done == [waiting]
    assert waiting.status == -errno.EPIPE
    device.write(b"kept")
    assert ask(device, BULK_IN)[0].status == -errno.EPIPE
    ask(device, CONTROL, setup=bytes([0x02, 1, 0, 0, BULK_IN, 0, 0, 0]))
    assert bytes(ask(device, BULK_IN)[0].got) == b"kept"


def test_a_packet_that_does_not_fit_is_an_overflow(device):
    """A host that asks for less than a packet loses it."""
    device.write(b"x" * 60)
    assert ask(device, BULK_IN, length=10)[0].status == -errno.EOVERFLOW


def test_unplugged_everything_fails_and_replugged_it_works(device):
    """What waits, and what is asked afterwards."""
    waiting, _ = ask(device, BULK_IN)
    device.unplug()
    assert waiting.status == -errno.ENODEV
    assert ask(device, CONTROL, setup=get_descriptor(1))[0].status == -errno.ENODEV
    device.plug()
    assert ask(device, CONTROL, setup=get_descriptor(1))[0].status == 0


def test_a_paused_device_hands_over_when_it_goes_on():
    """In order, and nothing twice."""
    came = []
    device = UsbDevice(Description(2, "S-1"), came.append)
    ask(device, BULK_OUT, data=b"one")
    device.pause()
    ask(device, BULK_OUT, data=b"two")
    assert came == [b"one"]
    device.resume()
    assert came == [b"one", b"two"]
