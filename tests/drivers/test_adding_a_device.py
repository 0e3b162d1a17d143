"""docs/adding-a-device.md, done: a maker's new model is a row, a new way to speak is one file, and reports reach the owner.

Both run through the real session on a real pseudo-terminal; nothing of the product knows their names.
"""

import asyncio
import os
import random
import tty
from contextlib import asynccontextmanager

import pytest

from controller.config.approved_firmware import read_approved
from drivers import events
from drivers.catalog import Approval, Firmware
from drivers.device import DeviceConfig, SessionState
from drivers.errors import Fault
from drivers.lines.line import LineLink
from drivers.protocol.messages import Identity
from drivers.protocol.reports import (
    Back,
    Capability,
    CardDrawn,
    CuttingCardSensed,
    DeviceKind,
    LineUnparsed,
    Recognition,
    StackDispensed,
)
from drivers.session import assembly
from drivers.session.session import DeviceSession
from tests.drivers.conftest import TinyDevice

PATIENCE_S = 15.0

# --- the one file of a device that speaks in a way of its own: a shoe that clicks once for each card ----------------------

CLICKER = Identity(
    DeviceKind.SHOE, "Clicker Works", "Clicker", "", "C-1", "", capabilities=(Capability.TELLS_DRAWS,)
)


def clicks(line, now):
    """`C` for a card, `K` for the cutting card."""
    match line:
        case "C":
            return CardDrawn(Back.UNKNOWN, Recognition.NOT_READ, False, False, None)
        case "K":
            return CuttingCardSensed(Back.UNKNOWN)
    return LineUnparsed(line)


def clicker_link(config, entropy, durable):
    return LineLink(CLICKER, boot=int.from_bytes(entropy(8), "big"), read=clicks)


# --- the port, the session, the owner -------------------------------------------------------------------------------------


class Wire:
    """The device's end of a pseudo-terminal. What the host writes comes to `on_bytes`."""

    def __init__(self):
        self.fd, self._port = os.openpty()
        tty.setraw(self._port)
        os.set_blocking(self.fd, False)
        self.path = os.ttyname(self._port)
        self.on_bytes = lambda data: None
        asyncio.get_running_loop().add_reader(self.fd, self._read)

    def _read(self):
        self.on_bytes(os.read(self.fd, 4096))

    def write(self, data):
        os.write(self.fd, data)

    def close(self):
        asyncio.get_running_loop().remove_reader(self.fd)
        os.close(self.fd)
        os.close(self._port)


async def until(true, what):
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110  # a list and a state: neither tells
            await asyncio.sleep(0.005)
    assert true(), what


@asynccontextmanager
async def served(config, recorder):
    session = DeviceSession(
        config, deliver=recorder.deliver, entropy=os.urandom, rng=random.Random(1), on_state=recorder.states.append
    )
    task = asyncio.ensure_future(session.run())
    try:
        yield session
    finally:
        task.cancel()
        await asyncio.wait({task})


@pytest.fixture
async def wire():
    made = Wire()
    yield made
    made.close()


async def test_a_new_way_to_speak_is_one_file_and_its_registration(wire, recorder, monkeypatch):
    """A link end under a word of its own, a row in the list, and its reports are delivered in order with a count."""
    monkeypatch.setitem(assembly.LINKS, "clicker", clicker_link)
    row = Firmware("Clicker Works", "Clicker", DeviceKind.SHOE, bytes(32), Approval.APPROVED)
    config = DeviceConfig("shoe-1", DeviceKind.SHOE, wire.path, "C-1", speaks="clicker", approved=(row,))
    async with served(config, recorder) as session:
        await until(lambda: recorder.bodies(events.DeviceOnline), "online")
        wire.write(b"C\r\nC\r\nhello\r\nK\r\n")
        await until(lambda: len(recorder.counters) == 4, "four reports")
        assert session.state is SessionState.ONLINE
    card = CardDrawn(Back.UNKNOWN, Recognition.NOT_READ, False, False, None)
    assert [body for body in recorder.bodies(object) if not isinstance(body, events.DeviceOnline)][:4] == [
        card, card, LineUnparsed("hello"), CuttingCardSensed(Back.UNKNOWN)
    ]  # fmt: skip
    assert [counter for _, counter in recorder.counters] == [1, 2, 3, 4]


STACKER = Identity(
    DeviceKind.SHOE, "Acme", "Stacker 2", "A", "ST-9", "2.1", bytes(range(32)),
    capabilities=(Capability.EVENT_LOG, Capability.DISPENSES_STACKS),
)  # fmt: skip
ROW = """
[[firmware]]
vendor = "Acme"
model  = "Stacker 2"
kind   = "shoe"
sha256 = "{sha256}"
status = "{status}"
"""


@pytest.mark.parametrize(
    ("sha256", "status", "why"),
    [
        (STACKER.firmware_hash.hex(), "approved", None),
        (STACKER.firmware_hash.hex(), "revoked", "was withdrawn"),
        ("ab" * 32, "approved", "is not in the list of approved devices"),
    ],
)
async def test_a_model_that_speaks_tdp_is_a_row_and_no_code(wire, recorder, tmp_path, sha256, status, why):
    """The list decides, and says why not; a report of the device reaches the owner."""
    listed = tmp_path / "approved.toml"
    listed.write_text(ROW.format(sha256=sha256, status=status))
    rows, faults = read_approved(listed)
    assert not faults
    device = TinyDevice(wire.write, STACKER)
    wire.on_bytes = device.feed
    config = DeviceConfig("shoe-1", DeviceKind.SHOE, wire.path, "ST-9", approved=rows)
    async with served(config, recorder) as session:
        if why is not None:
            await until(lambda: recorder.bodies(events.DeviceRejected), "the rejection")
            (rejected,) = recorder.bodies(events.DeviceRejected)
            assert (rejected.reason, session.state) == (Fault.AUTH_NOT_APPROVED, SessionState.REJECTED)
            assert why in rejected.detail
            return
        await until(lambda: recorder.bodies(events.DeviceOnline), "online")
        device.report(StackDispensed(Back.RED, 1, 2))
        await until(lambda: recorder.bodies(StackDispensed), "the report")
    assert recorder.bodies(StackDispensed) == [StackDispensed(Back.RED, 1, 2)]
