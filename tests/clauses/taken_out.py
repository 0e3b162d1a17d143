"""Rulebooks and classes from which one clause is taken out, so that a case can show whether anything rests on it.

Clause C is taken out in two ways. `other_rules` gives rulebooks that each lack one rule that rests on C alone: a row demands
less, a step or a pay row is missing, a value is another. `uncited` gives the rulebook in which nothing names C.
A rule that rests on C and on a second clause stands on the second one, so it only loses the citation of C.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from controller.rules import parts as rule_parts
from controller.rules.citation import Cited, chapter
from controller.rules.explain.coverage import Coverage
from controller.rules.model import Row, Rulebook
from controller.rules.pay import Bare, FixedSum, Odds, OfMeter, PayLimit
from controller.rules.read import sections

NOBODY = ("(taken out)",)
"""What a rule cites that rests on nothing any more."""
ASIDE = frozenset({"id", "sha256", "readings", "choices", "clauses"})
"""Fields of a rulebook on which no rule rests: a question is asked of a clause, and is none."""


def other_rules(
    rulebook: Rulebook, clause: str, aside: frozenset[str] = frozenset(), *, joint: bool = False
) -> Iterator[Rulebook]:
    """The rulebook without one rule that rests on the clause alone, for each such rule and each way to be without it.

    `aside`: chapters that do not speak of the table of a case, as those of another way of dealing; no rule rests on these.
    `joint`: also without rules that rest on the clause together with others.
    """
    taken = _Taken(clause, aside, joint)
    for field in fields(rulebook):
        if field.name not in ASIDE:
            for other in _others(getattr(rulebook, field.name), taken, field.name):
                yield replace(rulebook, **{field.name: other})


def uncited(rulebook: Rulebook, clause: str) -> Rulebook:
    """The rulebook in which no rule cites the clause; what only this clause carried cites nobody."""
    parts = {f.name: getattr(rulebook, f.name) for f in fields(rulebook) if f.name not in ASIDE}
    changes = {name: new for name, part in parts.items() if (new := _uncited(part, clause)) is not part}
    return replace(rulebook, **changes) if changes else rulebook


def cites(rulebook: Rulebook, clause: str) -> bool:
    """True where a rule names this very clause."""
    return any(_names(getattr(rulebook, f.name), clause) for f in fields(rulebook) if f.name not in ASIDE)


def untold(coverage: Coverage, clause: str) -> Coverage:
    """The classes without this clause: nobody is told of it."""
    return replace(coverage, clauses={c: carried for c, carried in coverage.clauses.items() if c != clause})


@dataclass(frozen=True)
class _Taken:
    """The clause that is taken out, and the chapters that do not speak of the table of a case."""

    clause: str
    aside: frozenset[str]
    joint: bool

    def leaves(self, cite: object) -> bool:
        """True for citations of which none is left without the clause."""
        if not isinstance(cite, tuple) or self.clause not in cite:
            return False
        return self.joint or all(each == self.clause or chapter(each) in self.aside for each in cite)

    def alone(self, part: object) -> bool:
        """True for a rule that rests on the clause alone."""
        return self.leaves(getattr(part, "cite", None))


def _others(part: Any, taken: _Taken, name: str) -> Iterator[Any]:
    match part:
        case Row():
            yield from _other_rows(part, taken)
        case Cited() if taken.alone(part):
            yield from _other_values(part, name)
        case Mapping():
            for key, each in part.items():
                if (taken.alone(each) and not isinstance(each, Row)) or taken.leaves(each):
                    yield {k: v for k, v in part.items() if k != key}
                for other in _others(each, taken, str(key)):
                    yield {**part, key: other}
        case tuple():
            for place, each in enumerate(part):
                before, after = part[:place], part[place + 1 :]
                if taken.alone(each) and not isinstance(each, Row):
                    yield (*before, *after)
                for other in _others(each, taken, name):
                    yield (*before, other, *after)
        case _ if is_dataclass(part) and not isinstance(part, Cited):
            for field in fields(part):
                value = getattr(part, field.name)
                if taken.alone(value) and "None" in str(field.type):
                    yield replace(part, **{field.name: None})
                for other in _others(value, taken, field.name):
                    yield replace(part, **{field.name: other})


def _other_rows(row: Row, taken: _Taken) -> Iterator[Row]:
    """Without each demand of the clause alone, and, where the whole answer is the clause's, with no answer."""
    for place, demand in enumerate(row.do):
        if taken.alone(demand):
            yield replace(row, do=(*row.do[:place], *row.do[place + 1 :]))
    if taken.alone(row) and not row.absent and not row.silent:
        yield replace(row, do=(), by_reading=(), silent=True)


