"""What the dealer announces of the own hand once it is turned up, in words, as far as its cards are known. Pure."""

from controller.games.settling.round import UNREADABLE
from controller.rules.ranked import Ranked, ranked
from controller.rules.vocabulary import Area
from controller.table.state.table import Round, Setup


def announced(setup: Setup, round_: Round) -> tuple[Ranked, ...]:
    """The best hand of the dealer, or where the document ranks two kinds the best of each.

    Empty where the document has nothing announced, after a void, and as long as a card that counts is not known: no part of
    a hand is announced. Clause: `[play] dealer_announced`.
    """
    law = setup.law.rulebook
    rule = law.play.dealer_announced
    if rule is None or not rule.value or round_.void:
        return ()
    dealer, community = (round_.seen.get((area, 0)) for area in (Area.DEALER, Area.COMMUNITY))
    cards = (*(dealer.cards if dealer else ()), *(community.cards if community else ()))
    if dealer is None or UNREADABLE in cards or len(cards) < law.hand.dealer_cards + law.hand.community_cards:
        return ()
    return tuple(hand for hand in ranked(law, cards) if isinstance(hand, Ranked))
