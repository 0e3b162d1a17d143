"""The figure of Fast Action Hold 'Em: the original wager with what is split off or given up, by simulation."""

from collections.abc import Iterator

from controller.cards.house_ways import AS_BEFORE
from controller.rules.explain.house_edge import Figure
from controller.rules.pay import PayHand
from controller.rules.ranked import house_ways
from controller.rules.vocabulary import Settle
from tests.edges import fast_action
from tests.edges.figures import Maker, asked_of
from tests.edges.paid import Stake, profit

SEED, LEARNING, PLAYING = 36, 60, 200
TIES = {"push": 0, "collect": -1}


def figures(maker: Maker) -> Iterator[Figure]:
    tables = [maker.table("original odds"), maker.table("second_hand odds")]
    natural = profit(tables[0].rows[PayHand.NATURAL].value, Stake())
    assert natural.denominator == 1
    for under, law in maker.under(
        "decks", *asked_of(maker.law(), Settle.TIE, Settle.SUITED_PAIRS, Settle.OR_BETTER)
    ):
        if house_ways(law.rulebook) != AS_BEFORE:
            continue  # the dealer of the simulation plays the highest suited pair, and bounds each card
        tie = TIES.get(law.rulebook.settlement[Settle.TIE].value)
        if tie is None:
            continue  # a person decides about a copy hand
        rules = fast_action.Rules(law.rulebook.decks.per_set.value, tie)
        found = fast_action.main_bet(rules, SEED, LEARNING, PLAYING, int(natural))
        yield maker.figure(
            "original + second_hand", tables, under, found.edge, found.rounds, error=found.error, per="original"
        )
