"""The bench with a progressive of remote I/O: the same rounds, the same promises, on a device that counts nothing itself."""

import pytest


@pytest.mark.timeout(160)
def test_rounds_are_played_and_judged_on_a_bus_of_remote_io(bench):
    """A chip after the lock-out, chips that do not count up, and plain rounds: decided by the document, every promise held."""
    ran = bench(
        "--rulebook", "md-uth", "--rounds", "5", "--speed", "200", "--progressive", "modbus", "--broker", "memory",
        "--fault", "late_wager@2", "--fault", "mismatch@3",
    )  # fmt: skip
    assert ran.code == 0, ran.why() + ran.errors + ran.told["failed"]
    triggers = {made["trigger"] for one in ran.told["rounds"] for made in one["dispositions"]}
    assert {"progressive_late", "progressive_mismatch"} <= triggers
