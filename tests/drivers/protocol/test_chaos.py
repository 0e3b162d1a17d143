"""Everything at once: lost frames, reboots with and without a log, a small ring, hosts that come and go, cuts."""

import random

import pytest

from drivers.protocol.device.link import HostFound, HostLost
from drivers.protocol.device.log import ReportLog
from drivers.protocol.host.link import Failed, LevelRefused, LevelSet, LevelUnknown, Lost, Online, Reported
from drivers.protocol.reports import ENGAGED, RELEASED, Level


def verify_account(world, boots):
    """Every number that was dealt is in the record once, or inside a stated loss, and each boot is in order."""
    for boot, dealt in boots.items():
        entries = [entry for entry in world.journal if entry.boot == boot]
        covered, is_open = [], False
        for entry in entries:
            if isinstance(entry, Reported):
                covered.append(entry.counter)
            elif entry.last:
                covered += range(entry.first, entry.last + 1)
            else:
                is_open = True
                assert entry.first == (covered[-1] if covered else 0) + 1, (
                    "the open loss starts where the record ends"
                )
        assert covered == list(range(1, len(covered) + 1)), "once, in order, without a silent hole"
        assert is_open or not entries or len(covered) == dealt, f"boot {boot:x}: {len(covered)} of {dealt}"
    order = [boot for boot in boots if any(entry.boot == boot for entry in world.journal)]
    first_seen = list(dict.fromkeys(entry.boot for entry in world.journal))
    assert first_seen == order, "boots follow each other"


@pytest.mark.parametrize("seed", range(8))
def test_every_report_is_accounted_for_whatever_happens(make_world, seed):
    """No report is doubled, none is silently missing, and each wish for a level has exactly one outcome."""
    rng = random.Random(seed)
    log = ReportLog(depth=rng.choice((12, 60, 4096)))
    world = make_world(seed, log=log)
    share = rng.choice((0.0, 0.05, 0.2))
    for wire in (world.to_device, world.to_host):
        wire.faults = lambda frame: [] if rng.random() < share else [(rng.choice((0.001, 0.02, 0.2)), frame)]
    world.connect()
    boots, asked, operation = {world.boot: 0}, {}, 0
    for _ in range(120):
        match rng.choice(
            ("report", "report", "report", "burst", "level", "reboot", "power cut", "new host", "wait")
        ):
            case "report":
                world.report(1)
            case "burst":
                world.report(rng.randint(5, 30))
            case "level" if world.host is not None:
                operation += 1
                asked[operation] = world.host
                world.host.set_level(Level.LOCKOUT, rng.choice((ENGAGED, RELEASED)), operation, world.now)
            case "reboot" | "power cut" as event if rng.random() < 0.3:
                log = log if event == "reboot" else ReportLog(depth=log.depth)
                world.boot_device(log=log)
            case "new host" if rng.random() < 0.3 and world.host is not None:
                asked = {n: host for n, host in asked.items() if host is not world.host}
                world.connect()
            case _:
                world.run(rng.uniform(0, 6))
        boots[world.boot] = sum(boot == world.boot for boot, _ in world.dealt)
        world.run(rng.uniform(0, 0.3))
    world.report(1)
    boots[world.boot] += 1
    assert world.run(300.0, until=lambda: world.last == (world.boot, boots[world.boot]))
    share = 0.0
    world.run(30.0)
    verify_account(world, boots)
    outcomes = [e.operation for e in world.host_events if isinstance(e, LevelSet | LevelUnknown | LevelRefused)]
    assert len(outcomes) == len(set(outcomes))
    assert set(asked) <= set(outcomes)
    assert not {failed.fault for failed in world.of(Failed)} - {
        "link_restarted", "timeout_fill", "timeout_liveness", "timeout_request", "timeout_handshake",
    }  # fmt: skip
    found = [event for event in world.device_events if isinstance(event, HostFound | HostLost)]
    assert found
    assert world.of(Online)
    assert all(isinstance(entry, Reported | Lost) for entry in world.journal)
