"""What a rulebook says of acts, answers and moments fits the game that it plays: no word that nobody would ever read."""

import pytest

from controller.games.registry import GAMES
from controller.rules.read.library import available, find
from controller.table.words.acts import ACTS

BOOKS = available()


@pytest.mark.parametrize("rulebook", BOOKS)
def test_acts_with_a_place_in_the_round_or_a_role_are_acts(rulebook):
    """A kind that is misspelt would never be cited and never ask for its role."""
    book = find(rulebook)
    assert set(book.act_order) <= set(ACTS)
    assert set(book.act_roles) <= set(ACTS)


@pytest.mark.parametrize("rulebook", BOOKS)
def test_cards_are_laid_away_after_answers_that_the_game_takes(rulebook):
    """Each answer that ends a hand says where its cards go, and no other answer does."""
    book = find(rulebook)
    answers = {x.decision for stage in GAMES[book.plays].stages for x in stage.answers}
    after = {rule.after for rule in book.laid_away}
    assert after <= answers
    folds = {x.decision for stage in GAMES[book.plays].stages for x in stage.answers if x.folds}
    assert folds <= after


@pytest.mark.parametrize("rulebook", BOOKS)
def test_players_are_asked_in_order_at_moments_of_the_game(rulebook):
    """Where one moment has an order of asking, each has: the documents name it for all or for none."""
    book = find(rulebook)
    moments = {stage.moment for stage in GAMES[book.plays].stages if stage.answers}
    assert set(book.play.asked_from) in (set(), moments)


@pytest.mark.parametrize("rulebook", BOOKS)
def test_what_is_settled_in_a_step_is_a_wager_of_the_document_and_of_one_step(rulebook):
    """A wager that stands in two steps could be settled in neither order."""
    book = find(rulebook)
    names = [name for step in book.settling for name in step.wagers]
    assert set(names) <= set(book.wagers)
    assert len(names) == len(set(names))
