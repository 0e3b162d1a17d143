"""The steps that the daemon asks for with a set before it is dealt: people take them in order, and say so one by one."""

from .sets import Sets
from .table import Table

__all__ = ["Steps"]

STEP_S = 1.0
"""Seconds of the table for one step."""
A_PLAYER = 1
"""Seat of the player who looks at the cards."""


class Steps:
    """Cards come out of the devices, are spread, shown, turned, washed and stacked; what follows is their shuffle."""

    def __init__(self, table: Table, sets: Sets) -> None:
        self.table, self.sets = table, sets

    async def take(self) -> bool:
        """The next step that can be taken with any set; False where none is asked for."""
        for back in self.table.view.sets:
            step = self.table.view.next_step(back)
            if step is not None and await self._gather(back):
                await self.table.pause(STEP_S)
                role = str(step["by"])
                return await self.table.act("confirm_step", role, A_PLAYER, back=back, step=step["step"])
        return False

    async def _gather(self, back: str) -> bool:
        """True once no card of this set is left in a device, or where it is dealt from."""
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
