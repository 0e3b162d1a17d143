"""Simulators on a real pseudo-terminal: cable, power, pacing, ghost bytes, and a clean end."""

import asyncio
import json
import os
import termios
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from drivers.protocol.host.link import Failed, Lost, Reported
from drivers.protocol.reports import Level, LockoutReleased, WagerSensed
from simulators.cable.port import LinkTaken, PtyPort
from simulators.cable.wire import Wire
from simulators.devices.model import ActImpossible

Make = Callable[..., Any]
"""A fixture that makes something when it is called."""


async def test_a_deal_over_a_real_cable_with_hands_over_the_socket(
    start: Make, until: Make, connect: Make
) -> None:
    """Load, allow, green, take three times: the host hears all of it, the record has the acknowledgements."""
    sim = await start("shoe")
    async with connect(sim.link) as host:
        await host.online()
        await host.want(Level.DISPENSING, "allowed")
        loaded = await sim.ask(act="load", back="red")
        assert loaded["ok"]
        assert len(loaded["cards"]) == 52
        assert (await sim.ask(act="green"))["note"] == ""
        for _ in range(3):
            assert (await sim.ask(act="await", key="deal", value="offered"))["ok"]
            assert len((await sim.ask(act="take"))["cards"]) == 2
        await until(
            lambda: [e for e in host.events if isinstance(e, Reported)][-1].report.kind == "deal_completed"
        )
        last = max(line["counter"] for line in sim.noted("report"))
        await until(lambda: sim.noted("acknowledged", counter=last), "the acknowledgement")
    assert sim.noted("moved", to="output")
    times = [json.loads(line)["t"] for line in sim.out.getvalue().splitlines()]
    assert times == sorted(times)
    assert times[-1] <= time.monotonic_ns()


async def test_unplugged_the_host_reads_end_of_file_and_replugged_nothing_is_missing(
    start: Make, until: Make, connect: Make
) -> None:
    """The name goes and comes back on another terminal; the boot is the same; what was sensed meanwhile is told."""
    sim = await start("progressive")
    async with connect(sim.link) as host:
        await host.online()
        await host.want(Level.LOCKOUT, "released")
        device = sim.simulator.device
        await until(lambda: device.acknowledged == device.state()["link"]["reported"], "the acknowledgement")
        sim.simulator.unplug()
        await until(lambda: host.eof, "end of file")
        assert not sim.link.is_symlink()
        with pytest.raises(ActImpossible, match="out already"):
            sim.simulator.unplug()
        sim.simulator.act("put_chip", {"seat": 2})
        durable = sim.simulator.device.acknowledged
        boot = int(sim.simulator.device.boot, 16)
    sim.simulator.replug()
    assert os.readlink(sim.link).startswith("/dev/pts/")
    async with connect(sim.link, last=(boot, durable)) as host:
        await host.online()
        await until(lambda: host.reports(WagerSensed), "the chip")
        assert not host.reports(LockoutReleased), "what was durable came again"
    assert [line["state"] for line in sim.noted("link") if "plugged" in line["state"]] == [
        "plugged", "unplugged", "plugged",
    ]  # fmt: skip


async def test_a_hang_leaves_the_port_open_and_silent(start: Make, until: Make, connect: Make) -> None:
    """Bytes written meanwhile wait in the kernel and are read when the firmware wakes."""
    sim = await start("progressive")
    async with connect(sim.link) as host:
        await host.online()
        await host.want(Level.LOCKOUT, "released")
        await sim.ask(act="hang")
        host.link.set_level(Level.LAMPS, "1", 50, asyncio.get_running_loop().time())
        host._flush()
        before = len(host.raw)
        await asyncio.sleep(0.3)
        assert len(host.raw) == before
        assert not sim.noted("command", level="lamps"), "a hung device read its port"
        assert not host.eof
        assert (await sim.ask(act="state"))["state"]["link"]["hung"]
        assert (await sim.ask(act="put_chip", seat=1)) == {"ok": False, "error": "the device hangs"}
        await sim.ask(act="wake")
        await until(lambda: any(getattr(e, "operation", 0) == 50 for e in host.events), "the answer")


async def test_a_power_cut_takes_port_and_boot(start: Make, until: Make, connect: Make) -> None:
    """Gone with the power, back by itself after its time, with a new boot id and locked."""
    sim = await start("progressive")
    boot = sim.simulator.device.boot
    async with connect(sim.link) as host:
        await host.online()
        await host.want(Level.LOCKOUT, "released")
        assert (await sim.ask(act="power_off", for_s=0.1))["ok"]
        await until(lambda: host.eof, "end of file")
    await until(sim.link.is_symlink, "the return")
    assert sim.simulator.device.boot != boot
    assert (await sim.ask(act="state"))["state"]["lockout"] == "engaged"
    assert [line["state"] for line in sim.noted("power")] == ["on", "off", "on"]
    async with connect(sim.link, last=(int(boot, 16), 1)) as host:
        await host.online()
        assert any(isinstance(e, Lost) for e in host.events)


async def test_a_reboot_tells_the_host_on_the_open_port(start: Make, until: Make, connect: Make) -> None:
    """RESTARTED ends the host's link; the terminal stays the same."""
    sim = await start("progressive")
    async with connect(sim.link) as host:
        await host.online()
        terminal = os.readlink(sim.link)
        assert (await sim.ask(act="reboot", cause="software"))["ok"]
        await until(lambda: any(isinstance(e, Failed) for e in host.events) or len(host.events) > 8, "the end")
        assert os.readlink(sim.link) == terminal
        assert not host.eof
    assert sim.noted("power", state="on", cause="software")


