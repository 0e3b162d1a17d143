"""People who move sets of cards: into the shuffler and out of it, off the table, new ones onto it."""

from drivers.protocol.reports import Back
from simulators.crew.laid import LOAD_S, Laid
from simulators.crew.scenario import Cue
from simulators.crew.table import Device, Table
from simulators.devices.cards import FACES, Printer

BRING_S = 6.0
"""Seconds of the table that people need to fetch a new set."""
RESHUFFLES = ("reshuffle", "reshuffle_with_dealt", "reshuffle_idle_set", "reshuffle_after_round")


class Sets(Laid):
    """What people do with whole sets. Each method does one thing and returns True, or does nothing."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._printer = Printer("people")
        self._retired: set[str] = set()
        """Sets that are gone for good, until new ones are fetched; people may have to report them twice."""
        self._watched = 0
        """Number of the last round in which the scenario let something befall a shuffle."""

    async def tend_shuffler(self) -> bool:
        """Keeps the shuffler going: clears used cards, and loads the set that is shuffled next."""
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
        """Returns True if the device found a wrong count or wrong cards and no duty says what to do."""
        about = self.table.view.sets.get(back, {})
        found_wrong = about.get("count_right") is False or about.get("identities_complete") is False
        return found_wrong and not any(duty.back == back for duty in self.table.view.duties)

    async def _replace(self, back: str) -> bool:
        """Replaces an untrusted set by a new one."""
        if not await self.retire(back):
            return False
        await self.fetch(back)
        return await self.table.act("bring_set", "floorperson", back=back)

    async def fetch(self, back: str) -> None:
        """Takes a new set in hand."""
        await self.table.pause(BRING_S)
        self._retired.discard(back)
        if self.shuffler is not None:
            self.table.cards[back] = await self.shuffler.act("bring_deck", back=back)
            return
        decks = self.table.view.full_set // len(FACES)
        self.table.cards[back] = [str(card) for _ in range(decks) for card in self._printer.deck(Back(back))]
        self.table.note("brought", cards=self.table.cards[back])

    def _is_dealing(self) -> bool:
        """Returns True if the shuffler deals packets or holds the round's stub."""
        phase = self.table.view.phase
        return self.deals_from_shuffler and (phase == "dealing" or (phase != "stopped" and self._has_dealt()))

    def _has_dealt(self) -> bool:
        return bool(self.table.view.round.get("stacks_out")) and bool(self.shuffler and self.shuffler.inside)

    def _is_stored(self, shuffler: Device) -> bool:
        """Returns True if a whole shuffled set waits for its round and the daemon found nothing wrong with it."""
        view = self.table.view
        if shuffler.phase != "ready" or any(duty.back == self.in_shuffler for duty in view.duties):
            return False
        if self.deals_from_shuffler and self.in_shuffler != (view.back or self.next_back):
            return False
        return view.is_shuffled(self.in_shuffler)

    def _shuffles_again(self) -> bool:
        """Returns True if the scenario wants the waiting set shuffled once more."""
        view = self.table.view
        if not view.round:
            return False
        if self.in_shuffler == view.back:
            return view.phase == "bets_closed" and self.table.scenario.expects(view.number, Cue.LATE_SHUFFLE)
        return self.table.scenario.expects(view.number, Cue.IDLE_SHUFFLE)

    @property
    def is_idle_shuffle_due(self) -> bool:
        """Returns True if the scenario hits the set that is not in play, so that people watch it first."""
        shuffler, view = self.shuffler, self.table.view
        if shuffler is None or not self.table.view.has_shuffler:
            return False
        running = shuffler.is_shuffling and self._watched == view.number
        return running or self.table.scenario.expects(view.number, Cue.IDLE_SHUFFLE)

    async def _make_room(self) -> bool:
        """Moves the stored set out of the way: into the shoe if it is next, otherwise onto the table."""
        view = self.table.view
        if not self._waits_for_room() or self.deals_from_shuffler or self.shuffler is None:
            return False
        if not view.round and self.in_shuffler == self.next_back:
            return not self.left and await self.lay(self.in_shuffler)
        self.hold(await self.empty(self.shuffler))
        return True

    def _waits_for_room(self) -> bool:
        """Returns True if another set must be shuffled before the stored one."""
        view = self.table.view
        waiting = [view.back] if view.round else self._to_reshuffle()
        return any(back != self.in_shuffler and self._is_free(back) for back in waiting)

    def _to_reshuffle(self) -> list[str]:
        """Returns the sets that a duty says must be shuffled again."""
        return [duty.back for duty in self.table.view.duties if duty.action in RESHUFFLES]

    def _next_to_shuffle(self) -> str:
        """Returns the set to shuffle next: a duty first, then this round's, then the coming one's."""
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
        """Returns True for a set outside devices and layout; it must be shuffled again in any case."""
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
        """Returns True while the shuffler must stay free for a set that waits for its wagers."""
        view = self.table.view
        waits = (view.back if view.round else self.next_back) != back and not self.laid
        return waits and any(self._waits_for_wagers(other) for other in view.sets if other != back)

    def _waits_for_wagers(self, back: str) -> bool:
        """Returns True if the scenario wants this set shuffled after the wagers are placed."""
        view = self.table.view
        if view.round and view.back == back:
            return self.table.scenario.expects(view.number, Cue.LATE_SHUFFLE) and view.phase != "bets_closed"
        coming = view.number + 1 if view.round else view.number
        if not view.round and self.next_back != back:
            return False
        return self.table.scenario.expects(coming, Cue.LATE_SHUFFLE)

    def _must_be_counted(self, back: str) -> bool:
        """Returns True if the set must be counted before it is shuffled: too many rounds without a count."""
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
        """Washes, shuffles and cuts a gathered set on the table, without a shuffler."""
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
        """Returns all cards to a reshuffling shoe once the layout is empty."""
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
        """Shuffles this or the coming round's set by hand, if it is not ready and no shuffler works."""
        view = self.table.view
        back = view.back or self.next_back
        if self.reshuffles:
            return False
        return bool(back) and not view.is_shuffled(back) and await self.shuffle_by_hand(back)

    async def retire(self, back: str) -> bool:
        """Takes a set off the table for good; returns False while its cards cannot be gathered."""
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
        """Brings a new set for each removed one, and the first sets if no shuffler holds them."""
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
