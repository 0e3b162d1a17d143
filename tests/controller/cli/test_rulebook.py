"""`tablewarden rulebook` as people type it: what it prints, what a program gets, and the code it ends with."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli
from controller.rules.explain.clause_page import brief
from controller.rules.explain.coverage import CARRYING, Kind
from controller.rules.explain.explain import cited, explanation
from controller.rules.read.library import available, find, find_coverage, shipped

BOOKS = [name for name in available() if "@" not in name]


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["rulebook", *words], catch_exceptions=False)


def document(*words: str) -> Any:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Rulebooks that one may spoil."""
    return Path(shutil.copytree(shipped(), tmp_path / "rulebooks"))


def test_list_names_each_document_with_its_edition_and_hash() -> None:
    """What a table may be configured with, and what stands in the record as its hash."""
    lines = run("list").stdout.splitlines()
    assert [line.split()[0] for line in lines[::2]] == sorted(BOOKS)
    assert any("Maryland" in line and "edition 1.4" in line for line in lines)
    rows = {row["id"]: row for row in document("list")}
    assert rows["md-uth"]["sha256"] == find("md-uth").sha256
    assert (rows["md-uth"]["clauses"], rows["nj-pikit"]["choices"]) == (535, 8)


def test_an_older_edition_is_listed_beside_and_not_summed(copy: Path) -> None:
    """`md-uth@1.4` can be shown and compared; the sums are those of the newest editions."""
    shutil.copy(copy / "md-uth.toml", copy / "md-uth@1.3.toml")
    assert len(document("list", "--directory", str(copy))) == len(BOOKS) + 1
    assert len(document("coverage", "--directory", str(copy))) == len(BOOKS)
    told = document("diff", "md-uth@1.3", "md-uth", "--directory", str(copy))
    assert (told["values"], told["left"], told["right"]) == ([], "md-uth@1.3", "md-uth")
    assert [side["id"] for side in told["editions"]] == ["md-uth", "md-uth"]
    assert {row["name"] for row in document("list", "--directory", str(copy))} == {*BOOKS, "md-uth@1.3"}
    page = run("list", "--directory", str(copy)).stdout
    assert {line.split()[0] for line in page.splitlines()[::2]} == {*BOOKS, "md-uth@1.3"}
    lines = run("diff", "md-uth@1.3", "md-uth", "--directory", str(copy)).stdout.splitlines()
    assert (lines[0].split()[0], lines[0].split()[6], lines[1]) == ("md-uth@1.3", "md-uth", "  the same file")


@pytest.mark.parametrize("book", BOOKS)
def test_show_tells_values_answers_and_questions(book: str) -> None:
    """A whole rulebook, each value with its clauses."""
    rulebook = find(book)
    page = run("show", book).stdout
    assert f"  sha256 {rulebook.sha256}" in page
    assert f"  value decks.per_set = {rulebook.decks.per_set.value}" in page
    assert all(f" {question}: " in page for question in rulebook.questions)
    told = document("show", book)
    assert set(told["rows"]) == {str(trigger) for trigger in rulebook.rows}
    assert set(told["readings"]) == set(rulebook.readings)


def test_explain_tells_in_a_few_lines_what_follows_and_what_the_others_say() -> None:
    """Trigger, demands with the least role, the other documents' answers, the class of the clause."""
    lines = run("explain", "md-uth", "13.I").stdout.splitlines()
    assert lines[0].startswith("md-uth 13.I (")
    assert lines[1].startswith("  enforced ")
    assert lines[2].startswith("  The automated shoe jams, stops, or does not deal; a round is in play")
    assert "    - dealer: return all wagers [13.I(1)]" in lines
    beside = " ".join(lines[8:11])
    assert all(book in beside for book in ("ma-uth", "nj-pikit", "ma-colorado", "fast-action"))
    in_full = run("explain", "md-uth", "13.I", "--all").stdout.splitlines()
    assert "    return_all_wagers (dealer): 13.I(1)" in in_full
    assert len(lines) < 25 < len(in_full)


