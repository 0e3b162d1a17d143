"""Where the sets of cards go: into the shuffler, over to the dispenser, out of a device, off the table, new ones on it.

The cards are real: what is loaded is what people hold, and what comes out is what the device gives back.
"""

from .scenario import Cue
from .table import Device, Table

__all__ = ["Sets"]

LOAD_S, EMPTY_S, BRING_S = 1.5, 4.0, 6.0
"""Seconds of the table that people need to put a set in, to take cards out of a device, to fetch a new set."""
RESHUFFLES = ("reshuffle", "reshuffle_with_dealt", "reshuffle_idle_set", "reshuffle_after_round")


class Sets:
    """Everything people do with whole sets. Each method does one thing, or nothing and says False."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.shuffler = table.devices.get("shuffler")
        self.in_shuffler = ""
        """Back colour of the set that was put into the shuffler last, "" = none."""
        self.in_dispenser = ""
        self.stub_mishap = 0
        """Number of the round in which a card was lost on the way, so that somebody counts."""

    @property
    def dispenser(self) -> Device | None:
        """The device that deals under the present method."""
        kind = {"dealing_shoe": "shoe", "shuffler": "shuffler"}.get(self.table.view.method, "")
        return self.table.devices.get(kind)

    @property
    def deals_from_shuffler(self) -> bool:
        return self.table.view.method == "shuffler"

    def hold(self, cards: list[str]) -> None:
        """Cards come into people's hands, sorted by back colour."""
        for card in cards:
            self.table.cards.setdefault(card.split("/")[1], []).append(card)

    async def empty(self, device: Device) -> list[str]:
        """Takes everything out of a device that stands still: closes an open deal, opens the lid of a broken one."""
        await self.table.pause(EMPTY_S)
        if device.deal in ("forming", "offered"):
            await device.act("green")
            await device.look()
        if not device.inside:
            if device.is_broken:  # only its lid was opened: shut it, and it is ready again
                await self._through_lid(device, remove=False)
            return []
        if device.is_broken or device.state.get("lid_open"):
            return await self._through_lid(device, remove=True)
        cards = await device.act("remove")
        await device.look()
        return cards

    async def _through_lid(self, device: Device, *, remove: bool) -> list[str]:
        if not device.state.get("lid_open"):
            await device.act("open_lid")
        cards = await device.act("remove") if remove else []
        await device.act("close_lid")
        await device.look()
        return cards

    async def tend_shuffler(self) -> bool:
        """Keeps the shuffler going: clears what is spent, and puts in the set that is to be shuffled next."""
        shuffler, view = self.shuffler, self.table.view
        if shuffler is None or not shuffler.is_on or shuffler.is_moving or not view.is_online(shuffler.name):
            return False
        if view.device(shuffler.name).get("out") or not shuffler.is_heard:
            return False
        if self._is_dealing():
            return False
        if shuffler.inside or shuffler.is_broken:
            if self._is_stored(shuffler):
                return await self._make_room()
            was_wrong = self._is_wrong(self.in_shuffler)
            self.hold(await self.empty(shuffler))
            back, self.in_shuffler = self.in_shuffler, ""
            return await self._replace(back) if was_wrong else True
        if shuffler.state.get("lid_open"):
            await shuffler.act("close_lid")
            return True
        if shuffler.in_tray:
            await shuffler.act("green")
            return True
        back = self._next_to_shuffle()
        return bool(back) and await self.shuffle(back)

    def _is_wrong(self, back: str) -> bool:
        """The device found a wrong number or wrong cards, and no duty says what to do with the set."""
        about = self.table.view.sets.get(back, {})
        found_wrong = about.get("count_right") is False or about.get("identities_complete") is False
        return found_wrong and not any(duty.back == back for duty in self.table.view.duties)

    async def _replace(self, back: str) -> bool:
        """A floorperson takes a set that nobody trusts off the table and brings a new one."""
        if not await self.retire(back):
            return False
        await self._fetch(back)
        return await self.table.act("bring_set", "floorperson", back=back)

    async def _fetch(self, back: str) -> None:
        assert self.shuffler is not None
        await self.table.pause(BRING_S)
        self.table.cards[back] = await self.shuffler.act("bring_deck", back=back)

    def _is_dealing(self) -> bool:
        """The shuffler hands out packets, or holds the stub of the round: its cards are not to be touched now."""
        phase = self.table.view.phase
        return self.deals_from_shuffler and (phase == "dealing" or (phase != "stopped" and self._has_dealt()))

    def _has_dealt(self) -> bool:
        return bool(self.table.view.round.get("stacks_out")) and bool(self.shuffler and self.shuffler.inside)

    def _is_stored(self, shuffler: Device) -> bool:
        """A whole shuffled set waits for its round where it is, unless the daemon has found something wrong with it."""
        view = self.table.view
        if shuffler.phase != "ready" or any(duty.back == self.in_shuffler for duty in view.duties):
            return False
        if self.deals_from_shuffler and self.in_shuffler != (view.back or view.next_back()):
            return False
        return view.is_armed(self.in_shuffler)

    async def _make_room(self) -> bool:
        """The stored set makes way for one that has to be shuffled first: into the shoe if its turn is next, else out."""
        view, dispenser = self.table.view, self.dispenser
        if not self._waits_for_room() or self.deals_from_shuffler or dispenser is None or self.shuffler is None:
            return False
        if not view.round and self.in_shuffler == view.next_back():
            if dispenser.inside or not view.is_armed(self.in_shuffler):
                return False
            return await self.to_dispenser(self.in_shuffler)
        self.hold(await self.empty(self.shuffler))
        self.in_shuffler = ""
        return True

    def _waits_for_room(self) -> bool:
        """Another set than the stored one is to be shuffled first: a duty between rounds, or the round that goes on."""
        view = self.table.view
        waiting = [view.back] if view.round else self._to_reshuffle()
        return any(back != self.in_shuffler and self._is_free(back) for back in waiting)

    def _to_reshuffle(self) -> list[str]:
        """Sets that somebody has the duty to shuffle again."""
        return [duty.back for duty in self.table.view.duties if duty.action in RESHUFFLES]

    def _next_to_shuffle(self) -> str:
        """The set that needs a shuffle and is free for it: a duty first, then that of this round, then the coming one."""
        view = self.table.view
        removed = {
            d.back
            for d in view.duties
            if d.action == "remove_set" or (d.action == "change_set" and d.back != view.back)
        }
        free = [
            back for back in view.sets if view.is_present(back) and back not in removed and self._is_free(back)
        ]
        turn = [view.back] if view.round else []
        wanted = (*self._to_reshuffle(), *turn, view.next_back(), *free)
        return next((back for back in wanted if back in free), "")

    def _is_free(self, back: str) -> bool:
        """True for a set that lies outside the devices and off the layout: however well it was shuffled, it must go in again."""
        view = self.table.view
        if not self.table.cards.get(back, [back]):  # a set that nobody has held yet lies beside the shuffler
            return False
        if self._waits_for_wagers(back):
            return False
        if view.round and view.back == back:
            return not view.round.get("stacks_out") and view.phase in ("betting", "bets_closed")
        return not self._must_be_counted(back) and not self._other_comes_first(back)

    def _other_comes_first(self, back: str) -> bool:
        """The shuffler is kept free for the set of this or the coming round, which waits for its wagers."""
        view = self.table.view
        waits = (view.back if view.round else view.next_back()) != back and not self.in_dispenser
        return waits and any(self._waits_for_wagers(other) for other in view.sets if other != back)

    def _waits_for_wagers(self, back: str) -> bool:
        """The scenario wants this set to be shuffled only when the wagers of its round lie."""
        view = self.table.view
        if view.round and view.back == back:
            return self.table.scenario.expects(view.number, Cue.LATE_SHUFFLE) and view.phase != "bets_closed"
        coming = view.number + 1 if view.round else view.number
        if not view.round and view.next_back() != back:
            return False
        return self.table.scenario.expects(coming, Cue.LATE_SHUFFLE)

    def _must_be_counted(self, back: str) -> bool:
        """The set was played for too many rounds: count it before it is mixed up."""
        return not self.table.view.round and back == self.table.view.status.get("last_back") and self.is_overdue

    @property
    def is_overdue(self) -> bool:
        stub = self.table.view.status.get("stub", {})
        return not stub.get("waived") and int(stub.get("since", 0)) >= int(stub.get("every", 5))

    async def shuffle(self, back: str) -> bool:
        """Puts a set into the shuffler and presses the green button."""
        shuffler, table = self.shuffler, self.table
        assert shuffler is not None
        await table.pause(LOAD_S)
        if table.view.round:
            cue = Cue.LATE_SHUFFLE if back == table.view.back else Cue.IDLE_SHUFFLE
            await table.cue(cue, shuffler)
        held = table.cards.get(back)
        await shuffler.act("load", **({"cards": held} if held else {"back": back}))
        table.cards[back] = []
        self.in_shuffler = back
        await shuffler.act("green")
        table.note("shuffle", back=back)
        return True

    async def to_dispenser(self, back: str) -> bool:
        """Brings the shuffled set of this round where it is dealt from; True once it lies there."""
        dispenser, shuffler = self.dispenser, self.shuffler
        if dispenser is None or shuffler is None or not self.table.view.is_armed(back):
            return False
        if self.deals_from_shuffler:
            self.in_dispenser = back
            return self.in_shuffler == back and shuffler.phase == "ready"
        if self.in_dispenser == back and dispenser.inside:
            return True
        if self.in_shuffler != back or shuffler.phase != "ready" or shuffler.is_moving:
            return False
        if dispenser.inside or dispenser.is_broken:
            self.hold(await self.empty(dispenser))
        cards = await shuffler.act("remove")
        await self.table.pause(LOAD_S)
        if await self.table.cue(Cue.LOAD, dispenser):
            self.stub_mishap = self.table.view.number
        await dispenser.act("load", cards=cards)
        self.in_shuffler, self.in_dispenser = "", back
        self.table.note("loaded", back=back, device=dispenser.name)
        await dispenser.look()
        await shuffler.look()
        return True

    async def retire(self, back: str) -> bool:
        """Takes a set off the table for good, wherever its cards are; False while they can't be gathered."""
        shuffler, view = self.shuffler, self.table.view
        if shuffler is None or (view.round and view.back == back and view.round.get("stacks_out")):
            return False
        if self.in_shuffler == back and shuffler.inside:
            if shuffler.is_moving:
                return False
            self.hold(await self.empty(shuffler))
            self.in_shuffler = ""
        if self.in_dispenser == back and self.dispenser is not None and self.dispenser.inside:
            self.hold(await self.empty(self.dispenser))
        self.in_dispenser = "" if self.in_dispenser == back else self.in_dispenser
        await shuffler.act("retire", back=back)
        self.table.cards.pop(back, None)
        self.table.note("retired", back=back)
        return True

    async def bring_missing(self) -> bool:
        """A floorperson fetches a new set for each one that was taken away."""
        view, shuffler = self.table.view, self.shuffler
        for back in view.sets:
            if view.is_present(back) or shuffler is None or "bring_set" not in view.allowed:
                continue
            if not self.table.cards.get(back):
                await self._fetch(back)
            return await self.table.act("bring_set", "floorperson", back=back)
        return False
