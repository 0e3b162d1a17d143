"""Ultimate Texas Hold 'Em: three decisions, two streets, then the dealer's hand."""

from controller.games.model import (
    Answer,
    Decision,
    Game,
    Phase,
    Settle,
    ShowCommunity,
    ShowDealer,
    Stage,
    Street,
)
from controller.rules.vocabulary import Moment

_CHECK = Answer(Decision.CHECK, final=False)
_PLAY = Answer(Decision.PLAY, places="play")
_FOLD = Answer(Decision.FOLD, folds=True)
_FOLD_LATER = "a player may fold only after all community cards are shown; until then check or play"

ULTIMATE = Game(
    name="ultimate",
    base="ante",
    stages=(
        Stage(
            Phase.PRE_FLOP,
            "Show the flop.",
            ShowCommunity(Street.FLOP, 3),
            (_CHECK, _PLAY),
            Moment.PRE_FLOP,
            otherwise=_FOLD_LATER,
        ),
        Stage(
            Phase.FLOP,
            "Show the last two community cards.",
            ShowCommunity(Street.LAST_TWO, 2),
            (_CHECK, _PLAY),
            Moment.FLOP,
            otherwise=_FOLD_LATER,
        ),
        Stage(
            Phase.LAST_TWO,
            "Show the dealer's hand.",
            ShowDealer(),
            (_PLAY, _FOLD),
            Moment.LAST_TWO,
            otherwise="after all community cards a player folds or plays",
        ),
        Stage(Phase.SHOWDOWN, "Settle the wagers seat by seat.", Settle()),
    ),
)
