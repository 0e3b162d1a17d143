"""When an act may be done: for each game the phases it belongs to, worked out from the stages of that game.

`None` stands for the time between two rounds. The order is the one in which a refusal names the phases.
"""

from collections.abc import Callable

from controller.games.model import Ending, Game, Phase, Settle, ShowCommunity, ShowDealer

Phases = tuple[Phase | None, ...]
When = Callable[[Game], Phases]
NO_ROUND = None


def between_rounds(game: Game) -> Phases:
    """No round is in play."""
    return (NO_ROUND,)


def betting(game: Game) -> Phases:
    """Bets are open."""
    return (Phase.BETTING,)


def bets_closed(game: Game) -> Phases:
    """From "no more bets" to the first card."""
    return (Phase.BETS_CLOSED,)


def before_deal(game: Game) -> Phases:
    """No card of the round is dealt yet."""
    return (NO_ROUND, Phase.BETTING, Phase.BETS_CLOSED)


def cards_come(game: Game) -> Phases:
    """Cards may leave the set: for the first deal, for the dealer, or for the community."""
    late = tuple(stage.phase for stage in game.dealer_up if isinstance(stage.ends, ShowCommunity))
    return (Phase.BETS_CLOSED, Phase.DEALING, *_ending(game, ShowDealer), *late)


def dealing(game: Game) -> Phases:
    """The first cards are dealt."""
    return (Phase.DEALING,)


def players_asked(game: Game) -> Phases:
    """Players answer."""
    return tuple(stage.phase for stage in game.stages if stage.answers)


def community_shown(game: Game) -> Phases:
    """Community cards are turned up, also after play has stopped; () in a game without them."""
    return (*_ending(game, ShowCommunity), Phase.STOPPED) if game.streets else ()


def dealer_shown(game: Game) -> Phases:
    """The dealer's hand is turned up; what was said of it may be put right until that hand ends the round."""
    ends_with_community = any(isinstance(stage.ends, ShowCommunity) for stage in game.dealer_up)
    put_right = tuple(stage.phase for stage in game.dealer_up) if ends_with_community else ()
    return (*_ending(game, ShowDealer), *put_right)


def course(game: Game) -> Phases:
    """From the first deal to the settlement."""
    return tuple(stage.phase for stage in game.stages)


def hands_shown(game: Game) -> Phases:
    """From the first deal until the round ends."""
    return (*course(game), Phase.SETTLED, Phase.STOPPED)


def hands_shown_and_between(game: Game) -> Phases:
    """From the first deal of one round to the betting of the next."""
    return (*hands_shown(game), NO_ROUND)


def settlement(game: Game) -> Phases:
    """The round is settled as a whole."""
    return _ending(game, Settle)


def wagers_settled(game: Game) -> Phases:
    """Wagers are settled one by one: from the first answer that settles one."""
    stages = game.stages
    settles = (n for n, s in enumerate(stages) if any(x.settles or x.surrenders for x in s.answers))
    first = next(settles, len(stages))
    early = tuple(stage.phase for stage in stages[first:] if not isinstance(stage.ends, Settle))
    return (*early, *settlement(game), Phase.SETTLED, Phase.STOPPED)


def cards_collected(game: Game) -> Phases:
    """Cards lie there and nobody plays them."""
    return (Phase.BETTING, Phase.BETS_CLOSED, Phase.SETTLED, Phase.STOPPED)


def round_over(game: Game) -> Phases:
    """Nothing of the round is left to be decided, or nothing of it has begun."""
    return (Phase.BETTING, Phase.SETTLED, Phase.STOPPED)


def last_of_round(game: Game) -> Phases:
    """All is dealt, or nothing more will be."""
    return (*settlement(game), Phase.SETTLED, Phase.STOPPED)


def in_round(game: Game) -> Phases:
    """A round is in play."""
    return (Phase.BETTING, Phase.BETS_CLOSED, Phase.DEALING, *course(game), Phase.SETTLED, Phase.STOPPED)


def anytime(game: Game) -> Phases:
    """In every phase and between rounds."""
    return (*in_round(game), NO_ROUND)


def _ending(game: Game, kind: type[Ending]) -> tuple[Phase, ...]:
    """The phases that end with an act of this kind."""
    return tuple(stage.phase for stage in game.stages if isinstance(stage.ends, kind))
