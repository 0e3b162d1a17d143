"""Irregularities that people report, on the scenario's cue or because they really happened."""

from simulators.crew.layout import Layout
from simulators.crew.scenario import Cue, Mishap
from simulators.crew.table import Device, Table

ABOUT: dict[str, dict[str, object]] = {
    "cutting_card_reached": {"at_dealer": True},
    "something_else": {"note": "a glass fell onto the layout"},
}
"""What has to be said beside the trigger."""


class Reports:
    """The dealer reports what was seen, once a card."""

    def __init__(self, table: Table) -> None:
        self.table = table

    async def on(self, cue: Cue, layout: Layout, device: Device | None = None) -> bool:
        """Reports the mishaps that begin now; returns True if there was one."""
        mishaps = await self.table.cue(cue, device)
        for mishap in mishaps:
            await self._say(mishap, layout)
        return bool(mishaps)

    async def _say(self, mishap: Mishap, layout: Layout) -> None:
        scene = mishap.scene
        for trigger in scene.reports:
            for _ in range(scene.cards):
                about = ABOUT.get(trigger, {})
                await self._report(
                    trigger, next(iter(self.table.view.in_play), 0) if scene.of_seat else 0, **about
                )
                layout.set_aside += trigger == "card_face_up"

    async def what_was_dealt_wrong(self, layout: Layout) -> bool:
        """Reports a hand that was dealt wrong; returns True if there was one."""
        if not layout.to_report:
            return False
        trigger, seat, more = layout.to_report.pop(0)
        about = (
            {"too_many": True} if more > 0 else {"completable": True} if trigger == "wrong_count_dealer" else {}
        )
        await self._report(trigger, seat, **about)
        return True

    async def _report(self, trigger: str, seat: int, **about: object) -> None:
        await self.table.look()
        await self.table.act("report_irregularity", "dealer", seat, trigger=trigger, **about)
