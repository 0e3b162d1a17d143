"""What follows from the acts of a round, in its facts: what goes back, what is counted, why a level is made safe."""

import dataclasses

import pytest

from controller.rules.model import Rulebook
from controller.rules.vocabulary import Settle, Trigger
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.table.words.structs import replace
from tests.controller.table.conftest import MakeTable, Table


def under(table: Table, **changes: object) -> Table:
    """The same table under a document of which these parts are other ones."""
    law = table.setup.law
    book: Rulebook = dataclasses.replace(law.rulebook, **changes)  # type: ignore[arg-type]
    table.setup = replace(table.setup, law=dataclasses.replace(law, rulebook=book))
    return table


def pikit(make_table: MakeTable) -> Table:
    """Pik-it with the qualifier: seat 1 plays all five cards, which a floorperson was asked about and let stand."""
    bets = tuple((seat, name, 1000) for seat in (1, 2) for name in ("ante", "five_card_bonus"))
    table = make_table("nj-pikit", offered=(), elect={"qualifier": "with"}).ready().bet(*bets).let_out().deal()
    for seat in (2, 1):
        table.answer(seat, "play_5", 1)
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    (hold,) = table.state.holds
    table.act(a.ResolveHold(hold, a.Resolution.WAGER_STANDS))
    assert table.fates()[1, "play_5"] == "stands"
    return table


@pytest.mark.parametrize("reading", [None, "R-49"])
def test_a_wager_that_stands_goes_back_like_any_other_where_the_dealer_does_not_qualify(
    make_table: MakeTable, reading: str | None
) -> None:
    """By the clause, and the reading where it is one. Clause: nj-pikit 39.10(f)."""
    table = pikit(make_table)
    settlement = table.setup.law.rulebook.settlement
    rule = settlement[Settle.UNQUALIFIED]
    under(table, settlement={**settlement, Settle.UNQUALIFIED: dataclasses.replace(rule, reading=reading)})
    events = table.act(a.RevealDealer(qualifies=False))
    back = [event for event in events if isinstance(event, f.WagerDecided)]
    assert [(b.seat, b.wager, b.cents, b.fate, b.cite, b.reading) for b in back] == [
        (seat, "play_5", 1000, "returned", rule.cite, reading) for seat in (1, 2)
    ]
