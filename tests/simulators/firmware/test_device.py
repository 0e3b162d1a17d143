"""A simulated device and a host in virtual time: boots, watchdog, repeats, hangs, and a record that hides nothing."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from drivers.protocol.constants import HOST_WATCHDOG_S
from drivers.protocol.host.link import HostLink, LevelSet, Lost, Online, Reported
from drivers.protocol.messages import Identity
from drivers.protocol.reports import (
    Capability,
    Cause,
    DeviceKind,
    DispensingAllowed,
    DispensingInhibited,
    JamCleared,
    Level,
    LockoutEngaged,
    LockoutReleased,
    PoweredUp,
    ResetCause,
    WagerSensed,
)
from simulators.devices import shoe, shuffler
from simulators.devices.body import CardSettings
from simulators.devices.cycle import CYCLE_S
from simulators.devices.model import ActImpossible, Model
from simulators.devices.progressive import Progressive, ProgressiveSettings
from simulators.firmware.device import SimulatedDevice
from simulators.scenario.faults import FaultBook, parse


@dataclass
class World:
    """A device and its host joined by a perfect wire; the host acknowledges what it was given."""

    device: SimulatedDevice
    record: list[tuple[str, Mapping[str, object]]]
    now: float = 100.0
    host: HostLink | None = None
    events: list[Any] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)
    deaf: bool = False  # nothing passes the wire
    operation: int = 0

    def connect(self, last: tuple[int, int] | None = None) -> None:
        entropy = Random(len(self.events)).randbytes
        self.host = HostLink(entropy=entropy, last=last, stale_after_s=60.0, byte_time_s=0.0)
        self.host.connect(self.now)
        self.run(0.5)

    def run(self, seconds: float, step: float = 0.05) -> None:
        """Lets time pass in small steps and bytes flow both ways."""
        for _ in range(max(1, round(seconds / step))):
            self.now += step
            self.device.tick(self.now)
            if self.host:
                self._handle(self.host.tick(self.now))
            self.exchange()

    def exchange(self) -> None:
        for _ in range(20):
            up = self.device.data_to_send()
            down = self.host.data_to_send() if self.host else b""
            if not up and not down:
                return
            if down:
                self.sent.append(down)
            if self.deaf:
                continue
            if not self.device.is_hung:
                self.device.receive(down, self.now)
            if self.host:
                self._handle(self.host.receive(up, self.now))

    def _handle(self, events: list[Any]) -> None:
        self.events += events
        for event in events:
            if isinstance(event, Reported) and self.host:
                self.host.acknowledge(event.boot, event.counter, self.now)

    def want(self, level: Level, value: str) -> int:
        self.operation += 1
        assert self.host
        self.host.set_level(level, value, self.operation, self.now)
        self.run(0.2)
        return self.operation

    def act(self, name: str, **given: object) -> Any:
        done = self.device.act(name, given, self.now)
        self.exchange()
        return done

    def reports(self, *kinds: type) -> list[Any]:
        """What the host was given, in its order."""
        return [
            e.report for e in self.events if isinstance(e, Reported) and (not kinds or isinstance(e.report, kinds))
        ]

    def noted(self, what: str, **like: object) -> list[Mapping[str, object]]:
        return [p for w, p in self.record if w == what and like.items() <= p.items()]


@pytest.fixture
def world() -> Callable[..., World]:
    """Builds a shoe or a progressive with power, a host not yet connected."""

    def build(kind: str, *faults: str, speed: float = 1.0, keeps_log: bool = False) -> World:
        record: list[tuple[str, Mapping[str, object]]] = []

        def log(what: str, particulars: Mapping[str, object]) -> None:
            record.append((what, particulars))

        book = FaultBook([parse(text, DeviceKind(kind)) for text in faults], log)
        model: Model
        if kind == "shuffler":
            model = shuffler.build(CardSettings(remembers=keeps_log), Random(1), book, log)
        elif kind == "shoe":
            model = shoe.build(CardSettings(remembers=keeps_log), Random(1), book, log)
        else:
            model = Progressive(ProgressiveSettings(remembers=keeps_log), book, log)
        identity = Identity(DeviceKind(kind), "v", "m", "h", "S1", "1", capabilities=model.capabilities)
        device = SimulatedDevice(
            model, identity, log, entropy=Random(5).randbytes, now=100.0, speed=speed, keeps_log=keeps_log
        )
        made = World(device, record)
        device.power_on(made.now)
        return made

    return build


def test_the_host_hears_everything_from_power_up_on(world: Callable[..., World]) -> None:
    """Reports made before a host came are kept, come in order, and their acknowledgement is in the record."""
    table = world("shoe")
    table.act("load", back="red")
    table.connect()
    assert [r.kind for r in table.reports()] == ["powered_up", "dispensing_inhibited", "cards_loaded"]
    assert any(isinstance(e, Online) for e in table.events)
    assert table.noted("acknowledged", boot=table.device.boot, counter=3)
    assert table.device.state()["link"] == {
        "host": True, "hung": False, "boot": table.device.boot, "reported": 3, "acknowledged": 3,
    }  # fmt: skip


def test_the_record_has_each_report_as_the_host_gets_it(world: Callable[..., World]) -> None:
    """Same boot, counter, tick, kind and body on both sides."""
    table = world("shoe")
    table.connect()
    table.want(Level.DISPENSING, "allowed")
    table.act("load", back="red")
    table.act("green")
    table.run(2)
    table.act("take")
    table.run(1)
    got = [
        (f"{e.boot:016x}", e.counter, e.tick_us, e.report.kind) for e in table.events if isinstance(e, Reported)
    ]
    noted = [(p["boot"], p["counter"], p["tick_us"], p["kind"]) for p in table.noted("report")]
    assert got == noted
    assert table.noted("report", kind="stack_dispensed")[0]["body"] == {"back": "red", "stack": 1, "cards": 2}
    ticks = [p["tick_us"] for p in table.noted("report")]
    assert ticks == sorted(ticks)


def test_a_level_is_carried_out_once_and_answered(world: Callable[..., World]) -> None:
    """The command is in the record as executed, the edge names its operation, the host hears yes."""
    unit = world("progressive")
    unit.connect()
    operation = unit.want(Level.LOCKOUT, "released")
    assert unit.reports(LockoutReleased) == [LockoutReleased(Cause.COMMAND, operation)]
    assert LevelSet(Level.LOCKOUT, "released", operation) in unit.events
    assert unit.noted("command") == [
        {"level": "lockout", "value": "released", "operation": operation, "outcome": "executed", "holds": True}
    ]


def test_the_same_request_twice_in_one_read_is_one_execution_and_one_duplicate(
    world: Callable[..., World],
) -> None:
    """Two copies that arrive together are still told apart in the record."""
    unit = world("progressive")
    unit.connect()
    assert unit.host
    unit.host.set_level(Level.LOCKOUT, "released", 5, unit.now)
    unit.device.receive(unit.host.data_to_send() * 2, unit.now)
    assert [p["outcome"] for p in unit.noted("command", operation=5)] == ["executed", "duplicate"]
    assert len(unit.noted("report", kind="lockout_released")) == 1


@pytest.mark.parametrize(
    ("kind", "level", "value", "report"),
    [
        ("progressive", Level.LOCKOUT, "released", LockoutEngaged),
        ("shoe", Level.DISPENSING, "allowed", DispensingInhibited),
    ],
)
def test_without_its_host_a_device_takes_the_safe_side_by_itself(
    world: Callable[..., World], kind: str, level: Level, value: str, report: Any
) -> None:
    """Three seconds of silence, not two; and it stays there when the host is back."""
    table = world(kind)
    table.connect()
    table.want(level, value)
    table.deaf = True
    table.run(HOST_WATCHDOG_S - 1.0)
    assert not table.noted("link", state="host_lost")
    table.run(1.5)
    assert table.noted("link", state="host_lost")
    assert table.noted("report", kind=report.kind, body={"cause": Cause.WATCHDOG, "operation": 0})
    table.deaf = False
    table.run(6)
    assert table.reports(report)[-1] == report(Cause.WATCHDOG, 0)
    now = table.device.model.levels()
    assert (now.lockout or now.dispensing) in ("engaged", "inhibited")


def test_a_hung_device_answers_nothing_and_wakes_up_safe(world: Callable[..., World]) -> None:
    """While it hangs nothing moves and hands get nothing done; the mechanics go on where they stood."""
    table = world("shoe")
    table.connect()
    table.want(Level.DISPENSING, "allowed")
    table.act("load", back="red")
    table.act("green")
    table.run(0.2)
    table.device.hang(table.now)
    with pytest.raises(ActImpossible, match="hangs"):
        table.act("take")
    table.run(HOST_WATCHDOG_S + 1)
    assert table.device.model.state()["places"]["magazine"] == 52
    table.device.wake(table.now)
    table.run(1)
    assert table.device.model.levels().dispensing == "inhibited"
    assert [p["state"] for p in table.noted("link")] == ["host_found", "hung", "awake", "host_lost", "host_found"]
    table.want(Level.DISPENSING, "allowed")
    table.run(1.2)
    table.act("take")


def test_the_mechanics_stand_still_while_the_firmware_hangs(world: Callable[..., World]) -> None:
    """A shuffle that hung for a minute still takes the rest of its time afterwards."""
    table = world("shuffler")
    table.act("load", back="red")
    table.act("green")
    table.run(CYCLE_S / 2)
    table.device.hang(table.now)
    table.run(60)
    table.device.wake(table.now)
    table.run(CYCLE_S / 2 - 1)
    assert not table.noted("report", kind="shuffle_completed")
    table.run(2)
    assert table.noted("report", kind="shuffle_completed")


def test_the_models_time_is_scaled_and_the_links_is_not(world: Callable[..., World]) -> None:
    """At a hundredfold speed a deal is instant, but the watchdog still takes its three seconds."""
    table = world("shoe", speed=100.0)
    table.connect()
    table.want(Level.DISPENSING, "allowed")
    table.act("load", back="red")
    table.act("green")
    for _ in range(3):
        table.run(0.05)
        table.act("take")
    table.deaf = True
    table.run(HOST_WATCHDOG_S - 1.0)
    assert not table.noted("link", state="host_lost")
    table.run(1.5)
    assert table.noted("link", state="host_lost")


@pytest.mark.parametrize("keeps_log", [False, True])
def test_a_power_cut_gives_a_new_boot_and_keeps_or_loses_the_log(
    world: Callable[..., World], keeps_log: bool
) -> None:
    """What the host had not got before the cut comes later from a kept log, or is told to be lost."""
    unit = world("progressive", keeps_log=keeps_log)
    assert (Capability.KEEPS_LOG in unit.device.model.capabilities) is keeps_log
    unit.connect()
    unit.want(Level.LOCKOUT, "released")
    old_boot, durable = int(unit.device.boot, 16), unit.device.acknowledged
    unit.deaf = True
    unit.act("put_chip", seat=3)
    unit.device.power_off(unit.now)
    with pytest.raises(ActImpossible, match="power is off"):
        unit.device.power_off(unit.now)
    unit.run(1)
    unit.device.power_on(unit.now)
    unit.deaf = False
    unit.events.clear()
    unit.connect(last=(old_boot, durable))
    assert int(unit.device.boot, 16) != old_boot
    assert PoweredUp(ResetCause.POWER, None) in unit.reports()
    assert unit.device.model.levels().lockout == "engaged"
    lost = [e for e in unit.events if isinstance(e, Lost)]
    assert (WagerSensed(3, 1, False) in unit.reports()) is keeps_log
    assert bool(lost) is not keeps_log


def test_a_reboot_is_a_new_boot_on_the_same_cable(world: Callable[..., World]) -> None:
    """The host's session is over, the device is at its safe side, and says why it restarted."""
    unit = world("progressive")
    unit.connect()
    unit.want(Level.LOCKOUT, "released")
    old = unit.device.boot
    unit.device.reboot(unit.now, ResetCause.WATCHDOG)
    unit.connect()
    assert unit.device.boot != old
    assert PoweredUp(ResetCause.WATCHDOG, None) in unit.reports()
    assert [p["state"] for p in unit.noted("power")] == ["on", "off", "on"]


