"""A demand names its wager, a condition may: and the core has no name of a wager of its own."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from controller.rules.named_wagers import ABOUT_ONE, ASK_PLACED, asked_about, belongs, parted, placed, word_of
from controller.rules.read.library import available, find
from controller.rules.vocabulary import Action, Guard, Trigger

CORE = Path(__file__).parents[3] / "controller"
NAMES = {wager for book in available() for wager in find(book).wagers} - {"progressive"}
"""The names of all wagers of all documents, but for the one that a device of its own takes."""
LEFT = {
    "table/settlement/offer.py": 4, "table/settlement/hand_records.py": 2, "table/settlement/open_points.py": 1,
    "table/questions/positions.py": 1, "table/acts/irregularities.py": 1, "table/irregularities/miscounts.py": 1,
    "table/course/reports.py": 1,
}  # fmt: skip
"""Names that are left in these files: of the box of the Six Card Bonus, the Cover All, a point of settling; a shuffler's mode."""


@pytest.mark.parametrize("action", list(Action))
def test_a_word_and_its_parts_are_one(action: Action) -> None:
    """Whatever the wager is called."""
    for wager in (None, *sorted(NAMES)) if action in ABOUT_ONE else (None,):
        assert parted(word_of(action, wager)) == (action, wager)


@pytest.mark.parametrize("word", ["", "return_", "reshuffle_ante", "_ante", "void", "returns_ante"])
def test_what_is_no_action_is_no_word(word: str) -> None:
    """Only an action about one wager may be followed by a name."""
    with pytest.raises(ValueError, match="is no action"):
        parted(word)


def test_a_condition_asks_about_a_wager_or_is_a_guard() -> None:
    """No guard of the vocabulary is taken for one, and only two triggers ask."""
    assert {asked_about(placed(name)) for name in NAMES} == NAMES
    assert [guard for guard in (*Guard, "_placed", "") if asked_about(guard)] == []
    assert {t for t in Trigger if t is not Trigger.SOMETHING_ELSE and belongs(t, placed("x"))} == {*ASK_PLACED}
    assert belongs(Trigger.SHOE_JAM, Guard.ROUND_LIVE)
    assert not belongs(Trigger.SHOE_JAM, Guard.SEVERAL)


def test_no_word_of_a_rulebook_names_a_wager() -> None:
    """What can happen, under which conditions, and what is demanded, is said of any game."""
    words = {word for vocabulary in (Action, Guard, Trigger) for word in vocabulary} - {Action.PLAY_ON}
    assert [word for word in words for name in NAMES if f"_{name}_" in f"_{word}_"] == []


def test_no_name_of_a_wager_stands_in_the_core() -> None:
    """Neither as text nor within a name of the code; what is left may only become less."""
    files = [*(CORE / "table").rglob("*.py"), CORE / "games" / "fates.py", CORE / "rules" / "named_wagers.py"]
    found = Counter(str(file.relative_to(CORE)) for file in files for _ in _names_in(file))
    assert found == LEFT


def _names_in(file: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.Constant(value=str(text)):
                found += [text] if text in NAMES else []
            case (
                ast.Name(id=name) | ast.Attribute(attr=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name)
            ):
                special = NAMES - {"play", "bet", "bonus", "original"}  # words of any game too
                found += [name for wager in special if f"_{wager}_" in f"_{name.lower()}_"]
    return found
