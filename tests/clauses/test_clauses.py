"""Clause by clause: what is given, one input, and what must come of it. One file for each clause, both sides of each number.

A case says everything that follows: what it does not name (a disposition, a duty, a hold, a void) must not be there.
"""

import functools
from typing import Any

import pytest

from controller.daemon.views.status import next_step
from controller.rules.explain.coverage import Prompt, prompts
from controller.rules.read.library import find, find_coverage
from controller.rules.vocabulary import Method
from controller.table.questions.announcement import announced
from controller.table.questions.deal_plan import deal_plan
from controller.table.words import facts as f
from controller.table.words.codec import builtins
from tests.clauses import texts
from tests.soak.citations import Citations

CASE = frozenset({"name", "given", "when", "then"})
THEN = frozenset(
    {"refused", "reason", "trigger", "silent", "demands", "fates", "duties", "holds", "void", "void_seats", "phase",
     "armed", "present", "wants", "records", "first", "told", "next", "step", "announced"}
)  # fmt: skip


def cases() -> list[Any]:
    found = []
    for path, raw in texts.of_book().items():
        rulebook = path.parent.name
        for case in raw.get("case", []):
            whole = {**case, "given": {**raw.get("given", {}), **case.get("given", {})}}
            found.append(pytest.param(rulebook, whole, id=f"{rulebook}/{path.stem}: {case.get('name', '?')}"))
    return found


@pytest.mark.parametrize(("rulebook", "case"), cases())
def test_a_clause_is_carried_out(rulebook, case, stage):
    """Given this table, this one input has exactly these consequences."""
    assert set(case) == CASE, "a case has a name, when and then, and its given may stand above all cases"
    then = case["then"]
    assert set(then) <= THEN, f"then: unknown {sorted(set(then) - THEN)}"
    staged = stage(rulebook, case["given"])
    before = staged.table.state.method
    events = staged.put(case["when"])
    _cited(staged.table, before, case["when"], events)
    _refusal(events, then)
    _disposition(events, then)
    _records(events, then)
    _state(staged.table, then)
    _said(staged.table, case["when"], then)


def _cited(table: Any, before: Method, when: dict[str, Any], events: list[f.Event]) -> None:
    """No clause is cited that does not speak of this table, by the way of dealing in use or the one that is asked for."""
    asked = [Method(when["method"])] if when.get("act") == "change_method" else []
    looked = Citations(table.setup)
    for event in events:
        looked.look(event, frozenset({before, table.state.method, *asked}))


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _refusal(events: list[f.Event], then: dict[str, Any]) -> None:
    refused = [event for event in events if isinstance(event, f.InputRefused)]
    if "refused" not in then:
        assert not refused, refused[0].reason
        return
    (refusal,) = refused
    assert list(refusal.cite) == _listed(then["refused"])
    assert then["reason"] in refusal.reason


def _disposition(events: list[f.Event], then: dict[str, Any]) -> None:
    made = [event for event in events if isinstance(event, f.DispositionMade)]
    assert [event.trigger.value for event in made] == _listed(then.get("trigger", []))
    if made:
        demands = {d.word: [d.reading] if d.reading else list(d.cite) for d in made[0].demands}
        assert demands == {action: _listed(cite) for action, cite in then["demands"].items()}
        assert made[0].silent is then.get("silent", False)


def _records(events: list[f.Event], then: dict[str, Any]) -> None:
    for kind, wanted in then.get("records", {}).items():
        (event,) = [event for event in events if event.kind == kind]
        told = builtins(event)
        there = {name: value if value or name in told else None for name, value in wanted.items()}  # no 0 for none
        assert {name: told.get(name) for name in wanted} == there
    if "wants" in then:
        wanted = [f"{x.device} {x.level} {x.value}" for x in events if isinstance(x, f.LevelWanted)]
        assert wanted == then["wants"]


def _state(table: Any, then: dict[str, Any]) -> None:
    """Duties as `action what role`; holds by the reading or the first clause that they were placed by.

    `first`: the seat that gets the first card of the deal, 0 = the dealer.
    """
    state, round_ = table.state, table.state.round
    duties = [" ".join(filter(None, (d.word, d.device or d.back, d.least_role))) for d in state.duties.values()]
    assert sorted(duties) == sorted(then.get("duties", []))
    assert sorted(h.reading or h.cite[0] for h in state.holds.values()) == sorted(then.get("holds", []))
    assert (round_ is not None and round_.void) is then.get("void", False)
    void_seats = [n for n, seat in round_.in_play.items() if seat.void and not round_.void] if round_ else []
    assert void_seats == then.get("void_seats", [])
    if "phase" in then:
        assert (round_.phase.value if round_ else "no_round") == then["phase"]
    fates = {f"{seat} {name}": fate for (seat, name), fate in table.fates().items()} if round_ else {}
    wanted = then.get("fates", "live")
    assert fates == (wanted if isinstance(wanted, dict) else dict.fromkeys(fates, wanted))
    if "first" in then:
        assert deal_plan(table.setup, table.round)[0].seat == then["first"]
    for back, armed in then.get("armed", {}).items():
        assert state.sets[back].armed is armed
    for back, step in then.get("step", {}).items():
        left = state.sets[back].steps
        assert (left[0].step if left else "") == step
    for back, present in then.get("present", {}).items():
        assert state.sets[back].present is present


def _said(table: Any, when: dict[str, Any], then: dict[str, Any]) -> None:
    """`told`: what a person reads beside the act of the case; `next`: the sentence for the dealer after it."""
    if "told" in then:
        id_ = table.setup.law.rulebook.id
        read = [told.text for told in _prompts(id_, table.state.method) if told.act == when["act"]]
        assert set(_listed(then["told"])) <= set(read)
    if "announced" in then:
        assert [hand.says for hand in announced(table.setup, table.round)] == then["announced"]
    assert then.get("next", "") in next_step(table.setup, table.state)


@functools.cache
def _prompts(rulebook: str, method: Method) -> tuple[Prompt, ...]:
    law = find(rulebook)
    return prompts(find_coverage(law), law, method)
