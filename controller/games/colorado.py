"""Colorado Hold 'Em: three cards each and three for all, one decision, no dealer's hand."""

from controller.games.model import Answer, Decision, Game, Phase, Settle, ShowCommunity, Stage, Street
from controller.rules.vocabulary import Moment

_ALL = ("ante", "bonus")

COLORADO = Game(
    name="colorado",
    base="ante",
    stages=(
        Stage(
            Phase.DECISION,
            "Show the community cards.",
            ShowCommunity(Street.COMMUNITY, 3),
            (
                Answer(Decision.BET, places="bet"),
                Answer(Decision.STAY, version="permissible_bet"),
                Answer(Decision.FOLD, folds=True, version="required_bet"),
                Answer(Decision.DECLARE, settles=_ALL),
            ),
            Moment.DECISION,
            ask="Settle a folded hand or an instant winner at once.",
            otherwise="in this version of the game a player does not answer so",
        ),
        Stage(Phase.SHOWDOWN, "Turn up each hand and settle its wagers.", Settle()),
    ),
)
