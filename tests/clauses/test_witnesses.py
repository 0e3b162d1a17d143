"""A clause is called carried out only where a test of it fails without it: each has a witness, and the witness is played.

The witnesses stand in `witnesses/BOOK.txt`, a line for each clause: what is taken out, and the case that fails then.
`python -m tests.clauses.witness` finds them anew.
"""

import functools
from pathlib import Path

import pytest

from controller.rules.explain.coverage import CARRYING, Kind
from controller.rules.read.library import available, find, find_coverage
from tests.clauses.mutations import MUTATIONS, OF
from tests.clauses.witness import WITNESSES, Document, Witness, carried_of, kinds_of, read

BOOKS = sorted(name for name in available() if "@" not in name)
PLAYED = 8
"""Witnesses of each document that every run of the tests plays; `-m full` plays all."""


@functools.cache
def document(book: str) -> Document:
    return Document(book)


def sample(book: str) -> list[Witness]:
    """Witnesses from all over the document, and one of each kind."""
    kept = read(book)
    firsts = {witness.kind: witness for witness in reversed(kept)}
    return list(dict.fromkeys((*firsts.values(), *kept[:: len(kept) // PLAYED])))


def every(part: str) -> list[object]:
    chosen = [(book, witness) for book in BOOKS for witness in (sample(book) if part == "sample" else read(book))]
    return [pytest.param(book, witness, id=f"{book} {witness.clause} {witness.kind}") for book, witness in chosen]


@pytest.mark.parametrize("book", BOOKS)
def test_each_clause_that_is_carried_out_has_one_witness(book: str) -> None:
    """Each of its class, in the order of the document, and no line is left of a clause that is not carried out."""
    coverage = find_coverage(find(book))
    kept = read(book)
    assert [witness.clause for witness in kept] == carried_of(coverage)
    for witness in kept:
        assert witness.kind in kinds_of(book, witness.clause, coverage.clauses[witness.clause].kind), witness


@pytest.mark.parametrize(("book", "witness"), every("sample"))
def test_a_case_fails_without_its_clause(book: str, witness: Witness, tmp_path: Path) -> None:
    """The case passes as the document stands, and fails once the clause is taken out."""
    assert document(book).holds(witness, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize(("book", "witness"), every("all"))
def test_each_case_fails_without_its_clause(book: str, witness: Witness, tmp_path: Path) -> None:
    """As the sample, for every clause of every document."""
    assert document(book).holds(witness, tmp_path)


@pytest.mark.parametrize("book", BOOKS)
def test_a_case_that_has_nothing_to_do_with_a_clause_is_no_witness(book: str, tmp_path: Path) -> None:
    """The witness of one clause does not fail without another clause: what is taken out is this clause alone."""
    kept = [witness for witness in read(book) if witness.kind == "rule"]
    first, last = kept[0], kept[-1]
    assert not document(book).holds(first._replace(case=last.case), tmp_path)
    assert not document(book).holds(first._replace(case="no such case"), tmp_path)


def test_every_mutation_takes_out_a_clause() -> None:
    """A mutation that no clause names, or a clause whose mutation is not there, would prove nothing."""
    named = [mutation for clauses in OF.values() for mutation in clauses.values()]
    assert set(named) == set(MUTATIONS)
    for book, clauses in OF.items():
        by_code = {witness.clause for witness in read(book) if witness.kind == "code"}
        assert by_code == set(clauses)


def test_there_is_a_file_of_witnesses_for_each_document() -> None:
    """And for nothing else."""
    assert sorted(path.stem for path in WITNESSES.glob("*.txt")) == BOOKS
    assert set(CARRYING) == {Kind.ENFORCED, Kind.PROMPTED, Kind.RECORDED, Kind.SETTLED}


def test_the_readme_says_how_many_clauses_have_a_witness() -> None:
    """The figure is the sum of all documents."""
    readme = (WITNESSES.parents[2] / "README.md").read_text("utf-8")
    assert f"{sum(len(read(book)) for book in BOOKS)} clauses do" in " ".join(readme.split())
