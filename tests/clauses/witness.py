"""Finds for each clause that is carried out the case that fails without it.

    python -m tests.clauses.witness            # finds the witnesses of all documents anew, some four minutes
    python -m tests.clauses.witness ma-uth     # those of one; clauses without a witness are printed

A line of `witnesses/BOOK.txt` reads `clause  kind  case`. Kinds:

    rule    a rule that rests on the clause alone is taken out, and something else follows
    joint   a rule that rests on the clause together with others is taken out, and something else follows
    cite    rules stay, and only the citation of the clause is gone
    told    the text of the clause is told to nobody before the act of the case
    field   the field of the record is empty
    code    the program is mutated as `mutations.OF` says
"""

import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from controller.rules.explain.coverage import CARRYING, Carried, Coverage, Kind, prompts
from controller.rules.model import Rulebook
from controller.rules.read.library import available, find, find_coverage
from controller.rules.vocabulary import Method
from tests.clauses.mutations import MUTATIONS, OF
from tests.clauses.playing import Case, aside, cases_of, fails
from tests.clauses.taken_out import other_rules, uncited, untold

WITNESSES = Path(__file__).resolve().parent / "witnesses"
HEAD = "# clause, kind, the case that fails without the clause. Made by `python -m tests.clauses.witness`."
BY_RULES = ("rule", "joint", "cite")


class Witness(NamedTuple):
    clause: str
    kind: str
    case: str


def kinds_of(book: str, clause: str, kind: Kind) -> tuple[str, ...]:
    """What may be taken out of a clause of this class, the plainest first."""
    if clause in OF[book]:
        return ("code",)
    return {Kind.PROMPTED: ("told",), Kind.RECORDED: ("field",)}.get(kind, BY_RULES)


class Document:
    """One document with its classes and its cases; what was taken out once is kept."""

    def __init__(self, book: str) -> None:
        self.rulebook: Rulebook = find(book)
        self.coverage: Coverage = find_coverage(self.rulebook)
        self.cases = cases_of(book)
        self._by_id = {case.id: case for case in self.cases}
        self._others: dict[tuple[str, frozenset[str], bool], list[Rulebook]] = {}
        self._uncited: dict[str, Rulebook] = {}

    def holds(self, witness: Witness, folder: Path) -> bool:
        """True where the case passes as the document stands, and fails when the clause is taken out."""
        case = self._by_id.get(witness.case)
        if case is None or fails(case, self.rulebook, self.coverage, folder):
            return False
        return self._shows(witness.clause, witness.kind, case, folder)

    def found(self, clause: str, folder: Path) -> Witness | None:
        """The first witness of the clause: the cases of its own file come first, among them those that name it."""
        kinds = kinds_of(self.rulebook.id, clause, self.coverage.clauses[clause].kind)
        if kinds == BY_RULES and self._without_cite(clause) is self.rulebook:
            return None
        own = sorted(
            (case for case in self.cases if clause in case.clauses), key=lambda case: not case.names(clause)
        )
        near = [case for case in self.cases if clause not in case.clauses and case.names(clause)]
        for kind in kinds:
            for case in own if kind in ("told", "field") else (*own, *near):
                if self._shows(clause, kind, case, folder):
                    return Witness(clause, kind, case.id)
        return None

    def _shows(self, clause: str, kind: str, case: Case, folder: Path) -> bool:
        carried = self.coverage.clauses[clause]
        match kind:
            case "rule" | "joint":
                others = self._without_rule(clause, case, joint=kind == "joint")
                return any(fails(case, other, self.coverage, folder) for other in others)
            case "cite":
                return fails(case, self._without_cite(clause), self.coverage, folder)
            case "told":
                return self._told(clause, carried, case)
            case "field":
                return fails(case, self.rulebook, self.coverage, folder, blank=carried.field)
            case "code":
                rulebook, patches = MUTATIONS[OF[self.rulebook.id][clause]](self.rulebook, clause)
                return fails(case, rulebook, self.coverage, folder, patches=patches)
            case _:
                return False

    def _without_rule(self, clause: str, case: Case, *, joint: bool) -> list[Rulebook]:
        key = clause, aside(case, self.rulebook), joint
        if key not in self._others:
            self._others[key] = list(other_rules(self.rulebook, clause, key[1], joint=joint))
        return self._others[key]

    def _without_cite(self, clause: str) -> Rulebook:
        if clause not in self._uncited:
            self._uncited[clause] = uncited(self.rulebook, clause)
        return self._uncited[clause]

    def _told(self, clause: str, carried: Carried, case: Case) -> bool:
        """True where the act, or the duty, of the case is taken, and the clause is told before it only by its own class."""
        when = case.raw.get("when", {})
        if carried.act not in (when.get("act"), when.get("duty")) or "refused" in case.raw["then"]:
            return False
        method = Method(case.raw["given"].get("method", "dealing_shoe"))
        with_it, without = (
            {c for p in prompts(coverage, self.rulebook, method) if p.act == carried.act for c in p.cite}
            for coverage in (self.coverage, untold(self.coverage, clause))
        )
        return clause in with_it - without


def carried_of(coverage: Coverage) -> list[str]:
    """The clauses that are carried out, in the order of the document."""
    return [
        clause for clause, carried in coverage.clauses.items() if carried.kind in CARRYING and not carried.todo
    ]


def read(book: str) -> list[Witness]:
    """The witnesses that are kept, in the order of the document."""
    lines = (WITNESSES / f"{book}.txt").read_text("utf-8").splitlines()
    return [Witness(*line.split("  ", 2)) for line in lines if line and not line.startswith("#")]


def make(book: str) -> Iterator[str]:
    """Writes the file of one document; gives the clauses without a witness."""
    document, lines = Document(book), []
    with tempfile.TemporaryDirectory() as folder:
        for clause in carried_of(document.coverage):
            found = document.found(clause, Path(folder))
            if found is None:
                yield clause
            else:
                lines.append("  ".join(found))
    WITNESSES.mkdir(exist_ok=True)
    (WITNESSES / f"{book}.txt").write_text("\n".join([HEAD, *lines, ""]), "utf-8")


def main(books: Iterable[str]) -> None:
    """Makes the files; ends with 1 where a clause has no witness."""
    missing = [f"{book} {clause}: no case fails without it" for book in books for clause in make(book)]
    sys.exit("\n".join(missing) or 0)


if __name__ == "__main__":
    main(sys.argv[1:] or [name for name in available() if "@" not in name])
