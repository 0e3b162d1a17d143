"""People who settle as the table offers: cards are recorded face up, and each wager is paid by its line, seat by
seat.

They know no game: the table's status says which cards it wants, each wager's payout, and the order. In every other
round the dealer settles all wagers at once and adds up what went back.
"""

from simulators.crew.layout import Layout
from simulators.crew.table import Table
from simulators.crew.view import Document

PAY_S = 0.1
"""Seconds of the table: a wager is paid or collected."""
ABOVE_LEAST = 123_456
"""Cents that a progressive meter shows above the least with which it starts."""
SETTLED = ("win", "lose", "push", "return")


class Payout:
    """Records cards and pays wagers in one round, as far as the table offers it."""

    def __init__(self, table: Table) -> None:
        self.table = table

    async def go_on(self, layout: Layout) -> bool:
        """Does the next step of the settlement; returns False if the rest is settled with the round."""
        offer = self.table.view.status.get("offer")
        if not self.table.settings.pays or not offer:
            return False
        for ask in offer["asks"]:
            if (told := self._told(ask, layout)) is not None and await self.table.act(str(ask["act"]), **told):
                return True
        if await self._validate(offer, layout):
            return True
        return not (layout.pays_no_more or self._at_once()) and await self._pay(offer, layout)

    def said(self) -> dict[str, int]:
        """Returns the total that went back, if every wager was offered and none waits for a person."""
        offer = self.table.view.status.get("offer")
        if not self.table.settings.pays or not offer or offer["asks"] or offer["refused"]:
            return {}
        lines = offer["lines"]
        known = all(line["outcome"] in SETTLED for line in lines)
        return {"handed_back": sum(line["returned"] + line["paid"] for line in lines)} if known else {}

    def _at_once(self) -> bool:
        return self.table.view.number % 2 == 0

    def _told(self, ask: Document, layout: Layout) -> dict[str, object] | None:
        """Returns the requested cards as they lie; None if their number is not as planned or they were recorded."""
        key = str(ask.get("meter") or f"{ask['area']} {ask.get('seat', 0)}")
        if key in layout.told:
            return None
        layout.told.add(key)
        if "meter" in ask:
            least = int(ask["least"])
            return {"meter": ask["meter"], "cents": least + ABOVE_LEAST, "reset": least}
        faces = [card.split("/")[0] for card in self._lies(ask, layout)]
        if not faces:
            return None
        given: dict[str, object] = {"area": ask["area"], "seat": ask.get("seat", 0), "cards": " ".join(faces)}
        return given | {name: " ".join(faces[: ask[name]]) for name in ("played", "shown") if ask.get(name)}

    def _lies(self, ask: Document, layout: Layout) -> list[str]:
        """Returns the cards of an area in order; [] if their number is not as planned."""
        if ask["area"] == "community" and layout.community:
            return layout.community
        own = [
            n
            for n, planned in enumerate(self.table.view.plan)
            if (planned.to, planned.seat) == (ask["area"], ask.get("seat", 0))
        ]
        stacks = [
            layout.stacks[n] for n in own if n < len(layout.stacks)
        ]  # a game deals them in one piece, or card by card
        right = [len(stack) for stack in stacks] == [self.table.view.plan[n].cards for n in own]
        return [card for stack in stacks for card in stack] if right else []

    async def _validate(self, offer: Document, layout: Layout) -> bool:
        """Validates the next progressive payout; returns False if none is left."""
        for line in offer["lines"]:
            key = f"validated {line['seat']}"
            if (line["wager"], line["outcome"]) == ("progressive", "win") and key not in layout.told:
                layout.told.add(key)
                return await self.table.act(
                    "validate_progressive", "floorperson", seat=line["seat"], light_on=True
                )
        return False

    async def _pay(self, offer: Document, layout: Layout) -> bool:
        """Pays the first offered wager that no person has to decide."""
        line = next((line for line in offer["lines"] if line["outcome"] in SETTLED), None)
        if line is None:
            return False
        given = {name: line[name] for name in ("seat", "wager", "outcome", "paid")}
        if line["outcome"] in ("win", "lose"):
            given["returned"] = line["returned"]
        given |= {"coupon": True} if line.get("coupon") else {}
        given |= {"holder": line["holder"]} if line.get("holder") else {}
        await self.table.pause(PAY_S)
        layout.pays_no_more = not await self.table.act("settle_wager", **given)
        return not layout.pays_no_more
