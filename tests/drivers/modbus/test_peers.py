"""Programs by others at both ends of the bus. What two of our own ends agree on could be wrong at both.

At our simulated units: mbpoll (libmodbus) and minimalmodbus. At our master: pymodbus' server, libmodbus' own test server, which
misbehaves on purpose. Over the bytes: tshark. None of them is skipped: `.ci/system-packages` and the lock bring them.
"""

import asyncio
import fcntl
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import minimalmodbus
import pytest
from pymodbus.constants import ExcCodes
from pymodbus.server import ModbusSerialServer
from pymodbus.simulator import DataType, SimData, SimDevice

from drivers import events
from drivers.catalog import Codec
from drivers.commands import WantedLevel
from drivers.device import DeviceConfig
from drivers.modbus.frame import Function, Request, Wrong
from drivers.modbus.master import Master, Outcome
from drivers.modbus.timing import byte_time
from drivers.modbus.units import Unit
from drivers.protocol.reports import DeviceKind
from drivers.protocol.words import ENGAGED, RELEASED, Level
from drivers.recording.format import Header
from drivers.recording.pcapng import Packet, pcapng_of
from drivers.session.session import DeviceSession
from simulators.bus.terminals import IDENTITY_REGISTER, SCRATCH_REGISTER

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 40.0
BAUD = 19200


