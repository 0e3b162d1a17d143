"""The figures of Colorado Hold 'Em: ante and bet by version, and the bonus of a hand that is played so."""

from collections.abc import Iterator
from fractions import Fraction

from controller.rules.explain.house_edge import Figure
from controller.rules.model import Law
from controller.rules.pay import PayHand, PayTable
from controller.rules.vocabulary import Settle
from tests.edges import colorado
from tests.edges.figures import Maker, asked_of, is_settled, rows_asked
from tests.edges.paid import Stake, profit

MAIN = "ante + bet"


def figures(maker: Maker) -> Iterator[Figure]:
    law = maker.law()
    points = (Settle.LOW_ACE_OF_THREE, Settle.HAND_WITHOUT_BET, Settle.FOLDED_REST)
    tables = maker.tables(law, "ante")
    asked = [question for table in (*tables, *maker.tables(law, "bonus")) for question in rows_asked(table)]
    seen = set()
    for under, elected in maker.under("version", *asked, *asked_of(law, *points)):
        ante, bet, bonus = (maker.tables(elected, wager)[0] for wager in ("ante", "bet", "bonus"))
        if not _decided(elected, under, ante, bonus, *points):
            continue
        must_bet = under["version"] == "required_bet"
        pays, wins = _ends(ante), _instant(ante, elected)
        kept = _only(under, "version", *asked_of(law, *points[: 1 if must_bet else 2]), *rows_asked(ante))
        if (key := ("main", *sorted(kept.items()))) not in seen:
            seen.add(key)
            part = colorado.main_bet(pays, wins, must_bet)
            yield maker.figure(MAIN, [ante, bet], kept, part, colorado.DEALS, per="ante")
        rest = asked_of(law, Settle.FOLDED_REST) if must_bet else []
        kept = kept | _only(under, *rest, *rows_asked(bonus))
        if (key := ("bonus", *sorted(kept.items()))) not in seen:
            seen.add(key)
            part = colorado.bonus(_ends(bonus), pays, _instant(bonus, elected), wins, must_bet)
            played = "ante and bet played as is best for them"
            yield maker.figure("bonus", [bonus, ante, bet], kept, part, colorado.DEALS, played=played)


def _decided(law: Law, under: dict[str, str], ante: PayTable, bonus: PayTable, *points: Settle) -> bool:
    values = [law.rulebook.settlement[point].value for point in points]
    return "ask" not in values and is_settled(ante) and is_settled(bonus)


def _only(under: dict[str, str], *questions: str) -> dict[str, str]:
    return {question: under[question] for question in questions if question in under}


def _ends(table: PayTable) -> dict[str, Fraction]:
    """What each end of a hand brings, in wagers."""
    rows = {hand: profit(row.value, Stake()) for hand, row in table.rows.items()}
    lost = Fraction(-1)
    return {end: next((gain for hand, gain in rows.items() if hand in _words(end)), lost) for end in colorado.ENDS}


def _words(end: str) -> set[PayHand]:
    if not end.startswith("pair_"):
        return {PayHand.LESS} if end == "nothing" else {PayHand(end), PayHand.LESS}
    rank = int(end.removeprefix("pair_"))
    told = {
        PayHand.JACKS_OR_BETTER: rank >= 11, PayHand.TENS_OR_BETTER: rank >= 10, PayHand.PAIR_OF_TENS: rank == 10,
        PayHand.PAIR_OF_NINES: rank == 9, PayHand.SEVENS_TO_NINES: 7 <= rank <= 9, PayHand.LESS: True,
    }  # fmt: skip
    return {word for word, holds in told.items() if holds}


def _instant(table: PayTable, law: Law) -> dict[str, int]:
    """What a declared winner is paid; ace, two, three of one suit only where it counts as one."""
    paid = {
        str(hand): int(profit(table.rows[hand].value, Stake()))
        for hand in (PayHand.INSTANT_STRAIGHT_FLUSH, PayHand.INSTANT_THREE_OF_A_KIND)
    }
    counts = law.rulebook.settlement[Settle.LOW_ACE_OF_THREE].value == "counts"
    return paid | ({"low_ace": paid["instant_straight_flush"]} if counts else {})
