"""The phase of a round and the cut of a set move by their tables alone, and each row is reached."""

import pytest

from controller.games.model import Phase
from controller.games.registry import GAMES
from controller.rules.vocabulary import Method, Trigger
from controller.table.decide import decided
from controller.table.fold import card_sets, rounds
from controller.table.fold.card_sets import CUTS, CutMove, cut_after
from controller.table.fold.rounds import AFTERWARDS, TRANSITIONS, Move, Place, moved, place
from controller.table.fold.transition import NoSuchTransition
from controller.table.state.card_set import Cut
from controller.table.state.table import Round, State
from controller.table.words import acts as a
from tests.kept.days import FOLDER, inputs_of, read

NOT_TODAY = {
    *((Place.SETTLED, move) for move in AFTERWARDS),
    *((Place.STOPPED, move) for move in AFTERWARDS if move is not Move.COMMUNITY_SHOWN),
    *((Cut.DUE, move) for move in (CutMove.ASKED, CutMove.DEALT)),
    (
        Cut.MARK_DUE,
        CutMove.ASKED,
    ),  # no document knows both a second cut and a cutting card that goes in after the first
}
"""No act comes to these under the documents of today; a record that has one is still folded."""


def round_in(phase, game="pikit"):
    return Round("r1", 1, "red", Method.DEALING_SHOE, phase=phase, game=GAMES[game])


@pytest.mark.parametrize("game", GAMES)
def test_every_phase_of_a_game_has_its_place(game):
    """Two places of the table stand for all stages of all games."""
    stages = [stage.phase for stage in GAMES[game].stages]
    alike = [Phase.BETTING, Phase.BETS_CLOSED, Phase.DEALING, Phase.SETTLED, Phase.STOPPED]
    assert [place(round_in(phase, game)) for phase in stages[:-1]] == [Place.STAGE] * (len(stages) - 1)
    assert place(round_in(stages[-1], game)) is Place.SETTLING
    assert [place(round_in(phase, game)).name for phase in alike] == [phase.name for phase in alike]


@pytest.mark.parametrize("move", Move)
@pytest.mark.parametrize("phase", [Phase.BETTING, Phase.DEALING, Phase.DECISION, Phase.SHOWDOWN, Phase.SETTLED])
def test_what_has_no_row_is_an_error(phase, move):
    """A round in a phase where that cannot have happened is not taken further."""
    round_ = round_in(phase)
    if move in TRANSITIONS[place(round_)]:
        return
    with pytest.raises(NoSuchTransition, match=move.name.lower()):
        moved(round_, move)


@pytest.mark.parametrize("move", [Move.COMMUNITY_SHOWN, Move.ROUND_SETTLED])
@pytest.mark.parametrize("phase", [Phase.SETTLED, Phase.STOPPED])
def test_what_an_earlier_record_tells_after_the_end_moves_nothing(phase, move):
    assert moved(round_in(phase), move) == round_in(phase)


@pytest.mark.parametrize("move", CutMove)
@pytest.mark.parametrize("cut", Cut)
def test_a_cut_moves_by_its_table(cut, move):
    if move in CUTS[cut]:
        assert cut_after(cut, move) is CUTS[cut][move]
        return
    with pytest.raises(NoSuchTransition, match=move.name.lower()):
        cut_after(cut, move)


@pytest.fixture
def seen(monkeypatch):
    """All moves that are made in this test."""
    found = set()
    move_round, move_cut = rounds.moved, card_sets.cut_after

    def round_moves(round_, move):
        found.add((place(round_), move))
        return move_round(round_, move)

    def cut_moves(cut, move):
        found.add((cut, move))
        return move_cut(cut, move)

    monkeypatch.setattr(rounds, "moved", round_moves)
    monkeypatch.setattr(card_sets, "cut_after", cut_moves)
    return found


def test_plays_reach_each_row(seen, make_table):
    """The golden days, and three plays that none of them has."""
    for path in sorted(FOLDER.glob("*.jsonl.gz")):
        setup, kept = read(path)
        state = State.initial(setup)
        for given in inputs_of(kept):
            state = decided(setup, state, given).state
    a_spared_wager_gets_its_community_cards(make_table)
    the_only_player_leaves_at_the_showdown(make_table)
    the_cutting_card_goes_into_the_stack(make_table)
    rows = {(where, move) for table in (TRANSITIONS, CUTS) for where, row in table.items() for move in row}
    assert rows - seen == NOT_TODAY
    assert seen - rows == set()


def a_spared_wager_gets_its_community_cards(make_table):
    table = make_table("md-uth", elect={"R-11": "return"}).ready().begin(seats=(1, 3), trips=(1,)).let_out().deal()
    table.act(a.ReportIrregularity(Trigger.DEALER_CARD_EXPOSED))
    table.act(a.RevealCommunity(a.Street.FLOP))


def the_only_player_leaves_at_the_showdown(make_table):
    table = make_table("md-uth").ready().begin(seats=(1,)).let_out().deal().to_showdown()
    table.act(a.ReportIrregularity(Trigger.PLAYER_LEFT, seat=1))
    table.act(a.ResolveHold(next(iter(table.state.holds)), a.Resolution.RETURN_WAGER))


def the_cutting_card_goes_into_the_stack(make_table):
    table = make_table("fast-action", Method.MANUAL_SHOE, devices=(), backs=("red",)).open()
    table.act(a.RecordShuffle("red"))
    table.act(a.RecordCut("red", 3))
    table.act(a.PlaceCuttingCard("red"))
