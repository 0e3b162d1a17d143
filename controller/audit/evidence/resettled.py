"""Works out a round's wagers from its recorded cards, when the evidence is made.

If all wagers were settled at once, nobody recorded each result, but the cards still give it. The result is not on
record and binds nobody: anyone with the file's rulebook, house choices and cards can repeat it.
"""

from collections.abc import Mapping, Sequence

import msgspec

from controller.cards.cards import CardError
from controller.games.settling.round import read_cards
from controller.journal.proof.prove import Told
from controller.rules.vocabulary import Area
from controller.table.settlement.offer import Offer, offer
from controller.table.state.table import Fate, Round, SeenHand, Setup, Wager
from controller.table.words.structs import replace


def by_cards(setup: Setup, round_: Round, hands: Sequence[Told]) -> Offer | None:
    """Returns a line for each settled wager of a played round, as if none was settled yet; None without any.

    `hands`: proved ones. A sealed hand counts as unread, and what depends on it is held.
    """
    if round_.void or not round_.played:
        return None
    seats = {number: replace(seat, wagers=_as_placed(seat.wagers)) for number, seat in round_.seats.items()}
    last = round_.game.stages[-1].phase
    return offer(setup, replace(round_, seats=seats, phase=last, seen=_seen(hands)))


def _as_placed(wagers: Mapping[str, Wager]) -> dict[str, Wager]:
    return {name: replace(w, outcome=None) if w.fate is Fate.SETTLED else w for name, w in wagers.items()}


def _seen(hands: Sequence[Told]) -> dict[tuple[Area, int], SeenHand]:
    """Returns the last recorded hand of each area and seat, without sealed ones."""
    found: dict[tuple[Area, int], SeenHand] = {}
    for hand in hands:
        body = msgspec.json.decode(hand.record.data)
        place = Area(body["area"]), int(body.get("seat", 0))
        found.pop(place, None)
        if hand.sealed:
            continue
        try:
            cards, played, shown = (_field(hand, body, name) for name in ("cards", "played", "shown"))
        except CardError:
            continue  # what a device called a card once, and nobody can name today
        found[place] = SeenHand(cards, played, shown)
    return found


def _field(hand: Told, body: Mapping[str, object], name: str) -> tuple[int, ...]:
    if hand.clear:
        return read_cards(str(body.get(name, "")))
    return read_cards(" ".join(card.card for card in hand.cards if card.field == name))
