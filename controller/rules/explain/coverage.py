"""How each clause of a document is carried out here: enforced, prompted, recorded or settled, or why it is not.

Read from `clauses/<id>.coverage.toml` beside the clause ids, as strictly as a rulebook: every clause once, every fault
told. What is not carried out yet keeps the class that it must have and says so under `todo`.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from enum import StrEnum

from controller.readers.fault import Fault, listed
from controller.readers.toml import TomlInvalid, parse_toml
from controller.rules.citation import Cited, chapter, within
from controller.rules.explain.explain import cited
from controller.rules.model import Row, Rulebook
from controller.rules.parts import Dealing
from controller.rules.read.reader import LawScope, RuleTable
from controller.rules.vocabulary import Method, Trigger
from drivers.protocol.records import dataclass

FIELD = re.compile(r"[a-z_]+\.[a-z_]+")
ACT = re.compile(r"[a-z_]+")
NOT_YET = "not yet"


class Kind(StrEnum):
    """Who carries a clause out: the daemon, a person, the record, or nobody at this table."""

    ENFORCED = "enforced"  # the daemon refuses, voids, locks or withholds
    PROMPTED = "prompted"  # a person is told to do it, and says by an act that it is done
    RECORDED = "recorded"  # it stands in the record, in a field of a fact
    SETTLED = "settled"  # pay and settlement
    DEFINITION = "definition"  # a term, a heading or a pointer: the clauses that use it carry it
    HOUSE = "house"  # the operator does it away from this table: signs, notices, filings, training
    PHYSICAL = "physical"  # no device, act or clock could carry it


CARRYING = (Kind.ENFORCED, Kind.PROMPTED, Kind.RECORDED, Kind.SETTLED)
"""Classes of clauses that are carried out here; a test of each such clause fails without it."""


class CoverageInvalid(Exception):
    """A coverage file is refused. `faults`: every fault, each with its place in the file."""

    def __init__(self, path: str, faults: Sequence[Fault]) -> None:
        super().__init__(f"{path}: refused for {len(faults)} fault(s)\n" + listed(faults))
        self.path, self.faults = path, tuple(faults)


@dataclass(frozen=True, slots=True)
class Carried:
    """How some clauses are carried out. `says`: how, or why nothing here carries them.

    `rows`: triggers whose rows in the rulebook answer it. `acts`: acts and reports that the program refuses or takes under
    it, where no part of the rulebook names it. `text`, `act`: the sentence that a person reads, and the act or duty that
    answers it. `field`: `fact.field`. `used_by`: the clauses that use a definition. `todo`: what is not there yet, "" = it is
    carried out.
    """

    kind: Kind
    says: str
    rows: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()
    text: str = ""
    act: str = ""
    field: str = ""
    used_by: tuple[str, ...] = ()
    todo: str = ""

    @property
    def how(self) -> str:
        """What carries it, in brief: rows, acts, text and act, field, or the clauses that use it; "" for what has none."""
        rows = (f"rows {', '.join(self.rows)}",) if self.rows else ()
        acts = (f"by {', '.join(self.acts)}",) if self.acts else ()
        act = (f'"{self.text}" by {self.act}',) if self.act else ()
        used = (f"see {', '.join(self.used_by)}",) if self.used_by else ()
        return "; ".join((*rows, *acts, *act, *((self.field,) if self.field else ()), *used))


@dataclass(frozen=True, slots=True)
class Coverage:
    """`clauses`: how each clause of the document is carried out, in the document's order."""

    rulebook: str
    clauses: Mapping[str, Carried]

    def counts(self) -> dict[Kind, int]:
        """Clauses of each kind; kinds without one are counted as 0."""
        found = Counter(carried.kind for carried in self.clauses.values())
        return {kind: found[kind] for kind in Kind}

    def open(self) -> dict[str, Carried]:
        """The clauses that are not carried out yet."""
        return {clause: carried for clause, carried in self.clauses.items() if carried.todo}


@dataclass(frozen=True, slots=True)
class Prompt:
    """A sentence that a person reads before an act, and the clauses that want it."""

    act: str
    text: str
    cite: tuple[str, ...]


