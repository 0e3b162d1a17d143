"""The course of a round: wagers, the deal, decisions, the cards turned, the stub counted, all of it collected."""

import time

from .layout import Bet, Layout
from .scenario import Cue, Mishap, Stack
from .sets import Sets
from .table import Table

__all__ = ["Play"]

STEP_S, BET_S, TAKE_S = 1.0, 0.3, 0.7
"""Seconds of the table: an ordinary act of the dealer; a wager or an answer of a player; a stack from the device."""
CHIP_WAIT_S = 2.0
"""Real seconds that the dealer waits for a chip to be accepted before he goes on without it."""
MULTIPLES = {"pre_flop": (3, 4), "flop": (2,), "last_two": (1,)}


class Play:
    """The dealer and the players in a round. Each method does one thing, or nothing and says False."""

    def __init__(self, table: Table, sets: Sets) -> None:
        self.table, self.sets = table, sets
        self.layout = Layout(0)

    async def go_on(self) -> bool:
        """Does what the present phase asks for."""
        view = self.table.view
        if view.round and self.layout.number != view.number:
            self.layout = Layout(view.number)
        match view.phase:
            case "betting":
                return await self._bet()
            case "bets_closed":
                return await self._prepare_deal()
            case "dealing":
                return await self._deal()
            case "pre_flop" | "flop" | "last_two":
                return await self._ask_and_reveal()
            case "showdown":
                return await self._settle()
            case "settled" | "stopped":
                return await self._clean_up()
            case _:
                return False

    async def begin(self) -> bool:
        """Opens the betting of the next round with the set whose turn it is."""
        view = self.table.view
        if view.round or view.holds or view.duties or not view.is_open:
            return False
        back = view.next_back()
        return bool(back) and await self.table.act("begin_round", back=back)

    async def count_whole_set(self) -> bool:
        """Between rounds: all cards of the set that was played last are counted face down, before it is shuffled again."""
        if self.table.view.round or self.table.view.holds or not self.sets.is_overdue:
            return False
        back = str(self.table.view.status.get("last_back", ""))
        held = self.table.cards.get(back, [])
        return bool(held) and await self.table.act("record_stub_count", stub=len(held))

    def bets(self, number: int) -> dict[int, Bet]:
        """Who plays in this round and for how much: the same for the same seed."""
        rng = self.table.rng("bets", number)
        seats = range(1, self.table.settings.seats + 1)
        playing = [seat for seat in seats if rng.random() < 0.7] or [rng.choice(list(seats))]
        bets = {}
        for seat in playing:
            trips = rng.random() < 0.5
            progressive = trips and rng.random() < 0.6
            bets[seat] = Bet(rng.randrange(5, 51) * 100, 500 if trips else 0, progressive)
        return bets

    async def _bet(self) -> bool:
        view, table = self.table.view, self.table
        bets = self.bets(view.number)
        for seat, bet in bets.items():
            wanted = {"ante": bet.ante_cents, "blind": bet.ante_cents, "trips": bet.trips_cents}
            for wager, cents in wanted.items():
                if cents and wager not in view.wagers(seat):
                    await table.pause(BET_S)
                    if not await table.act("place_wager", "player", seat, wager=wager, cents=cents):
                        return False
        seats = [seat for seat, bet in bets.items() if bet.progressive]
        if await self._put_chips(seats):
            return True
        if self._waits_for_chips(seats):
            return False
        await table.pause(STEP_S)
        return await table.act("announce_no_more_bets")

    async def _put_chips(self, seats: list[int]) -> bool:
        device, view = self.table.devices.get("progressive"), self.table.view
        if device is None or not device.is_on or not view.is_online(device.name):
            return False
        missing = [seat for seat in seats if seat not in device.chips]
        if device.state.get("lockout") != "released":
            wanted = view.wanted(device.name, "lockout") == "released"
            return bool(missing) and not wanted and await self.table.act("release_lockout")
        for seat in missing:
            await self.table.pause(BET_S)
            await device.act("put_chip", seat=seat)
        return bool(missing)

    def _waits_for_chips(self, seats: list[int]) -> bool:
        """Until each chip is accepted, or for so long that the dealer goes on."""
        accepted = [seat for seat, _ in self.table.view.round.get("accepted", ())]
        if all(seat in accepted for seat in seats):
            return False
        self.layout.waiting_since = self.layout.waiting_since or time.monotonic()
        return time.monotonic() - self.layout.waiting_since < CHIP_WAIT_S

    async def _prepare_deal(self) -> bool:
        if await self._late_chip() or await self._count_chips():
            return True
        view, table = self.table.view, self.table
        waits = any(d.back == view.back or d.device == self._dispenser_name() for d in view.duties)
        if waits or not await self.sets.to_dispenser(view.back):
            return False
        dispenser = self.sets.dispenser
        sizes = [stack.cards for stack in view.plan]
        if dispenser is None or not view.is_online(dispenser.name) or not self._is_locked():
            return False
        if dispenser.state.get("plan") != sizes:
            await dispenser.act("plan", plan=sizes)
        await table.pause(STEP_S)
        return await table.act("start_dealing")

    def _is_locked(self) -> bool:
        """The dealer sees the lock-out engaged before any card comes."""
        device, view = self.table.devices.get("progressive"), self.table.view
        return device is None or not view.is_online(device.name) or view.level(device.name, "lockout") == "engaged"

    def _dispenser_name(self) -> str:
        return self.sets.dispenser.name if self.sets.dispenser else ""

    async def _late_chip(self) -> bool:
        """The scenario's late wager: a chip at a seat in play without one, once the lock-out is engaged."""
        table, device = self.table, self.table.devices.get("progressive")
        if device is None or not table.scenario.expects(table.view.number, Cue.BETS_CLOSED):
            return False
        if device.state.get("lockout") != "engaged":
            return False
        mishaps = await table.cue(Cue.BETS_CLOSED, device)
        free = [seat for seat in table.view.in_play if seat not in device.chips]
        if any(not m.scene.fault for m in mishaps) and free:
            await device.act("put_chip", seat=free[0])
            await table.until(lambda view: bool(view.holds or view.duties), CHIP_WAIT_S)
        return True

    async def _count_chips(self) -> bool:
        """The dealer takes the progressive chips off the sensors and counts them on the layout."""
        device, view, table = self.table.devices.get("progressive"), self.table.view, self.table
        if device is None or not view.round.get("accepted") or view.round.get("progressive_counted"):
            return False
        if self.layout.chips is None:
            if device.state.get("lockout") != "engaged":
                return False
            self.layout.chips = len(device.chips)
            if device.chips:
                await device.act("collect")
        await table.pause(STEP_S)
        counted = self.layout.chips
        if not self.layout.miscounted and await table.cue(Cue.COUNT):
            self.layout.miscounted, counted = True, counted - 1
        return await table.act("record_progressive_count", chips=max(0, counted))

    async def _deal(self) -> bool:
        dispenser, view, table = self.sets.dispenser, self.table.view, self.table
        if dispenser is None or not dispenser.is_on or not view.is_online(dispenser.name):
            return False
        if dispenser.deal == "offered":
            await table.pause(TAKE_S)
            await self._take()
            return True
        if view.wanted(dispenser.name, "dispensing") == "inhibited":
            concerned = any(d.back == view.back or d.device == dispenser.name for d in view.duties)
            return not concerned and not dispenser.is_broken and await table.act("start_dealing")
        if dispenser.deal == "idle" and not self.layout.stacks and dispenser.state.get("dispensing") == "allowed":
            mishaps = table.scenario.take(view.number, Cue.DEAL)
            for mishap in mishaps:
                await self._spoil_deal(mishap)
            await dispenser.act("green")
            return True
        return False

    async def _spoil_deal(self, mishap: Mishap) -> None:
        """Arms a fault of the deal at the stack it is about."""
        assert self.sets.dispenser is not None
        plan = self.table.view.plan
        hit = [n for n, stack in enumerate(plan, 1) if mishap.scene.stack in (Stack.ANY, stack.to)]
        chosen = min(2, len(plan)) if mishap.scene.stack is Stack.ANY else hit[0] if hit else 1
        self.layout.counts_stub = self.layout.counts_stub or mishap.scene.counts_stub
        self.table.note("mishap", name=mishap.name, stack=chosen)
        await self.sets.dispenser.arm(mishap.device_fault(stack=chosen))

    async def _take(self) -> None:
        dispenser = self.sets.dispenser
        assert dispenser is not None
        self.layout.stacks.append(await dispenser.act("take"))
        if len(self.layout.stacks) == 1:
            for mishap in await self.table.cue(Cue.FIRST_STACK, dispenser):
                await self._report(mishap)

    async def _report(self, mishap: Mishap) -> None:
        """The dealer says what was seen, one report for each card."""
        for _ in range(mishap.scene.cards if mishap.scene.reports else 0):
            await self.table.look()
            await self.table.act("report_irregularity", trigger=mishap.scene.reports)
            self.layout.set_aside += mishap.scene.reports == "card_face_up"

    async def _ask_and_reveal(self) -> bool:
        view, table = self.table.view, self.table
        if view.phase == "pre_flop":
            for mishap in await table.cue(Cue.PRE_FLOP):
                await self._report(mishap)
                return True
        if await self._take_stub():
            return True
        for seat in view.in_play:
            if await self._ask(seat):
                return True
        if await self._count_stub():
            return True
        await table.pause(STEP_S)
        if view.phase == "last_two":
            return await table.act("reveal_dealer")
        street = "flop" if view.phase == "pre_flop" else "last_two"
        if not await table.act("reveal_community", street=street):
            return False
        self._deal_by_hand(4 if street == "flop" else 3)
        return True

    def _deal_by_hand(self, cards: int) -> None:
        """Where no community stack came out of the device: a burn and the street from what is left."""
        if not any(stack.to == "community" for stack in self.table.view.plan) and self.layout.stub:
            self.layout.by_hand += self.layout.stub[:cards]
            self.layout.stub = self.layout.stub[cards:]

    async def _take_stub(self) -> bool:
        """After the deal what is left comes out of the device."""
        dispenser = self.sets.dispenser
        if self.layout.stub is not None or dispenser is None or not dispenser.inside or dispenser.is_moving:
            return False
        self.layout.stub = await self.sets.empty(dispenser)
        self.sets.in_dispenser = ""
        if self.sets.deals_from_shuffler:
            self.sets.in_shuffler = ""
        self._replace()
        return True

    def _replace(self) -> None:
        """The next cards take the place of those set aside, and complete a hand of the dealer's that came out short."""
        stub, layout = self.layout.stub or [], self.layout
        layout.by_hand += stub[: layout.set_aside]
        stub = stub[layout.set_aside :]
        for stack, planned in zip(layout.stacks, self.table.view.plan, strict=False):
            short = planned.cards - len(stack) if planned.to == "dealer" else 0
            if short > 0:
                stack.extend(stub[:short])
                stub = stub[short:]
        layout.stub = stub

    async def _ask(self, seat: int) -> bool:
        view = self.table.view
        about = view.seats[seat]
        if about.get("void") or about.get("decided") or about.get("asked") == view.phase:
            return False
        rng = self.table.rng("decision", view.number, seat, view.phase)
        await self.table.pause(BET_S)
        if rng.random() < 0.4 or (view.phase == "last_two" and rng.random() < 0.5):
            multiple = rng.choice(MULTIPLES[view.phase])
            given: dict[str, object] = {"decision": "play", "multiple": multiple}
        else:
            given = {"decision": "fold" if view.phase == "last_two" else "check"}
        return await self.table.act("record_decision", "player", seat, **given)

    async def _count_stub(self) -> bool:
        """Counts what is really left, when a count is due or the scenario wants one."""
        view, stub = self.table.view, self.layout.stub
        if view.phase != "last_two" or stub is None or view.round.get("stub_counted"):
            return False
        if not (view.stub_is_due or self.layout.counts_stub or self.sets.stub_mishap == view.number):
            return False
        full = int(view.status.get("stub", {}).get("full_set", 52))
        out = len(self.layout.cards) - len(stub)
        given: dict[str, object] = {"stub": len(stub)}
        planned = [stack.cards for stack in view.plan]
        misdealt = [len(stack) for stack in self.layout.stacks] != planned[: len(self.layout.stacks)]
        if misdealt:
            given |= {"misdealt": True, "all_cards": len(stub) + out}
        self.table.note("stub", cards=len(stub), out=out, full=full)
        await self.table.pause(STEP_S)
        return await self.table.act("record_stub_count", **given)

    async def _settle(self) -> bool:
        await self.table.pause(STEP_S * max(1, len(self.table.view.in_play)))
        return await self.table.act("settle_round")

    async def _clean_up(self) -> bool:
        """Everything off the layout and out of the dispenser into the discard rack, in order; then the round is over."""
        view, table, dispenser = self.table.view, self.table, self.sets.dispenser
        on_layout = ("return_all_wagers", "deal_community", "settle_trips", "card_to_rack", "complete_dealer_hand")
        if any(d.action in on_layout for d in view.duties):
            return False
        if not view.round.get("collected"):
            if dispenser is not None and self.sets.in_dispenser == view.back and dispenser.inside:
                if dispenser.deal == "freeing" or dispenser.phase in ("shuffling", "slipping", "freeing"):
                    return False
                if self._dealt_from_it():
                    self.sets.hold(await self.sets.empty(dispenser))
                    self.sets.in_dispenser = ""
                    return True
            await self._lift_chips()
            await table.pause(STEP_S)
            if not await table.act("collect_cards"):
                return False
            self.sets.hold(self.layout.cards)
            self.layout = Layout(view.number)
            return True
        await table.pause(STEP_S)
        return await table.act("end_round")

    def _dealt_from_it(self) -> bool:
        """A set that was shuffled but not dealt from yet may stay in the shuffler for its next chance."""
        return not self.sets.deals_from_shuffler or bool(self.layout.stacks)

    async def _lift_chips(self) -> None:
        """Chips of a round that was stopped before they were counted go back to the players."""
        device = self.table.devices.get("progressive")
        if device is not None and device.is_on and device.chips:
            await device.act("collect")
