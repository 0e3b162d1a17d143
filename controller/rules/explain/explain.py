"""What a rulebook makes of one clause, in a few plain lines for a person at a terminal or on a panel."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import starmap
from typing import TypeAlias

from controller.readers.nearest import nearest
from controller.rules.citation import Cited, chapter, within
from controller.rules.model import HouseChoice, Question, Row, Rulebook
from controller.rules.parts import CutOffer, ProcedureStep, Stack
from controller.rules.pay import PayTable
from controller.rules.vocabulary import GUARDS_OF, Guard, Role
from drivers.protocol.records import dataclass

SECTIONS = (
    "decks", "opening", "shuffle", "cut", "idle", "stub", "discards", "hand", "ranking", "seats", "positions", "adjacent",
    "not_kept",
    "dealing", "wagers", "play", "settlement", "pay", "limits", "progressive", "deck_change", "devices",
)  # fmt: skip
Part: TypeAlias = Cited[object] | Stack | ProcedureStep | CutOffer


class ClauseUnknown(Exception):
    """The document has no such clause."""

    def __init__(self, rulebook: Rulebook, clause: str) -> None:
        hint = _same_but_for_signs(rulebook, clause)
        meant = f"(meant is {hint}?)" if hint else nearest(clause, _alike(rulebook, clause))
        super().__init__(f"{rulebook.id} has no clause {clause!r} {meant}")
        self.rulebook, self.clause = rulebook.id, clause


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What another document answers to the same trigger in the same state. `only_here`, `only_there`: demands that the
    text of one makes and that of the other does not.
    """

    rulebook: str
    row: Row
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A row that rests on the clause; `roles`: the least role that carries out, or closes, each demand."""

    row: Row
    roles: Mapping[str, Role]
    elsewhere: tuple[Elsewhere, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that rests on one clause or on a part of it. `values`: name and value as shown; `parts`: wagers, pay tables,
    ways of dealing and the like that have the clause as a whole, in words.
    """

    rulebook: str
    game: str
    edition: str
    clause: str
    values: Mapping[str, str]
    answers: tuple[Answer, ...]
    questions: tuple[Question, ...]
    parts: tuple[str, ...] = ()


def explain(rulebook: Rulebook, clause: str, others: Sequence[Rulebook] = ()) -> list[str]:
    """Lines that say what rests on the clause or on a part of it: values, answers to triggers, readings.

    `13.I` also tells what rests on `13.I(2)`. `others`: rulebooks whose answers to the same triggers stand beside
    it. Raises `ClauseUnknown`.
    """
    return page(explanation(rulebook, clause, others))


def explanation(rulebook: Rulebook, clause: str, others: Sequence[Rulebook] = ()) -> Explanation:
    """What `explain` tells, as records. Raises `ClauseUnknown`."""
    if clause not in rulebook.clauses:
        raise ClauseUnknown(rulebook, clause)
    touched = [row for rows in rulebook.rows.values() for row in rows if touches(clause, cites_of(row))]
    answers = []
    for row in touched:
        beside = [found for other in others for found in _elsewhere(row, other)] if _rests(row, clause) else []
        answers.append(Answer(row, _roles(rulebook, row), tuple(beside)))
    told = {str(action) for answer in answers for action in answer.roles}
    values = {
        name: shown
        for name, (shown, cite) in values_of(rulebook).items()
        if touches(clause, cite) and name.removeprefix("duty ") not in told
    }
    questions = tuple(q for q in rulebook.questions.values() if touches(clause, q.clauses))
    head = rulebook.id, rulebook.game, rulebook.edition, clause
    parts = tuple(part for part, cite in parts_of(rulebook) if touches(clause, cite))
    return Explanation(*head, values, tuple(answers), questions, parts)


def page(told: Explanation) -> list[str]:
    """An explanation in full, in the words of the rulebook; `brief.brief` has it on one page."""
    lines = [headline(told)]
    lines += [f"  value {name} = {shown}" for name, shown in told.values.items()]
    for answer in told.answers:
        lines += row_lines(answer.row, answer.roles)
        lines += [_elsewhere_line(other) for other in answer.elsewhere]
    lines += [f"  {part}" for part in told.parts]
    return [*lines, *map(question_line, told.questions)]


def headline(told: Explanation) -> str:
    """Returns the first line of an explanation: rulebook, clause, game, edition."""
    return f"{told.rulebook} {told.clause} ({told.game}, edition {told.edition})"


def _named(row: Row) -> str:
    state = state_of(row)
    return f"{row.trigger} when {state}" if state else row.trigger


