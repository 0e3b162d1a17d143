"""`rulebook readings` for the people who elect and who sign: what is open at a table, and the maker's choices."""

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.rules.explain.questions import WIDTH, makers_choice, ordered
from controller.rules.read.library import available, find

EXAMPLE = Path(__file__).parents[3] / "config/tables/example.toml"
BOOKS = {name: find(name) for name in available()}


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, ["rulebook", "readings", *words])
    assert result.exit_code == code, result.output
    return result.output


def _without(folder: Path, *ids: str) -> Path:
    """The example table without these elections."""
    lines = EXAMPLE.read_text("utf-8").splitlines(keepends=True)
    path = folder / "table.toml"
    path.write_text(
        "".join(line for line in lines if not line.startswith(tuple(f'"{id_}"' for id_ in ids))), "utf-8"
    )
    return path


def test_only_what_is_open_at_a_table_is_listed_with_its_effect(tmp_path: Path) -> None:
    """Sorted by number, each with what it bears on, the cautious choice marked; what is elected is not asked again."""
    text = run("--table", str(_without(tmp_path, "R-45", "R-07")))
    lines = text.splitlines()
    assert lines[0].endswith("under md-uth: 2 questions are open")
    heads = [line.split()[0] for line in lines if line.startswith("R-")]
    assert heads == ["R-07", "R-45"]
    assert "  * hold: Hold before the next card and call a floorperson." in lines
    assert any(line.strip().startswith("Bears on wagers") for line in lines)
    assert max(map(len, lines[: lines.index("[elections]")])) <= max(WIDTH, len(lines[0]))


def test_the_section_to_paste_is_the_tables_own_with_lines_to_fill_in(tmp_path: Path) -> None:
    """What was elected stays word for word; a pasted line elects nothing before a person has filled it in."""
    path = _without(tmp_path, "R-45")
    text = run("md-uth", "--table", str(path))
    pasted = tomllib.loads(text[text.index("[elections]") :])["elections"]
    before = tomllib.loads(path.read_text("utf-8"))["elections"]
    assert pasted.pop("R-45") == {"choice": "", "by": ""}
    assert pasted == before


def test_a_table_whose_questions_are_all_answered_says_so() -> None:
    """Nothing is open, and its section is printed all the same."""
    lines = run("--table", str(EXAMPLE)).splitlines()
    assert lines[0] == f"{EXAMPLE}, under md-uth: no question is open"
    assert "[elections]" in lines


def test_what_is_open_is_told_to_programs_too(tmp_path: Path) -> None:
    """The question as a record beside its effect."""
    (told,) = json.loads(run("--table", str(_without(tmp_path, "R-45")), "--json"))
    assert told["question"]["id"] == "R-45"
    assert told["effect"].startswith("Bears on wagers")


def test_a_table_under_another_rulebook_or_with_false_elections_is_refused(tmp_path: Path) -> None:
    """What is open there cannot be told, and the fault is named."""
    assert "is under md-uth, not under ma-uth" in run("ma-uth", "--table", str(EXAMPLE), code=2)
    broken = tmp_path / "broken.toml"
    broken.write_text(EXAMPLE.read_text("utf-8").replace('"R-45"', '"R-4500"'), "utf-8")
    assert "R-4500: md-uth has no such reading" in run("--table", str(broken), code=2)


@pytest.mark.parametrize("book", BOOKS)
def test_the_makers_choices_stand_on_one_page_to_sign(book: str) -> None:
    """Each single choice with id, clauses, question, choice, why, and room for name, date and signature."""
    lines = run(book, "--makers").splitlines()
    alone = ordered([q for q in BOOKS[book].questions.values() if makers_choice(q)])
    assert alone
    assert BOOKS[book].sha256 in lines[2]
    assert [line.split()[0] for line in lines if line.startswith("R-")] == [q.id for q in alone]
    for label in ("  Question  ", "  Choice    ", "  Why       ", "  Effect    ", "  Name ...."):
        assert sum(line.startswith(label) for line in lines) == len(alone), label
    assert max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize("book", BOOKS)
def test_a_makers_choice_says_why_no_other_is_offered(book: str) -> None:
    """Of a reading that is elected no such reason stands there: its choices speak for themselves."""
    for reading in BOOKS[book].readings.values():
        assert bool(reading.why) is makers_choice(reading), reading.id


def test_the_list_of_readings_calls_a_single_choice_the_makers() -> None:
    """Nobody elects it, and no text made it."""
    lines = run("ma-uth").splitlines()
    assert any(line.startswith("ma-uth R-02 (the maker's choice): ") for line in lines)
