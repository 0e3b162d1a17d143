"""One simulated device of the rig: its simulator on a pseudo-terminal, the session that serves it, and its own record."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

from controller.journal.store import Journal
from drivers.catalog import Approval, Codec, Firmware
from drivers.device import DeviceConfig, SessionState, SessionStatus
from drivers.lines.line import GAP_LIMIT_S, LONGEST_WAIT_S
from drivers.modbus.timing import UNSTEADY_S, byte_time, quiet
from drivers.protocol.constants import KEY_SIZE
from drivers.protocol.messages import Identity
from drivers.protocol.reports import REPORTS, SIMULATED_VENDOR, Back, DeviceKind
from drivers.session.session import DeviceSession
from simulators.bus.remote_io import RemoteIo
from simulators.bus.runtime import BusSimulator
from simulators.bus.terminals import wired
from simulators.cable.port import PtyPort
from simulators.cable.wire import Wire
from simulators.devices import shoe, shuffler
from simulators.devices.bee_tek import BeeTekShoe
from simulators.devices.body import CardSettings
from simulators.devices.model import DISPLAY_CHARS, Model
from simulators.devices.progressive import Progressive, ProgressiveSettings
from simulators.devices.reading_shoe import ReadingShoe
from simulators.firmware.device import SimulatedDevice
from simulators.firmware.log import EventLog
from simulators.firmware.runtime import Simulator
from simulators.scenario.faults import FaultBook

MAKER, IMAGE = "a maker", Random(7).randbytes(4096)
"""Of devices with a key: they are judged as a maker's would be, and measured."""


def _key_file(room: Path, key: bytes) -> Path:
    path = room / "key"
    path.touch(mode=0o600)
    path.write_bytes(key)
    return path


def _approved(kind: DeviceKind) -> Firmware:
    return Firmware(MAKER, f"simulated {kind}", kind, sha256(IMAGE).digest(), Approval.APPROVED, IMAGE)


class Device:
    """One simulated device of the table and the session that serves it.

    `delivered`: what the session handed over, by kind. `keyed`: host and device share a key.
    """

    button = "green"
    """The act by which somebody presses a button at it."""
    heard_as = "button_pressed"
    """What it reports of that."""
    presses = 1
    """How often somebody presses until it is heard."""
    rest_s = 0.0
    """How long hands wait after a fault before they believe that all is well."""

    def __init__(self, config: DeviceConfig, room: Path, seed: int, *, keyed: bool = False) -> None:
        self.kind = config.kind
        self.key, self.image = (Random(seed).randbytes(KEY_SIZE), IMAGE) if keyed else (None, None)
        self.config = replace(config, path=str(room / config.name))
        if self.key is not None:
            self.config = replace(
                self.config,
                key_file=_key_file(room, self.key),
                approved=(_approved(self.kind),),
                accept_test_only=False,
            )
        self.out = StringIO()
        loop = asyncio.get_running_loop()
        self.log = EventLog(self.out, lambda: round(loop.time() * 1e9))
        self.delivered: Counter[str] = Counter()
        self.session: DeviceSession
        self.states: list[SessionStatus] = []
        self._awaited: list[tuple[SessionState, asyncio.Future[None]]] = []
        self.host_in = self.host_out = 0
        self.is_read = False
        self._out_0 = self._in_0 = 0
        self.simulator = self._simulator(seed)

    def _simulator(self, seed: int) -> Simulator:
        book = FaultBook([], self.log)
        rng = Random(f"{seed}/{self.kind}")
        model: Model
        match self.kind:
            case DeviceKind.SHUFFLER:
                backs = (Back.RED, Back.BLUE)
                model = shuffler.build(CardSettings((), backs, prefix="S", reads=True), rng, book, self.log)
            case DeviceKind.SHOE:
                model = shoe.build(CardSettings((2, 2), (), False, True, prefix="D"), rng, book, self.log)
            case _:
                model = Progressive(ProgressiveSettings(), book, self.log)
        vendor, digest = (MAKER, sha256(IMAGE).digest()) if self.key else (SIMULATED_VENDOR, bytes(32))
        who = Identity(
            self.kind, vendor, f"simulated {self.kind}", "pty", str(self.config.serial), "1.0.0", digest,
            capabilities=model.capabilities, display=DISPLAY_CHARS,
        )  # fmt: skip
        now = asyncio.get_running_loop().time()
        device = SimulatedDevice(
            model, who, self.log, entropy=rng.randbytes, now=now, key=self.key, image=self.image
        )
        wire = Wire([], Random(f"{seed}/{self.kind}/wire"))
        link = Path(self.config.path)
        return Simulator(device, self.log, lambda on_data: CountedPort(self, link, on_data, wire))

    @property
    def serial(self) -> str:
        """Under which its reports stand on record."""
        return str(self.config.serial)

    def press(self) -> None:
        """Somebody presses its button. Raises `ActImpossible`."""
        self.simulator.act(self.button, {})

    def is_settled(self, journal: Journal) -> bool:
        """Every report that it ever numbered in its present boot is on record or declared lost."""
        link = self.simulator.state()["link"]
        assert isinstance(link, dict)
        return bool(link["acknowledged"] == link["reported"])

    def moved(self, status: SessionStatus) -> None:
        """The session is in another state."""
        self.states.append(status)
        for state, reached in self._awaited:
            if state == status.state and not reached.done():
                reached.set_result(None)

    async def reaches(self, state: SessionState) -> None:
        """Returns in the very turn in which the session comes into this state."""
        reached: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited.append((state, reached))
        async with asyncio.timeout(30.0):
            await reached

    def noted(self, what: str) -> list[dict[str, Any]]:
        """Lines of the device's own record."""
        lines = [json.loads(line) for line in self.out.getvalue().splitlines()]
        return [line for line in lines if line["what"] == what]

    def state(self, key: str) -> Any:
        return self.simulator.state()[key]

    def bytes_under_way(self) -> bool:
        """Whether the kernel still has bytes that one side wrote and the other is going to read."""
        port = self.simulator.port
        if not (port.is_plugged and self.is_read):
            return False
        to_host = port.bytes_out - self._out_0 > self.host_in
        return to_host or (not self.simulator.device.is_hung and self.host_out > port.bytes_in - self._in_0)

    def count_anew(self, port: PtyPort) -> None:
        """A cable that was plugged in is a new terminal; what an old one held is gone."""
        self._out_0, self._in_0 = port.bytes_out, port.bytes_in
        self.host_in = self.host_out = 0


