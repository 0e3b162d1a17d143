"""The figures of the progressive wager: at the least meters, with the envy of a full table, by the stake."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from controller.rules.explain.house_edge import Figure
from controller.rules.model import Law
from controller.rules.pay import OfMeter, PayTable
from controller.rules.vocabulary import Settle
from tests.edges import counts
from tests.edges.counts import CATEGORY
from tests.edges.figures import FIVE, SEVEN, STAKES, Maker, asked_of, of_stake
from tests.edges.folds import BY_FLOP, BY_SEVEN, ENVIED, OTHERS_FLOP, OTHERS_SEVEN
from tests.edges.paid import Stake, edge, profit
from tests.edges.played import Played, follow, is_decided, of_five, ways

OTHERS = 5
"""Players beside the one who is paid envy, at a full table of six."""
POINTS = (Settle.METER_HAND, Settle.METER_WAGER, Settle.FOLDED_REST)


def figures(maker: Maker, mains: Sequence[Played]) -> Iterator[Figure]:
    """Whether a folded hand earns envy (`envy_folded`) makes no difference: none that would is ever folded."""
    for played in mains:
        folded = [played.main.folded.by(measure) for measure in (BY_FLOP, BY_SEVEN)]
        assert not any(f[CATEGORY[envied]] for f in folded for envied in ENVIED)
    for table in maker.tables(maker.law(), "progressive"):
        if table.envy_for is not None:
            continue
        for cents in STAKES:
            printed = [t for t in maker.envy(maker.law(), table) if t.envy_for == cents]
            more = () if printed else (Settle.ENVY_STAKE,)
            for under, law in maker.under(*asked_of(maker.law(), *POINTS, *more)):
                if is_decided(law, *POINTS, *more):
                    envy = printed[0] if printed else _in_proportion(maker, law, table)
                    for played in ways(law, mains):
                        yield _at_meters(maker, law, table, envy, cents, under, played)


def _in_proportion(maker: Maker, law: Law, table: PayTable) -> PayTable | None:
    """The table by whose sums another wager earns envy; None where it earns none."""
    if law.rulebook.settlement[Settle.ENVY_STAKE].value == "none":
        return None
    return min(maker.envy(law, table), key=lambda t: t.envy_for or 0)


def _at_meters(
    maker: Maker, law: Law, table: PayTable, envy: PayTable | None, cents: int, under: dict[str, str],
    played: Played | None,
) -> Figure:  # fmt: skip
    flop = law.rulebook.settlement[Settle.METER_HAND].value == "flop"
    seen, deals = (of_five(), FIVE) if flop else (counts.best_five(7), SEVEN)
    mine, theirs = (seen, deals), (seen, deals)
    if played is not None:
        folded = played.main.folded
        mine = played.left(seen, deals, folded.by(BY_FLOP if flop else BY_SEVEN))
        theirs = played.left(seen, deals, folded.by(OTHERS_FLOP if flop else OTHERS_SEVEN))
    resets = {meter: least.value for meter, least in (table.resets or {}).items()}
    keeps = law.rulebook.settlement[Settle.METER_WAGER].value == "kept"
    others = Fraction(0)
    if envy is not None and envy.envy_for is not None:
        for hand, row in envy.rows.items():
            others += profit(row.value, Stake(envy.envy_for)) * Fraction(theirs[0][str(hand)], theirs[1])
    part = edge(table, *mine, Stake(cents, meter_keeps=keeps, meters=resets)) - OTHERS * others
    top = max(resets, key=lambda meter: resets[meter])
    chance = sum(
        Fraction(mine[0][str(hand)] * row.value.per_cent, mine[1] * 100)
        for hand, row in table.rows.items()
        if isinstance(row.value, OfMeter) and row.value.meter == top
    )
    even = round(resets[top] + part * cents / chance)
    where = f"{of_stake(cents)}, meters at their least, {OTHERS} others with a progressive wager"
    return follow(
        maker, played, "progressive", [table, *([envy] if envy else [])], under, part, mine[1], where=where,
        break_even=even if even > 0 else None,
    )  # fmt: skip
