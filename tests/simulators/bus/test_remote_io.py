"""The simulated units by themselves: what they answer byte for byte, when their outputs fall, and what is wired where."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.protocol.reports import ResetCause
from simulators.bus.remote_io import RemoteIo
from simulators.bus.rtu import Ear, Memory, Question, answer, crc
from simulators.bus.terminals import MAKER, wired
from simulators.devices.model import ActImpossible
from simulators.devices.progressive import Progressive, ProgressiveSettings
from simulators.scenario.faults import FaultBook, FaultError, known_to, parse


def memory(**changed):
    given_ = {
        "coils": [0] * 16, "inputs": lambda: [1, 0, 1, 1] + [0] * 12, "holding": [0x022B, 1, 0x64],
        "input_registers": lambda: [10], "write_coil": lambda at, value: None, "write_register": lambda at, value: None,
    }  # fmt: skip
    return Memory(**{**given_, **changed})


def asked(text: str) -> Question:
    raw = bytes.fromhex(text)
    raw += crc(raw)
    (question,) = Ear().hear(raw, 0.0)
    return question


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("11 01 00 00 00 0A", "11 01 02 00 00"),
        ("11 02 00 00 00 04", "11 02 01 0D"),
        ("11 03 00 00 00 03", "11 03 06 02 2B 00 01 00 64"),
        ("11 04 00 00 00 01", "11 04 02 00 0A"),
        ("11 05 00 0C FF 00", "11 05 00 0C FF 00"),
        ("11 06 00 01 00 03", "11 06 00 01 00 03"),
        ("11 0F 00 03 00 0A 02 CD 01", "11 0F 00 03 00 0A"),
        ("11 10 00 01 00 02 04 00 0A 01 02", "11 10 00 01 00 02"),
        ("11 07 00 00 00 00", "11 87 01"),
        ("11 03 00 00 00 04", "11 83 02"),
        ("11 03 00 03 00 01", "11 83 02"),
        ("11 03 00 00 00 00", "11 83 03"),
        ("11 03 00 00 00 7E", "11 83 03"),
        ("11 05 00 00 12 34", "11 85 03"),
        ("11 05 00 10 FF 00", "11 85 02"),
        ("11 0F 00 03 00 0A 01 CD", "11 8F 03"),
        ("11 10 00 01 00 02 02 00 0A", "11 90 03"),
    ],
)
def test_what_a_unit_answers_byte_for_byte(question, said):
    """Each function, and the exception of the standard for what it does not have, cannot reach or cannot take."""
    body = bytes.fromhex(said)
    assert answer(asked(question), memory()) == body + crc(body)


def test_the_check_is_that_of_the_published_examples():
    """Computed bit by bit, apart from the driver's table."""
    assert crc(bytes.fromhex("11 03 00 6B 00 03")) == bytes.fromhex("76 87")
    assert crc(b"123456789") == (0x4B37).to_bytes(2, "little")


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_noise_on_the_bus_never_raises_and_never_grows(pieces):
    """Whatever comes, a unit holds one frame at most, and hears the next question after a silence."""
    ear, now = Ear(), 0.0
    for piece in pieces:
        now += 0.001
        ear.hear(piece, now)
        assert len(ear._held) <= 256
    question = bytes.fromhex("11 03 00 6B 00 03 76 87")
    (heard,) = ear.hear(question, now + 1.0)
    assert (heard.unit, heard.function, heard.address, heard.word) == (0x11, 3, 0x6B, 3)


@pytest.mark.parametrize("seats", range(1, 8))
@pytest.mark.parametrize("units", range(1, 9))
def test_every_sensor_is_wired_once_however_many_units_there_are(seats, units):
    """Relay, button and lamps at the first; each spot at one input of one unit."""
    wiring = wired(seats, 3, units)
    spots = [spot for unit in wiring for spot in unit.sensors.values()]
    assert sorted(spots) == [(seat, sensor) for seat in range(1, seats + 1) for sensor in (1, 2, 3)]
    assert [unit.address for unit in wiring] == list(range(1, units + 1))
    assert [unit.lockout for unit in wiring] == [0] + [None] * (units - 1)
    assert len({unit.identity for unit in wiring}) == units
    assert all(unit.identity[0] == MAKER for unit in wiring)