def cites_of(row: Row) -> tuple[str, ...]:
    """Returns the clauses that a row cites, those of its demands included."""
    return (*row.cite, *(clause for demand in row.do for clause in demand.cite))


def actions_of(row: Row) -> tuple[str, ...]:
    """What the text itself demands in this row, in one word each, without what follows from readings."""
    return tuple(demand.word for demand in row.do)


def _rests(row: Row, clause: str) -> bool:
    """True where the clause answers, not where it was merely looked in."""
    return not row.absent and (not row.silent or clause in row.cite)


EACH_WAY = (Guard.SEVERAL, Guard.TOO_MANY, Guard.DEVICE_FAILED)
"""What an answer that makes no difference of it is compared for both ways."""


def left_open(row: Row) -> tuple[str, ...]:
    """Guards of this trigger that this row does not ask about."""
    asked = {condition.guard for condition in row.when}
    return tuple(guard for guard in GUARDS_OF[row.trigger] if guard not in asked)


def _elsewhere(row: Row, other: Rulebook) -> Iterator[Elsewhere]:
    """Asked in the state of this row; where it leaves open whether a round is in play, one is."""
    free = left_open(row)
    state = frozenset({c.guard for c in row.when if c.holds} | ({Guard.ROUND_LIVE} & set(free)))
    ways = [frozenset({guard}) for guard in free if guard in EACH_WAY]
    rows = dict.fromkeys(other.row(row.trigger, state | way) for way in (frozenset[str](), *ways))
    for there in rows:
        here, demanded = actions_of(row), actions_of(there)
        only_here = tuple(action for action in here if action not in demanded)
        only_there = tuple(action for action in demanded if action not in here)
        yield Elsewhere(other.id, there, only_here, only_there)


def _elsewhere_line(other: Elsewhere) -> str:
    row = other.row
    if row.absent or row.silent:
        known = "not in this game" if row.absent else "the text is silent"
        return f"    {other.rulebook} ({known}): {row.says}"
    lacks = f" Without: {', '.join(other.only_here)}." if other.only_here else ""
    adds = f" Also: {', '.join(other.only_there)}." if other.only_there else ""
    return f"    {other.rulebook} {', '.join(row.cite)}: {row.says}{lacks}{adds}"


def parts_of(rulebook: Rulebook) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Wagers, pay tables, ways of dealing and the like in words, each with the clauses that it has as a whole."""
    for wager in rulebook.wagers.values():
        yield f"the {_plain(wager.name)} wager", wager.cite
    for table in rulebook.pay.values():
        yield f"the pay table {_plain(table.name)}", table.cite
    for method, dealing in rulebook.dealing.items():
        yield f"dealing by {_plain(method.value)}", dealing.cite
    for laid in rulebook.laid_away:
        yield f"where cards go after {_plain(laid.after)}", laid.cite
    for number, step in enumerate(rulebook.settling, 1):
        yield f"step {number} of the settlement: {', '.join(map(_plain, step.wagers))}", step.cite
    for act, cite in rulebook.act_order.items():
        yield f"the place of {act} in a round", cite


def _plain(word: str) -> str:
    return word.replace("_", " ")


def cited(rulebook: Rulebook) -> frozenset[str]:
    """Every clause that a value, an answer or a whole part names.

    A question is asked of a clause and rests on none, and a silent answer names only where the text was read.
    """
    values = (cite for _, cite in values_of(rulebook).values())
    parts = (cite for _, cite in parts_of(rulebook))
    rows = (row for rows in rulebook.rows.values() for row in rows if not row.absent and not row.silent)
    answers = ((*cites_of(row), *row.notwithstanding) for row in rows)
    return frozenset(clause for cites in (*values, *parts, *answers) for clause in cites)


def touches(clause: str, cites: tuple[str, ...]) -> bool:
    """True where one of these is the clause or a part of it."""
    return any(within(cite, clause) for cite in cites)


def _roles(rulebook: Rulebook, row: Row) -> dict[str, Role]:
    words = (*actions_of(row), *(demand.word for step in row.by_reading for demand in step.do))
    return {word: duty.value for word in words if (duty := rulebook.duty_roles.get(word))}


def question_line(question: Question) -> str:
    """Returns one line about a reading or a house choice: its id, its problem, its choices."""
    choices = ", ".join(c.id + ("*" if c.id == question.cautious else "") for c in question.choices)
    if isinstance(question, HouseChoice):
        where = ", at every table alike" if question.everywhere and question.everywhere.value else ""
        return f"  house choice {question.id}: {question.problem} Choices{where}: {choices}"
    return f"  reading {question.id}: {question.problem} Choices (* cautious): {choices}"


def state_of(row: Row) -> str:
    """Returns the conditions of a row as words of the rulebook file, such as `bets_closed, not_coupon`."""
    return ", ".join(c.guard if c.holds else f"not_{c.guard}" for c in row.when)


def row_lines(row: Row, roles: Mapping[str, Role]) -> Iterator[str]:
    """What triggers it, what follows, under which clause or election, and who at least carries it out."""
    silent = " (the text is silent)" if row.silent else " (not in this game)" if row.absent else ""
    yield f"  {_named(row)}{silent}: {row.says}"
    for demand in row.do:
        yield f"    {_with_role(demand.word, roles)}: {', '.join(demand.cite)}"
    for step in row.by_reading:
        condition = ", ".join(f"{reading} = {choice}" for reading, choice in step.condition)
        yield f"    {', '.join(_with_role(demand.word, roles) for demand in step.do)}: if {condition}"


def _with_role(word: str, roles: Mapping[str, Role]) -> str:
    return f"{word} ({roles[word]})" if word in roles else word


def values_of(rulebook: Rulebook) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Every cited value of the rulebook by its name: as shown to a person, and its clauses."""
    found: list[tuple[str, Part]] = [
        (name, part) for name in SECTIONS for name, part in _parts(name, getattr(rulebook, name))
    ]
    for action, role in rulebook.duty_roles.items():
        found += _parts(f"duty {action}", role)
    for act, role in rulebook.act_roles.items():
        found += _parts(f"act {act}", role)
    return {name: (_in_units(name, _shown(part)), part.cite) for name, part in found}


