"""Captures of USB transfers, read by tshark: descriptors and bytes as its own dissectors see them, and no complaint."""

import io
import subprocess

import pytest

from simulators.usb.capture import Capture
from simulators.usb.descriptors import ACM, BULK, BULK_IN, BULK_OUT, Description
from simulators.usb.device import CONTROL, Request, UsbDevice


def tshark(path, *arguments):
    """What tshark prints about a file, line by line."""
    done = subprocess.run(
        ["tshark", "-n", "-r", path, *arguments], check=False, capture_output=True, text=True, timeout=50
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def fields(path, wanted, *names):
    arguments = [word for name in names for word in ("-e", name)]
    return [line.split("\t") for line in tshark(path, "-Y", wanted, "-T", "fields", *arguments)]


@pytest.fixture(params=[BULK, ACM], ids=["bulk", "acm"])
def captured(request, tmp_path):
    """A device that was asked for its descriptors and for bytes, once in vain."""
    path = tmp_path / "usb.pcapng"
    device = UsbDevice(Description(2, "S-1", "simulated shoe", request.param), lambda _: None)
    number = iter(range(1, 100))
    with path.open("wb") as out:
        capture = Capture(out, clock=lambda: 1_700_000_000.5)

        def ask(endpoint, length=255, data=b"", setup=b""):
            n = next(number)
            what = Request(endpoint, length, lambda done: capture.completed(1, 5, n, done), data, setup)
            capture.submitted(1, 5, n, what)
            device.submit(what)

        for kind, index in ((1, 0), (2, 0), (3, 0), (3, 3), (3, 9)):
            ask(CONTROL, setup=bytes([0x80, 6, index, kind, 0, 0, 255, 0]))
        ask(CONTROL, data=b"", length=0, setup=bytes([0, 9, 1, 0, 0, 0, 0, 0]))
        device.write(b"hello host")
        ask(BULK_IN, length=4096)
        ask(BULK_OUT, length=12, data=b"hello device")
    return path


def test_a_foreign_parser_finds_nothing_to_complain_of(captured):
    """Every packet is there, in pairs, and none is malformed or remarked upon."""
    assert len(tshark(captured)) == 16
    assert tshark(captured, "-Y", "_ws.malformed || _ws.expert.severity >= 0x600000") == []
    assert fields(captured, "usb.urb_type == 'C' && usb.urb_status != 0", "usb.urb_status") == [["-32"]]


def test_a_foreign_parser_reads_the_same_device(captured):
    """Vendor, product, the index of the serial number and the number itself, and each endpoint."""
    assert fields(captured, "usb.idVendor", "usb.idVendor", "usb.idProduct", "usb.iSerialNumber") == [
        ["0x1209", "0x0002", "3"]
    ]
    ((addresses,),) = fields(captured, "usb.bEndpointAddress", "usb.bEndpointAddress")
    assert {"0x01", "0x81"} <= set(addresses.split(","))
    assert fields(captured, "usb.bString", "usb.bString") == [["S-1"]]


def test_a_foreign_parser_reads_the_same_bytes(captured):
    """Towards the host they come with the end of a transfer, towards the device with its beginning."""
    data = fields(captured, "usb.capdata", "usb.urb_type", "usb.endpoint_address", "usb.capdata")
    assert data == [["'C'", "0x81", b"hello host".hex()], ["'S'", "0x01", b"hello device".hex()]]


def test_the_head_of_a_capture_is_laid_out_as_pcapng_is_written():
    """A section and one interface with usbmon's link type and microseconds, by hand from the format's description."""
    out = io.BytesIO()
    Capture(out)
    assert out.getvalue() == bytes.fromhex(
        "0a0d0d0a 1c000000 4d3c2b1a 0100 0000 ffffffffffffffff 1c000000"
        "01000000 20000000 dc00 0000 00000000 0900 0100 06000000 00000000 20000000"
    )
