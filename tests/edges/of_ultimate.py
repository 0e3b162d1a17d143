"""The figures of Ultimate Texas Hold 'Em: the main bet by its blind table, and each optional wager."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import comb

from controller.rules.explain.house_edge import Figure
from controller.rules.pay import PayTable
from controller.rules.vocabulary import Settle
from tests.edges import counts, cover_all, of_progressive
from tests.edges.counts import CATEGORY, Counts
from tests.edges.figures import FIVE, SEVEN, SIX, STAKES, Maker, asked_of, is_settled, of_stake, rows_asked
from tests.edges.folds import ABOVE_BOARD, BEATEN, BY_BOARD, LOST, PAID, Folded
from tests.edges.paid import Stake, edge, profit, words
from tests.edges.played import Played, follow, is_decided, of_five, ways
from tests.edges.ultimate import DEALS, Blind, beaten, main_bet

MAIN = "ante + blind + play"


def figures(maker: Maker) -> Iterator[Figure]:
    mains = list(_mains(maker))
    for played in mains:
        yield maker.figure(MAIN, played.tables, played.under, played.main.edge, DEALS, per="ante")
    wagers = maker.book.wagers
    if "trips" in wagers:
        yield from _plain(maker, "trips", counts.best_five(7), SEVEN)
    if "play_the_board" in wagers:
        yield from _plain(maker, "play_the_board", of_five(), FIVE, mains, lambda folded: folded.by(BY_BOARD))
    if "ultimate_pairs" in wagers:
        deals = comb(52, 2) * comb(50, 2)
        yield from _plain(maker, "ultimate_pairs", counts.pairs(), deals, mains, _two_cards)
    if "bad_beat" in wagers:
        yield from _bad_beat(maker, mains)
    if "six_card" in wagers:
        yield from _six_card(maker)
    if "progressive" in wagers:
        yield from of_progressive.figures(maker, mains)
    if "cover_all" in wagers:
        yield from _cover_all(maker, mains)


def _mains(maker: Maker) -> Iterator[Played]:
    """The main bet under each blind table. All at once: one enumeration serves them."""
    found = list(_blinds(maker))
    mains = main_bet(blind for _, _, blind in found)
    for tables, under, blind in found:
        yield Played(tables, under, mains[blind])


def enumerate_all(makers: Iterable[Maker]) -> None:
    """The main bets of several documents at once."""
    main_bet([blind for maker in makers for _, _, blind in _blinds(maker)])


def _blinds(maker: Maker) -> Iterator[tuple[list[PayTable], dict[str, str], Blind]]:
    for table in maker.tables(maker.law(), "blind"):
        for under, law in maker.under(*rows_asked(table)):
            elected = law.rulebook.pay[table.name]
            if is_settled(elected):
                tables = [maker.table("ante odds"), elected, maker.table("play odds")]
                yield tables, under, _twice(elected)


def _twice(table: PayTable) -> Blind:
    """Twice what a winning hand of each category is paid."""
    rows = {hand: profit(row.value, Stake()) for hand, row in table.rows.items()}
    paid = [next(gain for hand, gain in rows.items() if hand in words(name)) for name in CATEGORY]
    assert all((2 * gain).denominator == 1 for gain in paid)
    return tuple(int(2 * gain) for gain in paid)


def _plain(
    maker: Maker, wager: str, seen: Counts, deals: int, mains: Sequence[Played] = (),
    folded: Callable[[Folded], Counts] | None = None,
) -> Iterator[Figure]:  # fmt: skip
    """A wager whose rows alone decide. `folded`: what a fold would lose of it, where it may be lost."""
    points = (Settle.FOLDED_REST,) if folded else ()
    for table in maker.tables(maker.law(), wager):
        for under, law in maker.under(*rows_asked(table), *asked_of(maker.law(), *points)):
            elected = law.rulebook.pay[table.name]
            if not is_settled(elected) or not is_decided(law, *points):
                continue
            for played in ways(law, mains) if folded else (None,):
                left = played.left(seen, deals, folded(played.main.folded)) if played and folded else (seen, deals)
                yield follow(maker, played, wager, [elected], under, edge(elected, *left, Stake()), left[1])


def _two_cards(folded: Folded) -> Counts:
    """Folded deals by the words of the first two cards. Aces are played before the flop, whatever the dealer holds."""
    found: Counter[str] = Counter()
    for number, many in enumerate(folded.by_start()):
        x, y = divmod(number, 13)
        found[counts.of_two(*sorted((x * 4, y * 4 + (x <= y))))] += many
    assert not found["pair_of_aces"]
    return dict(found)


def _bad_beat(maker: Maker, mains: Sequence[Played]) -> Iterator[Figure]:
    """A beaten hand of the player's pays, or one of either side: both come as often, until one is folded."""
    lost, deals = beaten()
    points = (Settle.BAD_BEAT, Settle.FOLDED_REST, Settle.BAD_BEAT_TIE)
    for table in maker.tables(maker.law(), "bad_beat"):
        assert all(CATEGORY.index(hand) >= PAID for hand in table.rows)
        for under, law in maker.under(*asked_of(maker.law(), *points)):
            if not is_decided(law, *points) or law.rulebook.settlement[Settle.BAD_BEAT_TIE].value != "lost":
                continue  # equal hands are not counted here, so that there is no figure where they push
            either = law.rulebook.settlement[Settle.BAD_BEAT].value == "either_hand"
            seen = {name: many * (1 + either) for name, many in lost.items()}
            for played in ways(law, mains):
                measures = (LOST, BEATEN) if either else (LOST,)
                left = played.left(seen, deals, *map(played.main.folded.by, measures)) if played else (seen, deals)
                yield follow(maker, played, "bad_beat", [table], under, edge(table, *left, Stake()), left[1])


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
                yield maker.figure("six_card", [table], under, part, SIX, where=of_stake(cents))


def _cover_all(maker: Maker, mains: Sequence[Played]) -> Iterator[Figure]:
    """By the number of hands, with folded hands and without. Where a fold loses the wager, nothing is worked out: it would be
    played otherwise."""
    points = (Settle.FOLDED_HAND, Settle.FOLDED_COVER)
    for table in maker.tables(maker.law(), "cover_all"):
        for under, law in maker.under(*rows_asked(table), *asked_of(maker.law(), *points)):
            elected = law.rulebook.pay[table.name]
            if not is_settled(elected) or not is_decided(law, Settle.FOLDED_HAND):
                continue
            if law.rulebook.settlement[Settle.FOLDED_COVER].value != "settled":
                continue
            assert table.hands is not None
            seen, deals, error = cover_all.highest()[table.hands], cover_all.deals(table.hands), None
            if _is_lost(elected):
                part = edge(elected, seen, deals, Stake())
            else:
                part, error, deals = cover_all.with_pushes(elected, table.hands)
            counted = law.rulebook.settlement[Settle.FOLDED_HAND].value == "counts"
            for played in (None,) if counted else mains:
                _check_never_folded(played)
                yield follow(maker, played, "cover_all", [elected], under, part, deals, error=error)


def _check_never_folded(played: Played | None) -> None:
    """Folded hands make no difference as long as none is paid for: better than the board, which the dealer has too, from
    three of a kind on."""
    paid = played.main.folded.by(ABOVE_BOARD) if played else {}
    assert not any(paid[name] for name in CATEGORY[PAID:] if paid), "a hand that Cover All pays for is folded"


def _is_lost(table: PayTable) -> bool:
    """What has no enumerated count loses."""
    others = [row for hand, row in table.rows.items() if str(hand) not in cover_all.REACHED]
    return all(profit(row.value, Stake()) == -1 for row in others)
