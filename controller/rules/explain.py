"""What a rulebook makes of one clause, in a few plain lines for a person at a terminal or on a panel."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from controller.rules.model import Cited, Row, Rulebook, Stack, chapter
from controller.rules.reader import nearest


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
    for reading in rulebook.readings.values():
        if _touches(clause, reading.clauses):
            choices = ", ".join(c.id + ("*" if c.id == reading.cautious else "") for c in reading.choices)
            lines.append(f"  reading {reading.id}: {reading.problem} Choices (* cautious): {choices}")
    if len(lines) == 1:
        lines.append("  nothing here rests on it")
    return lines


def _touches(clause: str, cites: tuple[str, ...]) -> bool:
    return any(cite == clause or cite.startswith((clause + "(", clause + ".")) for cite in cites)


def _row(row: Row) -> Iterator[str]:
    when = ", ".join(c.guard if c.holds else f"not_{c.guard}" for c in row.when)
    silent = " (the text is silent)" if row.silent else ""
    yield f"  {row.trigger}{f' when {when}' if when else ''}{silent}: {row.says}"
    for demand in row.do:
        yield f"    {demand.action}: {', '.join(demand.cite)}"
    for step in row.by_reading:
        condition = ", ".join(f"{reading} = {choice}" for reading, choice in step.condition)
        yield f"    {', '.join(step.do)}: if {condition}"


def _values(rulebook: Rulebook, clause: str) -> list[str]:
    found: list[tuple[str, Cited[object] | Stack]] = [
        (name, part)
        for name in ("decks", "stub", "hand", "seats", "dealing", "wagers", "progressive", "deck_change")
        for name, part in _parts(name, getattr(rulebook, name))
    ]
    for action, role in rulebook.duty_roles.items():
        found += _parts(f"duty {action}", role)
    for act, role in rulebook.act_roles.items():
        found += _parts(f"act {act}", role)
    return [f"{name} = {_shown(part)}" for name, part in found if _touches(clause, part.cite)]


def _parts(name: str, part: object) -> Iterator[tuple[str, Cited[object] | Stack]]:
    """Each cited value in this part of the rulebook, named by the way to it."""
    match part:
        case Cited() | Stack():
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


def _shown(part: Cited[object] | Stack) -> str:
    reading = f" (by reading {part.reading})" if part.reading else ""
    if isinstance(part, Stack):
        return f"{part.cards} cards to {part.to}{reading}"
    value = ", ".join(map(str, part.value)) or "nothing" if isinstance(part.value, tuple) else str(part.value)
    return value + reading


def _alike(rulebook: Rulebook, clause: str) -> list[str]:
    """Clauses of the same section, or its sections where there is none: a list that a person can read."""
    same = [known for known in rulebook.clauses if chapter(known) == chapter(clause)]
    return same or [known for known in rulebook.clauses if known.isdigit()]
