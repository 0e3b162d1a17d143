"""People in the course of a round: wagers, deal, answers, turned cards, stub count, collected cards.

They know no game: the table's status says what may be bet and answered, and which act ends a stage.
"""

from simulators.crew.chips import Chips
from simulators.crew.deal import STEP_S, Deal
from simulators.crew.layout import Layout
from simulators.crew.payout import Payout
from simulators.crew.players import answers, bets, says_of_dealer
from simulators.crew.report import Reports
from simulators.crew.scenario import Cue
from simulators.crew.sets import Sets
from simulators.crew.table import Table
from simulators.crew.view import Document, Stage

BET_S = 0.3
"""Seconds of the table: a wager or an answer of a player."""
CUTTING_CARD_AT = 4
"""The cutting card lies where one of so many parts of the set is left."""


class Play:
    """The dealer and the players in a round. Each method does one thing and returns True, or does nothing."""

    def __init__(self, table: Table, sets: Sets) -> None:
        self.table, self.sets = table, sets
        self.layout = Layout(0)
        self.reports = Reports(table)
        self.chips = Chips(table)
        self.payout = Payout(table)
        self.deal = Deal(table, sets, self.chips, self.reports)

    async def go_on(self) -> bool:
        """Does what the present phase asks for."""
        view = self.table.view
        if view.round and self.layout.number != view.number:
            self._gather()
        match view.phase:
            case "betting":
                return await self._bet()
            case "bets_closed":
                return await self.deal.prepare(self.layout)
            case "dealing":
                return await self._cutting_card() or await self.deal.go_on(self.layout)
            case "settled" | "stopped":
                return await self._clean_up()
            case _:
                return view.stage is not None and await self._play(view.stage)

    async def begin(self) -> bool:
        """Begins the next round with the set whose turn it is."""
        view = self.table.view
        if view.round or view.holds or view.duties or not view.is_open:
            return False
        if any(view.next_step(other) is not None for other in view.sets):
            return False
        if self.table.scenario.expects(view.number, Cue.BETWEEN):
            return await self._change_method()
        back = self.sets.next_back
        return bool(back) and await self.table.act("begin_round", back=back)

    async def _change_method(self) -> bool:
        """Takes the dealing device out of service, as the scenario says, and deals from a manual shoe."""
        table, sets = self.table, self.sets
        if sets.dispenser is not None and sets.dispenser.is_moving:
            return False
        back, rest = sets.laid, await sets.take_rest() if sets.left else []
        await table.cue(Cue.BETWEEN)
        done = await table.act("change_method", "floorperson", method="manual_shoe")
        if rest and table.view.keeps_set:
            sets.laid, sets.deck = back, rest  # dealt on from the manual shoe
        else:
            sets.hold(rest)
        return done

    async def count_whole_set(self) -> bool:
        """Counts the last played set face down between rounds, before it is shuffled again."""
        view = self.table.view
        if view.round or view.holds or not view.is_overdue:
            return False
        held = self.table.cards.get(str(view.status.get("last_back", "")), [])
        return bool(held) and await self.table.act("record_stub_count", stub=len(held))

    async def _bet(self) -> bool:
        view, table = self.table.view, self.table
        placed = bets(table, view.number)
        for seat, wagers in placed.items():
            for wager, cents in wagers.items():
                if cents and wager not in view.wagers(seat):
                    await table.pause(BET_S)
                    if not await table.act("place_wager", "player", seat, wager=wager, cents=cents):
                        return False
        seats = self.chips.seats(placed)
        if await self.chips.put(seats):
            return True
        if self.chips.are_awaited(seats, self.layout):
            return False
        await table.pause(STEP_S)
        return await table.act("announce_no_more_bets")

    async def _play(self, stage: Stage) -> bool:
        """Lets players answer one after another; then the dealer ends the stage."""
        view, layout = self.table.view, self.layout
        if await self.reports.what_was_dealt_wrong(layout):
            return True
        if not view.has_acted and await self.reports.on(Cue.HANDS_OUT, layout):
            return True
        if await self._cutting_card() or await self.deal.take_stub(layout):
            return True
        if self.sets.is_idle_shuffle_due:
            return await self.sets.tend_shuffler()
        if stage.waiting:
            return await self._ask(stage.waiting[0], stage)
        if view.has_acted and await self.reports.on(Cue.ACTED, layout):
            return True
        return await self._count_stub() or await self._end(stage.ends)

    async def _ask(self, seat: int, stage: Stage) -> bool:
        """Lets the player whose turn it is answer; with another answer if an irregularity forbids the first."""
        await self.table.pause(BET_S)
        for given in answers(self.table, seat, stage.answers):
            if await self.table.act("record_decision", "player", seat, **given):
                return True
        return False

    async def _cutting_card(self) -> bool:
        """Lets the cutting card of a set that is dealt on from come up one day, or before the scenario's round."""
        sets, layout, view = self.sets, self.layout, self.table.view
        if not view.keeps_set or not layout.stacks or layout.cutting_card_seen:
            return False
        wanted = self.table.scenario.expects(view.number + 1, Cue.LATE_SHUFFLE)
        if not wanted and not 0 < sets.left * CUTTING_CARD_AT <= view.full_set:
            return False
        layout.cutting_card_seen = True
        seat = view.plan[len(layout.stacks) - 1].seat if len(layout.stacks) <= len(view.plan) else 0
        return await self.table.act(
            "report_irregularity", "dealer", seat, trigger="cutting_card_reached", at_dealer=not seat
        )

    async def _count_stub(self) -> bool:
        """Counts the real stub, if a count is due or the scenario wants one."""
        view, layout = self.table.view, self.layout
        stub = layout.stub
        if "record_stub_count" not in view.allowed or stub is None or view.round.get("stub_counted"):
            return False
        if not (view.stub_is_due or layout.counts_stub):
            return False
        out = len(layout.cards) - len(stub)
        given: dict[str, object] = {"stub": len(stub)}
        planned = [stack.cards for stack in view.plan]
        if [len(stack) for stack in layout.stacks] != planned[: len(layout.stacks)]:
            given |= {"misdealt": True, "all_cards": len(stub) + out}
        self.table.note("stub", cards=len(stub), out=out, full=view.full_set)
        await self.table.pause(STEP_S)
        return await self.table.act("record_stub_count", **given)

    async def _end(self, ends: Document) -> bool:
        """Does the act that ends a stage, once everybody has answered."""
        if not ends or self.table.view.stage is None or self.table.view.stage.waiting:
            return False
        settles = ends["act"] == "settle_round"
        if settles and (await self._hands_found() or await self.payout.go_on(self.layout)):
            return True
        from_deck, cards = int(ends.get("from_deck", 0)), int(ends.get("cards", 0))
        if self.deal.gives_street(from_deck):
            return await self.deal.street_from_device(self.layout, from_deck, cards)
        given = {"street": ends["street"]} if "street" in ends else {}
        if not self.layout.wrong_street:  # a scenario about cards for all wants them dealt
            given |= says_of_dealer(self.table, ends.get("asks", []))
        given |= self.payout.said() if settles else {}
        await self.table.pause(STEP_S)
        if not await self.table.act(str(ends["act"]), **given):
            return False
        await self.deal.street(self.layout, from_deck, cards)
        return True

    async def _hands_found(self) -> bool:
        """Records the number of hands on the shuffler's front, if wagers are paid by it."""
        view, layout, shuffler = self.table.view, self.layout, self.sets.shuffler
        by_hands = {rule.name for rule in view.taken if rule.mode}
        lies = any(by_hands & set(view.wagers(seat)) for seat in view.seats)
        if layout.hands_told or shuffler is None or not self.sets.deals_from_shuffler or not lies:
            return False
        layout.hands_told = await self.table.act("record_hands_found", hands=shuffler.state.get("hands", 0))
        return layout.hands_told

    async def _clean_up(self) -> bool:
        """Moves all cards into the discard rack in order, and ends the round."""
        view, table, sets, dispenser = self.table.view, self.table, self.sets, self.sets.dispenser
        if any(not duty.back and not duty.device for duty in view.duties):
            return False  # it is about cards and chips that still lie here
        if view.round.get("collected"):
            self._gather()  # the daemon may have died between the record of it and its answer
            await table.pause(STEP_S)
            return await table.act("end_round")
        if sets.laid == view.back and sets.left and self._leaves(view.back):
            if dispenser is not None and (dispenser.deal == "freeing" or dispenser.is_shuffling):
                return False
            sets.hold(await sets.take_rest())
            return True
        await self.chips.lift()
        await table.pause(STEP_S)
        if not await table.act("collect_cards"):
            return False
        self._gather()
        return True

    def _gather(self) -> None:
        """Takes the cards from the layout into people's hands."""
        self.sets.hold(self.layout.cards)
        self.layout = Layout(self.table.view.number)

    def _leaves(self, back: str) -> bool:
        """Takes the rest of a set out, unless it is dealt on from or still whole in the shuffler."""
        if self.sets.reshuffles and self.sets.dispenser is not None and not self.sets.dispenser.is_broken:
            return False  # it gets back what was dealt, and shuffles it in
        if self.table.view.keeps_set and self.table.view.is_shuffled(back):
            return False
        return not self.sets.deals_from_shuffler or bool(self.layout.stacks)
