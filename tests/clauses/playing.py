"""Cases of clauses as records, each played under a rulebook that is handed in: so a case can be seen to fail."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import _pytest
import pytest

from controller.config import model
from controller.games.settling.engine import Settler
from controller.rules.citation import chapter
from controller.rules.elections import elect, proposals
from controller.rules.explain.coverage import Coverage, prompts
from controller.rules.model import Rulebook
from controller.rules.vocabulary import Method
from tests.clauses import test_clauses, test_configuration, test_ranking, test_settlement, texts
from tests.clauses.conftest import bench, stage_of

HERE = Path(__file__).resolve().parent
TESTS, PYTEST = str(HERE.parent), str(Path(_pytest.__file__).parent)
_WORDS = re.compile(r"[\s,;\[\]+@]+")


@dataclass(frozen=True, eq=False)
class Case:
    """One case of a file: `word` is its array (case, rank, settle, config), `raw` what stands there."""

    book: str
    file: str
    clauses: tuple[str, ...]
    word: str
    name: str
    raw: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.file}: {self.name}"

    def names(self, clause: str) -> bool:
        """True where the case speaks of the clause by its id, in what it expects."""
        return clause in self.words

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the case but those of its name."""
        texts = _texts({key: value for key, value in self.raw.items() if key != "name"})
        return frozenset(word for text in texts for word in _WORDS.split(text))


VERSIONS = {"ma-colorado": {"required_bet": ("10", "12"), "permissible_bet": ("11", "13")}}
"""Chapters that speak of one version of a game alone."""


def aside(case: Case, rulebook: Rulebook) -> frozenset[str]:
    """Chapters of the document that do not speak of the table of the case: of other ways of dealing, of another version."""
    given = case.raw.get("given", {})
    elected = case.raw.get("elect", {}) | given.get("elect", {})
    found: set[str] = set()
    if case.word == "case":
        method = Method(given.get("method", "dealing_shoe"))
        chapters = {m: chapter(dealing.cite[0]) for m, dealing in rulebook.dealing.items()}
        found |= set(chapters.values()) - {chapters.get(method)}
    if rulebook.play.version is not None:
        played = elected.get("version", rulebook.choices["version"].proposed)
        found |= {c for version, of in VERSIONS[rulebook.id].items() if version != played for c in of}
    return frozenset(found)


def _texts(part: Any) -> Iterator[str]:
    match part:
        case dict():
            for each in part.values():
                yield from _texts(each)
        case list():
            for each in part:
                yield from _texts(each)
        case str():
            yield part


def cases_of(book: str) -> list[Case]:
    """Every case of the clauses of one document, in the order of files and of their lines."""
    found = []
    for path, raw in texts.of_book(book).items():
        clauses = (raw["clause"], *raw.get("also", ()))
        for word in ("case", "rank", "settle", "config"):
            for case in raw.get(word, ()):
                found += [
                    Case(book, path.stem, clauses, word, name, each) for name, each in _each(word, raw, case)
                ]
    return found


def _each(word: str, raw: dict[str, Any], case: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A case with what stands above all of its file; rounds that differ in their cards are cases of their own."""
    if word == "settle":
        rounds = test_settlement.rounds(case)
        yield from ((f"{case['name']} {n}".removesuffix(" 0"), each) for n, each in enumerate(rounds))
    elif word == "case":
        yield case.get("name", "?"), {**case, "given": {**raw.get("given", {}), **case.get("given", {})}}
    else:
        yield case["name"], {**case, "clause": raw["clause"]} if word == "rank" else case


def fails(
    case: Case,
    rulebook: Rulebook,
    coverage: Coverage,
    tmp_path: Path,
    blank: str = "",
    patches: Sequence[Any] = (),
) -> bool:
    """True where a check of the case fails under this rulebook; an error of the program, which no case looks for, is none.

    `blank`: a field of facts, as `fact.field`, that is recorded empty. `patches`: the program is another one.
    """
    try:
        with ExitStack() as stack:
            for each in patches:
                stack.enter_context(each)
            _play(case, rulebook, coverage, tmp_path, blank)
    except AssertionError as exc:
        return "DecisionFailed" not in str(exc) and _in(exc, TESTS, PYTEST)
    except pytest.fail.Exception:
        return True
    except ValueError as exc:  # a test that finds one thing where it looks for two
        return _in(exc, f"{HERE}/test_")
    except Exception:  # a rulebook that no loader would let pass
        return False
    return False


def _in(exc: BaseException, *where: str) -> bool:
    """True where the error arose in a file whose path begins with one of these."""
    trace = exc.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith(where)


def _play(case: Case, rulebook: Rulebook, coverage: Coverage, tmp_path: Path, blank: str) -> None:
    raw = {key: value for key, value in case.raw.items() if key != "clause"}
    with ExitStack() as stack:
        patched = [
            patch.object(bench, "_book", lambda _: rulebook),
            patch.object(test_clauses, "_prompts", lambda _, method: prompts(coverage, rulebook, method)),
            patch.object(test_clauses, "builtins", _blanked(blank)),
            patch.object(test_ranking, "find", lambda _: rulebook),
            patch.object(test_settlement, "settler", lambda _, elected: _settler(rulebook, elected)),
            patch.object(model, "find", lambda _: rulebook),
            patch.object(model, "find_coverage", lambda _: coverage),
        ]
        for each in patched:
            stack.enter_context(each)
        match case.word:
            case "case":
                test_clauses.test_a_clause_is_carried_out(case.book, raw, stage_of)
            case "rank":
                test_ranking.test_cards_are_what_the_clause_makes_of_them(case.book, case.raw["clause"], raw)
            case "settle":
                test_settlement.test_a_round_is_settled_as_worked_out_from_the_text(case.book, raw)
            case "config":
                test_configuration.test_a_table_is_configured_as_the_clause_has_it(case.book, raw, tmp_path)


_builtins = test_clauses.builtins


def _blanked(blank: str) -> Any:
    kind, _, field = blank.partition(".")

    def read(event: Any) -> dict[str, Any]:
        told = _builtins(event)
        return {**told, field: None} if kind and event.kind == kind else told

    return read


def _settler(rulebook: Rulebook, elected: tuple[tuple[str, str], ...]) -> Settler:
    return _settler_of(bench.Same(rulebook), elected)


@lru_cache(maxsize=64)
def _settler_of(same: bench.Same, elected: tuple[tuple[str, str], ...]) -> Settler:
    rulebook = same.rulebook
    choices = proposals(rulebook) | dict(elected)
    return Settler(elect(rulebook, {question: (choice, "test") for question, choice in choices.items()}))