def _in_units(name: str, shown: str) -> str:
    """Seconds are what the clock wants, and cents what records hold; people say hours, and amounts with a point."""
    if ".interval_s." in name:
        return re.sub(r"\d{4,}", lambda found: _hours(int(found[0])), shown)
    return re.sub(r"\b\d{3,}\b", _amount, shown) if name.endswith("_cents") else shown


def _hours(seconds: int) -> str:
    minutes = seconds % 3600 // 60
    return f"{seconds // 3600} h" + (f" {minutes} min" if minutes else "")


def _amount(found: re.Match[str]) -> str:
    return f"{int(found[0]) // 100:,}.{int(found[0]) % 100:02}"


def _parts(name: str, part: object) -> Iterator[tuple[str, Part]]:
    """Each cited value in this part of the rulebook, named by the way to it."""
    match part:
        case Cited() | Stack() | ProcedureStep() | CutOffer():
            yield name, part
        case dict():
            for key, value in part.items():
                yield from _parts(f"{name}.{key}", value)
        case PayTable():
            yield from _parts(name, dict(part.rows))
            for meter, least in (part.resets or {}).items():
                yield from _parts(f"{name}.{meter} starts at least at", least)
        case tuple():
            for place, value in enumerate(part, 1):
                yield from _parts(f"{name}.{place}", value)
        case _ if is_dataclass(part):
            for field in fields(part):
                yield from _parts(f"{name}.{field.name}", getattr(part, field.name))


def _shown(part: Part) -> str:
    match part:
        case Stack():
            cards = "1 card" if part.cards == 1 else f"{part.cards} cards"
            return f"{cards} to {part.to}" + _by(part.reading)
        case ProcedureStep():
            return f"{part.step} by the {part.by}"
        case CutOffer():
            return part.to.replace("_", " ") + _by(part.reading)
        case Cited(by_choice=str(decided_by)):
            return " | ".join(starmap(_if_elected, part.options)) + f" ({decided_by})"
        case _:
            return _value(part.value) + _by(part.reading)


def _if_elected(choice: str, value: object) -> str:
    return choice if value == choice else f"{_value(value)} if {choice}"


def _by(reading: str | None) -> str:
    return f" (by reading {reading})" if reading else ""


def _value(value: object) -> str:
    match value:
        case tuple():
            return ", ".join(map(str, value)) or "nothing"
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)


def _same_but_for_signs(rulebook: Rulebook, clause: str) -> str | None:
    """The clause that is written with these letters and digits: `§13 i 2` is 13.I(2). None if none is, or several are."""
    found = [known for known in rulebook.clauses if _bare(known) == _bare(clause)]
    return found[0] if len(found) == 1 else None


def _bare(clause: str) -> list[str]:
    return [sign for sign in clause.casefold() if sign.isalnum()]


def _alike(rulebook: Rulebook, clause: str) -> list[str]:
    """Clauses of the same section, or its sections where there is none: a list that a person can read."""
    same = [known for known in rulebook.clauses if chapter(known) == chapter(clause)]
    return same or [known for known in rulebook.clauses if known == chapter(known)]
