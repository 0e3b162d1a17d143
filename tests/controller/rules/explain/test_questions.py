"""Questions for the people who answer them: which are new, what each bears on, and a section to paste."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from controller.rules.elections import elect, proposals
from controller.rules.explain.questions import effect, makers_choice, new_since, newest, ordered, to_paste
from controller.rules.explain.words import TRIGGERS
from controller.rules.model import Rulebook
from controller.rules.read.library import available, find
from controller.rules.vocabulary import Trigger

BOOKS = {name: find(name) for name in available()}
FIRST = tomllib.loads(Path(__file__).with_name("first_questions.toml").read_text("utf-8"))
CHANGELOG = Path(__file__).parents[4] / "CHANGELOG.md"
DAY = "2026-11-30"


def _unreleased(heading: str) -> str:
    """What the changelog says under this heading of the coming release."""
    coming = re.split(r"^## ", CHANGELOG.read_text("utf-8"), flags=re.M)[1]
    return "".join(part for part in re.split(r"^### ", coming, flags=re.M) if part.startswith(heading))


def _released() -> str | None:
    """The day of the last release; None before the first."""
    days = re.findall(r"^## \[\d.*?\] - (\d{4}-\d\d-\d\d)", CHANGELOG.read_text("utf-8"), flags=re.M)
    return days[0] if days else None


@pytest.mark.parametrize("book", BOOKS)
def test_each_question_that_was_added_carries_its_day(book: str) -> None:
    """Without `since` an update would add it unseen."""
    without = {q.id for q in BOOKS[book].questions.values() if q.since is None}
    assert without <= set(FIRST[book]), (
        f"{book}: give {sorted(without - set(FIRST[book]))} a `since`, as 2026-11-30"
    )


@pytest.mark.parametrize("book", BOOKS)
def test_the_changelog_names_each_question_newer_than_the_release(book: str) -> None:
    """*Rulebooks* names each; *Operators must* each that keeps a table closed."""
    released, log = _released(), {name: _unreleased(name) for name in ("Rulebooks", "Operators must")}
    for question in BOOKS[book].questions.values():
        if question.since is None or (released is not None and question.since <= released):
            continue
        for heading, text in log.items():
            if heading == "Rulebooks" or not makers_choice(question):
                assert re.search(rf"\b{re.escape(question.id)}\b", text), (
                    f"{heading} does not name {question.id} of {book}"
                )


def _with_new(book: Rulebook, id_: str, day: str) -> Rulebook:
    changed = {
        key: replace(q, since=day) if key == id_ else replace(q, since=None) for key, q in book.readings.items()
    }
    return replace(book, readings=changed)


def test_new_is_what_came_after_the_elections_and_has_no_answer() -> None:
    """By the day that the elections cover; without one, each question that was ever added."""
    book = _with_new(BOOKS["ma-uth"], "R-22", DAY)
    made = {id_: (choice, "J. Doe") for id_, choice in proposals(book).items() if id_ != "R-22"}
    law = elect(book, made)
    for as_of, new in (("2026-11-29", ["R-22"]), (None, ["R-22"]), (DAY, []), ("2026-12-01", [])):
        assert [q.id for q in new_since(law, (), as_of)] == new
    answered = elect(book, {**made, "R-22": ("hold", "J. Doe")})
    assert new_since(answered, (), None) == []


def test_a_new_question_of_a_wager_concerns_its_tables_alone() -> None:
    """R-97 asks about Cover All; a table that does not offer it is not asked."""
    book = _with_new(BOOKS["ma-uth"], "R-97", DAY)
    law = elect(book, {})
    assert [q.id for q in new_since(law, ("cover_all",), None)] == ["R-97"]
    assert [q.id for q in new_since(law, None, None)] == ["R-97"]
    assert new_since(law, ("trips",), None) == []


@pytest.mark.parametrize("book", BOOKS)
def test_an_effect_says_what_it_bears_on_and_when_it_comes_up(book: str) -> None:
    """Plain words: no key of the rulebook stands in it, and a reading of a row names its trigger."""
    keys = {str(t) for t in Trigger} | {"_"}
    for question in BOOKS[book].questions.values():
        told = effect(BOOKS[book], question)
        assert told.startswith("Bears on ")
        assert not [key for key in keys if key in told], told
    jam = effect(BOOKS[book], BOOKS[book].readings["R-22"]) if "R-22" in BOOKS[book].readings else None
    assert jam is None or jam.startswith("Bears on wagers")
    left = effect(BOOKS[book], BOOKS[book].readings["R-53"])
    assert left == f"Bears on wagers. Comes up: {TRIGGERS[Trigger.PLAYER_LEFT]}."


@pytest.mark.parametrize("book", BOOKS)
def test_a_pasted_section_elects_nothing_by_itself(book: str) -> None:
    """It is TOML, keeps what was elected, and leaves choice and name of each open question to a person."""
    rulebook = BOOKS[book]
    made = {"R-53": ("hold", "J. Doe")}
    asked = [q for q in rulebook.questions.values() if q.id != "R-53" and not makers_choice(q)]
    read = tomllib.loads("\n".join(to_paste(rulebook, asked, made)))["elections"]
    day = read.pop("questions_as_of", None)
    assert (day and str(day)) == newest(rulebook)
    assert read.pop("R-53") == {"choice": "hold", "by": "J. Doe"}
    assert set(read) == {q.id for q in asked}
    assert {tuple(line.values()) for line in read.values()} == {("", "")}


def test_questions_are_listed_by_number_then_house_choices() -> None:
    """R-9 stands before R-10, and readings before what the text leaves to the house."""
    ids = [q.id for q in ordered(BOOKS["nj-pikit"].questions.values())]
    numbers = [int(id_[2:]) for id_ in ids if id_.startswith("R-")]
    assert numbers == sorted(numbers)
    houses = [id_ for id_ in ids if not id_.startswith("R-")]
    assert ids[-len(houses) :] == sorted(houses)
