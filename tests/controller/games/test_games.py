"""Games as data: each fits the rulebooks that name it, and a game that is not there yet is refused in words."""

from dataclasses import replace

import pytest

from controller.games.model import Phase, Settle
from controller.games.registry import GAMES, game_of, unplayable
from controller.rules.elections import cautious
from controller.rules.read.library import available, find

BOOKS = {name: cautious(find(name), "test").rulebook for name in available()}
PLAYABLE = sorted(name for name, book in BOOKS.items() if unplayable(book) is None)


def test_these_rulebooks_can_be_played():
    """A rulebook that silently stopped being playable would be a table that does not open."""
    assert PLAYABLE == ["fast-action", "ma-colorado", "ma-uth", "md-uth", "nj-pikit"]


def test_a_game_that_is_not_there_yet_is_refused_by_name_with_those_that_are():
    """Not half working: the sentence says which rulebook, which game, and what there is."""
    book = replace(BOOKS["fast-action"], plays="slow_action")
    reason = unplayable(book)
    assert game_of(book) is None
    assert reason is not None
    for word in ("fast-action", "slow_action", "cannot be played", *GAMES):
        assert word in reason


@pytest.mark.parametrize("name", GAMES)
def test_each_game_runs_from_the_deal_to_one_settlement(name):
    """Each phase comes once, the last stage alone settles, and each stage can end: by its act or by its last answer."""
    game = GAMES[name]
    phases = [stage.phase for stage in game.stages]
    assert len(set(phases)) == len(phases)
    assert [isinstance(stage.ends, Settle) for stage in game.stages] == [False] * (len(phases) - 1) + [True]
    assert all(stage.ends is not None or stage.answers for stage in game.stages)
    assert [game.after(phase) for phase in phases] == [*phases[1:], Phase.SETTLED]


@pytest.mark.parametrize("name", PLAYABLE)
def test_a_rulebook_that_lacks_what_its_game_needs_is_refused_with_what_is_missing(name):
    """A wager that is gone, a wager without a price, another number of community cards: each is named."""
    book, game = BOOKS[name], game_of(BOOKS[name])
    stage = next(stage for stage in game.stages if any(answer.places for answer in stage.answers))
    wager = book.wagers[stage.wagers[0]]
    gone = replace(book, wagers={n: w for n, w in book.wagers.items() if n != wager.name})
    assert f"no wager {wager.name}" in unplayable(gone)
    priceless = replace(book, wagers={**book.wagers, wager.name: replace(wager, times=())})
    assert f"what a {wager.name} amounts to" in unplayable(priceless)
    cards = replace(book.hand.player, value=book.hand.community_cards + 1)
    assert "community cards" in unplayable(replace(book, hand=replace(book.hand, community=cards)))
