"""Which game a rulebook plays, by the name that stands in its file."""

from controller.games.colorado import COLORADO
from controller.games.fast_action import FAST_ACTION
from controller.games.model import Game
from controller.games.pikit import PIKIT
from controller.games.ultimate import ULTIMATE
from controller.rules.model import Rulebook

GAMES: dict[str, Game] = {game.name: game for game in (ULTIMATE, PIKIT, COLORADO, FAST_ACTION)}

UNNAMED = ULTIMATE
"""The game of rounds that were recorded before a record named its game."""


def game_of(rulebook: Rulebook) -> Game | None:
    """None for a game that this version does not play; `not_played` says so in words."""
    return GAMES.get(rulebook.plays)


def not_played(rulebook: Rulebook) -> str:
    """What a person reads about a rulebook whose game `game_of` does not know."""
    return (
        f"{rulebook.id} plays {rulebook.plays}, and rounds of that game cannot be played with this version yet; "
        f"it plays: {', '.join(GAMES)}"
    )


def unplayable(rulebook: Rulebook) -> str | None:
    """Why no round of this rulebook can be played with this version; None where it can be."""
    game = game_of(rulebook)
    if game is None:
        return not_played(rulebook)
    misfits = game.misfits(rulebook)
    return f"{rulebook.id} does not fit its game {game.name}: {'; '.join(misfits)}" if misfits else None
