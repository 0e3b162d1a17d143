"""Refuses what stands on a line of `settle` and could have no effect: unused keys, currencies, an invalid
correction. Pure.

The writer relies on such a key, so ignoring it would settle another round than was meant.
"""

from collections.abc import Collection, Iterator

from controller.games.settling.engine import Settler
from controller.games.settling.round import MOST_SUM, Round
from controller.games.settling.settled import ENVY, Settlement, label
from controller.games.settling.side import SIX_CARD
from controller.readers.json import LineRefused
from controller.readers.nearest import nearest
from controller.rules.amounts import CURRENCY


def refuse_unused(given: Round, settler: Settler) -> None:
    """Raises `LineRefused` for the first key that this document, as elected, does not use."""
    name, meters = settler.law.rulebook.id, settler.resets
    for key, why in _unused(given, settler):
        raise LineRefused(f"{key} has no use in {name}, where {why}; leave it out", "key_unused")
    for meter in given.meters:
        if meter not in meters:
            known = nearest(meter, meters) if meters else "(it is paid from none)"
            raise LineRefused(
                f"'meters' has {meter!r}, from which no wager is paid as elected {known}", "word_unknown"
            )


def _unused(given: Round, settler: Settler) -> Iterator[tuple[str, str]]:
    """Returns an unused key, and why it has no effect."""
    book = settler.law.rulebook
    for hand in given.hands:
        if hand.played and not settler.played:
            yield f"seat {hand.seat}: 'played'", "no player chooses which cards to play"
        if hand.shown and not settler.shown:
            yield f"seat {hand.seat}: 'shown'", "no bonus is settled on cards that are shown"
    if given.dealer and not book.hand.dealer_cards:
        yield "'dealer'", "the dealer has no hand"
    if given.dealer_played and not (book.hand.dealer_cards and settler.played):
        yield "'dealer_played'", "the dealer chooses no cards to play"
    if given.community and not book.hand.community_cards:
        yield "'community'", "there are no community cards"
    if given.box and SIX_CARD not in book.wagers:
        yield "'box'", "there is no six card bonus"


def refuse_currency(currency: str, where: str) -> None:
    """Raises `LineRefused` for an unknown currency; "" names none and is valid."""
    if currency and not CURRENCY.fullmatch(currency):
        raise LineRefused(
            f"{where!r} is {currency!r}, and must be three capital letters such as USD", "text_unfit"
        )


def refuse_correction(corrects: Settlement, now: Settlement, wagers: Collection[str]) -> None:
    """Raises `LineRefused` for a settlement that this one cannot correct, or `settle` cannot have printed.

    `wagers`: those of the document.
    """
    if (corrects.rulebook, corrects.round) != (now.rulebook, now.round):
        raise LineRefused(
            f"'corrects' is round {corrects.round!r} under {corrects.rulebook}, and this is round "
            f"{now.round!r} under {now.rulebook}",
            "correction_unfit",
        )
    if corrects.currency != now.currency:
        raise LineRefused(
            f"'corrects' is in {corrects.currency!r}, and this round is in {now.currency!r}", "correction_unfit"
        )
    seen: set[tuple[int, str]] = set()
    for line in corrects.lines:
        place = f"'corrects.lines', seat {line.seat}, wager {line.wager!r}"
        if line.wager not in (*wagers, ENVY):
            raise LineRefused(f"{place}: there is no such wager {nearest(line.wager, wagers)}", "word_unknown")
        if min(line.stake, line.returned, line.paid) < 0:
            raise LineRefused(f"{place}: no amount is below 0 cents", "number_out_of_range")
        if line.stake + line.returned + line.paid > MOST_SUM:
            raise LineRefused(
                f"{place}: no amount of a settlement is above {MOST_SUM} cents", "number_out_of_range"
            )
        if (line.seat, label(line)) in seen:
            raise LineRefused(f"{place}: stands there twice, and each wager has one line", "correction_unfit")
        seen.add((line.seat, label(line)))
    for cut in corrects.cuts:
        if not 0 <= cut.cut <= MOST_SUM:
            raise LineRefused(
                f"'corrects.cuts', seat {cut.seat}: a limit takes off 0 to {MOST_SUM} cents, not {cut.cut}",
                "number_out_of_range",
            )
