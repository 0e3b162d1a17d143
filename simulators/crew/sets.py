"""Where the sets of cards go: into the shuffler and out of it, off the table, new ones on it."""

from drivers.protocol.reports import Back
from simulators.crew.laid import LOAD_S, Laid
from simulators.crew.scenario import Cue
from simulators.crew.table import Device, Table
from simulators.devices.cards import FACES, Printer

__all__ = ["Sets"]

BRING_S = 6.0
"""Seconds of the table that people need to fetch a new set."""
RESHUFFLES = ("reshuffle", "reshuffle_with_dealt", "reshuffle_idle_set", "reshuffle_after_round")


class Sets(Laid):
    """Everything people do with whole sets. Each method does one thing, or nothing and says False."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._printer = Printer("people")
        self._retired: set[str] = set()
        """Sets that are gone for good, until new ones are fetched: whoever has to say so may have to say it twice."""
        self._watched = 0
        """Number of the last round in which the scenario let something befall a shuffle."""

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
            if self._is_stored(shuffler) and not self._shuffles_again():
                return await self._make_room()
            back, was_wrong = self.in_shuffler, self._is_wrong(self.in_shuffler)
            self.hold(await self.empty(shuffler))
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
        await self.fetch(back)
        return await self.table.act("bring_set", "floorperson", back=back)

    async def fetch(self, back: str) -> None:
        """A new set comes into people's hands."""
        await self.table.pause(BRING_S)
        self._retired.discard(back)
        if self.shuffler is not None:
            self.table.cards[back] = await self.shuffler.act("bring_deck", back=back)
            return
        decks = self.table.view.full_set // len(FACES)
        self.table.cards[back] = [str(card) for _ in range(decks) for card in self._printer.deck(Back(back))]
        self.table.note("brought", cards=self.table.cards[back])

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
        if self.deals_from_shuffler and self.in_shuffler != (view.back or self.next_back):
            return False
        return view.is_shuffled(self.in_shuffler)

    def _shuffles_again(self) -> bool:
        """The scenario wants the set that waits to be shuffled once more in this round."""
        view = self.table.view
        if not view.round:
            return False
        if self.in_shuffler == view.back:
            return view.phase == "bets_closed" and self.table.scenario.expects(view.number, Cue.LATE_SHUFFLE)
        return self.table.scenario.expects(view.number, Cue.IDLE_SHUFFLE)

    @property
    def is_idle_shuffle_due(self) -> bool:
        """The scenario lets something befall the set that is not in play: people watch it before they play on."""
        shuffler, view = self.shuffler, self.table.view
        if shuffler is None or not self.table.view.has_shuffler:
            return False
        running = shuffler.is_shuffling and self._watched == view.number
        return running or self.table.scenario.expects(view.number, Cue.IDLE_SHUFFLE)

    async def _make_room(self) -> bool:
        """The stored set makes way for one that has to be shuffled first: into the shoe if its turn is next, else out."""
        view = self.table.view
        if not self._waits_for_room() or self.deals_from_shuffler or self.shuffler is None:
            return False
        if not view.round and self.in_shuffler == self.next_back:
            return not self.left and await self.lay(self.in_shuffler)
        self.hold(await self.empty(self.shuffler))
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
        wanted = (*self._to_reshuffle(), *turn, self.next_back, *free)
        return next((back for back in wanted if back in free), "")

    def _is_free(self, back: str) -> bool:
        """True for a set that lies outside the devices and off the layout: however well it was shuffled, it must go in again."""
        view = self.table.view
        if not self.table.cards.get(back, [back]):  # a set that nobody has held yet lies beside the shuffler
            return False
        if (back == self.laid and self.left) or view.next_step(back) is not None:
            return False
        is_duty = back in self._to_reshuffle()  # that comes before anything that a scenario has in mind
        if self._waits_for_wagers(back) and not is_duty:
            return False
        if view.round and view.back == back:
            return view.phase in ("betting", "bets_closed")
        return not self._must_be_counted(back) and (is_duty or not self._other_comes_first(back))

    def _other_comes_first(self, back: str) -> bool:
        """The shuffler is kept free for the set of this or the coming round, which waits for its wagers."""
        view = self.table.view
        waits = (view.back if view.round else self.next_back) != back and not self.laid
        return waits and any(self._waits_for_wagers(other) for other in view.sets if other != back)

    def _waits_for_wagers(self, back: str) -> bool:
        """The scenario wants this set to be shuffled only when the wagers of its round lie."""
        view = self.table.view
        if view.round and view.back == back:
            return self.table.scenario.expects(view.number, Cue.LATE_SHUFFLE) and view.phase != "bets_closed"
        coming = view.number + 1 if view.round else view.number
        if not view.round and self.next_back != back:
            return False
        return self.table.scenario.expects(coming, Cue.LATE_SHUFFLE)

    def _must_be_counted(self, back: str) -> bool:
        """The set was played for too many rounds: count it before it is mixed up."""
        view = self.table.view
        return not view.round and back == view.status.get("last_back") and view.is_overdue

    async def shuffle(self, back: str) -> bool:
        """Puts a set into the shuffler and presses the green button."""
        shuffler, table = self.shuffler, self.table
        assert shuffler is not None
        await table.pause(LOAD_S)
        mode = next((rule.mode for rule in table.view.taken if rule.mode), "shuffle")
        if table.view.round:
            cue = Cue.LATE_SHUFFLE if back == table.view.back else Cue.IDLE_SHUFFLE
            mishaps = await table.cue(cue, shuffler)
            mode = next((mishap.scene.mode for mishap in mishaps if mishap.scene.mode), mode)
            if mishaps:
                self._watched = table.view.number
        if shuffler.state.get("mode") != mode:
            await shuffler.act("mode", mode=mode)
        held = table.cards.get(back)
        await shuffler.act("load", **({"cards": held} if held else {"back": back}))
        table.cards[back] = []
        self.in_shuffler = back
        await shuffler.act("green")
        table.note("shuffle", back=back)
        return True

    async def shuffle_by_hand(self, back: str = "") -> bool:
        """Where no shuffler is at work a set is washed, shuffled and cut on the table, once all its cards are gathered."""
        view = self.table.view
        back = back or view.back or self.next_back
        if self.table.view.has_shuffler or not view.is_present(back) or not self._is_free(back):
            return False
        await self.table.pause(LOAD_S)
        if self.shuffler is not None:
            await self.shuffler.act("wash", back=back)
        self.table.rng("wash", back, view.number).shuffle(self.table.cards[back])
        return await self.table.act("record_shuffle", back=back)

    async def fill_shoe(self) -> bool:
        """A shoe that reshuffles gets all its cards back once nothing lies on the layout; the rest it does by itself."""
        shoe, view = self.dispenser, self.table.view
        if (
            shoe is None
            or not self.reshuffles
            or shoe.is_moving
            or not shoe.is_on
            or not view.is_online(shoe.name)
        ):
            return False
        back = view.back or self.next_back
        lies = view.round and view.phase not in ("betting", "bets_closed") and not view.round.get("collected")
        waits = any(duty.back == back or duty.device == shoe.name for duty in view.duties)
        if lies or waits or not self.table.cards.get(back):
            return False
        if shoe.is_broken:
            self.hold(await self.empty(shoe))
        await self.table.pause(LOAD_S)
        await shoe.act("load", cards=self.table.cards[back])
        self.table.cards[back] = []
        await shoe.look()
        self.table.note("filled", back=back)
        return True

    async def shuffle_what_is_due(self) -> bool:
        """Without a shuffler: the set of this or the coming round, if it is not ready."""
        view = self.table.view
        back = view.back or self.next_back
        if self.reshuffles:
            return False
        return bool(back) and not view.is_shuffled(back) and await self.shuffle_by_hand(back)

    async def retire(self, back: str) -> bool:
        """Takes a set off the table for good, wherever its cards are; False while they can't be gathered."""
        shuffler, view = self.shuffler, self.table.view
        if back in self._retired:
            return True
        if view.round and view.back == back and view.phase not in ("betting", "bets_closed"):
            return False
        if shuffler is not None and self.in_shuffler == back and shuffler.inside:
            if shuffler.is_moving:
                return False
            self.hold(await self.empty(shuffler))
        if self.laid == back and self.left:
            self.hold(await self.take_rest())
        if shuffler is not None:
            await shuffler.act("retire", back=back)
        self.table.cards.pop(back, None)
        self._retired.add(back)
        self.table.note("retired", back=back)
        return True

    async def bring_missing(self) -> bool:
        """A floorperson fetches a new set for each one that was taken away, and the first ones where no shuffler holds them."""
        view = self.table.view
        for back in view.sets:
            is_held = back in self.table.cards or back in self._retired
            if self.shuffler is None and view.is_present(back) and not is_held:
                await self.fetch(back)
                return True
            if view.is_present(back) or "bring_set" not in view.allowed:
                continue
            if not view.has_shuffler and any(view.is_present(other) for other in view.sets):
                continue  # a second set is only for a shuffler
            if not self.table.cards.get(back):
                await self.fetch(back)
            return await self.table.act("bring_set", "floorperson", back=back)
        return False
