"""People in the deal: bring the set, take stacks from the device or deal by hand, one by one."""

from simulators.crew.chips import Chips
from simulators.crew.layout import Layout
from simulators.crew.report import Reports
from simulators.crew.scenario import Cue, Mishap, Stack
from simulators.crew.sets import Sets
from simulators.crew.table import Device, Table

STEP_S, TAKE_S = 1.0, 0.7
"""Seconds of the table: an ordinary act of the dealer; a stack comes."""


HEARD_S = 2.0
"""Real seconds that people give the last card to be heard of, where a shoe tells each one."""


class Deal:
    """From "no more bets" until all hands are out. Each method does one thing and returns True, or does nothing."""

    def __init__(self, table: Table, sets: Sets, chips: Chips, reports: Reports) -> None:
        self.table, self.sets, self.chips, self.reports = table, sets, chips, reports

    async def prepare(self, layout: Layout) -> bool:
        """Does the next preparation: chips counted, set in place, device set; then allows dispensing."""
        if await self.chips.come_late() or await self.chips.count(layout):
            return True
        view, sets = self.table.view, self.sets
        if self.table.scenario.expects(view.number, Cue.LATE_SHUFFLE):
            return False  # the set of this round goes into the shuffler first
        dispenser = sets.dispenser
        waits = any(d.back == view.back or (dispenser and d.device == dispenser.name) for d in view.duties)
        if waits or not await sets.lay(view.back) or not self.chips.are_locked():
            return False
        if dispenser is not None:
            if not view.is_online(dispenser.name):
                return False
            await self._set_plan(dispenser, [stack.cards for stack in view.plan])
        if view.round.get("burn_due"):
            return await self._burn(layout)
        await self.table.pause(STEP_S)
        return await self.table.act("start_dealing")

    async def _burn(self, layout: Layout) -> bool:
        """Burns one card; says so again if it is asked again."""
        if not layout.burning:
            layout.burning = await self.sets.draw(1)
        if not await self.table.act("burn_card"):
            return False
        layout.by_hand += layout.burning
        layout.burning = []
        return True

    async def _set_plan(self, dispenser: Device, sizes: list[int]) -> None:
        if dispenser.state.get("plan") != sizes:
            await dispenser.act("plan", plan=sizes)

    async def go_on(self, layout: Layout) -> bool:
        """Does the next step of the deal: presses green, takes a stack, or deals by hand; returns True if a step
        was done."""
        dispenser = self.sets.dispenser
        if dispenser is None:
            return await self._by_hand(layout)
        view, table = self.table.view, self.table
        if not dispenser.is_on or not view.is_online(dispenser.name):
            return False
        if dispenser.deal == "offered":
            await table.pause(TAKE_S)
            layout.stacks.append(await dispenser.act("take"))
            if len(layout.stacks) == 1:
                await self.reports.on(Cue.FIRST_STACK, layout, dispenser)
            return True
        if view.wanted(dispenser.name, "dispensing") == "inhibited":
            concerned = any(d.back == view.back or d.device == dispenser.name for d in view.duties)
            return not concerned and not dispenser.is_broken and await table.act("start_dealing")
        rest = [stack.cards for stack in view.plan][len(layout.stacks) :]
        if dispenser.deal == "idle" and rest and dispenser.state.get("dispensing") == "allowed":
            await self._set_plan(dispenser, rest)
            for mishap in table.scenario.take(view.number, Cue.DEAL):
                await self._spoil(mishap, layout, dispenser)
            await dispenser.act("green")
            return True
        return False

    async def _spoil(self, mishap: Mishap, layout: Layout, dispenser: Device | None) -> None:
        """Causes the scenario's fault at its stack, in the device or by hand."""
        scene, plan = mishap.scene, self.table.view.plan
        hit = [n for n, stack in enumerate(plan, 1) if scene.stack in (Stack.ANY, stack.to)]
        layout.counts_stub = layout.counts_stub or scene.counts_stub
        self.table.note("mishap", name=mishap.name, round=mishap.round)
        if not hit:
            layout.wrong_street = scene.more  # these cards are dealt later
            return
        chosen = hit[min(1, len(hit) - 1)] if scene.stack is Stack.ANY else hit[0]
        fails = (
            scene.more < 0 and plan[chosen - 1].cards == 1
        )  # a stack of one card that does not come is no stack
        if dispenser is not None and not fails:
            await dispenser.arm(mishap.device_fault(stack=chosen))
            return
        layout.wrong_stacks[chosen] = scene.more
        if not scene.unseen:
            layout.to_report.append((scene.trigger, plan[chosen - 1].seat, scene.more))

    async def _by_hand(self, layout: Layout) -> bool:
        """Deals the next stack by hand, and reports when all hands are out."""
        view, table = self.table.view, self.table
        if not layout.stacks:
            for mishap in table.scenario.take(view.number, Cue.DEAL):
                await self._spoil(mishap, layout, None)
        number = len(layout.stacks) + 1
        if number <= len(view.plan):
            await table.pause(TAKE_S)
            wanted = view.plan[number - 1].cards + layout.wrong_stacks.get(number, 0)
            layout.stacks.append(await self.sets.draw(wanted))
            if number == 1:
                await self.reports.on(Cue.FIRST_STACK, layout, self.sets.reader)
            return True
        if await self.reports.what_was_dealt_wrong(layout):
            return True
        await table.pause(STEP_S)
        if self.sets.reader is not None:
            out = sum(map(len, layout.stacks))
            await table.until(lambda view: int(view.round.get("drawn") or 0) >= out, HEARD_S)
        return await table.act("record_initial_deal")

    async def take_stub(self, layout: Layout) -> bool:
        """Takes the rest out of the device or the manual shoe after the deal."""
        dispenser, sets = self.sets.dispenser, self.sets
        if layout.stub is not None or self.table.view.keeps_set or sets.reshuffles or not sets.left:
            return False
        if dispenser is not None and dispenser.is_moving:
            return False
        layout.stub = await sets.take_rest()
        if await self.table.cue(Cue.STUB):
            layout.stub, layout.counts_stub = layout.stub[1:], True  # one falls under the table
        self._replace(layout)
        return True

    def _replace(self, layout: Layout) -> None:
        """Replaces cards that were set aside, and completes a short hand of the dealer."""
        stub = layout.stub or []
        layout.by_hand += stub[: layout.set_aside]
        stub = stub[layout.set_aside :]
        for stack, planned in zip(layout.stacks, self.table.view.plan, strict=False):
            short = planned.cards - len(stack) if planned.to == "dealer" else 0
            if short > 0:
                stack.extend(stub[:short])
                stub = stub[short:]
        layout.stub = stub

    def gives_street(self, from_deck: int) -> bool:
        """Returns True while the dealing device still has community cards to give."""
        return bool(from_deck) and self.sets.dispenser is not None and "start_dealing" in self.table.view.allowed

    async def street_from_device(self, layout: Layout, from_deck: int, cards: int) -> bool:
        """Does the next step of a burn and a street from the device: allow, start, or take cards."""
        dispenser, view = self.sets.dispenser, self.table.view
        if dispenser is None or not dispenser.is_on or not view.is_online(dispenser.name):
            return False
        left = from_deck if layout.street_left is None else layout.street_left
        if dispenser.deal == "offered":
            await self.table.pause(TAKE_S)
            taken = await dispenser.act("take")
            layout.by_hand += taken
            layout.community += taken if left <= cards else []
            layout.street_left = left - len(taken)
            return True
        if view.wanted(dispenser.name, "dispensing") == "inhibited":
            return left > 0 and not dispenser.is_broken and await self.table.act("start_dealing")
        if left > 0 and dispenser.deal == "idle" and dispenser.state.get("dispensing") == "allowed":
            await self._set_plan(dispenser, [1] * left)
            await dispenser.act("green")
            return True
        return False

    async def street(self, layout: Layout, from_deck: int, cards: int) -> None:
        """Deals a burn and a street from the stub or the shoe, if community cards are dealt now."""
        wanted = from_deck + layout.wrong_street
        if wanted <= 0:
            return
        if layout.stub is not None:
            layout.by_hand += layout.stub[:wanted]
            layout.stub = layout.stub[wanted:]
        else:
            layout.by_hand += await self.sets.draw(wanted)
        layout.community += layout.by_hand[-cards:] if from_deck else []
        if layout.wrong_street:
            layout.to_report.append(("wrong_count_community", 0, layout.wrong_street))
            layout.wrong_street = 0
            await self.reports.what_was_dealt_wrong(layout)
