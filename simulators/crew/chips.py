"""People at the progressive unit: chips on sensors, the lock-out, a late chip, the count of chips."""

import time

from simulators.crew.layout import Layout
from simulators.crew.players import Bets
from simulators.crew.scenario import Cue
from simulators.crew.table import Device, Table

CHIP_S, COUNT_S = 0.3, 1.0
"""Seconds of the table: a chip is put down; the chips are counted."""
CHIP_WAIT_S = 2.0
"""Real seconds that the dealer waits for a chip to be accepted before he goes on without it."""


class Chips:
    """What players and dealer do with progressive chips. Each method does one thing and returns True, or does
    nothing."""

    def __init__(self, table: Table) -> None:
        self.table = table

    @property
    def _device(self) -> Device | None:
        return self.table.devices.get("progressive")

    def seats(self, bets: Bets) -> list[int]:
        """Returns the seats that put a chip down in this round."""
        sensed = {rule.name for rule in self.table.view.taken if rule.sensed}
        return [seat for seat, wagers in bets.items() if sensed & wagers.keys()]

    async def put(self, seats: list[int]) -> bool:
        """Puts missing chips on the progressive sensors of these seats; returns True if somebody did something."""
        device, view = self._device, self.table.view
        if device is None or not device.is_on or not view.is_online(device.name):
            return False
        missing = [seat for seat in seats if seat not in device.chips]
        if device.state.get("lockout") != "released":
            wanted = view.wanted(device.name, "lockout") == "released"
            return bool(missing) and not wanted and await self.table.act("release_lockout")
        for seat in missing:
            await self.table.pause(CHIP_S)
            await device.act("put_chip", seat=seat)
        return bool(missing)

    def are_awaited(self, seats: list[int], layout: Layout) -> bool:
        """Returns True while a chip is not accepted yet and the dealer still waits."""
        accepted = [seat for seat, _ in self.table.view.round.get("accepted", ())]
        if all(seat in accepted for seat in seats):
            return False
        layout.waiting_since = layout.waiting_since or time.monotonic()
        return time.monotonic() - layout.waiting_since < CHIP_WAIT_S

    def are_locked(self) -> bool:
        """Returns True once the dealer sees the lock-out engaged."""
        device, view = self._device, self.table.view
        return device is None or not view.is_online(device.name) or view.level(device.name, "lockout") == "engaged"

    async def come_late(self) -> bool:
        """Puts down the scenario's late chip after the lock-out, at a seat without one."""
        table, device = self.table, self._device
        if device is None or not table.scenario.expects(table.view.number, Cue.BETS_CLOSED):
            return False
        if device.state.get("lockout") != "engaged":
            return False
        mishaps = await table.cue(Cue.BETS_CLOSED, device)
        seats = (*table.view.in_play, *range(1, table.settings.seats + 1))
        free = [seat for seat in seats if seat not in device.chips]
        if any(not m.scene.fault for m in mishaps) and free:
            await device.act("put_chip", seat=free[0])
            await table.until(lambda view: bool(view.holds or view.duties), CHIP_WAIT_S)
        return True

    async def count(self, layout: Layout) -> bool:
        """Takes the chips off the sensors and records their number."""
        device, view, table = self._device, self.table.view, self.table
        if device is None or not view.round.get("accepted") or view.round.get("progressive_counted"):
            return False
        if layout.chips is None:
            if device.state.get("lockout") != "engaged":
                return False
            layout.chips = len(device.chips)
            if device.chips:
                await device.act("collect")
        await table.pause(COUNT_S)
        counted = layout.chips
        if not layout.miscounted and await table.cue(Cue.COUNT):
            layout.miscounted, counted = True, counted - 1
        return await table.act("record_progressive_count", chips=max(0, counted))

    async def lift(self) -> None:
        """Returns the chips of a round that stopped before they were counted."""
        device = self._device
        if device is not None and device.is_on and device.chips:
            await device.act("collect")
