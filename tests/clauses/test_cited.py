"""What is cited speaks of the table: five books, each way of dealing, each version, against conditions written anew."""

import re
from collections.abc import Iterator
from itertools import product

import pytest

from controller.cli.filters.decide import example_setup
from controller.rules.elections import proposals
from controller.rules.read.checks import every_state
from controller.rules.vocabulary import GUARDS_OF, Method, Trigger
from controller.table.fold.ruling import Draft
from controller.table.questions.stub_count_and_turns import of_deck_change
from controller.table.state.table import Setup, State
from controller.table.words.inputs import Moment
from controller.table.words.structs import replace
from drivers.events import DeviceKind
from tests.soak.citations import SPEAKS, silent_here
from tests.soak.tables import RULEBOOKS, book

VERSIONS = {
    "ma-colorado": {"version": ("required_bet", "permissible_bet")},
    "ma-uth": {},
    "md-uth": {"dealer_stack": ("dealer_first", "after_decisions"), "blind_table": ("A", "B")},
    "nj-pikit": {
        "settlement": ("by_step", "by_player"),
        "dealer_stack": ("with_players", "after_decisions"),
        "qualifier": ("without", "with"),
    },
    "fast-action": {},
}  # fmt: skip
"""What decides between clauses, with all its choices."""


def tables(rulebook: str, method: Method) -> Iterator[Setup]:
    """A table dealt this way under each version: with every device, two sets and all wagers, and with as little as may be."""
    law, asked = book(rulebook), VERSIONS[rulebook]
    for chosen in product(*asked.values()):
        elected = {**proposals(law), **dict(zip(asked, chosen, strict=True))}
        whole = example_setup(law, {question: (choice, "test") for question, choice in elected.items()})
        yield replace(whole, method=method)
        needs = {Method.DEALING_SHOE: {DeviceKind.SHOE}, Method.MANUAL_SHOE: set[DeviceKind]()}
        kept = needs.get(method, {DeviceKind.SHUFFLER})
        devices = {name: device for name, device in whole.devices.items() if device.kind in kept}
        yield replace(whole, method=method, devices=devices, backs=("red",), offered=frozenset())


DEALT = [(rulebook, method) for rulebook in RULEBOOKS for method in book(rulebook).dealing]


@pytest.mark.parametrize(("rulebook", "method"), DEALT, ids=str)
def test_no_row_cites_what_does_not_speak_of_the_table(rulebook, method):
    """Every trigger in every state: what is left of each citation applies, and what the text demands stands under something."""
    for setup in tables(rulebook, method):
        law, draft = setup.law, Draft(setup, State.initial(setup), Moment(0, 0, ""))
        everything = len(setup.backs) > 1
        for trigger in GUARDS_OF:
            for state in every_state(trigger, law.rulebook.rows[trigger]):
                if trigger is Trigger.DECK_CHANGE_DUE and state != set(of_deck_change(draft.state)):
                    continue  # by what deals, and by nothing else
                row, demands = law.demands(trigger, state, method)
                for part in (row, *demands):
                    cite = draft.applying(part.cite)
                    silent = [clause for clause in cite if silent_here(setup, frozenset({method}), clause)]
                    assert not silent, f"{trigger} {sorted(state)}: {silent} of {part}"
                    assert cite or not part.cite or not everything, (
                        f"{trigger} {sorted(state)}: nothing is left of {part}"
                    )


@pytest.mark.parametrize(("rulebook", "method"), DEALT, ids=str)
def test_what_is_left_out_is_what_does_not_speak_of_the_table(rulebook, method):
    """Clause by clause of the whole document: the rulebook keeps those that speak of this table, and leaves out the others."""
    used = frozenset({method})
    for setup in tables(rulebook, method):
        draft = Draft(setup, State.initial(setup), Moment(0, 0, ""))
        elections = {question: election.choice for question, election in setup.law.elections.items()}
        for clause in sorted(setup.law.rulebook.clauses):
            conditions = setup.law.rulebook.applies.get(clause, ())
            kept = draft.applying((clause,)) == (clause,) and all(x.elected(elections) for x in conditions)
            assert kept is not silent_here(setup, used, clause), clause


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_each_pattern_names_clauses_of_the_document(rulebook):
    """No pattern of the second look is idle: each names clauses of the document."""
    clauses = book(rulebook).clauses
    for pattern, _ in SPEAKS[rulebook]:
        assert any(re.fullmatch(pattern, clause) for clause in clauses), pattern
