"""Which kinds of acts somebody may do now: what belongs to the phase, without what would be refused whatever its values are.

Of acts with few values each is tried; of those with sums, cards or words nobody knows them beforehand, and these stay.
"""

from controller.rules.vocabulary import Role
from controller.table.acts.permissions import allowed, can
from controller.table.acts.registry import REGISTRY
from controller.table.state.table import Setup, State
from controller.table.words.inputs import Actor

PEOPLE = tuple(
    Actor("", role) for role in (Role.SUPERVISOR, Role.DEALER, Role.FLOORPERSON, Role.PLAYER, Role.TECHNICIAN)
)
"""Of each role one, those first who may do most."""


def possible(setup: Setup, state: State) -> list[str]:
    """Kinds of acts of which at least one would be accepted now, as far as that can be tried.

    At a table that may not open, only kinds that were tried: what cannot be tried there belongs to play.
    """
    may_open = state.open or state.round is not None or not setup.law.unelected(setup.offered)
    kinds = [kind for kind in allowed(state) if may_open or REGISTRY[kind].tries is not None]
    return [kind for kind in kinds if some(setup, state, kind)]


def some(setup: Setup, state: State, kind: str) -> bool:
    """Whether one act of this kind, which belongs to the phase, would be accepted from anybody."""
    tries = REGISTRY[kind].tries
    return tries is None or any(can(setup, state, act, person) for act in tries(setup, state) for person in PEOPLE)
