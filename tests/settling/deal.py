"""Rounds in which chance is in the cards alone: whatever a player does is drawn without a look at them.

The exceptions are what a hand itself makes of the play, and are the same in each round of one kind: a natural is announced,
an instant winner is announced in the rounds called `ANNOUNCED` and by nobody in those called `SILENT`, and in Fast Action
players set their hands by the house ways, as the dealer does, so that neither is ahead.
"""

from typing import Final

from controller.cards.house_ways import set_hand
from controller.cards.three import three_straight_flush
from controller.games.model import Decision
from controller.games.settling.round import Hand, Round
from controller.table.words.structs import replace
from tests.support.dealt import ANTE, Dealer

ANNOUNCED, SILENT = "announced", "silent"
STAKES: Final = (ANTE, 1_001, 400_000)
"""Of the first wagers, in cents: one that breaks at 3 to 2 and at a half, one that reaches the limits of a payout."""


class Blindfold(Dealer):
    """Deals such rounds under one law; `Round.id` says of which kind a round is."""

    often = 0.8

    def round(self, seats: int = 6) -> Round:
        self._declare = self._rng.random() < 0.25
        return replace(super().round(seats), id=ANNOUNCED if self._declare else SILENT)

    def _wagers(self) -> dict[str, int]:
        stake = self._rng.choice(STAKES)
        return {name: stake if cents == ANTE else cents for name, cents in super()._wagers().items()}

    def _colorado(self, seat: int) -> Hand:
        hand = super()._colorado(seat)  # three of a kind is declared there
        if not (self._declare and three_straight_flush(hand.cards)):
            return hand
        wagers = {name: cents for name, cents in hand.wagers.items() if name != "bet"}
        return Hand(seat, wagers, hand.cards, (Decision.DECLARE,))

    def _fast_action(self, seat: int) -> Hand:
        hand = super()._fast_action(seat)
        return replace(hand, played=set_hand(hand.cards).plays[0]) if hand.played else hand
