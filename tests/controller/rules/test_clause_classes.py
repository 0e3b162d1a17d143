"""How each clause is carried out: every clause of every document once, with what carries it, and what does not yet."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.rules.applies import Here, silent
from controller.rules.citation import chapter
from controller.rules.explain.coverage import Coverage, CoverageInvalid, Kind, parse_coverage, prompts
from controller.rules.model import Rulebook
from controller.rules.read.library import available, find, find_coverage, shipped
from controller.rules.vocabulary import Action, Method
from controller.table.words.acts import ACTS
from controller.table.words.facts import FACTS
from controller.table.words.structs import names
from drivers.events import REPORTS

ELSEWHERE = {"table_file", "settle"}
"""Where the program carries a clause and no act or report is: what a table may be set up as, and what wagers come to."""
BOOKS = sorted({name.partition("@")[0] for name in available()})

BOUND = {
    "ma-uth": ("2(b)(4)", "7(f)", "8(e)", "9(e)", "10(h)", "11(e)", "14(a)", "15(g)"),
    "md-uth": ("2.C(2)", "3.B(5)", "3.C(1)", "5.E(2)", "8.C(2)", "8.G(1)", "9.E", "10.E(2)", "11.H(1)", "12.A", "13.J(2)"),
    "nj-pikit": ("39.2(b)5", "39.7(e)2", "39.7(f)", "39.10(e)1iii", "39.11(a)", "38.12(g)"),
    "fast-action": ("(b)(4)(v)", "(d)(5)", "(h)(5)", "(h)(12)", "(i)(6)"),
    "ma-colorado": ("2(b)(4)", "7(e)(2)", "7(f)", "10(g)", "11(f)", "12(b)", "14(d)"),
}  # fmt: skip
"""Of decks, stub, lock-out, settlement and irregularities: of these nothing may be left to people alone."""


@pytest.fixture(scope="module", params=BOOKS)
def coverage(request: pytest.FixtureRequest) -> Coverage:
    """The classes of one document after the other."""
    return find_coverage(find(request.param))


def test_each_document_has_its_classes() -> None:
    """A rulebook that nobody has classified would stand in no sum."""
    assert set(BOUND) == set(BOOKS)


def test_every_clause_of_the_document_has_one_class(coverage: Coverage) -> None:
    """The sums are those of the list made from the text."""
    assert set(coverage.clauses) == find(coverage.rulebook).clauses
    assert sum(coverage.counts().values()) == len(coverage.clauses)
    assert set(coverage.open()) <= set(coverage.clauses)


def test_what_carries_a_clause_is_really_there(coverage: Coverage) -> None:
    """Acts, reports and fields that are named exist, unless it is said that they do not yet."""
    known_fields = {f"{kind}.{name}" for kind, event in FACTS.items() for name in names(event)}
    for clause, carried in coverage.clauses.items():
        assert carried.says, clause
        assert set(carried.acts) <= {*ACTS, *REPORTS, *ELSEWHERE}, (clause, carried.acts)
        if carried.act and not carried.todo:
            assert carried.act in {*ACTS, *Action}, (clause, carried.act)
        if carried.field:
            assert carried.field in known_fields, (clause, carried.field)


def test_decks_stub_lock_out_settlement_and_irregularities_are_never_physical(coverage: Coverage) -> None:
    """Something carries each of these, or will; calling one of them physical is refused by the loader."""
    for clause in BOUND[coverage.rulebook]:
        assert coverage.clauses[clause].kind is not Kind.PHYSICAL, clause
    for clause in BOUND[coverage.rulebook]:
        text = (shipped() / "clauses" / f"{coverage.rulebook}.coverage.toml").read_text()
        text += f'\n[[physical]]\nclauses = ["{clause}"]\nsays = "nobody"\n'
        with pytest.raises(CoverageInvalid) as raised:
            _parse(text, find(coverage.rulebook))
        assert [clause in fault for fault in raised.value.faults if fault.code == "class_unfit"] == [True]


def _parse(text: str, rulebook: Rulebook) -> Coverage:
    ids = (shipped() / "clauses" / f"{rulebook.id}.txt").read_text().split()
    return parse_coverage(text.encode(), rulebook, ids, "x.coverage.toml")


@pytest.fixture
def faults(ma: Rulebook) -> Callable[..., tuple[str, ...]]:
    """Replaces text in the classes of ma-uth (each old text must be there) and gives the faults found then."""

    def load(*swaps: tuple[str, str]) -> tuple[str, ...]:
        text = (shipped() / "clauses" / "ma-uth.coverage.toml").read_text()
        for old, new in swaps:
            assert old in text
            text = text.replace(old, new, 1)
        with pytest.raises(CoverageInvalid) as refused:
            _parse(text, ma)
        return tuple(f"{fault.place}: {fault.code}" for fault in refused.value.faults)

    return load


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('clauses = ["4(d)"]', 'clauses = ["4(d)", "4(e)"]', "[[prompted]] 6: named_twice"),
        ('clauses = ["4(d)"]', 'clauses = ["4(d)", "4(d)"]', "[[prompted]] 5: named_twice"),
        ('clauses = ["7(f)(2)"]', "clauses = []", "[[enforced]] 11: too_few"),
        ('clauses = ["4(e)"]', 'clauses = ["4(x)"]', "[[prompted]] 6: clause_unknown"),
        ('rows    = ["shoe_jam"]', 'rows    = ["shoe_jan"]', "[[enforced]] 26 rows: word_unknown"),
        ('rows    = ["shoe_jam"]', 'rows    = ["card_face_up"]', "[[enforced]] 26: clause_unused"),
        ('rows    = ["shoe_jam"]', 'rows    = ["shoe_jam", "card_face_up"]', "[[enforced]] 26: clause_unused"),
        ('rows    = ["shoe_jam"]', 'row     = ["shoe_jam"]', "[[enforced]] 26 row: key_unknown"),
        ('acts    = ["record_decision"]', "", "[[enforced]] 32: clause_unused"),
        ('acts    = ["record_decision"]', 'acts = ["Record it"]', "[[enforced]] 32: text_unfit"),
        ('used_by = ["13(f)", "13(k)"]', 'used_by = ["11(a)"]', "file: clause_unused"),
        ('used_by = ["13(f)", "13(k)"]', 'used_by = ["13(x)"]', "[[definition]] 2: clause_unknown"),
        ('act     = "recut"', 'act     = "cut again"', "[[prompted]] 5: text_unfit"),
        ('act     = "recut"\n', "", "[[prompted]] 5 act: key_missing"),
        ('act     = "recut"', 'act     = ""', "[[prompted]] 5 act: text_empty"),
        ('says    = "Check, fold and', 'says    = ""\nsay = "Check, fold and', "[[enforced]] 1 says: text_empty"),
        ('field   = "wager_placed.seat"', 'field   = "seat"', "[[recorded]] 2: text_unfit"),
        ('then Trips."', 'then Trips."\nnote = "later"', "[[settled]] 3: text_unfit"),
        ('rulebook = "ma-uth"', 'rulebook = "md-uth"', "[coverage] rulebook: word_unknown"),
        ('"10", "11", "13"', '"10", "11", "99"', "[coverage]: clause_unknown"),
        ("[[physical]]", "[[phisical]]", "phisical: key_unknown"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_place(
    faults: Callable[..., tuple[str, ...]], old: str, new: str, fault: str
) -> None:
    """A clause twice or not at all, an unknown word, a class without what carries it."""
    found = faults((old, new))
    assert fault in found
    assert not [each for each in found if each.startswith(":")]


def test_all_faults_are_told_at_once(faults: Callable[..., tuple[str, ...]]) -> None:
    """A clause that is left out, an unknown word and a wrong act stand in one list."""
    found = faults(
        ('clauses = ["4(d)"]', 'clauses = ["4(d)", "4(e)"]'),
        ('clauses = ["7(f)(2)"]', 'clauses = ["7(f)"]'),
        ('act     = "recut"', 'act     = "cut again"'),
    )
    assert found[-1] == "file: class_missing"
    assert len(found) >= 4


def test_what_is_no_toml_is_one_fault(ma: Rulebook) -> None:
    """A slip that hides the rest of the file is told alone."""
    with pytest.raises(CoverageInvalid, match=r"^x\.coverage\.toml: .*\n  file: no TOML: ") as refused:
        _parse("[coverage", ma)
    assert len(refused.value.faults) == 1


def test_what_is_not_there_yet_is_open_and_needs_nothing_that_carries_it(ma: Rulebook) -> None:
    """A class may be given before there is a test; no document needs every kind of class."""
    text = """
