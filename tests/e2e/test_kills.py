"""The daemon is killed at random moments while people play: nothing is lost, doubled, or made up afterwards."""

import asyncio
import json
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby
from random import Random
from typing import Any

import pytest

from controller.config.load import load_config
from controller.journal.record import Record, Stream
from controller.table.decide import fold
from controller.table.state.table import State
from controller.table.words.codec import decode_fact
from simulators.bench.children import tail

SHORT = 16
FULL = int(os.environ.get("KILLS", "1000"))
"""Kills at random instants in the full form: half of them under each of two documents."""
APPENDS = 120
"""The full form dies at each append up to this one: a start, a table that is opened, and more than a round."""
IN_START = 0.2
"""Share of kills that hit a daemon that is still starting."""
SLOW_DISK = """
import time
from controller.journal.store import Journal
honest = Journal.append
def slow(*given):
    time.sleep(0.03)
    return honest(*given)
Journal.append = slow
"""
"""Every second daemon commits so slowly that a kill often falls between a decision and its record."""
AT_AN_APPEND = """
import os, signal
from controller.journal.store import Journal
honest, left = Journal.append, [{number}]
def mortal(*given):
    left[0] -= 1
    if not left[0] and {before}:
        os.kill(os.getpid(), signal.SIGKILL)
    records = honest(*given)
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return records
Journal.append = mortal
"""
"""A life that ends at so many appends: before its commit, or when all of it is durable and nobody was told of it."""
POWER_CUT = 0.25
"""Share of kills during which a device loses its power, and with it the log that would close the gap."""


IN_FULL = [pytest.mark.full, pytest.mark.timeout(120 + 30 * FULL)]