@pytest.mark.parametrize("fault", ["unplug@1:for=0.1", "hang@1:for=0.1", "power_loss@1:for=0.1", "reboot@1"])
async def test_faults_of_the_whole_device_are_carried_out_and_end(
    start: Make, fault: str, until: Make, connect: Make
) -> None:
    """On the first lock-out; afterwards the device is there again for a new host."""
    sim = await start("progressive", fault)
    async with connect(sim.link) as host:
        await host.online()
        await host.want(Level.LOCKOUT, "released")
        sim.simulator.act("lockout", {})
        await until(lambda: sim.noted("fault"), "the fault")
        what, gone, back = {
            "unplug": ("link", "unplugged", "plugged"),
            "hang": ("link", "hung", "awake"),
        }.get(fault.split("@", maxsplit=1)[0], ("power", "off", "on"))

        def is_over() -> bool:
            states = [line["state"] for line in sim.noted(what)]
            return gone in states and back in states[states.index(gone) :]

        await until(is_over, f"{gone}, then {back}")
    async with connect(sim.link) as host:
        await host.online()


async def test_a_host_that_closes_costs_the_simulator_nothing(start: Make, connect: Make) -> None:
    """No hang-up to spin on: the processor stays idle while nobody has the port open."""
    sim = await start("progressive")
    async with connect(sim.link) as host:
        await host.online()
    before = time.process_time()
    await asyncio.sleep(0.5)
    assert time.process_time() - before < 0.15
    async with connect(sim.link) as host:
        await host.online()


async def test_ghost_bytes_come_first_unless_unread_is_dropped(start: Make, until: Make, connect: Make) -> None:
    """What the last host did not read waits for the next one, as on a real terminal."""
    for drops, kind in ((False, "progressive"), (True, "shoe")):
        sim = await start(kind, drops_unread=drops)
        async with connect(sim.link) as host:
            await host.online()
            await until(lambda s=sim: s.noted("acknowledged"), "the acknowledgement")
        sim.simulator.act("lockout" if kind == "progressive" else "green", {})
        if drops:
            await until(lambda s=sim: s.noted("link", state="unread_dropped"), "the watchdog")
        async with connect(sim.link) as host:
            await asyncio.sleep(0.1)
            assert bool(host.raw) is not drops
            await host.online()


async def test_a_cooked_line_is_left_as_it_comes(start: Make) -> None:
    """The host must set it raw itself; otherwise it is raw from the start."""
    for cooked, kind in ((False, "progressive"), (True, "shoe")):
        sim = await start(kind, cooked=cooked)
        fd = os.open(sim.link, os.O_RDWR | os.O_NOCTTY)
        local_modes = termios.tcgetattr(fd)[3]
        os.close(fd)
        assert bool(local_modes & termios.ICANON) is cooked


async def test_paced_bytes_take_their_time_on_the_line(start: Make, connect: Make) -> None:
    """At 9600 baud the handshake's answers take at least as long as their bytes do."""
    sim = await start("progressive", byte_time_s=10 / 9600)
    async with connect(sim.link) as host:
        began = time.monotonic()
        await host.online()
        took = time.monotonic() - began
        assert took > len(host.raw) * 10 / 9600 * 0.7


async def test_bytes_still_in_the_device_at_the_hang_up_never_come(tmp_path: Path) -> None:
    """What was being paced out when the cable was pulled is gone; the next host reads only what is new."""
    port = PtyPort(tmp_path / "slow", lambda _: None, Wire([], Random(1)), byte_time_s=0.01)
    port.plug()
    port.write(b"old" * 100)
    port.unplug()
    port.plug()
    fd = os.open(port.link, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        port.write(b"n")
        await asyncio.sleep(0.1)
        assert os.read(fd, 4096) == b"n"
    finally:
        os.close(fd)
        port.unplug()


async def test_a_bad_cable_loses_and_spoils_bytes_and_the_link_repairs_it(
    start: Make, until: Make, connect: Make
) -> None:
    """Both directions damaged by chance: the host still gets every report once and in order."""
    sim = await start("progressive", "wire_drop:rate=0.002", "wire_corrupt:rate=0.002")
    async with connect(sim.link) as host:
        await host.online()
        for seat in (1, 2, 3, 4):
            sim.simulator.act("put_chip", {"seat": seat})
        await until(lambda: len(host.reports(WagerSensed)) == 4, "all chips")
        assert [r.seat for r in host.reports(WagerSensed)] == [1, 2, 3, 4]


async def test_a_name_that_is_no_symlink_is_not_taken(start: Make, tmp_path: Path, until: Make) -> None:
    """Somebody's file must not be replaced; a symlink left over by a killed simulator is."""
    (tmp_path / "shoe0").write_text("mine")
    sim = await start("shoe")
    with pytest.raises(LinkTaken, match="is no symlink"):
        await sim.task
    assert (tmp_path / "shoe0").read_text() == "mine"
    (tmp_path / "progressive0").symlink_to("/nowhere")
    sim = await start("progressive")
    await until(lambda: os.readlink(sim.link).startswith("/dev/pts/"), "the port")


async def test_a_bug_in_a_model_ends_the_simulator_for_all_to_see(
    start: Make, monkeypatch: pytest.MonkeyPatch, connect: Make
) -> None:
    """An exception in a callback is raised by run, not lost in the loop."""
    sim = await start("shoe")

    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(sim.simulator.device, "receive", broken)
    async with connect(sim.link) as host:
        host.link.connect(asyncio.get_running_loop().time())
        host._flush()
        with pytest.raises(RuntimeError, match="a bug"):
            await asyncio.wait_for(sim.task, 15.0)
    assert not sim.link.is_symlink()
