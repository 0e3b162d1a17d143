"""Fast Action Hold 'Em: four cards each, hands are set or split or given up, then the dealer's hand and the community."""

from controller.games.model import Answer, Decision, Game, Phase, Settle, ShowCommunity, ShowDealer, Stage, Street
from controller.rules.vocabulary import Moment

_FIRST = ("original",)

FAST_ACTION = Game(
    name="fast_action",
    base="original",
    stages=(
        Stage(
            Phase.SETTING,
            "Turn up the dealer's cards.",
            ShowDealer(),
            (
                Answer(Decision.SET),
                Answer(Decision.SPLIT, places="second_hand", splits=True),
                Answer(Decision.SURRENDER, folds=True, surrenders=True),
                Answer(Decision.NATURAL, settles=_FIRST),
            ),
            Moment.DECISION,
            ask="Collect and count the discards of each hand.",
            otherwise="a player sets the hand, splits it, surrenders it or shows a natural",
        ),
        Stage(
            Phase.DEALER_SET,
            "Set the dealer's hand by the house ways, burn a card, then deal the community cards.",
            ShowCommunity(Street.COMMUNITY, 5),
        ),
        Stage(Phase.SHOWDOWN, "Settle the wagers that remain.", Settle()),
    ),
    keeps_set=True,
)
