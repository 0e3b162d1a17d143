"""Random days at the table: whatever hands, commands, faults and power cuts come, cards and the safe side hold."""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from drivers.protocol.reports import Back, DeviceKind, Level, ResetCause, StackDispensed, WagerSensed
from simulators.devices import shoe, shuffler
from simulators.devices.body import CardSettings
from simulators.devices.cards import LOST, TABLE
from simulators.devices.model import ActImpossible
from simulators.devices.progressive import Progressive, ProgressiveSettings
from simulators.scenario.faults import FaultBook, parse

FAULTS_OF_CARDS = [
    "jam_dealing:stack=1", "jam_dealing_self_cleared:stack=2", "stop_dealing", "fail_to_deal", "count_low",
    "count_high:cards=2", "identity_wrong", "face_up", "double_feed:stack=1", "missed_feed:seen=no", "lid:after=3",
]  # fmt: skip
FAULTS_OF_SHUFFLES = [
    "jam:card=1",
    "jam:card=52",
    "jam_self_cleared:card=52",
    "stop:card=5",
    "timeout",
    "miscount",
]
DEALING = {("transport", "rack"), ("transport", "magazine")}


class CardDay(RuleBasedStateMachine):
    """A shuffler or shoe under random hands; `brought` counts every card that ever came."""

    kind = DeviceKind.SHUFFLER

    def __init__(self) -> None:
        super().__init__()
        self.brought = 0
        self.now = 0.0
        self.operation = 0
        self.lost_host = False
        self.allowed = False
        build = shuffler.build if self.kind is DeviceKind.SHUFFLER else shoe.build
        self.machine: Any = build(CardSettings(plan=(2, 3), reads=True), Random(3), FaultBook(), self.witness)
        self.machine.power_up(self.now, ResetCause.POWER)

    def witness(self, what: str, told: Any) -> None:
        if what == "brought":
            self.brought += len(told["cards"])
        if what == "moved" and (told["to"] == "output" or (told["to"], told["from"]) in DEALING):
            assert self.allowed, "a card was dealt while dispensing was inhibited"

    def act(self, name: str, **given: object) -> bool:
        try:
            self.machine.act(name, given, self.now)
        except ActImpossible:
            return False
        return True

    @rule(back=st.sampled_from(["red", "blue"]))
    def load(self, back: str) -> None:
        self.act("load", back=back)

    @rule(name=st.sampled_from(["green", "take", "unload", "open_lid", "close_lid", "find_lost"]))
    def do(self, name: str) -> None:
        self.act(name)

    @rule(leave=st.integers(0, 2))
    def remove(self, leave: int) -> None:
        self.act("remove", leave=leave)

    @rule(seconds=st.sampled_from([0.1, 0.5, 1.3, 25.0, 70.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.machine.step(self.now)

    @rule(takes=st.integers(0, 2), last_wait=st.sampled_from([0.1, 0.5, 0.9, 25.0]))
    def a_round(self, takes: int, last_wait: float) -> None:
        """Hands that do the usual up to some point of a deal, so that deals are common; a fault may forbid any step."""
        for name in ("open_lid", "remove", "close_lid"):
            self.act(name)
        self.act("load", back="red")
        self.command("allowed")
        if self.kind is DeviceKind.SHUFFLER:
            self.act("green")
            self.wait(25.0)
        self.act("green")
        for _ in range(takes):
            self.wait(25.0)
            self.act("take")
        self.wait(last_wait)

    @rule(value=st.sampled_from(["allowed", "inhibited"]))
    def command(self, value: str) -> None:
        self.operation += 1
        self.allowed = value == "allowed"
        assert self.machine.command(Level.DISPENSING, value, self.operation, self.now).holds

    @rule()
    def the_host_is_gone(self) -> None:
        self.allowed = False
        self.machine.host_lost(self.now)

    @rule(text=st.sampled_from(FAULTS_OF_CARDS))
    def a_fault(self, text: str) -> None:
        self.machine.faults.arm(parse(text, self.kind))

    @rule(cause=st.sampled_from(list(ResetCause)))
    def the_power_fails(self, cause: ResetCause) -> None:
        self.machine.power_down(self.now)
        self.now += 1
        self.allowed = False
        self.machine.power_up(self.now, cause)

    @invariant()
    def cards_are_conserved(self) -> None:
        places = self.machine.body.cards
        names = [*self.machine.body.places, self.machine.program.tray, TABLE, LOST, "retired"]
        lying = [c.uid for name in dict.fromkeys(names) for c in places.cards(name)]
        assert len(lying) == len(set(lying)) == self.brought == places.total()

    @invariant()
    def what_it_says_of_itself_is_so(self) -> None:
        levels = self.machine.levels()
        assert levels.cards_inside == self.machine.body.inside
        assert levels.dispensing == ("allowed" if self.allowed else "inhibited")
        if self.machine.program.dispenser.is_jammed:
            assert levels.jammed


class ShufflerDay(CardDay):
    kind = DeviceKind.SHUFFLER

    @rule(text=st.sampled_from(FAULTS_OF_SHUFFLES))
    def a_fault_of_the_shuffle(self, text: str) -> None:
        self.machine.faults.arm(parse(text, self.kind))

    @invariant()
    def only_a_right_set_is_ready(self) -> None:
        if self.machine.state()["phase"] == "ready":
            assert self.machine.body.cards.count("rack") in (52, 51, 53)  # 51, 53: the counter itself was wrong


class ShoeDay(CardDay):
    kind = DeviceKind.SHOE


class ProgressiveDay(RuleBasedStateMachine):
    """Chips, the button, commands old and new, power and a dead host, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.operation = 0
        self.unit = Progressive(ProgressiveSettings(seats=3, sensors=2))
        self.locked = True
        self.told(self.unit.power_up(self.now, ResetCause.POWER))

    def told(self, reports: Any) -> None:
        """Every chip that is sensed while locked must say so."""
        for report in reports:
            if isinstance(report, WagerSensed):
                assert report.locked == self.locked

    @rule(seat=st.integers(1, 3), sensor=st.integers(1, 2), name=st.sampled_from(["put_chip", "lift_chip"]))
    def chip(self, seat: int, sensor: int, name: str) -> None:
        before = set(self.unit.accepted)
        try:
            done = self.unit.act(name, {"seat": seat, "sensor": sensor}, self.now)
        except ActImpossible:
            assume(False)
        assert done.reports, "a chip came or went and nothing was said"
        self.told(done.reports)
        if self.locked:
            assert self.unit.accepted == before

    @rule()
    def button(self) -> None:
        self.locked = True
        self.told(self.unit.act("lockout", {}, self.now).reports)

    @rule()
    def release(self) -> None:
        before = set(self.unit.accepted)
        self.operation += 1
        self.locked = False
        assert self.unit.command(Level.LOCKOUT, "released", self.operation, self.now).holds
        assert self.unit.accepted <= before

    @precondition(lambda self: self.locked)
    @rule(back=st.integers(0, 5))
    def an_old_release(self, back: int) -> None:
        """A repeat of any release so far must not open."""
        assume(self.operation - back > 0)
        self.unit.command(Level.LOCKOUT, "released", self.operation - back, self.now)

    @rule()
    def the_host_is_gone(self) -> None:
        self.locked = True
        self.told(self.unit.host_lost(self.now))

    @rule()
    def the_power_fails(self) -> None:
        self.unit.power_down(self.now)
        self.locked = True
        self.told(self.unit.power_up(self.now, ResetCause.POWER))

    @invariant()
    def the_level_is_what_we_think(self) -> None:
        assert self.unit.levels().lockout == ("engaged" if self.locked else "released")


RUN = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.mark.parametrize("day", [ShufflerDay, ShoeDay, ProgressiveDay])
def test_whatever_happens_cards_and_the_safe_side_hold(day: type[RuleBasedStateMachine]) -> None:
    """Cards are never lost or doubled, an inhibited device never dispenses, a locked one never accepts in silence."""
    run_state_machine_as_test(day, settings=RUN)


def test_the_random_day_reaches_deals() -> None:
    """The random day is worth something only if stacks do come out in it."""
    day = ShoeDay()
    out: list[object] = []
    act = day.machine.act
    day.machine.act = lambda *args: (done := act(*args), out.extend(done.reports))[0]
    day.a_round(takes=2, last_wait=0.5)
    assert any(isinstance(r, StackDispensed) for r in out)
    assert Back.RED in {c.back for c in day.machine.body.cards.cards(TABLE)}
