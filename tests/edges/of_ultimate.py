"""The figures of Ultimate Texas Hold 'Em: the main bet by its blind table, and each optional wager."""

from collections.abc import Iterator
from fractions import Fraction
from math import comb

from controller.rules.edge import Figure
from controller.rules.model import Law
from controller.rules.pay import OfMeter, PayTable
from controller.rules.vocabulary import Settle
from tests.edges import counts, cover_all
from tests.edges.counts import CATEGORY, Counts
from tests.edges.figures import FIVE, SEVEN, SIX, STAKES, Maker, asked_of, is_settled, rows_asked
from tests.edges.paid import Stake, edge, profit, words
from tests.edges.ultimate import DEALS, Blind, beaten, main_bet

MAIN = "ante + blind + play"
OTHERS = 5
"""Players beside the one who is paid envy, at a full table of six."""


def figures(maker: Maker) -> Iterator[Figure]:
    yield from _main(maker)
    wagers = maker.book.wagers
    if "trips" in wagers:
        yield from _plain(maker, "trips", counts.best_five(7), SEVEN)
    if "play_the_board" in wagers:
        yield from _plain(maker, "play_the_board", _of_five(), FIVE, Settle.FOLDED_REST)
    if "ultimate_pairs" in wagers:
        deals = comb(52, 2) * comb(50, 2)
        yield from _plain(maker, "ultimate_pairs", counts.pairs(), deals, Settle.FOLDED_REST)
    if "bad_beat" in wagers:
        yield from _bad_beat(maker)
    if "six_card" in wagers:
        yield from _six_card(maker)
    if "progressive" in wagers:
        yield from _progressive(maker)
    if "cover_all" in wagers:
        yield from _cover_all(maker)


def _of_five() -> Counts:
    """Five cards with their pairs apart, each hand counted once."""
    seen = dict(counts.best_five(5))
    tens = seen.pop("pair_of_tens_or_better")
    jacks = seen.pop("pair_of_jacks_or_better")
    return seen | {"pair": seen["pair"] - tens, "pair_of_tens": tens - jacks, "pair_of_jacks_or_better": jacks}


def _main(maker: Maker) -> Iterator[Figure]:
    """All blind tables at once: one enumeration serves them."""
    found: list[tuple[str, list[PayTable], dict[str, str], Blind]] = []
    for table in maker.tables(maker.law(), "blind"):
        for under, law in maker.under(*rows_asked(table)):
            elected = law.rulebook.pay[table.name]
            if is_settled(elected):
                tables = [maker.table("ante odds"), elected, maker.table("play odds")]
                found.append((f"{len(found)}", tables, under, _twice(elected)))
    edges = main_bet({name: blind for name, _, _, blind in found})
    for name, tables, under, _ in found:
        yield maker.figure(MAIN, tables, under, edges[name], DEALS, per="ante")


def _twice(table: PayTable) -> Blind:
    """Twice what a winning hand of each category is paid."""
    rows = {hand: profit(row.value, Stake()) for hand, row in table.rows.items()}
    paid = [next(gain for hand, gain in rows.items() if hand in words(name)) for name in CATEGORY]
    assert all((2 * gain).denominator == 1 for gain in paid)
    return tuple(int(2 * gain) for gain in paid)


def _settled(law: Law, *points: Settle) -> bool:
    """False where a person decides, or where a fold loses the wager: then it hangs on how the main bet is played."""
    values = {point: law.rulebook.settlement[point].value for point in points if point in law.rulebook.settlement}
    return "ask" not in values.values() and values.get(Settle.FOLDED_REST) != "lost"


def _plain(maker: Maker, wager: str, seen: Counts, deals: int, *points: Settle) -> Iterator[Figure]:
    """A wager whose rows alone decide, settled also where the player has folded."""
    for table in maker.tables(maker.law(), wager):
        for under, law in maker.under(*rows_asked(table), *asked_of(maker.law(), *points)):
            elected = law.rulebook.pay[table.name]
            if is_settled(elected) and _settled(law, *points):
                yield maker.figure(wager, [elected], under, edge(elected, seen, deals, Stake()), deals)


def _bad_beat(maker: Maker) -> Iterator[Figure]:
    """A beaten hand of the player's pays, or one of either side: both come as often."""
    lost, deals = beaten()
    points = (Settle.BAD_BEAT, Settle.FOLDED_REST)
    for table in maker.tables(maker.law(), "bad_beat"):
        for under, law in maker.under(*asked_of(maker.law(), *points)):
            if not _settled(law, *points):
                continue
            times = 1 if law.rulebook.settlement[Settle.BAD_BEAT].value == "players_hand" else 2
            seen = {name: times * many for name, many in lost.items()}
            yield maker.figure("bad_beat", [table], under, edge(table, seen, deals, Stake()), deals)


