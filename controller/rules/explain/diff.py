"""In what two rulebooks differ: values, pay tables, answers to triggers, and what each of them leaves to an election."""

from collections.abc import Collection, Iterator
from itertools import combinations

from controller.rules.explain.explain import actions_of, values_of
from controller.rules.explain.pay_diff import PayDiffers, pay_differences
from controller.rules.model import Question, Row, Rulebook
from controller.rules.vocabulary import GUARDS_OF, Trigger
from drivers.protocol.records import dataclass


@dataclass(frozen=True, slots=True)
class ValueDiffers:
    """A value as shown on either side, and its clauses; None where that document has no such value."""

    name: str
    left: str | None
    right: str | None
    left_cite: tuple[str, ...] = ()
    right_cite: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerDiffers:
    """Two rows that govern in the same state of the table and do not demand the same.

    `only_left`, `only_right`: what one text demands and the other does not; both may be empty where only readings differ.
    """

    trigger: Trigger
    left: Row
    right: Row
    only_left: tuple[str, ...]
    only_right: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """All in which two rulebooks, `left` and `right`, differ."""

    left: str
    right: str
    values: tuple[ValueDiffers, ...]  # without those of the pay tables
    pay: tuple[PayDiffers, ...]
    answers: tuple[AnswerDiffers, ...]
    only_left: tuple[Question, ...]  # readings and house choices that the other does not ask
    only_right: tuple[Question, ...]


def difference(left: Rulebook, right: Rulebook) -> Difference:
    """What differs; where both say the same under clauses of different numbers, nothing does."""
    asked_left, asked_right = left.questions, right.questions
    return Difference(
        left.id,
        right.id,
        tuple(_values(left, right)),
        tuple(pay_differences(left, right)),
        tuple(answer for trigger in GUARDS_OF for answer in _answers(trigger, left, right)),
        tuple(question for id_, question in asked_left.items() if id_ not in asked_right),
        tuple(question for id_, question in asked_right.items() if id_ not in asked_left),
    )


def _values(left: Rulebook, right: Rulebook) -> Iterator[ValueDiffers]:
    here, there = values_of(left), values_of(right)
    for name in dict.fromkeys((*here, *there)):
        shown_here, cite_here = here.get(name, (None, ()))
        shown_there, cite_there = there.get(name, (None, ()))
        if shown_here != shown_there and not name.startswith("pay."):
            yield ValueDiffers(name, shown_here, shown_there, cite_here, cite_there)


def _answers(trigger: Trigger, left: Rulebook, right: Rulebook) -> Iterator[AnswerDiffers]:
    states = _states(dict.fromkeys((*left.conditions_of(trigger), *right.conditions_of(trigger))))
    pairs = dict.fromkeys((left.row(trigger, state), right.row(trigger, state)) for state in states)
    for here, there in pairs:
        if _demands(here) == _demands(there):
            continue
        wants_here, wants_there = actions_of(here), actions_of(there)
        only_here = tuple(action for action in wants_here if action not in wants_there)
        only_there = tuple(action for action in wants_there if action not in wants_here)
        yield AnswerDiffers(trigger, here, there, only_here, only_there)


def _states(conditions: Collection[str]) -> Iterator[frozenset[str]]:
    """Every combination of these conditions."""
    for size in range(len(conditions) + 1):
        yield from map(frozenset, combinations(conditions, size))


def _demands(row: Row) -> tuple[object, ...]:
    """What a row comes to, without where it stands and how it is worded."""
    steps = frozenset((frozenset(step.condition), frozenset(step.do)) for step in row.by_reading)
    return row.silent, row.absent, frozenset(actions_of(row)), steps
