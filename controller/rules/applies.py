"""Whether a clause speaks of this table: a text repeats itself for each way of dealing, or has a version that nobody plays.

What a fact cites must have applied. A clause without a condition always does; one with several needs them all.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import is_dataclass, replace
from operator import is_
from typing import Any, Literal, TypeAlias

from controller.readers.nearest import nearest
from controller.rules.citation import Cited, within
from controller.rules.read.reader import RuleTable, record
from controller.rules.vocabulary import Method
from drivers.protocol.records import dataclass

Cite: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Applies:
    """One condition of some clauses: each key that is given must fit, and of the words of a key any one.

    `but`: what stands in them and is left out. `dealt_by`: ways of dealing. `election`: by reading or house choice, its choices.
    `two_sets`: the table has two. `devices`: kinds that it is configured with, in service or not. `offered`: optional wagers of
    the house.
    """

    clauses: Cite
    but: Cite = ()
    dealt_by: tuple[Method, ...] = ()
    election: tuple[tuple[str, tuple[str, ...]], ...] = ()
    two_sets: bool = False
    devices: tuple[Literal["shuffler", "shoe", "progressive"], ...] = ()
    offered: tuple[str, ...] = ()

    def elected(self, elections: Mapping[str, str]) -> bool:
        """False where something else was elected; what nobody elected may yet fit."""
        return all(elections.get(asked, choices[0]) in choices for asked, choices in self.election)

    def among(self, known: Iterable[str]) -> list[str]:
        """Of these clauses each that is named, and all that stand in it, without what is left out."""
        named = [
            clause for clause in known if clause.startswith(self.clauses)
        ]  # most are none, which this says fast
        return [
            clause for clause in named if _stands_in(clause, self.clauses) and not _stands_in(clause, self.but)
        ]

    def fits(self, here: "Here") -> bool:
        """Whether what is not elected fits this table."""
        return (
            (not self.dealt_by or _shares(self.dealt_by, here.methods))
            and (not self.two_sets or here.sets > 1)
            and (not self.devices or _shares(self.devices, here.devices))
            and (not self.offered or _shares(self.offered, here.offered))
        )


@dataclass(frozen=True, slots=True)
class Here:
    """A table as conditions see it. `methods`: how cards are dealt, and how somebody asks to have them dealt."""

    methods: tuple[Method, ...]
    sets: int
    devices: Collection[str]
    offered: Collection[str]


def _shares(words: Collection[str], others: Collection[str]) -> bool:
    return not set(words).isdisjoint(others)


Conditions: TypeAlias = Mapping[str, tuple[Applies, ...]]
"""By clause, all its conditions; a clause that is not in it has none."""


def applying(conditions: Conditions, cite: Cite, here: Here) -> Cite:
    """These clauses without those that do not speak of this table."""
    gone = [clause for clause in cite for x in conditions.get(clause, ()) if not x.fits(here)]
    return tuple(clause for clause in cite if clause not in gone) if gone else cite


def silent(conditions: Conditions, elections: Mapping[str, str], here: Here) -> frozenset[str]:
    """Every clause that does not speak of this table, be it by an election."""
    return frozenset(
        clause
        for clause, found in conditions.items()
        if not all(x.elected(elections) and x.fits(here) for x in found)
    )


def without_unelected(part: Any, conditions: Conditions, elections: Mapping[str, str]) -> Any:
    """The same part, of the same type, with no citation of a clause that hangs on another choice than was elected."""
    gone = frozenset(
        clause for clause, found in conditions.items() if not all(x.elected(elections) for x in found)
    )
    return remade(part, lambda cited: _kept_of(cited, gone), lambda cite: _kept(cite, gone)) if gone else part


def _kept(cite: Cite, gone: frozenset[str]) -> Cite:
    return cite if gone.isdisjoint(cite) else tuple(clause for clause in cite if clause not in gone)


def _kept_of(cited: Cited[Any], gone: frozenset[str]) -> Cited[Any]:
    return cited if gone.isdisjoint(cited.cite) else replace(cited, cite=_kept(cited.cite, gone))


def remade(
    part: Any, cited: Callable[[Cited[Any]], Cited[Any]], cite: Callable[[Cite], Cite] | None = None
) -> Any:
    """The same part, of the same type, with its cited values and its own citations changed; itself where nothing in it changes.

    Most of a rulebook stays as it is, and most of its values are words and numbers: these are asked for first.
    """
    if part is None or isinstance(part, str | int):
        return part
    if isinstance(part, Cited):
        return cited(part)
    if isinstance(part, tuple):
        values = tuple([remade(value, cited, cite) for value in part])
        return part if all(map(is_, values, part)) else values
    if isinstance(part, Mapping):
        found = {key: remade(value, cited, cite) for key, value in part.items()}
        return part if all(map(is_, found.values(), part.values())) else found
    if not is_dataclass(part) or isinstance(part, type):
        return part
    changed = {}
    for name in part.__dataclass_fields__:
        value = getattr(part, name)
        made = cite(value) if cite is not None and name == "cite" else remade(value, cited, cite)
        if made is not value:
            changed[name] = made
    return replace(part, **changed) if changed else part


def conditions(root: RuleTable) -> dict[str, tuple[Applies, ...]]:
    """The `[[applies]]` of a file by clause."""
    found: dict[str, tuple[Applies, ...]] = {}
    for table in root.tables("applies", ""):
        condition = _condition(table)
        for clause in condition.among(table.scope.clauses):
            found[clause] = (*found.get(clause, ()), condition)
    return found


def _condition(table: RuleTable) -> Applies:
    inner = table.part("election", optional=True)
    election = () if inner is None else tuple((asked, inner.names(asked)) for asked in inner)
    but = table.cite("but") if table.has("but") else ()
    names = [name for name in ("dealt_by", "two_sets", "devices", "offered") if name in table]
    read = record(table, Applies, election=election, but=but)
    if not names and not election:
        table.fault("", "has no condition; name one, or remove the entry", "condition_missing")
    return read or Applies(())


def _stands_in(clause: str, parts: Cite) -> bool:
    return any(within(clause, part) for part in parts)


def check_conditions(
    found: Conditions, choices: Mapping[str, tuple[str, ...]], wagers: Mapping[str, object], table: RuleTable
) -> None:
    """Adds a fault for each condition that names what this rulebook does not have. `choices`: by what can be elected."""
    for condition in dict.fromkeys(x for each in found.values() for x in each):
        where = f"[[applies]] ({', '.join(condition.clauses)})"
        for asked, wanted in condition.election:
            if asked not in choices:
                table.scope.fault(
                    where, f"nobody can elect {asked!r} {nearest(asked, choices)}", "reading_unknown"
                )
            for choice in [c for c in wanted if asked in choices and c not in choices[asked]]:
                table.scope.fault(
                    where, f"{asked} has no choice {choice!r} {nearest(choice, choices[asked])}", "choice_unknown"
                )
        for wager in [w for w in condition.offered if w not in wagers]:
            table.scope.fault(where, f"no wager is {wager!r} {nearest(wager, wagers)}", "wager_unknown")