def test_explain_gives_a_program_the_same() -> None:
    """Rows with their roles and what stands beside them, and how the clause is carried out."""
    told = document("explain", "md-uth", "13.I")
    answer = next(a for a in told["told"]["answers"] if a["row"]["trigger"] == "shoe_jam")
    assert answer["roles"]["return_all_wagers"] == "dealer"
    beside = {other["rulebook"]: other for other in answer["elsewhere"]}
    assert beside["ma-uth"]["only_here"] == ["return_all_wagers"]
    assert beside["fast-action"]["row"]["silent"] is True
    assert told["carried"]["kind"] == "enforced"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("explain", "md-uth", "13.Z"), "md-uth has no clause '13.Z' (nearest: 13."),
        (("explain", "md-ut", "13.I"), "no rulebook 'md-ut'"),
        (("show", "md-ut"), "(nearest: md-uth)"),
        (("diff", "md-uth", "ma-ut"), "(nearest: ma-uth)"),
        (("diff", "md-uth", "ma-uth", "--chapter", "shoe_jams"), "(nearest: shoe_jam)"),
        (("coverage", "nothing"), "known: fast-action"),
        (("readings", "nothing"), "no rulebook 'nothing'"),
    ],
)
def test_what_is_not_there_is_answered_with_the_nearest(words: tuple[str, ...], said: str) -> None:
    """Exit code 2: the words were wrong, and the answer says which would be right."""
    result = run(*words)
    assert result.exit_code == 2
    assert said in result.stderr


def test_diff_shows_its_contents_on_one_screen() -> None:
    """Every chapter with the number of its differences; the sums are all there is, and it is no fault to differ."""
    result = run("diff", "ma-uth", "md-uth")
    assert result.exit_code == 0
    head, _, *chapters, last = result.stdout.splitlines()
    assert head == (
        f"ma-uth (edition {find('ma-uth').edition}, sha256 {find('ma-uth').sha256[:16]}) -> "
        f"md-uth (edition {find('md-uth').edition}, sha256 {find('md-uth').sha256[:16]})"
    )
    told = document("diff", "ma-uth", "md-uth")
    counts = [int(word) for word in " ".join(chapters).split() if word.isdigit()]
    assert sum(counts) == sum(len(told[name]) for name in ("values", "pay", "answers", "only_left", "only_right"))
    assert len(chapters) < 24
    assert last.endswith("--chapter cards")
    assert {value["name"] for value in told["values"]} >= {"act recut", "deck_change.interval_s.hand"}


def test_a_chapter_of_diff_shows_each_side_under_its_own_clauses() -> None:
    """Values, answers to one trigger, pay tables and questions; two chapters stand one after the other."""
    lines = run(
        "diff", "ma-uth", "md-uth", "--chapter", "people", "--chapter", "wrong_count_player"
    ).stdout.splitlines()
    assert "  who does it: recut: supervisor [4(d)] -> floorperson [5.G]" in lines
    at = lines.index("wrong_count_player")
    assert lines[at + 2].endswith("Only here: that hand is void; play goes on.")
    assert lines[at + 3].startswith("    md-uth 13.E: ")
    everything = run("diff", "ma-uth", "md-uth", "--all").stdout.splitlines()
    assert set(lines) <= set(everything)
    assert any(line.startswith("  only md-uth: reading R-31") for line in everything)
    assert any(line.startswith("  only md-uth: trips: E [") for line in everything)


def test_coverage_lists_every_clause_of_every_document_and_sums_up() -> None:
    """One line for a clause, then the sums by class and of what is not carried out yet."""
    lines = run("coverage").stdout.splitlines()
    clauses = {(book, clause) for book in BOOKS for clause in find(book).clauses}
    assert {tuple(line.split()[:2]) for line in lines[: -len(BOOKS) - 1]} == clauses
    head, *sums = lines[-len(BOOKS) - 1 :]
    assert head.split() == [*Kind, "all", "not", "yet"]
    for line in sums:
        book, *numbers = line.split()
        assert sum(map(int, numbers[:-2])) == int(numbers[-2]) == len(find(book).clauses)