class CountedPort(PtyPort):
    """The simulator's own port; counting starts with each terminal."""

    def __init__(self, device: Device, link: Path, on_data: Callable[[bytes], None], wire: Wire) -> None:
        super().__init__(link, on_data, wire)
        self._device = device

    def plug(self) -> None:
        super().plug()
        self._device.count_anew(self)


class LockUnit(Device):
    """A progressive: its button locks."""

    button = "lockout"


class Bus(LockUnit):
    """A progressive of remote I/O: nobody there counts anything, so what its reports must be follows from its chips and relay."""

    presses = 3  # a press that falls between two looks is not seen
    rest_s = UNSTEADY_S

    def _simulator(self, seed: int) -> Simulator:
        rng = Random(f"{seed}/{self.kind}")
        settings = ProgressiveSettings()
        self.wiring = wired(settings.seats, settings.sensors, len(self.config.units))
        io = RemoteIo(
            Progressive(settings, FaultBook([], self.log), self.log),
            self.wiring,
            self.log,
            now=asyncio.get_running_loop().time(),
            rng=rng,
            turnaround_s=quiet(byte_time(self.config.baud)),
        )
        wire = Wire([], Random(f"{seed}/{self.kind}/wire"))
        link = Path(self.config.path)
        return BusSimulator(io, self.log, lambda on_data: CountedPort(self, link, on_data, wire))

    @property
    def serial(self) -> str:
        return "-".join("".join(f"{word:04x}" for word in unit.serial) for unit in self.wiring)

    def is_settled(self, journal: Journal) -> bool:
        """See `_handed_over`."""
        return _handed_over(self, journal)


def _handed_over(device: Device, journal: Journal) -> bool:
    """Where the host counts for a device: what was handed over is on record."""
    handed = sum(n for kind, n in device.delivered.items() if kind in REPORTS)
    return not handed or journal.last_of(device.serial) == (f"{device.session._boot:016x}", handed)


class LineShoe(Device):
    """A reading shoe that writes lines: it hears nothing, and forgets what nobody hears. It has no button, but a next card."""

    button, heard_as = "draw", "card_drawn"
    # What was begun and not ended takes the next line with it, unless it was silent for so long; then its damage is told.
    rest_s = GAP_LIMIT_S + LONGEST_WAIT_S

    def _simulator(self, seed: int) -> Simulator:
        rng = Random(f"{seed}/{self.kind}")
        settings = CardSettings((), (), False, True, prefix="D", decks=1)
        model = ReadingShoe(settings, rng, FaultBook([], self.log), self.log)
        shoe_ = BeeTekShoe(model, self.log, now=asyncio.get_running_loop().time())
        wire = Wire([], Random(f"{seed}/{self.kind}/wire"))
        link = Path(self.config.path)
        return Simulator(shoe_, self.log, lambda on_data: CountedPort(self, link, on_data, wire))

    @property
    def serial(self) -> str:
        return self.config.serial or self.config.name

    def is_settled(self, journal: Journal) -> bool:
        """See `_handed_over`."""
        return _handed_over(self, journal)


def device_of(config: DeviceConfig, room: Path, seed: int, *, keyed: bool = False) -> Device:
    """The device that stands where a table's configuration has one."""
    if config.codec is Codec.MODBUS:
        return Bus(config, room, seed)
    if config.codec is Codec.BEETEK:
        return LineShoe(config, room, seed)
    return (LockUnit if config.kind is DeviceKind.PROGRESSIVE else Device)(config, room, seed, keyed=keyed)