@pytest.mark.parametrize(
    ("kills", "rulebook", "method"),
    [
        pytest.param(SHORT, "md-uth", "dealing_shoe", marks=pytest.mark.timeout(900), id="short"),
        pytest.param(FULL // 2, "md-uth", "dealing_shoe", marks=IN_FULL, id="full-shoe"),
        pytest.param(FULL // 2, "ma-uth", "shuffler", marks=IN_FULL, id="full-shuffler"),
    ],
)
async def test_kill_at_random_moments_of_a_running_table(
    rig: Callable[..., Awaitable[Any]], kills: int, rulebook: str, method: str
) -> None:
    """The journal proves after each kill; a round goes on where every log closes the gap, and is held where not."""
    table = await rig(seed=kills, rulebook=rulebook, method=method)
    table.fork_daemons()
    await table.up(people=True)
    judge, chance, cuts = Judge(table), Random(kills), 0
    for number in range(kills):
        in_start = number > 0 and chance.random() < IN_START
        if in_start:
            await asyncio.sleep(chance.uniform(0, 0.8))  # not a wait for anything: the moment of the kill
        else:
            await judge.goes_on_or_is_held()
            await table.play_on(chance.randint(1, 30))
            await asyncio.sleep(chance.uniform(0, 0.05))
        await table.kill_daemon()
        table.assert_journal_verifies()
        table.assert_reports_are_on_record()
        if chance.random() < POWER_CUT or not cuts:
            cuts += await judge.cut_the_power(chance.choice(table.options.kinds))
        await table.start_daemon(chance.choice(("", SLOW_DISK)), wait=False)
    await _ends_whole(table, judge)
    assert judge.gaps >= cuts > 0
    judge.only_disturbed_rounds_were_not_played()


@pytest.mark.parametrize(
    "appends",
    [
        pytest.param((1, 3, 8, 21), marks=pytest.mark.timeout(400), id="short"),
        pytest.param(range(1, APPENDS + 1), marks=IN_FULL, id="full"),
    ],
)
async def test_kill_at_each_append_of_a_running_table(
    rig: Callable[..., Awaitable[Any]], appends: Sequence[int]
) -> None:
    """Two lives for each number of appends, one that ends without the last and one with it: a start, a hand-over, a round.

    What was decided is on record whole or not at all, what was on record is told once, and every round ends once.
    """
    table = await rig(seed=5, rulebook="md-uth", method="dealing_shoe")
    table.fork_daemons()
    await table.up(people=True)
    judge = Judge(table)
    await table.play_on(20)
    await table.kill_daemon()
    for number in appends:
        for before in (True, False):
            on_record = table.records()[-1].order
            daemon = await table.start_daemon(AT_AN_APPEND.format(number=number, before=before), wait=False)
            await table.until(lambda daemon=daemon: not daemon.is_running, f"it dies at append {number}")
            assert await daemon.ended() == -signal.SIGKILL, tail(daemon.log)
            table.assert_journal_verifies()
            table.assert_reports_are_on_record()
            gained = table.records()[-1].order - on_record
            assert gained >= number - before, "each append before its end is there"
    await table.start_daemon()
    await _ends_whole(table, judge)
    table.assert_it_is_decided_as_it_was()
    judge.only_disturbed_rounds_were_not_played()


class Judge:
    """Remembers what befell the table, and tells by the journal whether it was answered as promised."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self._state = State.initial(load_config(table.names.config).setup())
        self._through = 0  # of its facts are folded into that state
        self._disturbed: set[int] = set()
        self.gaps = 0

    def _facts(self) -> list[Record]:
        return list(self._table.records(Stream.MAIN, Stream.DIAG))

    async def cut_the_power(self, kind: str) -> bool:
        """In a live round a device goes dark and comes back, and remembers nothing of before; no daemon runs."""
        round_ = _fold(self._state, self._facts()[self._through :]).round
        if round_ is None or not round_.live:
            return False
        self._disturbed.add(round_.number)
        await self._table.hands(kind, "power_off")
        await self._table.hands(kind, "power_on")
        return True

    async def goes_on_or_is_held(self) -> None:
        """A gap under a live round made it unproven and held it; without a gap no round became unproven."""
        await self._table.all_online()
        facts = self._facts()
        for _, group in groupby(facts[self._through :], key=lambda record: record.cause):
            decided = list(group)
            before, self._state = self._state, _fold(self._state, decided)
            is_unproven = any(
                json.loads(r.data)["trigger"] == "round_unproven" for r in decided if r.kind == "disposition_made"
            )
            if not any(_is_gap(r) for r in decided):
                assert not is_unproven, f"{decided[0].kind} is no gap"
            elif before.round is not None and before.round.live:
                self.gaps += 1
                assert is_unproven or before.held
                assert self._state.held
        self._through = len(facts)

    def only_disturbed_rounds_were_not_played(self) -> None:
        """Every round came to its end once, in order; the kills alone voided none."""
        ends = self._table.facts("round_ended")
        begun = {r["round"]: r["number"] for r in self._table.facts("round_begun")}
        numbers = [begun[end["round"]] for end in ends]
        assert numbers == list(range(1, len(ends) + 1))
        not_played = {n for n, end in zip(numbers, ends, strict=True) if end["outcome"] != "played"}
        assert not_played <= self._disturbed


def _is_gap(record: Record) -> bool:
    if record.kind == "device_online":
        return not json.loads(record.data)["gap_closed"]
    return record.kind == "events_lost"


def _fold(state: State, records: list[Record]) -> State:
    return fold(state, (decode_fact(r.kind, r.subject, r.data) for r in records))


async def _ends_whole(table: Any, judge: Judge) -> None:
    """Play goes on, stops in an orderly way, and everything is on record and told."""
    await judge.goes_on_or_is_held()
    await table.play_on(60)
    await table.child("people").stop()
    await table.assert_everything_is_told()
    assert await table.daemon.stop() == 0
    table.assert_journal_verifies()
    await table.assert_everything_is_told()
    table.assert_reports_are_on_record()
    table.assert_nothing_was_opened_off_the_record()