[coverage]
rulebook = "ma-uth"
never_physical = ["15(f)"]
[[enforced]]
clauses = ["4(d)"]
says = "Held."
todo = "a test of it"
[[settled]]
clauses = ["15(f)"]
says = "Paid."
note = "not yet: nothing ranks it"
"""
    coverage = parse_coverage(text.encode(), ma, ("4(d)", "15(f)"), "x.coverage.toml")
    assert {clause: carried.todo for clause, carried in coverage.open().items()} == {
        "4(d)": "a test of it",
        "15(f)": "not yet: nothing ranks it",
    }


def test_a_document_without_classes_is_said(ma: Rulebook, tmp_path: Path) -> None:
    """A rulebook that came without them can be read, but not summed."""
    (tmp_path / "clauses").mkdir()
    (tmp_path / "clauses" / "ma-uth.txt").write_text("1\n")
    with pytest.raises(CoverageInvalid, match="it is missing"):
        find_coverage(ma, tmp_path)


def test_people_are_told_what_speaks_of_their_way_of_dealing(md: Rulebook) -> None:
    """Nobody who deals from an automated shoe is told to deal card by card; who deals by hand is."""
    told = {method: {p.act: p for p in prompts(find_coverage(md), md, method)} for method in Method}
    assert "record_initial_deal" not in told[Method.DEALING_SHOE]
    assert told[Method.HAND]["record_initial_deal"].cite == ("9.B(2)",)
    assert told[Method.MANUAL_SHOE]["record_progressive_count"].cite == ("8.C(4)",)


def test_nobody_is_told_of_a_cover_card_who_deals_without_one() -> None:
    """The clause stands among those on decks and speaks of the automated shoe alone. Clause: nj-pikit 39.2(c)."""
    pikit = find("nj-pikit")
    told = {method: prompts(find_coverage(pikit), pikit, method) for method in pikit.dealing}
    covered = {method for method, prompts_ in told.items() for p in prompts_ if p.cite == ("39.2(c)",)}
    assert covered == {Method.DEALING_SHOE, Method.SHUFFLER}


@pytest.mark.parametrize(("version", "chapters"), [("required_bet", {"10"}), ("permissible_bet", {"11"})])
def test_nobody_is_told_of_the_version_that_is_not_played(co: Rulebook, version: str, chapters: set[str]) -> None:
    """What is printed for both versions is told by the clause of the one that is elected. Clause: ma-colorado 6(f)."""
    table = Here((Method.HAND,), 2, frozenset({"shuffler"}), frozenset({"bonus"}))
    unsaid = silent(co.applies, {"version": version}, table)
    told = prompts(find_coverage(co), co, Method.HAND, unsaid)
    assert {chapter(c) for p in told for c in p.cite} & {"10", "11"} == chapters
    both = {chapter(c) for p in prompts(find_coverage(co), co, Method.HAND) for c in p.cite}
    assert {"10", "11"} <= both


def test_what_is_not_carried_out_is_not_prompted(coverage: Coverage) -> None:
    """A prompt for an act that is not there would send people looking for it."""
    rulebook = find(coverage.rulebook)
    acts = {prompt.act for method in Method for prompt in prompts(coverage, rulebook, method)}
    assert acts
    assert acts <= set(ACTS)