def prompts(
    coverage: Coverage, rulebook: Rulebook, method: Method, silent: Collection[str] = ()
) -> tuple[Prompt, ...]:
    """Returns the sentences that people read at a table with this way of dealing, act by act.

    A clause in the chapter of another way of dealing does not speak to them, nor one that only another way rests on, nor one
    that is `silent` at this table.
    """
    chapters = {m: chapter(dealing.cite[0]) for m, dealing in rulebook.dealing.items()}
    others = set(chapters.values()) - {chapters.get(method)}
    rests_on = {m: _rests_on(dealing) for m, dealing in rulebook.dealing.items()}
    others |= {clause for found in rests_on.values() for clause in found} - rests_on.get(method, set())
    others |= set(silent)
    found: dict[tuple[str, str], list[str]] = {}
    for clause, carried in coverage.clauses.items():
        if carried.kind is Kind.PROMPTED and not carried.todo and not {chapter(clause), clause} & others:
            found.setdefault((carried.act, carried.text), []).append(clause)
    return tuple(Prompt(act, text, tuple(cite)) for (act, text), cite in found.items())


def _rests_on(dealing: Dealing) -> set[str]:
    """The clauses of what this way of dealing has beside its stacks: burns, a covered dealer's hand and the like."""
    values = [getattr(dealing, field.name) for field in fields(dealing)]
    return {clause for value in values if isinstance(value, Cited) for clause in value.cite}


def parse_coverage(data: bytes, rulebook: Rulebook, clauses: Sequence[str], path: str) -> Coverage:
    """The coverage in these bytes of `path`; `clauses`: the ids of the document, in its order.

    Raises `CoverageInvalid` with all faults.
    """
    try:
        raw = parse_toml(data)
    except TomlInvalid as exc:
        raise CoverageInvalid(path, [Fault("file", f"no TOML: {exc}", "not_toml", exc.line)]) from exc
    root = RuleTable(raw, "", LawScope(frozenset(clauses), data))
    never_physical = _header(root, rulebook)
    named = cited(rulebook)
    found: dict[str, Carried] = {}
    for kind in Kind:
        for table in root.tables(kind, ""):
            ids = _ids(table, clauses)
            carried = _carried(table, kind)
            if carried.rows:
                _check_rows(table, rulebook, ids, carried)
            if again := [c for n, c in enumerate(ids) if c in found or c in ids[:n]]:
                table.fault("", f"clauses that are named before: {', '.join(again)}", "named_twice")
            if kind is Kind.PHYSICAL:
                _check_physical(table, ids, never_physical)
            if kind in (Kind.ENFORCED, Kind.SETTLED) and not (carried.rows or carried.acts or carried.todo):
                _check_named(table, ids, named)
            found.update({clause: _with_parts(carried, clause, clauses) for clause in ids})
    root.close()
    _check_definitions(root, found)
    if missing := [clause for clause in clauses if clause not in found]:
        root.fault("", f"clauses without a class: {', '.join(missing)}", "class_missing")
    if root.scope.faults:
        raise CoverageInvalid(path, root.scope.faults)
    return Coverage(rulebook.id, {clause: found[clause] for clause in clauses})


def _header(root: RuleTable, rulebook: Rulebook) -> tuple[str, ...]:
    """Checks which rulebook the file covers. Returns the parts of which no clause may be called physical."""
    table = root.part("coverage")
    if table is None:
        return ()
    table.one_of("rulebook", (rulebook.id,))
    never_physical = table.cite("never_physical")
    table.close()
    return never_physical


def _ids(table: RuleTable, clauses: Sequence[str]) -> list[str]:
    """Those named under `clauses`, and those under `whole` with everything that stands in them."""
    single, whole = table.names("clauses", optional=True), table.names("whole", optional=True)
    table.scope.check_cite(table.where, (*single, *whole), table.at)
    if not single and not whole:
        table.fault(
            "", "names no clause: 'clauses', or 'whole' for clauses with all that stands in them", "too_few"
        )
    known = [clause for clause in single if clause in clauses]
    return known + [clause for part in whole for clause in clauses if within(clause, part)]


