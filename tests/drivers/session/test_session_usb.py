"""Sessions on a USB bus: a device comes back under another address, and one that was moved or swapped never serves."""

import asyncio

import pytest

from drivers import events
from drivers.device import DeviceConfig, SessionState
from drivers.protocol.reports import DeviceKind, DoorOpened
from drivers.session.assembly import device_transport
from drivers.transport import SerialTransport, UsbTransport
from simulators.usb.bus import SimulatedBus
from tests.support.far_ends import UsbGadget, running, session_on, until

PATH = "usb:1209:0003/P-1@1-2"


@pytest.fixture
async def bus():
    made = SimulatedBus()
    yield made
    await until(lambda: not made.handles, "all handles are given back")


async def test_a_device_that_comes_back_under_another_address_goes_on(bus, recorder, tiny_device):
    """A replug is a new number on the bus; place, model and serial number are the same, and so is the log."""
    gadget = UsbGadget(bus, tiny_device)
    gadget.plug()
    session = session_on(PATH, recorder, bus)
    async with running(session):
        await until(lambda: recorder.bodies(events.DeviceOnline), "online")
        gadget.device.report(DoorOpened())
        await until(lambda: len(recorder.counters) == 1, "a report")
        session.acknowledge(*recorder.counters[-1])
        await until(lambda: gadget.device.acknowledged, "acknowledged")
        before = bus.plugged[0].address
        gadget.unplug()
        await until(lambda: recorder.bodies(events.DeviceOffline), "offline", 5)
        gadget.device.link.report(DoorOpened(), 1000)
        gadget.plug()
        assert bus.plugged[0].address != before
        await until(lambda: len(recorder.bodies(events.DeviceOnline)) == 2, "online again")
        await until(lambda: len(recorder.counters) == 2, "what happened meanwhile")
        assert [n for _, n in recorder.counters] == [1, 2]
        assert recorder.bodies(events.DeviceOnline)[1].gap_closed
        assert recorder.bodies(events.DeviceOffline)[0].reason == "link_eof"
    gadget.unplug()


async def test_a_device_that_comes_back_in_another_socket_is_rejected_and_nothing_of_it_is_released(
    bus, recorder, tiny_device
):
    """Moving a device is a matter of security: told once, never opened, its reports stay with it."""
    gadget = UsbGadget(bus, tiny_device)
    gadget.plug()
    session = session_on(PATH, recorder, bus)
    async with running(session):
        await until(lambda: recorder.bodies(events.DeviceOnline), "online")
        gadget.unplug()
        await until(lambda: recorder.bodies(events.DeviceOffline), "offline", 5)
        gadget.device.link.report(DoorOpened(), 1000)
        gadget.plug("1-3")
        await until(lambda: session.state is SessionState.REJECTED, "rejected")
        rejected = recorder.bodies(events.DeviceRejected)
        assert [body.reason for body in rejected] == ["auth_wrong_port"]
        assert "1-3" in rejected[0].detail
        claims = bus.calls["claim_interface"]
        await asyncio.sleep(0.5)
        assert bus.calls["claim_interface"] == claims, "it is not asked again at once"
        assert recorder.counters == []
        assert recorder.ups_and_downs == ["device_online", "device_offline", "device_rejected"]
    gadget.unplug()


async def test_a_copy_of_the_usb_serial_number_still_has_to_say_who_it_is(bus, recorder, tiny_device):
    """Descriptors are easily copied: the handshake decides, as on a serial line."""
    gadget = UsbGadget(bus, tiny_device)
    gadget.plug()
    config = DeviceConfig("prog-1", DeviceKind.SHOE, PATH, accept_test_only=True)
    session = session_on(PATH, recorder, bus)
    session.config = config
    async with running(session):
        await until(lambda: session.state is SessionState.REJECTED, "rejected")
        assert recorder.bodies(events.DeviceRejected)[0].reason == "auth_wrong_device"
        assert not recorder.counters
    gadget.unplug()


def test_the_path_of_a_device_says_how_it_is_connected():
    """`usb:` is a device on the bus, all else a tty; a USB address that cannot be read is refused."""

    def made(path):
        return device_transport(DeviceConfig("d", DeviceKind.SHOE, path), lambda _: None, lambda *_: None)

    assert isinstance(made("usb:1209:0002/S@1-2"), UsbTransport)
    assert isinstance(made("/dev/table/shoe-1"), SerialTransport)
    with pytest.raises(ValueError, match="usb:VID"):
        made("usb:shoe")
