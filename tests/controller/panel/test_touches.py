"""How often a dealer touches the screen in a round without incident: counted in a real browser, game by game.

`make panel` plays 200 rounds of each game and prints what docs/dealer.md says; `make test` plays a few.
"""

import os
from random import Random
from statistics import median, quantiles

import pytest

from controller.daemon.views.prompts import wager_documents
from controller.table.words import acts as a
from tests.controller.panel.core_table import CoreTable
from tests.controller.panel.touching import Dealer, screen
from tests.controller.table.conftest import table_of

OPTIONAL = {
    "md-uth": "trips",
    "ma-uth": "trips",
    "nj-pikit": "three_card_bonus",
    "ma-colorado": "bonus",
    "fast-action": "",
}
ELECTED = {"nj-pikit": {"R-56": "played_hand"}, "ma-colorado": {"R-103": "lost"}}
"""What is proposed there asks a floorperson in each such round, which is another dealer's day."""
PROGRESSIVE = "md-uth"
"""The one document whose progressive is paid by the cards; in ma-uth a person decides about each chip (R-96)."""
ROUNDS = int(os.environ.get("PANEL_ROUNDS", "200"))
ENOUGH = 200
"""Rounds by which a median is judged; fewer are only printed."""
MOST = {
    "md-uth": (12, 18),
    "ma-uth": (15, 19),
    "nj-pikit": (13, 19),
    "ma-colorado": (13, 19),
    "fast-action": (13, 19),
}
"""Touches of a round, the median and the 95th percentile, at most."""


def seated(book, offered, *, counts):
    """A table at which six players have wagered, every second one with the optional wager of the game."""
    table = table_of(book, offered=offered, elect=ELECTED.get(book)).ready()
    table.act(a.BeginRound("red"))
    for seat in range(1, 7):
        for wager in wager_documents(table.setup, table.state.method):
            if not wager["sensed"] and (seat % 2 or not wager["optional"]):
                cents = wager["cents"] or (1000 if counts else 0)
                table.act(a.PlaceWager(seat, wager["wager"], cents))
    return table


async def counted(book, folder, people, rounds, *, counts=True):
    """Touches of each round; the first one, in which nothing lies as before, is left out."""
    offered = [OPTIONAL[book], *(["progressive"] if counts and book == PROGRESSIVE else [])]
    core = CoreTable(folder / "c.sock", seated(book, tuple(filter(None, offered)), counts=counts))
    async with screen(core, folder, people) as page:
        dealer = Dealer(page, core, Random(f"{book} {counts}"), counts=counts)
        await dealer.play(first=True)
        return [await dealer.play() for _ in range(rounds)]


def told(book, found):
    """Median and 95th percentile, for a person."""
    most = quantiles(found, n=20, method="inclusive")[-1]
    return f"{book}: {len(found)} rounds, median {median(found):g}, 95th percentile {most:g} touches"


@pytest.mark.timeout(120)
async def test_a_round_needs_few_touches(tmp_path, people):
    """A round of the game with the most answers; medians are for the long form."""
    found = await counted("md-uth", tmp_path, people, 4)
    assert max(found) <= MOST["md-uth"][1] + 4, found


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("counts", [True, False], ids=["counted", "uncounted"])
@pytest.mark.parametrize("book", OPTIONAL)
async def test_touches_of_many_rounds(book, counts, tmp_path, people):
    found = await counted(book, tmp_path, people, ROUNDS, counts=counts)
    print(told(book if counts else f"{book}, no chips counted", found))
    if counts and ROUNDS >= ENOUGH:
        assert median(found) <= MOST[book][0]
        assert quantiles(found, n=20, method="inclusive")[-1] <= MOST[book][1]
