"""Cards that were told against what was announced before of the same hand: which of the two is wrong a person finds out. Pure.

What these say is published and kept in logs, so that none of them names a card.
"""

from controller.cards.house_ways import is_natural
from controller.games.settling.pikit import reaches_minimum
from controller.games.settling.round import UNREADABLE
from controller.rules.vocabulary import Area
from controller.table import acts as a
from controller.table.offer import offer
from controller.table.state import Fate, Round, Setup

REMEDY = f"tell the cards again if they were told wrongly ({a.RecordHand.kind})"


def contradicted(setup: Setup, before: Round, now: Round, told: a.RecordHand) -> str | None:
    """What the hand that was recorded between the two states contradicts, in words, with what can be done; None = nothing.

    Which cards the dealer plays may still be asked for, and is no contradiction.
    Clause: `[play] dealer_qualifies`, `dealer_natural`; a declaration, a natural or a setting of cards by the game's own.
    """
    cards = now.seen[told.area, told.seat].cards
    if told.area is Area.DEALER and UNREADABLE not in cards:
        if now.qualified is not None and reaches_minimum(cards) is not now.qualified:
            said = "reach" if now.qualified else "not reach"
            return (
                f"the dealer's hand was said to {said} its minimum, and by its cards it is otherwise; {REMEDY}, or settle by "
                f"the cards what was given back or was not ({a.CorrectSettlement.kind})"
            )
        if now.natural is not None and is_natural(cards) is not now.natural:
            said = "a natural" if now.natural else "no natural"
            return (
                f"the dealer's hand was said to be {said}, and by its cards it is otherwise; {REMEDY}, "
                "or decide about the round"
            )
    refused = _refused(setup, now) if told.area is Area.PLAYER or told.played else ""
    if refused and refused != _refused(setup, before):
        return (
            f"the cards that were told do not fit what was answered or set, and nothing is compared with them; {REMEDY}, "
            f"or report what happened ({a.ReportIrregularity.kind})"
        )
    return None


def returned_by_announcement(setup: Setup, round_: Round, seat: int, wager: str) -> bool:
    """True where this wager went back by what was said of the dealer's hand, which its cards may show to be wrong."""
    natural = setup.law.rulebook.play.dealer_natural
    names = (
        *(round_.game.returned_unqualified if round_.qualified is False else ()),
        *(natural.value if natural is not None and round_.natural else ()),
    )
    whose = round_.seats[seat]
    return wager in names and not round_.void and not whose.void and whose.wagers[wager].fate is Fate.RETURNED


def _refused(setup: Setup, round_: Round) -> str:
    found = offer(setup, round_)
    return found.refused if found else ""
