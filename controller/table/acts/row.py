"""One row of the act registry: everything the table knows of an act but what its fields are."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NamedTuple

from controller.rules.vocabulary import Role
from controller.table.acts.phases import When
from controller.table.fold.ruling import Draft
from controller.table.state.table import Setup, State
from controller.table.words.acts import A, Act
from controller.table.words.inputs import Actor
from controller.table.words.refusal import Refusal
from drivers.protocol.records import dataclass


class Contradiction(NamedTuple):
    """Two statements of one act that cannot both be true. `fields`: the names of those that contradict each other."""

    code: str
    reason: str
    cite: tuple[str, ...]
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row(Generic[A]):
    """An act, the phases it belongs to, who may do it, why not, and what it does.

    `verify` says why the act cannot be done now, None = nothing but phase and role stands in its way. `record` adds the facts
    of an act that is allowed. `least_role`: the rulebook's `act_roles` come before it.
    `while_held`: may be done while play is held. `plays_on`: relies on knowing what every device has done, so it waits until
    each awaited device was heard again. `for_technicians`: a technician may do it too.
    `contradiction` finds statements that cannot both be true. `disturbs` names devices and sets that a dispute may keep as
    they are. `tries` lists all acts of this kind that could be accepted, None = nobody can list them. `parts`: of an act that is
    other acts, these, in place of `record`.
    """

    act: type[A]
    when: When
    verify: Callable[[Setup, State, A, Actor], Refusal | None] | None
    record: Callable[[Draft, A, Actor], None] | None = None
    least_role: Role = Role.DEALER
    while_held: bool = False
    plays_on: bool = False
    for_technicians: bool = False
    contradiction: Callable[[Setup, State, A], Contradiction | None] | None = None
    disturbs: Callable[[State, A], tuple[str, ...]] | None = None
    tries: Callable[[Setup, State], Iterable[A]] | None = None
    parts: Callable[[Setup, State, A], Sequence[Act]] | None = None


AnyRow = Row[Any]
"""A row that is looked up by the kind of its act."""
