"""Pik-it Poker: five cards each, a bonus on three of them, then Play 3, Play 5 or fold against the dealer."""

from controller.games.model import Answer, Decision, Game, Phase, Settle, ShowDealer, Stage
from controller.rules.vocabulary import Moment

_BONUS = ("five_card_bonus", "three_card_bonus")

PIKIT = Game(
    name="pikit",
    base="ante",
    stages=(
        Stage(
            Phase.BONUS_CARDS,
            "",
            None,
            (Answer(Decision.SHOW, final=False, settles=("three_card_bonus",)),),
            Moment.BONUS_CARDS,
            of="three_card_bonus",
            ask="The player shows three cards; settle the bonus on them.",
            otherwise="first each player with a three card bonus shows three cards",
        ),
        Stage(
            Phase.DECISION,
            "Show the dealer's hand.",
            ShowDealer(),
            (
                Answer(Decision.PLAY_3, places="play_3", settles=_BONUS),
                Answer(Decision.PLAY_5, places="play_5", settles=_BONUS),
                Answer(Decision.FOLD, folds=True, settles=_BONUS),
            ),
            Moment.DECISION,
            ask="Show the five cards and settle their bonus first.",
            otherwise="a player places a Play 3 or a Play 5 wager, or folds",
            opened=("five_card_bonus",),
        ),
        Stage(Phase.SHOWDOWN, "Settle the wagers that remain.", Settle()),
    ),
    returned_unqualified=("play_5",),
)