def until(true: Any, what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def ended(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    process.wait(PATIENCE_S)


# --- masters by others at our units -------------------------------------------------------------------------------------


@pytest.fixture
def port(tmp_path: Path) -> Iterator[Path]:
    """The port of a simulated bus of two units, a process of its own."""
    link = tmp_path / "bus"
    command = [sys.executable, "-m", "simulators", "remote-io", "--units", "2", "--link", str(link)]
    process = subprocess.Popen([*command, "--log", str(tmp_path / "log")], cwd=ROOT)
    try:
        until(link.is_symlink, "the bus is there")
        yield link
    finally:
        ended(process)


def mbpoll(port: Path, unit: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One exchange. Its references count from 0, as the frames do."""
    mine = ["mbpoll", "-m", "rtu", "-b", str(BAUD), "-P", "none", "-a", str(unit), "-0", "-1", "-q", "-o", "10"]
    command = [*mine, *arguments[:-1], str(port), *arguments[-1].split()]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)


def values(done: subprocess.CompletedProcess[str]) -> list[int]:
    """What mbpoll read, in order: lines like `[3]: 17 (0x11)`."""
    assert done.returncode == 0, done.stdout + done.stderr
    return [int(line.split()[1], 0) for line in done.stdout.splitlines() if line.startswith("[")]


def test_mbpoll_reads_and_writes_our_units(port: Path) -> None:
    """Coils, inputs, both kinds of registers, single and several at once, by libmodbus' framing and timing."""
    assert values(mbpoll(port, 1, "-t", "4", "-r", "0", "-c", "4", "")) == [0x5457, 0x0101, 0x2026, 0x1001]
    assert values(mbpoll(port, 2, "-t", "4", "-r", "1", "-c", "1", "")) == [0x0102]
    assert values(mbpoll(port, 2, "-t", "1", "-r", "0", "-c", "6", "")) == [0] * 6
    assert values(mbpoll(port, 1, "-t", "3", "-r", "0", "-c", "1", ""))[0] >= 1
    assert "Written 3 references" in mbpoll(port, 1, "-t", "0", "-r", "1", "1 0 1").stdout
    assert values(mbpoll(port, 1, "-t", "0", "-r", "0", "-c", "4", "")) == [0, 1, 0, 1]
    assert "Written 1 references" in mbpoll(port, 1, "-t", "0", "-r", "1", "0").stdout
    assert values(mbpoll(port, 1, "-t", "0", "-r", "0", "-c", "4", "")) == [0, 0, 0, 1]
    at = str(SCRATCH_REGISTER)
    assert "Written 2 references" in mbpoll(port, 1, "-t", "4", "-r", at, "1234 4321").stdout
    assert "Written 1 references" in mbpoll(port, 1, "-t", "4", "-r", at, "7").stdout
    assert values(mbpoll(port, 1, "-t", "4", "-r", at, "-c", "2", "")) == [7, 4321]


def test_mbpoll_is_told_what_a_unit_does_not_have(port: Path) -> None:
    """An illegal address is an exception; an address where nobody is answers nothing at all."""
    refused = mbpoll(port, 1, "-t", "4", "-r", "100", "-c", "2", "")
    assert (refused.returncode, "Illegal data address" in refused.stderr) == (1, True)
    nobody = mbpoll(port, 9, "-o", "0.3", "-t", "4", "-r", "0", "-c", "1", "")
    assert (nobody.returncode, "timed out" in nobody.stderr) == (1, True)


def test_minimalmodbus_reads_and_writes_our_units(port: Path) -> None:
    """A second master with rules of its own for silence, and all eight functions by their numbers."""
    unit = minimalmodbus.Instrument(str(port), 1)
    unit.serial.baudrate, unit.serial.timeout = BAUD, 3.0
    try:
        assert unit.read_registers(IDENTITY_REGISTER, 2, 3) == [0x5457, 0x0101]
        assert unit.read_register(0, 0, 4) >= 1
        unit.write_register(SCRATCH_REGISTER, 99, 0, 6)
        unit.write_registers(SCRATCH_REGISTER + 1, [1, 2, 3])
        assert unit.read_registers(SCRATCH_REGISTER, 4) == [99, 1, 2, 3]
        unit.write_bit(2, 1, 5)
        unit.write_bits(3, [1, 0, 1])
        assert unit.read_bits(0, 6, 1) == [0, 0, 1, 1, 0, 1]
        assert unit.read_bit(0, 2) == 0
        with pytest.raises(minimalmodbus.IllegalRequestError):
            unit.read_register(200)
    finally:
        unit.serial.close()


# --- servers by others at our master ------------------------------------------------------------------------------------


def asked(master: Master, fd: int, request: Request) -> Outcome:
    """One question over a real descriptor, in real time."""
    while not master.is_free(now := time.monotonic()):
        _take(master, fd, master.next_deadline() - now)
    master.ask(request, now)
    os.write(fd, master.data_to_send())
    while (outcome := master.tick(now := time.monotonic())) is None:
        if (early := _take(master, fd, max(0.0, master.next_deadline() - now))) is not None:
            return early
    return outcome


def _take(master: Master, fd: int, wait_s: float) -> Outcome | None:
    readable, _, _ = select.select([fd], [], [], max(0.0, wait_s))
    return master.receive(os.read(fd, 4096), time.monotonic()) if readable else None


@pytest.fixture(scope="session")
def test_server(request: pytest.FixtureRequest) -> Path:
    """libmodbus' `unit-test-server`, built from its source package once and kept with the test cache."""
    folder = Path(request.config.cache.mkdir("libmodbus"))
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            [ROOT / ".ci" / "libmodbus-server", folder], check=False, capture_output=True, text=True, timeout=300
        )
    assert done.returncode == 0, f"libmodbus' test server could not be built:\n{done.stderr}"
    return Path(done.stdout.strip())


@pytest.mark.timeout(400)
def test_libmodbus_own_hostile_server_is_seen_through(test_server: Path) -> None:
    """Wrong count, a busy unit, another unit's answer, half a second late: each by its name, and none is taken for values."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [test_server, "rtu", os.ttyname(theirs)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        master = Master(byte_time_s=byte_time(115200), response_s=0.4)
        master.start(time.monotonic())
        master.identified(17)

        def holding(at: int, count: int = 1) -> Outcome:
            return asked(master, ours, Request(17, Function.READ_HOLDING, at, count))

        until(lambda: holding(0x160).values is not None, "libmodbus' server answers")
        bits = asked(master, ours, Request(17, Function.READ_INPUTS, 0x1C4, 0x16))
        assert bits.values == tuple(int(b) for byte in (0xAC, 0xDB, 0x35) for b in f"{byte:08b}"[::-1])[:0x16]
        assert asked(master, ours, Request(17, Function.READ_INPUT_REGISTERS, 0x108)).values == (10,)
        written = Request(17, Function.WRITE_REGISTERS, 0x160, 3, (0x022B, 1, 0x64))
        assert asked(master, ours, written).values == ()
        assert holding(0x160, 3).values == (0x022B, 1, 0x64)
        assert asked(master, ours, Request(17, Function.WRITE_COIL, 0x130, values=(1,))).values == ()
        assert asked(master, ours, Request(17, Function.READ_COILS, 0x130, 2)).values == (1, 0)

        assert (holding(0x160, 2).values, master.counters["wrong_count"]) == (None, 1)
        busy = holding(0x170)
        assert (busy.wrong, busy.code) == (Wrong.EXCEPTION, 6)
        assert holding(0x171).wrong is Wrong.UNIT
        asleep = holding(0x172)
        assert (asleep.values, asleep.wrong) == (None, Wrong.SILENT)
        assert holding(0x161).values == (1,), "the answer that came half a second late is nobody's"
        assert master.counters["stray_bytes"] == 7
        illegal = holding(0x500)
        assert (illegal.wrong, illegal.code) == (Wrong.EXCEPTION, 2)
    finally:
        ended(process)
        os.close(ours)
        os.close(theirs)


async def test_pymodbus_server_is_a_progressive_to_us(tmp_path: Path) -> None:
    """A unit that shares no line of code with ours, over a real tty: known, guarded, released, a chip seen, engaged."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    relay = await asyncio.create_subprocess_exec(
        "socat", f"pty,raw,echo=0,link={ours}", f"pty,raw,echo=0,link={theirs}"
    )
    chip = False
    coil = False

    async def act(function: int, start: int, at: int, count: int, now: list[int], new: Any) -> ExcCodes | None:
        """Its terminals: input 0 is the contact of coil 0, input 1 the sensor of seat 4."""
        nonlocal coil
        if function == Function.WRITE_COIL and new is not None:
            coil = bool(new[0])
        if function == Function.READ_INPUTS:
            now[0] = int(coil) | int(chip) << 1
        return None

    blocks = (
        [SimData(0, count=1, values=0, datatype=DataType.BITS)],
        [SimData(0, count=1, values=0, datatype=DataType.BITS)],
        [SimData(0, count=20, values=[0x00FF], datatype=DataType.REGISTERS)],
        [SimData(0, count=1, values=0, datatype=DataType.REGISTERS)],
    )
    async with asyncio.timeout(PATIENCE_S):
        while not (ours.exists() and theirs.exists()):  # noqa: ASYNC110  # files do not tell
            await asyncio.sleep(0.02)
    server = ModbusSerialServer(SimDevice(7, blocks, action=act), port=str(theirs), baudrate=BAUD)
    serving = asyncio.create_task(server.serve_forever())
    unit = Unit(7, 0, (0x00FF,), sensors={(4, 1): 1}, contact=0, lockout=0, watchdog=16)
    told: list[Any] = []

    def heard(kind: type) -> list[Any]:
        return [body for body in told if isinstance(body, kind)]

    async def reached(kind: type) -> Any:
        async with asyncio.timeout(PATIENCE_S):
            while not heard(kind):  # noqa: ASYNC110  # a list that grows: it does not tell
                await asyncio.sleep(0.02)
        return heard(kind)[-1]

    session = DeviceSession(
        DeviceConfig(
            "progressive-1", DeviceKind.PROGRESSIVE, str(ours), baud=BAUD, accept_test_only=True, speaks=Codec.MODBUS,
            units=(unit,),
        ),
        deliver=lambda delivery: told.append(delivery.body) or True, entropy=os.urandom, rng=random.Random(1),
    )  # fmt: skip
    running = asyncio.create_task(session.run())
    try:
        online = await reached(events.DeviceOnline)
        assert online.levels.lockout == ENGAGED
        session.want(WantedLevel("progressive-1", Level.LOCKOUT, RELEASED, 5))
        assert (await reached(events.LockoutReleased)).operation == 5
        assert coil
        chip = True
        assert await reached(events.WagerSensed) == events.WagerSensed(4, 1, False)
        session.want(WantedLevel("progressive-1", Level.LOCKOUT, ENGAGED, 6))
        assert (await reached(events.LockoutEngaged)).operation == 6
        assert not coil
        wrong = {kind.value for kind in Wrong} - {Wrong.SILENT.value}
        assert session.counters["answers"] > 10
        assert not wrong & session.counters.keys()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await server.shutdown()
        await asyncio.gather(serving, return_exceptions=True)
        relay.terminate()
        await relay.wait()


# --- the bytes ----------------------------------------------------------------------------------------------------------


def test_tshark_finds_nothing_wrong_with_our_frames(bus: Any, tmp_path: Path) -> None:
    """Every frame of a bus that is met, released, played on and locked, both ways, by Wireshark's own Modbus dissector."""
    assert shutil.which("tshark"), "install tshark: .ci/system-packages does"
    table = bus(seats=7, sensors=3, units=3).online()
    table.want(Level.LOCKOUT, RELEASED, 5)
    table.want(Level.LAMPS, "1,4", 6)
    table.hands("put_chip", seat=2)
    table.run(1.0)
    table.want(Level.LOCKOUT, ENGAGED, 7)
    table.run(0.5)
    header = Header(
        "progressive-1", DeviceKind.PROGRESSIVE, "bus", BAUD, Codec.MODBUS, None, "test", "2026-01-01T00:00:00Z"
    )
    frames = [Packet(int(at * 1e6), who == "io", data) for at, who, data in table.wire]
    path = tmp_path / "bus.pcapng"
    path.write_bytes(pcapng_of(header, frames, frames[0].us))
    command = ["tshark", "-n", "-r", str(path), "-d", "rtacser.data,mbrtu"]

    def said(*arguments: str) -> list[str]:
        done = subprocess.run([*command, *arguments], check=False, capture_output=True, text=True, timeout=50)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    codes = said("-Y", "mbrtu", "-T", "fields", "-e", "mbrtu.unit_id", "-e", "modbus.func_code")
    assert codes == [f"{data[0]}\t{data[1]}" for _, _, data in table.wire]
    assert {int(line.split("\t")[1]) for line in codes} >= {1, 2, 3, 5, 6, 15}
    assert said("-Y", "_ws.malformed || _ws.expert.severity >= 0x600000 || mbrtu.crc16.status == 0") == []