@pytest.mark.parametrize("name", ["hang", "unplug", "power_loss", "reboot"])
def test_faults_of_the_whole_device_are_due_on_their_occasion(world: Callable[..., World], name: str) -> None:
    """Half a second into the second lock-out, and once; whoever holds cable and power carries them out."""
    unit = world("progressive", f"{name}@2")
    unit.connect()
    for n in (1, 2):
        unit.want(Level.LOCKOUT, "released")
        unit.want(Level.LOCKOUT, "engaged")
        assert unit.device.due_fault(unit.now) is None
        deadline = unit.device.next_deadline()
        assert deadline is not None
        unit.run(0.5)
        due = unit.device.due_fault(unit.now)
        assert (due.name if due else None) == (name if n == 2 else None)
    assert unit.device.due_fault(unit.now) is None


def test_hands_at_a_device_without_power_are_not_noticed(world: Callable[..., World]) -> None:
    """Cards can be taken out under the lid; the device knows nothing of it but what it finds at power-up."""
    table = world("shoe")
    table.act("load", back="red")
    table.device.power_off(table.now)
    count = len(table.noted("report"))
    table.act("open_lid")
    table.act("remove")
    table.act("close_lid")
    with pytest.raises(ActImpossible, match="power is off"):
        table.act("green")
    assert len(table.noted("report")) == count
    table.device.power_on(table.now)
    assert table.noted("report")[count]["body"] == {"cause": ResetCause.POWER, "cards_inside": 0}


