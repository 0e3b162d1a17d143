"""A folded hand that decides a wager other than Trips and Six Card: how its cards are read before they go to the rack (R-137).

Clause: md-uth 11.F(3)(b), 11.F(3)(d). Under ma-uth a progressive needs Trips (14(b)), under which folded cards stay; no other
document settles a folded hand's wagers by its cards. What a folded hand decides for others is R-142, in both documents.
"""

import pytest

from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Area
from controller.table.settlement.offer import offer
from controller.table.words import acts as a
from controller.table.words import facts as f
from controller.text.next_act import next_act
from drivers import events as e

FOLDED = a.RecordHand(Area.PLAYER, "9h 8h", 1)
ALL = ("trips", "progressive", "ultimate_pairs", "bad_beat", "play_the_board")


@pytest.fixture
def folds(make_table):
    """Seat 1 folds beside the wagers of `lies`, seat 3 plays on; returns the table and what was said of the fold."""

    def make(lies, rest="settled", cards="recorded"):
        elect = {"R-103": rest, "R-137": cards, "R-139": "lost", "R-104": "either_hand"}
        table = make_table("md-uth", elect=elect, offered=ALL).ready()
        return table, one_folds(table, 1, lies)

    return make


def one_folds(table, seat, lies):
    """Seat 1 folds, seat 3 plays on, and `lies` are the other wagers of `seat`; returns what was said of the fold."""
    table.act(a.BeginRound("red"))
    for player in (1, 3):
        table.act(a.PlaceWager(player, "ante", 1000))
        table.act(a.PlaceWager(player, "blind", 1000))
    for name in lies:
        if name == "progressive":
            table.chip(seat)
        else:
            table.act(a.PlaceWager(seat, name, 500))
    table.let_out().deal()
    for street in (a.Street.FLOP, a.Street.LAST_TWO):
        table.decide_all(a.Decision.CHECK)
        table.act(a.RevealCommunity(street))
    said = next(x for x in table.answer(1, "fold") if isinstance(x, f.DecisionRecorded))
    table.answer(3, "play", 1)
    return said


def reveal(table):
    return table.act(a.RevealDealer())


@pytest.mark.parametrize("wager", ["progressive", "ultimate_pairs", "bad_beat"])
def test_the_dealers_hand_waits_until_the_folded_cards_are_recorded(folds, wager):
    """R-137 = recorded. They are told before the rack, and not after it."""
    table, said = folds((wager,))
    assert (said.cards_to, said.under, said.reading) == ("rack_recorded", "", "R-137")
    assert said.cite == ("11.F(3)(b)", "11.F(3)(d)")
    refused = table.refused(a.RevealDealer())
    assert (refused.code, refused.cite) == ("folded_hand_unrecorded", ("11.F(3)(b)", "11.F(3)(d)"))
    asked = next_act(table.setup, table.state)
    assert asked.says == "Record the folded cards of seat 1, then place them in the rack (record_hand)."
    assert asked.act == a.RecordHand(Area.PLAYER, "?? ??", 1)
    table.act(FOLDED)
    assert isinstance(next_act(table.setup, table.state).act, a.RevealDealer)
    reveal(table)


def test_cards_that_could_not_be_read_are_recorded_so(folds):
    """Then the wager is held as not provable, and nobody waits for ever."""
    table, _ = folds(("ultimate_pairs",))
    table.act(a.RecordHand(Area.PLAYER, "?? ??", 1))
    reveal(table)
    line = next(x for x in offer(table.setup, table.round).lines if x.wager == "ultimate_pairs")
    assert line.outcome is Outcome.HELD


@pytest.mark.parametrize("wager", ["progressive", "ultimate_pairs", "bad_beat"])
def test_they_may_be_kept_under_the_wager_until_the_settlement(folds, wager):
    """R-137 = kept: as under Trips; they are turned up, and told, at the conclusion of the round."""
    table, said = folds((wager,), cards="kept")
    assert (said.cards_to, said.under, said.reading) == ("under_wager", wager, "R-137")
    table.refused(FOLDED)
    reveal(table)
    table.act(FOLDED)


@pytest.mark.parametrize(("lies", "rest"), [
    ((), "settled"), (("play_the_board",), "settled"), (("ultimate_pairs", "bad_beat"), "ask"), (("progressive",), "lost"),
])  # fmt: skip
@pytest.mark.parametrize("cards", ["recorded", "kept"])
def test_cards_that_decide_nothing_go_to_the_rack_at_once(folds, lies, rest, cards):
    """Without such a wager, where only the board counts, and where R-103 decides the wager whatever the cards are."""
    table, said = folds(lies, rest, cards)
    assert (said.cards_to, said.under, said.reading) == ("rack", "", None)
    reveal(table)


OTHERS = {"ma-uth": ("cover_all", "R-97", "10(e)(2)(ii)"), "md-uth": ("progressive", "R-109", "11.F(3)(b)")}


@pytest.mark.parametrize("counts", ["counts", "ask", "does_not_count"])
@pytest.mark.parametrize("cards", ["recorded", "from_rack"])
@pytest.mark.parametrize("name", OTHERS)
def test_a_folded_hand_that_may_decide_a_wager_of_others_is_read_as_elected(make_table, name, cards, counts):
    """R-142: Cover All and envy by the hand of another player. Seat 3 has the wager, seat 1 folds."""
    wager, reading, clause = OTHERS[name]
    elect = {reading: counts, "R-142": cards, "R-135": "ask"}
    table = make_table(name, elect=elect, offered=("trips", wager)).ready()
    if wager == "cover_all":
        table.online("shuffler-1", levels=e.Levels(dispensing=e.INHIBITED, mode=e.Mode.COVER_ALL, cards_inside=0))
    said = one_folds(table, 3, (wager,))
    if cards == "recorded" and counts != "does_not_count":
        assert (said.cards_to, said.reading) == ("rack_recorded", "R-142")
        refused = table.refused(a.RevealDealer())
        assert refused.code == "folded_hand_unrecorded"
        assert clause in refused.cite
        table.act(FOLDED)
    else:
        assert (said.cards_to, said.reading) == ({"ma-uth": "rack_spread", "md-uth": "rack"}[name], None)
    reveal(table)


@pytest.mark.parametrize(("rule", "refused"), [("after_progressive", True), ("any", False)])
def test_the_newest_wagers_have_the_place_that_was_elected(make_table, rule, refused):
    """R-138. Clause: md-uth 11.I, 11.J, 11.K. Other documents name each of their wagers in the order."""
    table = make_table("md-uth", elect={"R-138": rule}, offered=ALL).ready()
    table.act(a.BeginRound("red"))
    for name in ("ante", "blind", "ultimate_pairs"):
        table.act(a.PlaceWager(1, name, 1000))
    table.let_out().deal().to_showdown()
    pairs = a.SettleWager(1, "ultimate_pairs", Outcome.LOSE)
    if refused:
        assert table.refused(pairs).reason == "first seat 1: ante, blind, play"
        for name in ("ante", "blind", "play"):
            table.act(a.SettleWager(1, name, Outcome.LOSE))
    table.act(pairs)
