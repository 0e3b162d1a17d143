"""People who answer holds and duties: they act at the device or layout first, then confirm, each in the right
role."""

from simulators.crew.sets import RESHUFFLES, Sets
from simulators.crew.table import Device, Table
from simulators.crew.view import Duty, Hold

LOOK_S, CONFIRM_S = 3.0, 1.0
"""Seconds of the table: a floorperson looks into a hold; somebody confirms a duty."""


class Floor:
    """Everything asked of people outside the course of a round."""

    def __init__(self, table: Table, sets: Sets) -> None:
        self.table, self.sets = table, sets

    async def open_table(self) -> bool:
        """Opens the table if nothing holds it; returns True if the act was accepted."""
        if self.table.view.is_open or self.table.view.holds:
            return False
        return await self.table.act("open_table", "floorperson")

    async def resolve_holds(self) -> bool:
        """Answers the next hold, those about wagers first, because the round may depend on them."""
        holds = sorted(self.table.view.holds, key=lambda hold: (not hold.wager, hold.id))
        for hold in holds:
            await self.table.pause(LOOK_S)
            await self._lift_late_chip(hold)
            note = f"{hold.least_role} looked at it"
            resolution = self._resolution(hold)
            if await self.table.act(
                "resolve_hold", hold.least_role, hold=hold.id, resolution=resolution, note=note
            ):
                return True
        return False

    def _resolution(self, hold: Hold) -> str:
        """Returns the answer: held chips go back, an unproven round is void, everything else goes on after a look."""
        best = self._best(hold)
        return best if best in hold.choices or not hold.choices else hold.choices[0]

    def _best(self, hold: Hold) -> str:
        if hold.wager:
            return "return_wager"
        unproven = hold.reading == "R-47" or "cannot be proven" in hold.reason
        stopped = self.table.view.phase in ("", "stopped", "settled")
        return "void" if unproven and not stopped else "go_on"

    async def _lift_late_chip(self, hold: Hold) -> None:
        progressive = self.table.devices.get("progressive")
        if progressive is not None and hold.wager == "progressive" and hold.seat in progressive.chips:
            await progressive.act("lift_chip", seat=hold.seat)

    async def do_duties(self) -> bool:
        """Does the first duty that can be done now."""
        for duty in self.table.view.duties:
            if await self._do(duty):
                return True
        return await self.sets.bring_missing()

    async def _do(self, duty: Duty) -> bool:
        match duty.action:
            case "clear_device":
                return await self._clear(duty)
            case action if action in RESHUFFLES:
                return await self._gather(duty) or await self.sets.shuffle_by_hand(duty.back)
            case "swap_set_after_round":
                return await self._gather(duty) or (self._is_over(duty) and await self._confirm(duty))
            case "follow_house_procedure":
                return await self._by_house_procedure() or await self._confirm(duty)
            case "change_set" if duty.back == self.table.view.back:
                return False  # the round in play is played out with its set
            case "remove_set" | "change_set":
                gone = not self.table.view.is_present(duty.back) or await self.sets.retire(duty.back)
                return gone and await self._confirm(duty)
            case "remove_device" | "cover_or_sign_device":
                return await self._away(duty)
            case "deal_community":
                return await self._community(duty)
            case "settle":
                waits = any(d.action == "deal_community" for d in self.table.view.duties)
                return not waits and await self._confirm(duty)
            case "count_stub":
                return False  # the count itself closes it
            case _:
                return await self._confirm(duty)

    async def _confirm(self, duty: Duty) -> bool:
        """Confirms a duty; the dealer does so for a player, who has no terminal."""
        await self.table.pause(CONFIRM_S)
        role = "dealer" if duty.least_role == "player" else duty.least_role
        return await self.table.act("confirm_duty", role, duty=duty.id)

    def _device(self, name: str) -> Device | None:
        return next((d for d in self.table.devices.values() if d.name == name), None)

    async def _clear(self, duty: Duty) -> bool:
        """Takes the cards out. A device that senses that it is empty reports so, which closes the duty."""
        device = self._device(duty.device)
        if device is None or device.is_shuffling or device.deal == "freeing":
            return False
        if device.inside or device.is_broken:
            self.sets.hold(await self.sets.empty(device))
            return True
        if self.table.view.device(device.name).get("levels", {}).get("cards_inside"):
            return False  # its report is on the way
        return await self._confirm(duty)

    def _is_over(self, duty: Duty) -> bool:
        """Returns True if the round with this set is over."""
        view = self.table.view
        return not (view.round and view.back == duty.back)

    async def _gather(self, duty: Duty) -> bool:
        """Takes a set out of the shoe and shuffles it with its discards.

        If a shuffler works, its report closes the duty.
        """
        if self.sets.laid != duty.back or not self.sets.left or not self._is_over(duty):
            return False
        self.sets.hold(await self.sets.take_rest())
        return True

    async def _by_house_procedure(self) -> bool:
        """Opens a failed shoe, puts its cards back in order, and lets the deal go on."""
        dispenser, back = self.sets.dispenser, self.sets.laid
        if dispenser is None or not dispenser.is_broken or not back:
            return False
        cards = await self.sets.empty(dispenser)
        self.sets.hold(cards)
        await dispenser.act("load", cards=cards)
        self.sets.let_go(cards)
        self.sets.laid = back
        return True

    async def _away(self, duty: Duty) -> bool:
        device = self._device(duty.device)
        if device is not None and device.inside:
            if device.is_moving:
                return False
            self.sets.hold(await self.sets.empty(device))
            return True
        return await self._confirm(duty)

    async def _community(self, duty: Duty) -> bool:
        """Turns the remaining community cards up, then confirms."""
        streets = int(self.table.view.round.get("streets", 2))
        if self.table.view.round and streets < 2:
            return await self.table.act("reveal_community", street=("flop", "last_two")[streets])
        return await self._confirm(duty)
