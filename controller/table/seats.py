"""Who sits where: the positions of one player, and where the cards of a hand go that is over."""

from controller.games.model import Decision
from controller.rules.parts import LaidAway
from controller.table.refusal import Refusal
from controller.table.state import Fate, Round, Setup

LONGEST_NAME = 64


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
    lies = {name for name, w in round_.seats[seat].wagers.items() if w.fate in (Fate.LIVE, Fate.STANDS)}
    rules = (rule for rule in setup.law.rulebook.laid_away if rule.after == decision)
    return next((rule for rule in rules if rule.beside is None or rule.beside in lies), None)
