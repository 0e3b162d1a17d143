"""The steps that the daemon asks for with a set before it is dealt: people do and confirm them one by one."""

from simulators.crew.sets import Sets
from simulators.crew.table import Table

STEP_S = 1.0
"""Seconds of the table for one step."""
A_PLAYER = 1
"""Seat of the player who looks at the cards."""


class Steps:
    """Spreads, shows, turns, washes and stacks cards before their shuffle."""

    def __init__(self, table: Table, sets: Sets) -> None:
        self.table, self.sets = table, sets

    async def take(self) -> bool:
        """Does the next step with any set; returns False if none is asked for."""
        if await self._leave_one() or await self._cut():
            return True
        for back in self.table.view.sets:
            step = self.table.view.next_step(back)
            if step is not None and await self._gather(back):
                await self.table.pause(STEP_S)
                role = str(step["by"])
                checks = {"secured": True, "prepared": True} if step["step"] == "take_stored_set" else {}
                return await self.table.act("confirm_step", role, A_PLAYER, back=back, step=step["step"], **checks)
        return False

    async def _cut(self) -> bool:
        """Offers and makes the cut; then the dealer inserts the cutting card, if the document has one."""
        for back, about in self.table.view.sets.items():
            if about.get("mark_due") and self.table.view.is_present(back):
                await self.table.pause(STEP_S)
                return await self.table.act("place_cutting_card", back=back)
            if about.get("cut_due") and self.table.view.is_present(back):
                seats = list(about.get("cut_offered_to", ())) or [A_PLAYER]
                seat = seats[0] if about.get("cut_by") == "players" else 0
                await self.table.pause(STEP_S)
                return await self.table.act("record_cut", back=back, seat=seat)
        return False

    async def _leave_one(self) -> bool:
        """Leaves one set at a table without a shuffler: the one not played last."""
        view, sets = self.table.view, self.sets
        present = [back for back in view.sets if view.is_present(back)]
        if view.round or view.holds or view.has_shuffler or len(present) < 2 or not view.is_open:
            return False
        back = next(other for other in present if other != sets.next_back)
        return await sets.retire(back) and await self.table.act("take_set_away", "floorperson", back=back)

    async def _gather(self, back: str) -> bool:
        """Takes the set's cards out of devices; returns True once none is left there."""
        sets = self.sets
        if sets.shuffler is not None and sets.in_shuffler == back and sets.shuffler.inside:
            if sets.shuffler.is_moving:
                return False
            sets.hold(await sets.empty(sets.shuffler))
            sets.in_shuffler = ""
        if sets.laid == back and sets.left:
            if sets.dispenser is not None and sets.dispenser.is_moving:
                return False
            sets.hold(await sets.take_rest())
        return True
