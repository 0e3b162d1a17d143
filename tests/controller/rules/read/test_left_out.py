"""What a rulebook leaves out: each key that must be there is missed by its name, and no half of a part is judged."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pytest

from controller.readers.fault import Fault
from controller.rules.read.library import shipped
from controller.rules.read.loader import RulebookInvalid, parse_rulebook

BOOKS = ["md-uth", "fast-action", "nj-pikit"]
ROLES = ("[duty_roles]", "[act_roles]")
"""Of each duty that lacks its role test_loader.py tells."""
KEY = re.compile(r"(\w+) *= ")


def _text(book: str) -> str:
    return (shipped() / f"{book}.toml").read_text()


def _faults(text: str, book: str) -> tuple[Fault, ...]:
    """Those of a file of this name; none where it is sound."""
    clauses = frozenset((shipped() / "clauses" / f"{book}.txt").read_text().split())
    try:
        parse_rulebook(text.encode(), clauses, Path(f"{book}.toml"))
    except RulebookInvalid as refused:
        return refused.faults
    return ()


def _each_key_left_out() -> Iterator[tuple[str, set[str], str]]:
    """Each key of each kind of table, once: the book, one key of each of its kinds of table, and the file without their lines."""
    met = set()
    for book in BOOKS:
        lines = _text(book).splitlines(keepends=True)
        table, places = "", defaultdict[str, dict[int, str]](dict)
        for place, line in enumerate(lines):
            table = line.strip() if line.startswith("[") else table
            found = KEY.match(line)
            if found and table not in ROLES and (table, found[1]) not in met and _is_whole(line):
                met.add((table, found[1]))
                places[table][place] = found[1]
        for together in zip_longest(*(keys.items() for keys in places.values())):
            left_out = dict(filter(None, together))
            text = "".join(line for place, line in enumerate(lines) if place not in left_out)
            yield book, set(left_out.values()), text


def _is_whole(line: str) -> bool:
    """False for the first line of several."""
    try:
        tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return False
    return True


def test_a_part_that_lacks_something_is_not_judged_by_what_it_has() -> None:
    """Whatever is left out, the file is sound without it or the faults are told, and none speaks of nothing."""
    missed = set()
    for book, keys, text in _each_key_left_out():
        faults = _faults(text, book)
        assert not [fault for fault in faults if re.search(r"\bNone\b|''", fault)], (book, keys, faults)
        places = [f.place for f in faults if f.code == "key_missing"]
        missed |= {key for key in keys if any(place.endswith(f" {key}") for place in places)}
    assert missed >= {
        "id",
        "game",
        "plays",
        "regulator",
        "edition",
        "seats",
        "says",
        "trigger",
        "cautious",
        "moves",
    }


def test_of_an_empty_file_all_is_missed_that_each_document_has() -> None:
    """And nothing that only some have: choices, pay tables, limits, what cannot happen, an order of acts."""
    missing = {fault.place.strip("[]") for fault in _faults("", "md-uth") if fault.code == "key_missing"}
    assert missing == {
        "rulebook", "decks", "hand", "table", "play", "opening", "idle", "shuffle", "cut", "discards", "deck_change", "ranking",
        "dealing", "wager", "duty_roles", "act_roles", "outcome", "silent", "reading",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('[[choice]]\nid      = "positions"', '[[choice]]\nid      = "dealer_stack"',
         "[[choice]] 8 (dealer_stack) id: named_twice"),
        ("[duty_roles]\n", '[duty_roles]\nreturn_nothing = { value = "dealer", cite = "39.2" }\n',
         "[duty_roles]: word_unknown"),
    ],
)  # fmt: skip
def test_what_stands_twice_or_is_no_duty_is_named_with_its_place(old: str, new: str, fault: str) -> None:
    """A choice by its id, a duty by the word that is none."""
    text = _text("nj-pikit")
    assert old in text
    assert fault in [f"{each.place}: {each.code}" for each in _faults(text.replace(old, new, 1), "nj-pikit")]


def test_what_is_laid_away_is_named_by_what_it_comes_after() -> None:
    """A table of several is found by a person who reads the fault."""
    text = _text("md-uth").replace(
        'beside  = "trips"\nto      = "under_wager"', 'beside  = "trips"\nto      = "rack"', 1
    )
    assert [fault for fault in _faults(text, "md-uth") if fault.place == "[[laid_away]] 1 (fold) beside"]


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        (
            '{ id = "no_demand", says = ',
            '{ id = "no_demand", say = ',
            (
                "key_missing",
                "key_unknown",
            ),
        ),
        (
            '{ id = "no_demand", says = ',
            "{ says = ",
            ("key_missing", "choice_unknown"),
        ),
    ],
)
def test_a_choice_without_words_is_still_a_choice_and_one_without_a_name_is_none(
    old: str, new: str, faults: tuple[str, ...]
) -> None:
    """What is wrong is said once; a name that is not there is not looked for among the rows."""
    found = _faults(_text("md-uth").replace(old, new, 1), "md-uth")
    assert tuple(fault.code for fault in found) == faults


@pytest.mark.parametrize(("section", "ending"), [("[[limit]]", "\n\n"), ("[[paytable]]", "\n\n[[")])
def test_what_is_paid_twice_is_named_as_the_document_calls_it(section: str, ending: str) -> None:
    """The second of two tables, or limits, of one name."""
    text = _text("md-uth")
    start = text.index(section)
    table = text[start : text.index(ending, start)]
    found = _faults(f"{text}\n{table}\n", "md-uth")
    assert [each for each in found if each.place.startswith(section) and each.code == "named_twice"], found


def test_what_comes_after_a_part_without_a_name_is_read_as_well() -> None:
    """All faults are told at once: also those of the wagers after one that has none."""
    text = _text("md-uth").replace('name     = "ante"\n', "", 1)
    last = text.rindex("[[wager]]")
    text = text[:last] + text[last:].replace("name     = ", "nam      = ", 1)
    missing = [
        fault for fault in _faults(text, "md-uth") if fault.place.endswith(" name") and fault.code == "key_missing"
    ]
    assert len(missing) == 2, missing