class Table:
    """One unit under a test's hand."""

    def __init__(self):
        self.now = 100.0
        self.book = FaultBook()
        self.seen = []
        self.io = RemoteIo(
            Progressive(ProgressiveSettings(3, 1), self.book), wired(3, 1, 1),
            lambda what, about: self.seen.append((what, dict(about))),
            now=self.now, rng=Random(1), turnaround_s=0.004,
        )  # fmt: skip
        self.io.power_on(self.now)

    def ask(self, text: str) -> str:
        raw = bytes.fromhex(text)
        self.io.receive(raw + crc(raw), self.now)
        self.run(0.05)
        said = self.io.data_to_send()
        assert not said or crc(said[:-2]) == said[-2:]
        return said[:-2].hex(" ")

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while (due := self.io.next_deadline()) is not None and due <= end:
            self.now = max(self.now, due)
            self.io.tick(self.now)
        self.now = end
        self.io.tick(self.now)


def test_from_the_factory_outputs_stay_on_for_ever_when_nobody_asks():
    """The trap that the driver has to disarm: the watchdog register is 0, which is off."""
    table = Table()
    assert table.ask("01 03 00 10 00 01") == "01 03 02 00 00"
    assert table.ask("01 05 00 00 FF 00") == "01 05 00 00 ff 00"
    assert table.io.released
    table.run(3600.0)
    assert table.io.released


def test_the_watchdog_lets_the_relay_fall_and_every_question_feeds_it():
    """Set to 1500 ms: 1500 ms after the last question, and not before."""
    table = Table()
    table.ask("01 06 00 10 05 DC")
    table.ask("01 05 00 00 FF 00")
    for _ in range(5):
        table.run(1.4)
        table.ask("01 02 00 00 00 05")
    assert table.io.released
    table.run(1.4)
    assert table.io.released
    table.run(0.1)
    assert not table.io.released
    assert ("coils", {"unit": 1, "off": "watchdog"}) in table.seen


def test_a_power_cut_lets_the_relay_fall_and_forgets_the_watchdog():
    """De-energised is locked out; what was set is as the factory had it."""
    table = Table()
    table.ask("01 06 00 10 05 DC")
    table.ask("01 05 00 00 FF 00")
    table.io.power_off(table.now)
    assert not table.io.released
    with pytest.raises(ActImpossible, match="power is off"):
        table.io.act("lockout", {}, table.now)
    table.io.power_on(table.now, ResetCause.POWER)
    assert table.ask("01 03 00 10 00 01") == "01 03 02 00 00"


def test_chips_button_and_contact_are_read_where_they_are_wired():
    """Input 0 the contact, 1 the button, from 2 on the seats."""
    table = Table()
    table.io.act("put_chip", {"seat": 2}, table.now)
    assert table.ask("01 02 00 00 00 05") == "01 02 01 08"
    table.ask("01 05 00 00 FF 00")
    table.io.act("lockout", {}, table.now)
    assert table.ask("01 02 00 00 00 05") == "01 02 01 0b"
    table.run(0.3)
    assert table.ask("01 02 00 00 00 05") == "01 02 01 09"
    assert table.ask("09 02 00 00 00 05") == "", "nobody has this address"


def test_remote_io_knows_its_faults_and_those_of_a_progressive_and_no_others():
    """What needs a log or a shuffle is refused with what there is."""
    known = known_to("remote_io")
    assert {"bus_late", "relay_welded", "unit_restart", "late_chip", "unplug", "bounce"} <= set(known)
    assert "jam" not in known
    with pytest.raises(FaultError, match="no fault 'jam' for a remote_io"):
        parse("jam@2", "remote_io")
    with pytest.raises(FaultError, match="did you mean bus_late"):
        parse("bus_lat", "remote_io")
    with pytest.raises(FaultError, match="no fault 'bus_late' for a progressive"):
        parse("bus_late", "progressive")
