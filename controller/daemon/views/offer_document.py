"""The offered settlement as data for the table's people. It depends on cards, so it stays on the table PC."""

from typing import Any

from msgspec import to_builtins

from controller.games.model import Phase
from controller.games.settling.engine import settler_of
from controller.games.settling.settled import Line
from controller.rules.vocabulary import Area
from controller.table.questions.announcement import announced
from controller.table.settlement.offer import Missing, offer
from controller.table.state.table import Setup, State
from controller.table.words import acts as a
from controller.text.lean_json import lean

Document = dict[str, Any]


def offer_document(setup: Setup, state: State) -> Document | None:
    """Returns what cards and pay tables make of the waiting wagers, in the document's order; None if none wait.

    `lines`: as in a settlement, in cents; `asks`: acts that would add information; `refused`: why nothing is
    offered, or which recorded hand is impossible and unused; `uncounted`: seats without an offer, because nobody
    counted their chips.
    """
    round_ = state.round
    if round_ is None or round_.phase is Phase.SETTLED:
        return None
    found = offer(setup, round_)
    if found is None:
        return None
    return {
        "round": round_.id,
        "currency": setup.currency,
        "lines": [_line(line) for line in found.lines],
        "cuts": lean(found.cuts),
        "asks": [_asked(setup, missing) for missing in found.missing],
        "refused": found.refused,
        "uncounted": list(found.uncounted),
    }


def announced_document(setup: Setup, state: State) -> Document | None:
    """Returns what the dealer announces: `hands` in words, and clauses; None if there is nothing to announce."""
    rule = setup.law.rulebook.play.dealer_announced
    hands = announced(setup, state.round) if state.round is not None else ()
    return {"hands": [hand.says for hand in hands], "cite": list(rule.cite)} if hands and rule else None


def _line(line: Line) -> Document:
    document: Document = to_builtins(lean(line))
    return document


def _asked(setup: Setup, missing: Missing) -> Document:
    """Returns the requested act and what it needs: a meter's least value, how many cards to choose."""
    settler = settler_of(setup.law)
    if missing.area is None:
        least, _ = settler.resets[missing.meter]
        return {"act": a.RecordMeter.kind, "meter": missing.meter, "least": least}
    asked: Document = {"act": a.RecordHand.kind, "area": missing.area.value}
    asked |= {"seat": missing.seat} if missing.seat else {}
    chooses = {"played": settler.played, "shown": settler.shown} if missing.area is Area.PLAYER else {}
    return asked | {name: count for name, count in chooses.items() if count}
