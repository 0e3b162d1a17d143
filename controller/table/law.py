"""The few questions about law that both the checks and the decisions ask: counts, waivers, alternation."""

from controller.table.state import Setup, State
from drivers.events import Capability, DeviceKind

WAIVED_BY_SHUFFLER = "shuffler_counts_each_shuffle"
SWAP_EVERY_ROUND = "round"


def full_set(setup: Setup) -> int:
    """Cards in a whole set. Clause: `[decks] full`."""
    return setup.law.rulebook.decks.full.value


def stub_count_waived(setup: Setup, state: State) -> bool:
    """True where the document waives the stub count and a shuffler in service counts each shuffle.

    Clause: `[stub_count] waived_by`; a document without that value waives nothing.
    """
    rule = setup.law.rulebook.stub.waived_by
    if rule is None or rule.value != WAIVED_BY_SHUFFLER:
        return False
    shuffler = state.device_of(DeviceKind.SHUFFLER)
    return shuffler is not None and Capability.COUNTS_EACH_SHUFFLE in shuffler[1].capabilities


def stub_count_overdue(setup: Setup, state: State) -> int:
    """Rounds played without a count if that is as many as the document allows, else 0. Clause: `[stub_count]`."""
    every = setup.law.rulebook.stub.every_rounds.value
    overdue = state.since_stub_count >= every and not stub_count_waived(setup, state)
    return state.since_stub_count if overdue else 0


def swaps_sets(setup: Setup, state: State) -> bool:
    """True where two sets are at the table and the document swaps them every round. Clause: `[decks] swap_after`."""
    two = sum(s.present for s in state.sets.values()) > 1
    by_round = setup.law.rulebook.decks.swap_after.value == SWAP_EVERY_ROUND
    return two and by_round and state.device_of(DeviceKind.SHUFFLER) is not None
