"""A player was dealt too few cards and has still to choose: acts that continue the round wait for the answer."""

from controller.table.state.table import State
from controller.table.words.refusal import Refusal


def short_hand_first(state: State, seat: int) -> Refusal | None:
    """Why this seat, or with 0 the table, waits: a player who was dealt too few cards has still to choose."""
    asked = state.short_hand(seat)
    return (
        Refusal(f"first {asked.id}: {asked.action} (seat {asked.seat})", asked.cite, code="duty_first")
        if asked
        else None
    )
