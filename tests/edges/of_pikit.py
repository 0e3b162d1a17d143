"""The figures of Pik-it Poker: the ante with its play, judged together with the bonus that must be wagered beside it."""

from collections.abc import Iterator
from math import comb

from controller.rules.explain.house_edge import Figure
from controller.rules.vocabulary import Moment, Settle
from tests.edges import counts, pikit
from tests.edges.figures import FIVE, Maker, asked_of
from tests.edges.paid import Stake, edge

MUST = "ante + five_card_bonus + play"


def figures(maker: Maker) -> Iterator[Figure]:
    law = maker.law()
    bonus = {
        table.name: edge(table, counts.best_five(5), FIVE, Stake())
        for table in maker.tables(law, "five_card_bonus")
    }
    odds = [maker.table(f"{wager} odds") for wager in ("ante", "play_3", "play_5")]
    asked = (
        "qualifier",
        "play_3",
        "play_5",
        *asked_of(law, Settle.ANTE_HAND, Settle.TIE, Settle.UNQUALIFIED_ANTE),
    )
    for name, part in bonus.items():
        table = maker.table(name)
        for under, elected in maker.under(*asked):
            rulebook = elected.rulebook
            by, tie, low = (
                rulebook.settlement[p].value for p in (Settle.ANTE_HAND, Settle.TIE, Settle.UNQUALIFIED_ANTE)
            )
            qualifies = rulebook.play.dealer_qualifies
            must = qualifies is not None and qualifies.value
            if "ask" in (by, tie, low) or (not must and low != "lost"):
                continue
            if not must:  # then every hand of the dealer is one that an ante is compared with
                under.pop("R-189", None)
            (play3,), (play5,) = (
                rulebook.wagers[wager].multiples(Moment.DECISION) for wager in ("play_3", "play_5")
            )
            main = pikit.main_bet(must, play3, play5, by == "five_cards", ante_pushes=low == "push")
            yield maker.figure(MUST, [*odds, table], under, main + part, pikit.DEALS, per="ante")
        yield maker.figure("five_card_bonus", [table], {}, part, FIVE, part_of=MUST)
    for under, elected in maker.under("R-28"):
        looks = elected.rulebook.play.bonus_cards
        chosen = looks is not None and looks.value == "after_look"
        for table in maker.tables(elected, "three_card_bonus"):
            deals = FIVE if chosen else comb(52, 3)
            seen = pikit.three_cards(chosen)
            yield maker.figure("three_card_bonus", [table], under, edge(table, seen, deals, Stake()), deals)
