"""What the licensee elects: choices for what a document leaves open or to the house, checked against its rulebook."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from controller.readers.fault import Fault, listed
from controller.readers.nearest import nearest
from controller.rules.applies import remade, without_unelected
from controller.rules.citation import Cited
from controller.rules.model import Election, Law, Question, Rulebook

BENCH = "bench"
"""In whose name a bench elects: nobody's, so never in production."""


class ElectionsInvalid(Exception):
    """Elections are refused. `faults`: every fault, each with the reading or choice that it is about."""

    def __init__(self, rulebook: str, faults: Collection[Fault]) -> None:
        super().__init__(f"elections for {rulebook}: refused for {len(faults)} fault(s)\n" + listed(faults))
        self.rulebook, self.faults = rulebook, tuple(faults)


def elect(rulebook: Rulebook, elections: Mapping[str, tuple[str, str]]) -> Law:
    """The law of a table: its rulebook with the licensee's elections, id -> (choice, name of who elected it).

    Values that hang on an election become those elected. What nobody elected is no fault here: `Law.unelected` lists
    what the table may not open without. Raises `ElectionsInvalid` with all faults.
    """
    asked = rulebook.questions
    elected = {question: choice for question, (choice, _) in elections.items()}
    faults: list[Fault] = []
    for question_id, (choice, by) in elections.items():
        question = asked.get(question_id)
        if question is None:
            faults.append(
                Fault(
                    question_id,
                    f"{rulebook.id} has no such reading {nearest(question_id, asked)}",
                    "reading_unknown",
                )
            )
            continue
        faults += _faults(question, choice, elected)
        if not by.strip():
            faults.append(Fault(question_id, f"'by' must name who elected {choice!r}", "key_missing"))
    if faults:
        raise ElectionsInvalid(rulebook.id, faults)
    made = {question: Election(question, choice, by) for question, (choice, by) in elections.items()}
    return Law(_with_elected(rulebook, elected), made)


def _faults(question: Question, elected: str, others: Mapping[str, str]) -> list[Fault]:
    choice = next((c for c in question.choices if c.id == elected), None)
    if choice is None:
        known = ", ".join(c.id for c in question.choices)
        return [Fault(question.id, f"unknown choice {elected!r} (choices: {known})", "choice_unknown")]
    return [
        Fault(
            question.id,
            f"{elected!r} needs {needed} = {wanted!r}, which is {others.get(needed) or 'not elected'}",
            "elections_apart",
        )
        for needed, wanted in choice.needs
        if others.get(needed) != wanted
    ]


def _with_elected(rulebook: Rulebook, elected: Mapping[str, str]) -> Rulebook:
    """The rulebook with each value that hangs on an election as it was elected, citing no clause that hangs on another choice.

    What is asked stays as it is asked.
    """
    parts = [f.name for f in fields(rulebook) if f.name not in ("readings", "choices", "applies")]
    settled = {
        name: getattr(rulebook, name) if name == "rows" else _settled(getattr(rulebook, name), elected)
        for name in parts
    }
    order = {act: Cited(None, cite) for act, cite in rulebook.act_order.items()}
    told = without_unelected({**settled, "act_order": order}, rulebook.applies, elected)
    told["act_order"] = {act: cited.cite for act, cited in told["act_order"].items()}
    return replace(rulebook, **told)


def _settled(part: Any, elected: Mapping[str, str]) -> Any:
    """The same part with its cited values settled; itself where nothing in it hangs on an election."""
    return remade(part, lambda cited: cited if not cited.options else replace(cited, value=cited.under(elected)))


def proposals(rulebook: Rulebook) -> dict[str, str]:
    """The proposed choice of each reading and the first of each house choice: for benches and filters, not for play."""
    return {question.id: question.proposed for question in rulebook.questions.values()}


def added(rulebook: Rulebook, elections: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """The proposed choice of each question that an update added to the rulebook and these elections leave open.

    For filters, which read files from before that update; a table never plays by it.
    """
    new = (q for q in rulebook.questions.values() if q.since is not None and len(q.choices) > 1)
    open_now = (q for q in new if q.id not in elections)  # of a single choice nobody is asked
    return {question.id: question.proposed for question in open_now}


def cautious(rulebook: Rulebook, by: str) -> Law:
    """The law with `proposals` elected everywhere, in the name of `by`: for benches and tests, not for play."""
    return elect(rulebook, {question: (choice, by) for question, choice in proposals(rulebook).items()})


def open_questions(law: Law, *parts: Any) -> tuple[Question, ...]:
    """Questions on which values in these parts of the law's rulebook hang, and which nobody elected.

    Those that are asked only where an optional wager is offered are left out: they concern that wager alone.
    """
    asked = law.rulebook.questions
    used = dict.fromkeys(question for part in parts for question in decided_by(part))
    return tuple(
        asked[question] for question in used if law.elected(question) is None and asked[question].wager is None
    )


def decided_by(part: Any) -> Iterator[str]:
    """Readings and house choices that decide between values in this part, or whether it is used at all."""
    match part:
        case Cited(by_choice=str(question)):
            yield question
        case Mapping():
            for value in part.values():
                yield from decided_by(value)
        case tuple():
            for value in part:
                yield from decided_by(value)
        case _ if is_dataclass(part):
            yield from (question for question, _ in getattr(part, "when", ()) if isinstance(question, str))
            for field in fields(part):
                yield from decided_by(getattr(part, field.name))


def unequal(laws: Mapping[str, Law]) -> list[str]:
    """Where tables of one house differ in what their document wants alike at every table; `laws` by the table's name.

    One line for each such choice, with its clauses and what each table has.
    """
    elected: dict[str, dict[str, str]] = {}
    for table, law in laws.items():
        for choice in law.rulebook.choices.values():
            if choice.everywhere is not None and choice.everywhere.value:
                key = f"{law.rulebook.id} {choice.id} [{', '.join(choice.everywhere.cite)}]"
                elected.setdefault(key, {})[table] = law.elected(choice.id) or "nothing"
    return [
        f"{choice}: the same at every table of the house, but "
        + ", ".join(f"{table} has {chosen}" for table, chosen in tables.items())
        for choice, tables in elected.items()
        if len(set(tables.values())) > 1
    ]


def ask(question: Question) -> list[str]:
    """What is asked, with its clauses, then each choice, the cautious one marked."""
    lines = [f"{question.id} ({', '.join(question.clauses)}): {question.problem}"]
    for choice in question.choices:
        mark = " [cautious]" if choice.id == question.cautious else ""
        lines.append(f"  {choice.id}{mark}: {choice.says}")
    return lines
