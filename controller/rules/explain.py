"""What a rulebook makes of one clause, in a few plain lines for a person at a terminal or on a panel."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TypeAlias

from controller.rules.citation import chapter, within
from controller.rules.model import Cited, HouseChoice, Question, Row, Rulebook
from controller.rules.parts import ProcedureStep, Stack
from controller.rules.reader import nearest

SECTIONS = (
    "decks", "opening", "shuffle", "cut", "idle", "stub", "discards", "hand", "seats", "positions", "adjacent",
    "dealing", "wagers", "play", "settlement", "progressive", "deck_change", "devices",
)  # fmt: skip
Part: TypeAlias = Cited[object] | Stack | ProcedureStep


class ClauseUnknown(Exception):
    """The document has no such clause."""

    def __init__(self, rulebook: Rulebook, clause: str) -> None:
        super().__init__(f"{rulebook.id} has no clause {clause!r} {nearest(clause, _alike(rulebook, clause))}")
        self.rulebook, self.clause = rulebook.id, clause


def explain(rulebook: Rulebook, clause: str) -> list[str]:
    """Lines that say what rests on the clause or on a part of it: values, answers to triggers, readings.

    `13.I` also tells what rests on `13.I(2)`. Raises `ClauseUnknown`.
    """
    if clause not in rulebook.clauses:
        raise ClauseUnknown(rulebook, clause)
    lines = [f"{rulebook.id} {clause} ({rulebook.game}, edition {rulebook.edition})"]
    lines += [f"  value {line}" for line in _values(rulebook, clause)]
    for rows in rulebook.rows.values():
        for row in rows:
            if _touches(clause, (*row.cite, *(c for demand in row.do for c in demand.cite))):
                lines += _row(row)
    for question in rulebook.questions.values():
        if _touches(clause, question.clauses):
            lines.append(_question(question))
    if len(lines) == 1:
        lines.append("  nothing here rests on it")
    return lines


def _touches(clause: str, cites: tuple[str, ...]) -> bool:
    return any(within(cite, clause) for cite in cites)


def _question(question: Question) -> str:
    choices = ", ".join(c.id + ("*" if c.id == question.cautious else "") for c in question.choices)
    if isinstance(question, HouseChoice):
        where = ", at every table alike" if question.everywhere and question.everywhere.value else ""
        return f"  house choice {question.id}: {question.problem} Choices{where}: {choices}"
    return f"  reading {question.id}: {question.problem} Choices (* cautious): {choices}"


def _row(row: Row) -> Iterator[str]:
    when = ", ".join(c.guard if c.holds else f"not_{c.guard}" for c in row.when)
    silent = " (the text is silent)" if row.silent else " (not in this game)" if row.absent else ""
    yield f"  {row.trigger}{f' when {when}' if when else ''}{silent}: {row.says}"
    for demand in row.do:
        yield f"    {demand.action}: {', '.join(demand.cite)}"
    for step in row.by_reading:
        condition = ", ".join(f"{reading} = {choice}" for reading, choice in step.condition)
        yield f"    {', '.join(step.do)}: if {condition}"


def _values(rulebook: Rulebook, clause: str) -> list[str]:
    found: list[tuple[str, Part]] = [
        (name, part) for name in SECTIONS for name, part in _parts(name, getattr(rulebook, name))
    ]
    for action, role in rulebook.duty_roles.items():
        found += _parts(f"duty {action}", role)
    for act, role in rulebook.act_roles.items():
        found += _parts(f"act {act}", role)
    return [f"{name} = {_shown(part)}" for name, part in found if _touches(clause, part.cite)]


def _parts(name: str, part: object) -> Iterator[tuple[str, Part]]:
    """Each cited value in this part of the rulebook, named by the way to it."""
    match part:
        case Cited() | Stack() | ProcedureStep():
            yield name, part
        case dict():
            for key, value in part.items():
                yield from _parts(f"{name}.{key}", value)
        case tuple():
            for place, value in enumerate(part, 1):
                yield from _parts(f"{name}.{place}", value)
        case _ if is_dataclass(part):
            for field in fields(part):
                yield from _parts(f"{name}.{field.name}", getattr(part, field.name))


def _shown(part: Part) -> str:
    match part:
        case Stack():
            return f"{part.cards} cards to {part.to}" + _by(part.reading)
        case ProcedureStep():
            return f"{part.step} by the {part.by}"
        case Cited(by_choice=str(decided_by)):
            return (
                " | ".join(f"{_value(value)} if {choice}" for choice, value in part.options) + f" ({decided_by})"
            )
        case _:
            return _value(part.value) + _by(part.reading)


def _by(reading: str | None) -> str:
    return f" (by reading {reading})" if reading else ""


def _value(value: object) -> str:
    return ", ".join(map(str, value)) or "nothing" if isinstance(value, tuple) else str(value)


def _alike(rulebook: Rulebook, clause: str) -> list[str]:
    """Clauses of the same section, or its sections where there is none: a list that a person can read."""
    same = [known for known in rulebook.clauses if chapter(known) == chapter(clause)]
    return same or [known for known in rulebook.clauses if known == chapter(known)]