def _six_card(maker: Maker) -> Iterator[Figure]:
    """By the stake: a super royal pays a sum."""
    seen = dict(counts.best_five(6))
    del seen["pair_of_tens_or_better"], seen["pair_of_jacks_or_better"]
    seen |= counts.super_royals()
    seen["royal_flush"] -= sum(counts.super_royals().values())
    for table in maker.tables(maker.law(), "six_card"):
        for under, law in maker.under(*asked_of(maker.law(), Settle.SUM_WAGER)):
            keeps = law.rulebook.settlement[Settle.SUM_WAGER].value == "kept"
            for cents in STAKES:
                part = edge(table, seen, SIX, Stake(cents, sum_keeps=keeps))
                yield maker.figure("six_card", [table], under, part, SIX, where=_of(cents))


def _of(cents: int) -> str:
    return f"a wager of {cents // 100}"


def _progressive(maker: Maker) -> Iterator[Figure]:
    """At the least meters, with the envy of a full table; and what the highest meter must show to be even."""
    points = (Settle.METER_HAND, Settle.METER_WAGER, Settle.FOLDED_REST, Settle.ENVY_FOLDED)
    for table in maker.tables(maker.law(), "progressive"):
        if table.envy_for is not None:
            continue
        for under, law in maker.under(*asked_of(maker.law(), *points)):
            if not _settled(law, *points) or law.rulebook.settlement[Settle.ENVY_FOLDED].value != "counts":
                continue  # who folds, and so whose hand earns envy, hangs on how the others play
            for envy in maker.envy(law, table):
                yield _at_meters(maker, law, table, envy, under)


def _at_meters(maker: Maker, law: Law, table: PayTable, envy: PayTable, under: dict[str, str]) -> Figure:
    flop = law.rulebook.settlement[Settle.METER_HAND].value == "flop"
    seen, deals = (_of_five(), FIVE) if flop else (counts.best_five(7), SEVEN)
    resets = {meter: least.value for meter, least in (table.resets or {}).items()}
    keeps = law.rulebook.settlement[Settle.METER_WAGER].value == "kept"
    assert envy.envy_for is not None
    stake = Stake(envy.envy_for, meter_keeps=keeps, meters=resets)
    others = sum(
        profit(row.value, Stake(envy.envy_for)) * Fraction(seen[str(hand)], deals)
        for hand, row in envy.rows.items()
    )
    part = edge(table, seen, deals, stake) - OTHERS * others
    top = max(resets, key=lambda meter: resets[meter])
    chance = sum(
        Fraction(seen[str(hand)] * row.value.per_cent, deals * 100)
        for hand, row in table.rows.items()
        if isinstance(row.value, OfMeter) and row.value.meter == top
    )
    even = resets[top] + part * envy.envy_for / chance
    where = f"{_of(envy.envy_for)}, meters at their least, {OTHERS} others with a progressive wager"
    return maker.figure(
        "progressive", [table, envy], under, part, deals, where=where, break_even=round(even) if even > 0 else None
    )


def _cover_all(maker: Maker) -> Iterator[Figure]:
    """By the number of hands; folded hands count where that was elected."""
    for table in maker.tables(maker.law(), "cover_all"):
        for under, law in maker.under(*rows_asked(table), *asked_of(maker.law(), Settle.FOLDED_HAND)):
            elected = law.rulebook.pay[table.name]
            counted = law.rulebook.settlement[Settle.FOLDED_HAND].value == "counts"
            if not is_settled(elected) or not counted:
                continue
            assert table.hands is not None
            seen, deals = cover_all.highest()[table.hands], cover_all.deals(table.hands)
            if _is_lost(elected):
                yield maker.figure("cover_all", [elected], under, edge(elected, seen, deals, Stake()), deals)
            else:
                part, error, rounds = cover_all.with_pushes(elected, table.hands)
                yield maker.figure("cover_all", [elected], under, part, rounds, error=error)


def _is_lost(table: PayTable) -> bool:
    """What has no enumerated count loses."""
    others = [row for hand, row in table.rows.items() if str(hand) not in cover_all.REACHED]
    return all(profit(row.value, Stake()) == -1 for row in others)
