"""The short form of `make rounds`: some thousand rounds of each game add up, and rows come as often as they must."""

from collections import Counter

import pytest

from controller.cards.ranking import Category
from controller.games.settling import words
from controller.rules.pay import PayHand
from tests.settling.games import BY_NAME, GAMES
from tests.settling.rounds import PIECE, Tally, pieces, play, report, verdicts

ROUNDS, SEED = 2_500, 1
MARYLAND = "ultimate, Maryland"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", BY_NAME)
def test_rounds_add_up_and_rows_come_as_often_as_they_must(name: str) -> None:
    """Some thousand rounds: each is checked line by line, then each wager is counted at each seat."""
    tally: Tally = Counter()
    for piece, rounds in pieces(ROUNDS):
        tally.update(play(name, SEED, piece, rounds))
    told, right = report(BY_NAME[name], tally)
    print(told)
    assert right, told


def test_every_wager_of_every_game_is_counted() -> None:
    """No wager is without a trial, and no trial without rounds to count in."""
    for game in GAMES:
        assert {trial.wager for trial in game.trials} == set(game.law().rulebook.wagers)
        assert [
            str(found) for found in verdicts(game, play(game.name, SEED, 0, 500)) if not found.fit.counted
        ] == []


def test_pieces_make_up_the_rounds() -> None:
    """The last one is shorter."""
    assert pieces(PIECE + 1) == [(0, PIECE), (1, 1)]
    assert sum(rounds for _, rounds in pieces(ROUNDS)) == ROUNDS


def test_a_row_that_takes_the_hands_of_another_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Straights paid as flushes: two thousand rounds are enough for trips and blind."""
    monkeypatch.setitem(words._OF_CATEGORY, Category.STRAIGHT, (PayHand.FLUSH, PayHand.LESS))
    wrong = {
        verdict.trial.wager
        for verdict in verdicts(BY_NAME[MARYLAND], play(MARYLAND, SEED, 0, 2_000))
        if verdict.wrong
    }
    assert {"trips", "blind"} <= wrong
