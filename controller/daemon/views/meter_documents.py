"""What a progressive meter that the table computes shows to people and programs. Never its reserve: these reach players."""

from collections.abc import Iterator
from typing import Any

from controller.games.settling.meters import PARTS, Account
from controller.table.state.table import MeterState, Setup, State

Document = dict[str, Any]


def meter_documents(setup: Setup, state: State) -> dict[str, Document]:
    """Returns each meter by name: what it shows, what was paid, and the claims of this round and the last."""
    return {
        name: {
            "meter": name,
            "cents": meter.ledger.cents,
            "currency": setup.currency,
            "generation": meter.ledger.generation,
            "base": meter.ledger.terms.base,
            "rise": meter.ledger.terms.rise,
            "limit": meter.ledger.terms.limit,
            "overflow": meter.ledger.of(Account.OVERFLOW) // PARTS,
            "hits": meter.ledger.claims,
            "paid": meter.ledger.of(Account.PAID) // PARTS,
            "claims": list(_claims(state, meter)),
        }
        for name, meter in state.meters.items()
    }


def _claims(state: State, meter: MeterState) -> Iterator[Document]:
    validated = {r.id: r.validated for r in (state.last_round, state.round) if r is not None}
    for name, wager in meter.booked.items():
        round_, _, seat = name.rpartition("/")
        if round_ in validated and not wager.void and (wager.seen or wager.prize is not None):
            stage = "validated" if int(seat) in validated[round_] else "seen"
            cents = wager.seen if wager.prize is None else wager.prize
            yield {
                "round": round_, "seat": int(seat), "cents": cents, "stage": stage if wager.prize is None else "paid",
            }  # fmt: skip
