"""Who sits where: the positions of one player, and where the cards of a hand go that is over."""

from controller.games.model import Decision
from controller.rules.parts import LaidAway
from controller.rules.vocabulary import Area, Settle
from controller.table.refusal import Refusal
from controller.table.settle_acts import RecordHand
from controller.table.state import Fate, Round, Setup

LONGEST_NAME = 64
UNDER, RECORDED = "under_wager", "rack_recorded"
"""Where the cards of a folded hand stay: under a wager that they decide, or in sight until they were recorded."""


def positions(setup: Setup, round_: Round, player: str, seat: int = 0) -> Refusal | None:
    """Why this player may not have wagers at these positions, `seat` among them. Clause: `[table] positions, adjacent`."""
    law = setup.law.rulebook
    placed = {n for n, at in round_.seats.items() if any(w.player == player for w in at.wagers.values())}
    seats = sorted(placed | ({seat} if seat else set()))
    where = ", ".join(map(str, seats))
    if len(seats) > law.positions.value:
        return Refusal(
            f"{player} has wagers at seats {where}: a player has {law.positions.value} here", law.positions.cite
        )
    apart = bool(seats) and seats[-1] - seats[0] >= len(seats)
    if apart and law.adjacent is not None and law.adjacent.value:
        return Refusal(
            f"{player} has wagers at seats {where}: a player's positions lie side by side", law.adjacent.cite
        )
    return None


def players(round_: Round) -> set[str]:
    """The players who are known by name or number."""
    return {w.player for seat in round_.seats.values() for w in seat.wagers.values()} - {""}


def unnamed(round_: Round) -> list[int]:
    """Seats in play of which nobody said who plays there."""
    return [n for n, seat in round_.in_play.items() if not any(w.player for w in seat.wagers.values())]


def laid_away(setup: Setup, round_: Round, seat: int, decision: Decision) -> LaidAway | None:
    """Where the cards of this seat go once its player has answered so; None where the hand plays on. Clause: `[[laid_away]]`."""
    law = setup.law.rulebook
    lies = {name for name, w in round_.seats[seat].wagers.items() if w.fate in (Fate.LIVE, Fate.STANDS)}
    rules = (rule for rule in law.laid_away if rule.after == decision)
    rule = next((rule for rule in rules if rule.beside is None or rule.beside in lies), None)
    read, rest = law.play.folded_cards, law.settlement.get(Settle.FOLDED_REST)
    to = setup.law.decided(read) if read is not None else None
    if rule is None or rule.to == UNDER or decision is not Decision.FOLD or read is None or to is None:
        return rule
    decides = law.play.folded_decides.value if law.play.folded_decides else ()
    beside = next((name for name in decides if name in lies), None)
    if beside is None or rest is None or rest.value != "settled":
        return rule
    return LaidAway(rule.after, to, read.cite, beside if to == UNDER else None, read.reading)


def unread_before_rack(setup: Setup, round_: Round) -> Refusal | None:
    """Why the dealer's hand waits: a folded hand decides a wager, and its cards are recorded before they go to the rack.

    Clause: `[play] folded_cards`.
    """
    for seat, at in round_.seats.items():
        laid = laid_away(setup, round_, seat, Decision.FOLD) if at.folded and not at.void else None
        if laid is not None and laid.to == RECORDED and (Area.PLAYER, seat) not in round_.seen:
            told = f"seat {seat}: first record the cards of the folded hand ({RecordHand.kind}), then place them in the rack"
            return Refusal(told, laid.cite, code="folded_hand_unrecorded")
    return None
