"""Two real ends over wires that lose, delay, repeat, reorder and cut: every report once and in order, no level twice."""

import random
from collections import Counter

import pytest

from drivers.protocol.host.link import LevelRefused, LevelSet, LevelUnknown, Lost, Online, Reported
from drivers.protocol.reports import ENGAGED, RELEASED, Level


def losing_frames(rng, share):
    return lambda frame: [] if rng.random() < share else [(0.002, frame)]


def losing_bytes(rng, share):
    return lambda frame: [(0.002, bytes(b for b in frame if rng.random() >= share))]


def delaying(rng):
    """Delays up to 0.3 s, so that frames overtake each other, and every fifth frame comes twice."""

    def faults(frame):
        copies = 2 if rng.random() < 0.2 else 1
        return [(rng.uniform(0.001, 0.3), frame) for _ in range(copies)]

    return faults


WIRES = {
    "a fifth of the frames lost": lambda rng: losing_frames(rng, 0.2),
    "one byte in a thousand lost": lambda rng: losing_bytes(rng, 0.001),
    "delayed, doubled and reordered": delaying,
    "cut into single bytes": None,
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("wire", WIRES)
def test_every_report_comes_once_and_in_order_and_no_level_is_carried_out_twice(make_world, wire, seed):
    """Whatever the line does short of dying for good, the record at the host equals what the device dealt."""
    world = make_world(seed)
    rng = random.Random(seed * 7 + 1)
    for line in (world.to_device, world.to_host):
        line.is_bytewise = WIRES[wire] is None
        line.faults = WIRES[wire](rng) if WIRES[wire] else line.faults
    world.connect()
    asked = 0
    for turn in range(60):
        world.report(rng.randint(1, 6))
        if world.host is not None and turn % 4 == 0:
            asked += 1
            value = (RELEASED, ENGAGED)[asked % 2]
            world.host.set_level(Level.LOCKOUT, value, asked, world.now)
        world.run(rng.uniform(0.05, 1.0))
    assert world.run(120.0, until=lambda: len(world.journal) >= len(world.dealt)), world.host_events[-5:]
    world.run(10.0)
    assert all(isinstance(entry, Reported) for entry in world.journal), "nothing may be lost: the log holds it all"
    assert [(entry.boot, entry.counter) for entry in world.journal] == world.dealt
    assert [entry.report.stack for entry in world.journal] == [i % 250 + 1 for i in range(len(world.dealt))]
    twice = [op for op, times in Counter(request.operation for request in world.executed).items() if times > 1]
    assert not twice
    outcomes = Counter(
        e.operation for e in world.host_events if isinstance(e, LevelSet | LevelUnknown | LevelRefused)
    )
    assert set(outcomes) == set(range(1, asked + 1)), "each wish has an outcome"
    assert set(outcomes.values()) == {1}, "and only one"
    done = {request.operation for request in world.executed}
    assert {event.operation for event in world.of(LevelSet)} <= done, "what is called set was carried out"
    assert len(world.of(Online)) >= 1
    assert not world.of(Lost)