def test_impossible_acts_are_in_the_record_too(world: Callable[..., World]) -> None:
    """An observer sees what hands tried, with the reason why it could not be."""
    table = world("shoe")
    with pytest.raises(ActImpossible):
        table.act("take")
    assert table.noted("act", name="take", ok=False)[0]["error"] == "no stack lies in the output"


def test_a_deal_with_a_jam_reaches_the_host_in_order(world: Callable[..., World]) -> None:
    """The whole story of one jam as the daemon hears it."""
    table = world("shoe", "jam@1")
    table.connect()
    table.want(Level.DISPENSING, "allowed")
    table.act("load", back="red")
    table.act("green")
    for _ in range(2):
        table.run(2)
        if table.device.model.state()["deal"] == "offered":
            table.act("take")
    table.run(1)
    for name in ("open_lid", "remove", "close_lid"):
        table.act(name)
    table.run(1)
    kinds = [r.kind for r in table.reports()][2:]
    assert kinds == [
        "dispensing_allowed", "cards_loaded", "button_pressed", "stack_dispensed", "jammed", "door_opened",
        "cards_removed", "door_closed", "jam_cleared",
    ]  # fmt: skip
    assert table.reports(JamCleared, DispensingAllowed)
    assert all(a < b for a, b in itertools.pairwise(p["counter"] for p in table.noted("report")))
