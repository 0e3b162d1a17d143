"""The bus of a progressive of remote I/O: recorded, it replays byte for byte, over a loss of its port too."""

import random

import pytest

from drivers.catalog import Codec
from drivers.device import DeviceConfig
from drivers.modbus.link import ModbusLink
from drivers.modbus.timing import byte_time
from drivers.protocol.host.events import Online, Reported
from drivers.protocol.reports import DeviceKind, Level
from drivers.recording.format import Header, header_line, read_recording
from drivers.recording.replay import replay
from drivers.recording.tap import Recorder, TappedLink
from simulators.bus.terminals import wired
from tests.captures.scenes import Kept
from tests.drivers.modbus.conftest import Bus, unit_of


class Tapped:
    """A link end with a tap, at a port with a tap."""

    def __init__(self, link, recorder):
        self._link, self._recorder = link, recorder

    def receive(self, data, now):
        self._recorder.note("in", data=data)
        return self._link.receive(data, now)

    def data_to_send(self):
        if data := self._link.data_to_send():
            self._recorder.note("out", data=data)
        return data

    def __getattr__(self, name):
        return getattr(self._link, name)


@pytest.fixture
def recorded(tmp_path):
    """A round on the bus, with the cable out once; gives the recording and what was heard."""
    bus, kept = Bus(), Kept()
    units = tuple(unit_of(one) for one in wired(3, 1, 3))
    config = DeviceConfig(
        "progressive-1", DeviceKind.PROGRESSIVE, "bus", "none", 19200, speaks=Codec.MODBUS, units=units
    )
    recorder = Recorder(kept, lambda: bus.now)

    def make(drawn):
        boot = int.from_bytes(drawn(8), "big")
        return ModbusLink(units, serial="none", boot=boot, byte_time_s=byte_time(19200))

    bus.link = Tapped(TappedLink(make, random.Random(4).randbytes, recorder, None), recorder)
    bus.online()
    bus.want(Level.LOCKOUT, "released", 5)
    bus.run(0.5)
    bus.hands("put_chip", seat=2, sensor=1)
    bus.run(0.5)
    recorder.note("port", "lost", fault="link_eof", detail="")
    bus.frozen = True  # nobody asks while the port is away
    bus.run(1.0)
    bus.frozen = False
    bus.connect()
    bus.run(2.0)
    path = tmp_path / "bus.jsonl"
    path.write_text(
        "\n".join([header_line(Header.of(config, "tests", "2026-01-01T00:00:00Z", 1)), *kept.lines, ""])
    )
    return read_recording([path]), bus, config


def test_the_units_of_a_bus_stand_in_its_recording(recorded):
    """Terminals, lamps, registers: all that the link end is made of."""
    recording, _, config = recorded
    assert recording.header.units == config.units
    assert recording.header.config.units == config.units


def test_a_bus_replays_byte_for_byte_over_a_loss_of_its_port(recorded):
    """The link end is kept over the loss, and so is its count."""
    recording, bus, _ = recorded
    found = replay(recording)
    assert found.differences == []
    assert found.sends > 50
    assert found.connections == 2
    assert [event for _, event in found.events] == [event for _, event in bus.heard]
    assert sum(isinstance(event, Online) for _, event in found.events) == 2
    assert any(isinstance(event, Reported) for _, event in found.events)