def _other_values(part: Cited[Any], name: str) -> Iterator[Cited[Any]]:
    for other in _not(part.value, name):
        yield replace(part, value=other, options=(), by_choice=None, reading=None)
    for place, (choice, value) in enumerate(part.options):
        for other in _not(value, name):
            options = (*part.options[:place], (choice, other), *part.options[place + 1 :])
            yield replace(part, options=options)


def _not(value: Any, name: str) -> Iterator[Any]:
    """Values that are not this one, and may stand at this place."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, *([value - 1] if value > 0 else []))
        case Odds():
            yield replace(value, pays=value.pays + 1)
        case OfMeter():
            yield replace(value, per_cent=value.per_cent - 1)
        case FixedSum():
            yield replace(value, cents=value.cents + 100)
        case Bare():
            yield from (bare for bare in Bare if bare is not value)
        case Enum():
            yield from (other for other in type(value) if other is not value)
        case str():
            yield from _other_words(value)
        case tuple():
            yield from (value[:n] + value[n + 1 :] for n in range(len(value)))
            if all(isinstance(each, int) for each in value):
                yield (*value, (value or (1,))[-1] + 1)


@cache
def _declared() -> tuple[tuple[str, ...], ...]:
    """The words of each field of a rulebook that has a closed list of them."""
    parts = [cls for cls in vars(rule_parts).values() if is_dataclass(cls)]
    types = [typed for cls in (*parts, PayLimit) for typed in get_type_hints(cls).values()]
    found = []
    while types:
        typed = types.pop()
        if get_origin(typed) is Literal:
            found.append(get_args(typed))
        else:
            types += get_args(typed)
    return tuple(found)


def _other_words(word: str) -> Iterator[str]:
    """The other words of each list of the vocabulary that has this one."""
    lists = [*_declared(), *vars(sections).values(), *sections.SETTLED.values()]
    found = {
        w for words in lists if isinstance(words, tuple) and word in words for w in words if isinstance(w, str)
    }
    yield from sorted(found - {word}) or (f"not {word}",)


def _uncited(part: Any, clause: str) -> Any:
    """The part without the clause; the very same part where it does not name it."""
    match part:
        case Mapping():
            found = {key: _left(each, clause) for key, each in part.items()}
            return found if any(found[key] is not part[key] for key in part) else part
        case tuple():
            parts = tuple(_uncited(each, clause) for each in part)
            return parts if any(new is not old for new, old in zip(parts, part, strict=True)) else part
        case Row() if part.silent or part.absent:  # it names where the text was read, and that it says nothing
            return part
        case _ if is_dataclass(part):
            changes = {}
            for name in _fields(type(part)):
                value = getattr(part, name)
                other = _left(value, clause) if name == "cite" else _uncited(value, clause)
                if other is not value:
                    changes[name] = other
            return replace(part, **changes) if changes else part
        case _:
            return part


@cache
def _fields(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init)


def _left(part: Any, clause: str) -> Any:
    """Citations without the clause; whatever else is looked through."""
    if isinstance(part, tuple) and clause in part:
        return tuple(each for each in part if each != clause) or NOBODY
    return _uncited(part, clause)


def _names(part: Any, clause: str) -> bool:
    match part:
        case Mapping():
            return any(_names(each, clause) for each in part.values())
        case str():
            return part == clause
        case tuple():
            return any(_names(each, clause) for each in part)
        case _ if is_dataclass(part):
            return any(_names(getattr(part, field.name), clause) for field in fields(part))
        case _:
            return False