def _carried(table: RuleTable, kind: Kind) -> Carried:
    """What this table names to carry its clauses, by their kind; a physical one only says why nothing could."""
    says = table.text("says")
    rows: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()
    text = act = field = todo = ""
    match kind:
        case Kind.ENFORCED:
            rows = table.names("rows", optional=True)
            rows = tuple(word for row in rows if (word := table.to_word("rows", row, Trigger)))
            acts, todo = _acts(table), _todo(table)
        case Kind.PROMPTED:
            text, act, todo = table.text("text"), _shaped(table, "act", ACT, "an act"), _todo(table)
        case Kind.RECORDED:
            field, todo = _shaped(table, "field", FIELD, '"fact.field"'), _todo(table)
        case Kind.SETTLED:
            acts, todo = _acts(table), _todo(table, "note")
            if todo and not todo.startswith(NOT_YET):
                table.fault("", f"'note' must begin with {NOT_YET!r}, not {todo!r}", "text_unfit")
        case Kind.DEFINITION:
            used_by = table.names("used_by", optional=True)
            table.scope.check_cite(table.where, used_by, table.at)
    table.close()
    return Carried(kind, says, rows, acts, text, act, field, used_by, todo)


def _acts(table: RuleTable) -> tuple[str, ...]:
    acts = table.names("acts", optional=True)
    for act in acts:
        if not ACT.fullmatch(act):
            table.fault("", f"'acts' must hold acts, not {act!r}", "text_unfit")
    return acts


def _with_parts(carried: Carried, clause: str, clauses: Sequence[str]) -> Carried:
    """A heading is used by the clauses that stand right under it."""
    if carried.kind is not Kind.DEFINITION or carried.used_by:
        return carried
    under = [each for each in clauses if each != clause and within(each, clause)]
    first: list[str] = []
    for each in sorted(under, key=len):  # what stands in a clause has a longer id
        if not any(within(each, other) for other in first):
            first.append(each)
    return replace(carried, used_by=tuple(sorted(first, key=under.index)))


def _check_named(table: RuleTable, ids: Sequence[str], named: Collection[str]) -> None:
    """A clause on which nothing of the rulebook rests needs an act, or is carried out by nothing."""
    if idle := [clause for clause in ids if clause not in named]:
        table.fault(
            "",
            f"nothing rests on {', '.join(idle)}: no value, row or part names it, and there are no 'acts'",
            "clause_unused",
        )


def _check_definitions(root: RuleTable, found: Mapping[str, Carried]) -> None:
    """Each definition leads to a clause that is carried out, by way of others that use it."""
    definitions = {clause: carried for clause, carried in found.items() if carried.kind is Kind.DEFINITION}
    led: set[str] = {clause for clause, carried in found.items() if carried.kind in CARRYING}
    while more := {c for c, carried in definitions.items() if c not in led and led & set(carried.used_by)}:
        led |= more
    if idle := [clause for clause in definitions if clause not in led]:
        root.fault("", f"definitions that no clause uses which is carried out: {', '.join(idle)}", "clause_unused")


def _todo(table: RuleTable, key: str = "todo") -> str:
    return table.maybe_text(key) or ""


def _shaped(table: RuleTable, key: str, shape: re.Pattern[str], name: str) -> str:
    text = table.text(key)
    if text and not shape.fullmatch(text):
        table.fault("", f"{key!r} must be {name}, not {text!r}", "text_unfit")
    return text


def _check_physical(table: RuleTable, ids: Sequence[str], never: Sequence[str]) -> None:
    """What concerns decks, stub, lock-out, settlement or irregularities is carried by something, or will be."""
    if wrong := [clause for clause in ids if any(within(clause, part) for part in never)]:
        table.fault("", f"no clause of their chapters may be physical: {', '.join(wrong)}", "class_unfit")


def _check_rows(table: RuleTable, rulebook: Rulebook, ids: Sequence[str], carried: Carried) -> None:
    """Each clause is cited by a row that is named, and each row that is named cites one of the clauses."""
    cites = {row: set(_cites(rulebook.rows[Trigger(row)])) for row in carried.rows}
    for clause in ids:
        if not carried.acts and not any(within(c, clause) for found in cites.values() for c in found):
            table.fault("", f"no row of {', '.join(carried.rows)} cites clause {clause!r}", "clause_unused")
    for row, found in cites.items():
        if not any(within(c, clause) for c in found for clause in ids):
            table.fault("", f"rows of {row} cite none of these clauses", "clause_unused")


def _cites(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        yield from (*row.cite, *row.notwithstanding, *(clause for demand in row.do for clause in demand.cite))
