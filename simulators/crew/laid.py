"""Where the cards for the deal are: in the device, in a manual shoe, in the hand; and how they get there."""

from contextlib import suppress

from simulators.crew.table import Device, Impossible, Table

LOAD_S, EMPTY_S = 1.5, 4.0
"""Seconds of the table that people need to put a set in, to take cards out of a device."""


class Laid:
    """The cards in people's hands. They are real: people hold exactly what was loaded."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.shuffler = table.devices.get("shuffler")
        self.in_shuffler = ""
        """Back colour of the set that was put into the shuffler last, "" = none."""
        self.laid = ""
        """Back colour of the set that lies where it is dealt from."""
        self.deck: list[str] = []
        """That set, where no device deals it."""

    @property
    def dispenser(self) -> Device | None:
        """The device that deals under the present method."""
        kind = {"dealing_shoe": "shoe", "shuffler": "shuffler"}.get(self.table.view.method, "")
        return self.table.devices.get(kind)

    @property
    def deals_from_shuffler(self) -> bool:
        """True if the shuffler itself gives out the hands."""
        return self.table.view.method == "shuffler"

    @property
    def reshuffles(self) -> bool:
        """True if the shoe shuffles returned cards by itself."""
        return self.dispenser is not None and bool(self.dispenser.state.get("reshuffles"))

    @property
    def reader(self) -> Device | None:
        """The shoe that people deal from and that reads each card."""
        shoe = self.table.devices.get("shoe")
        return shoe if shoe is not None and self.dispenser is None and shoe.state.get("tells_draws") else None

    @property
    def holder(self) -> Device | None:
        """The device that holds the cards for the deal; None = a manual shoe or the hand."""
        return self.dispenser or self.reader

    @property
    def left(self) -> int:
        """How many cards are left where they are dealt from."""
        if not self.laid:
            return 0
        return self.holder.inside if self.holder else len(self.deck)

    @property
    def next_back(self) -> str:
        """The set of the next round: the present one while it may be dealt on, otherwise the one whose turn it is."""
        view = self.table.view
        deals_on = view.keeps_set and self.left and view.is_shuffled(self.laid)
        return self.laid if deals_on else view.next_back()

    def hold(self, cards: list[str]) -> None:
        """Adds cards to people's hands, sorted by back colour."""
        for card in cards:
            self.table.cards.setdefault(card.split("/")[1], []).append(card)

    def let_go(self, cards: list[str]) -> None:
        """Removes cards from people's hands, once they are where they belong."""
        for card in cards:
            self.table.cards[card.split("/")[1]].remove(card)

    async def empty(self, device: Device) -> list[str]:
        """Takes everything out of a device at rest: closes an open deal, opens a broken one's lid."""
        await self.table.pause(EMPTY_S)
        if device.deal in ("forming", "offered"):
            await device.act("green")
            await device.look()
        through_lid = device.is_broken or device.state.get("lid_open")  # one that was only opened is shut again
        if through_lid and not device.state.get("lid_open"):
            await device.act("open_lid")
        cards = await device.act("remove") if device.inside else []
        if device is self.holder:
            self.laid = ""
        if device is self.shuffler:
            self.in_shuffler = ""
        if through_lid:
            with suppress(Impossible):  # the cards are out all the same; the lid is shut at the next look
                await device.act("close_lid")
        await device.look()
        return cards

    async def lay(self, back: str) -> bool:
        """Brings the shuffled set where it is dealt from; returns True once it is there."""
        if not self.table.view.is_shuffled(back):
            return False
        if self.laid == back and self.left:
            return True
        if self.reshuffles:
            self.laid = back if self.dispenser is not None and self.dispenser.phase == "ready" else ""
            return bool(self.laid)
        if self.deals_from_shuffler:
            ready = self.shuffler is not None and self.in_shuffler == back and self.shuffler.phase == "ready"
            self.laid = back if ready else ""
            return ready
        if self.holder is not None and (self.holder.inside or self.holder.is_broken):
            self.hold(await self.empty(self.holder))
        cards = await self._shuffled(back)
        if not cards:
            return False
        await self.table.pause(LOAD_S)
        if self.holder is None:
            self.deck = cards
        else:
            await self.holder.act("load", cards=cards)
            await self.holder.look()
        self.let_go(cards)
        self.laid = back
        self.table.note("laid", back=back, where=self.holder.name if self.holder else self.table.view.method)
        return True

    async def _shuffled(self, back: str) -> list[str]:
        """Returns the whole shuffled set from the shuffler or the hand; [] = not ready."""
        shuffler, cards = self.shuffler, self.table.cards.get(back, [])
        if cards and not self.table.view.has_shuffler:  # shuffled by hand, or taken out of one that is away now
            return list(cards)
        if shuffler is None or self.in_shuffler != back or shuffler.phase != "ready" or shuffler.is_moving:
            return []
        cards = await shuffler.act("remove")
        self.hold(cards)
        self.in_shuffler = ""
        await shuffler.look()
        return cards

    async def draw(self, cards: int) -> list[str]:
        """Takes the next cards by hand from where they are dealt."""
        if self.holder is not None:
            drawn = await self.holder.act("draw", cards=cards)
            await self.holder.look()
            return drawn
        drawn, self.deck = self.deck[:cards], self.deck[cards:]
        return drawn

    async def take_rest(self) -> list[str]:
        """Takes all remaining cards from where they are dealt."""
        if self.holder is not None:
            return await self.empty(self.holder)
        rest, self.deck, self.laid = self.deck, [], ""
        return rest
