"""Which clauses have a file of cases: the list of those without one is explicit, so that it can only become shorter."""

import functools
import re
import tomllib
from pathlib import Path

import pytest

from controller.rules.explain.coverage import CARRYING, Coverage, Kind
from controller.rules.read.library import available, find, find_coverage
from tests.clauses.texts import of_book

HERE = Path(__file__).resolve().parent
BOOKS = sorted(path.name for path in HERE.iterdir() if path.is_dir() and path.name in available())
"""The documents whose clauses have cases."""
MISSING = tomllib.loads((HERE / "missing.toml").read_text("utf-8"))
FILE = frozenset({"clause", "also", "given", "case", "rank", "settle", "config"})


@functools.cache
def carried(rulebook: str) -> Coverage:
    return find_coverage(find(rulebook))


def file_name(clause: str) -> str:
    """Name of the file of a clause: `13.I(1)` is `13_I_1`; the second clause of one letter, `12.E[2]`, is `12_E_again`."""
    return re.sub(r"[^A-Za-z0-9]+", "_", clause.replace("[2]", "_again")).strip("_")


def tried(rulebook: str) -> list[str]:
    """Clauses that some file of this rulebook has cases for."""
    return [clause for raw in of_book(rulebook).values() for clause in (raw["clause"], *raw.get("also", ()))]


@pytest.mark.parametrize("rulebook", BOOKS)
def test_a_file_is_of_one_clause_of_its_document_and_of_what_stands_with_it(rulebook):
    """A file bears the name of its clause, a clause has one file, and there is no word that nobody reads."""
    clauses = set(carried(rulebook).clauses)
    for path, raw in of_book(rulebook).items():
        assert set(raw) <= FILE, f"{path.name}: {sorted(set(raw) - FILE)}"
        assert path.stem == file_name(raw["clause"])
        assert any(raw.get(cases) for cases in ("case", "rank", "settle", "config")), f"{path.name} has no case"
    assert set(tried(rulebook)) <= clauses
    assert len(tried(rulebook)) == len(set(tried(rulebook)))


@pytest.mark.parametrize("kind", CARRYING)
@pytest.mark.parametrize("rulebook", BOOKS)
def test_the_clauses_without_a_case_are_those_that_are_listed(rulebook, kind):
    """A clause that is carried out has a file of cases, or stands in `missing.toml`; one that has both is taken off there."""
    have = set(tried(rulebook))
    ours = {c: how for c, how in carried(rulebook).clauses.items() if how.kind is kind and not how.todo}
    without = [clause for clause in ours if clause not in have]
    assert without == MISSING.get(rulebook, {}).get(kind.value, [])


@pytest.mark.parametrize("rulebook", BOOKS)
def test_a_case_does_what_its_clause_prompts_and_sees_what_it_records(rulebook):
    """A prompted clause has a case of its act, or of the duty it answers; a recorded one a case that reads its field."""
    cases = {
        c: raw.get("case", ()) for raw in of_book(rulebook).values() for c in (raw["clause"], *raw.get("also", ()))
    }
    for clause, how in carried(rulebook).clauses.items():
        if how.todo or clause not in cases:
            continue
        if how.kind is Kind.PROMPTED:
            done = {word for case in cases[clause] for word in (case["when"].get("act"), case["when"].get("duty"))}
            assert how.act in done, clause
        if how.kind is Kind.RECORDED:
            fact, field = how.field.split(".")
            assert any(field in case["then"].get("records", {}).get(fact, {}) for case in cases[clause]), clause