def test_coverage_says_what_is_not_carried_out_yet() -> None:
    """`--open` leaves exactly that, each clause with what is missing; of these documents nothing is left."""
    for told in document("coverage", "--open"):
        assert told["open"] == 0
        assert told["clauses"] == {}
    lines = run("coverage", "--open").stdout.splitlines()
    assert lines[0].split()[-2:] == ["not", "yet"]
    assert all(line.split()[-1] == "0" for line in lines[1:])


@pytest.mark.parametrize("book", BOOKS)
def test_no_class_stands_beside_nothing(book: str) -> None:
    """A clause that is carried out names what carries it: its act, its field, its rows, or what of the rulebook names it."""
    rulebook = find(book)
    named = cited(rulebook)
    for clause, carried in find_coverage(rulebook).clauses.items():
        if carried.kind in CARRYING:
            assert carried.how or clause in named, clause
            assert carried.how or brief(explanation(rulebook, clause)), clause


def test_explain_says_what_a_heading_and_a_sign_are() -> None:
    """The clauses that use it, or that the operator does it."""
    lines = run("explain", "ma-colorado", "6a(c)").stdout.splitlines()
    assert lines[1] == "  definition A bonus is paid by the pay table of the version in play. [see 12(d), 13(d)]"
    lines = run("explain", "ma-colorado", "12(a)").stdout.splitlines()
    assert lines[1].startswith("  house ")
    assert len(lines) == 2


def test_the_readme_has_the_numbers_of_coverage() -> None:
    """Document by document, as the command prints them."""
    readme = (Path(__file__).resolve().parents[3] / "README.md").read_text("utf-8")
    for line in run("coverage").stdout.splitlines()[-len(BOOKS) :]:
        book, *numbers = line.split()
        assert f"| `{book}` | {' | '.join(numbers)} |" in readme


def test_a_clause_that_is_not_carried_out_is_listed_as_open(copy: Path) -> None:
    """With what is missing, and counted."""
    file = copy / "clauses" / "md-uth.coverage.toml"
    clauses = 'clauses = ["11.B(2)(b)", "11.D(2)(b)"]\n'
    text = file.read_text("utf-8")
    assert clauses in text
    file.write_text(text.replace(clauses, clauses + 'todo = "not yet: nobody has built it"\n'), "utf-8")
    (told,) = document("coverage", "md-uth", "--open", "--directory", str(copy))
    assert list(told["clauses"]) == ["11.B(2)(b)", "11.D(2)(b)"]
    assert told["open"] == 2
    lines = run("coverage", "md-uth", "--open", "--directory", str(copy)).stdout.splitlines()
    assert all(line.endswith("NOT YET: nobody has built it") for line in lines[:2])
    assert lines[-1].split()[-1] == "2"


def test_readings_are_listed_with_their_choices_and_the_cautious_one() -> None:
    """What a licensee elects, with what is marked as the one to think about first."""
    lines = run("readings", "nj-pikit").stdout.splitlines()
    assert any(line.startswith("nj-pikit R-22 (must be elected): ") for line in lines)
    assert any(line.startswith("  * hold: ") for line in lines)
    assert any(line.startswith("nj-pikit house choice settlement (must be elected)") for line in lines)
    told = document("readings")
    assert {book: set(questions) for book, questions in told.items()} == {
        book: set(find(book).questions) for book in BOOKS
    }


def test_a_choice_that_must_be_alike_everywhere_says_so() -> None:
    """The version of the game is one for the house."""
    assert "(must be elected, alike at every table)" in run("readings", "ma-colorado").stdout


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("ma-uth.toml", ("show", "ma-uth")),
        ("ma-uth.toml", ("list",)),
        ("clauses/ma-uth.coverage.toml", ("coverage",)),
        ("clauses/ma-uth.coverage.toml", ("explain", "ma-uth", "15(f)")),
    ],
)
def test_a_file_that_is_not_sound_ends_with_its_faults(copy: Path, file: str, words: tuple[str, ...]) -> None:
    """Exit code 2, as under every command, with the file and every fault."""
    path = copy / file
    path.write_text(path.read_text().replace("shoe_jam", "shoe_jan"))
    result = run(*words, "--directory", str(copy))
    assert result.exit_code == 2
    assert str(path) in result.stderr
    assert "(nearest: shoe_jam)" in result.stderr
