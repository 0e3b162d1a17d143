"""`tablewarden rank` as people type it, and as a program uses it."""

import json
import shlex
from pathlib import Path

from click.testing import CliRunner, Result

from controller.cli.main import cli


def run(*words: str, stdin: str = "") -> Result:
    return CliRunner().invoke(cli, ["rank", *words], input=stdin, catch_exceptions=False)


def test_a_hand_is_told_with_its_clause_and_the_cards_that_make_it() -> None:
    """What a person wants to know, and the value by which it compares."""
    result = run("--rulebook", "md-uth", "As Kd Kh Ks 9c 9d 2h")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "As Kd Kh Ks 9c 9d 2h",
        "  hand: full house, kings full of nines  [6.D(4)]",
        "    cards Ks Kh Kd 9d 9c, value 7180288",
    ]


def test_a_program_gets_one_line_of_json_for_each_hand() -> None:
    """All that the page says, by name."""
    result = run("--rulebook", "nj-pikit", "--json", "9h 8c 7d 2h 3h", "Ah Kh Qh")
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert [hand["order"] for hand in first["hands"]] == ["five", "three"]
    assert first["hands"][1] == {
        "order": "three", "hand": "straight", "says": "straight, nine high", "cards": "9h 8c 7d", "value": 37289984,
        "cite": ["39.4(c)4"], "asks": None,
    }  # fmt: skip
    assert second["hands"][0]["hand"] == "royal_flush"


def test_the_dealers_four_cards_are_set() -> None:
    """Each play that the text allows, with its discards, or that there is a natural."""
    page = run("--rulebook", "fast-action", "9h 9d 9c 2s").stdout.splitlines()
    assert page[1] == "  the dealer sets: highest pair  [(h)(9)(ii)]"
    assert page[2:] == [
        "    plays 9h 9d, discards 9c 2s", "    plays 9h 9c, discards 9d 2s", "    plays 9d 9c, discards 9h 2s",
    ]  # fmt: skip
    assert "a natural" in run("--rulebook", "fast-action", "9h 9h 9c 9s").stdout
    document = json.loads(run("--rulebook", "fast-action", "Ah Th Kd Qd", "--json").stdout)
    assert document["dealt"]["dealer"] == [{"plays": "Ah Th", "discards": "Kd Qd"}]


def test_what_hangs_on_a_reading_says_so() -> None:
    """The page names it and does not answer in the house's place."""
    assert "whether it counts is a reading: R-59" in run("--rulebook", "ma-colorado", "Ah 2h 3h").stdout


def test_hands_are_read_line_by_line_and_a_bad_line_is_answered_and_passed() -> None:
    """The number of the line, the word and the cause; the lines behind it are ranked all the same."""
    lines = "As Kd Qh Js Tc\nAs Zd\n\nAs Kd\nAs Kd Qh Js 9c\n"
    page = run("--rulebook", "ma-uth", stdin=lines)
    assert page.exit_code == 1
    assert "line 2: word 2, 'Zd', is no card" in page.stdout
    assert "line 4: ma-uth ranks no hand of 2 cards, only of 5, 6 or 7" in page.stdout
    assert "ace high, with king, queen, jack, nine" in page.stdout
    program = [json.loads(line) for line in run("--rulebook", "ma-uth", "--json", stdin=lines).stdout.splitlines()]
    assert [("error" in document) for document in program] == [False, True, True, False]


def test_what_cannot_be_ranked_ends_with_the_code_for_wrong_use() -> None:
    """A card twice, an unknown card, a number of cards that is no hand, a document that is not there."""
    for words, cause in (
        (("--rulebook", "ma-uth", "As As Kd Qd Jd"), "one deck holds it once"),
        (("--rulebook", "ma-uth", "As Xs"), "word 2, 'Xs', is no card"),
        (("--rulebook", "nj-pikit", "As Ks Qs Js"), "ranks no hand of 4 cards, only of 3 or 5"),
        (("--rulebook", "nj-pikt", "As Ks Qs"), "nearest: nj-pikit"),
        (("As Ks Qs",), "--rulebook"),
    ):
        result = run(*words)
        assert (result.exit_code, cause in result.output) == (2, True), result.output


def test_the_examples_of_the_page_come_out_as_printed() -> None:
    """docs/rank.md shows what the command says, not what it once said."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "rank.md").read_text("utf-8")
    examples = page.split("```")[1].strip().split("\n\n")
    assert len(examples) == 2
    for example in examples:
        command, printed = example.split("\n", 1)
        assert run(*shlex.split(command)[3:]).stdout.strip() == printed


def test_a_line_longer_than_any_hand_is_answered_and_passed() -> None:
    """However long it is, and without being held in memory."""
    page = run("--rulebook", "ma-uth", "--json", stdin="As " * 200_000 + "\nAs Kd Qh Js 9c\n")
    first, second = map(json.loads, page.stdout.splitlines())
    assert page.exit_code == 1
    assert first == {"line": 1, "error": "a line has at most 65536 bytes, and this one has more"}
    assert second["hands"]
