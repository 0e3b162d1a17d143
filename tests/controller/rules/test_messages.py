"""What people read where a file, an election or a state of the table is not sound: each word of it is looked for."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from controller.readers.nearest import nearest
from controller.rules.elections import ElectionsInvalid, cautious, elect
from controller.rules.explain.coverage import CoverageInvalid
from controller.rules.explain.explain import question_line
from controller.rules.model import AmbiguousLaw, Rulebook
from controller.rules.read.checks import describe
from controller.rules.read.library import RulebookUnknown, find, find_coverage
from controller.rules.read.loader import RulebookInvalid
from controller.rules.vocabulary import Guard, Role, Trigger

FAULTS = ["the first is wrong", "and the second"]


@pytest.mark.parametrize(
    ("refused", "what", "about"),
    [
        (RulebookInvalid, "md-uth.toml", "md-uth.toml: refused for 2 fault(s)"),
        (CoverageInvalid, "md-uth.coverage.toml", "md-uth.coverage.toml: refused for 2 fault(s)"),
        (ElectionsInvalid, "md-uth", "elections for md-uth: refused for 2 fault(s)"),
    ],
)
def test_every_fault_has_a_line_of_its_own(
    refused: Callable[[str, list[str]], Exception], what: str, about: str
) -> None:
    """First what is refused and for how many faults, then one fault a line, set in."""
    assert str(refused(what, FAULTS)).splitlines() == [about, *(f"  {fault}" for fault in FAULTS)]


def test_refused_elections_carry_the_rulebook_they_were_for(ma: Rulebook) -> None:
    """Whoever catches the refusal can say of which document it speaks."""
    with pytest.raises(ElectionsInvalid) as refused:
        elect(ma, {"R-01": ("no such choice", "ann")})
    assert refused.value.rulebook == "ma-uth"


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("abxy", ["abcd"], "(nearest: abcd)"),  # half alike is enough
        ("abxyz", ["abcdefg"], "(known: abcdefg)"),
        ("x", ["b", "a"], "(known: a, b)"),
        ("x", [], "(none is known here)"),
    ],
)
def test_the_nearest_word_is_named_else_all_of_them(word: str, known: list[str], hint: str) -> None:
    """A slip of the keys is answered with what was meant."""
    assert nearest(word, known) == hint


def test_a_state_is_told_by_each_condition_of_its_trigger() -> None:
    """What holds by its name, what does not with a not; a trigger without conditions is always the same."""
    assert describe(Trigger.STUB_WRONG, (), frozenset({Guard.MISDEALT})) == "misdealt, not_full_set_remains"
    assert (
        describe(Trigger.STUB_WRONG, (), frozenset({Guard.FULL_SET_REMAINS})) == "not_misdealt, full_set_remains"
    )
    assert describe(Trigger.CARDS_INSUFFICIENT, (), frozenset()) == "always"


def test_a_law_that_is_not_clear_names_the_rows_that_compete(md: Rulebook) -> None:
    """Which document, which trigger, in which state, and what answers it: clauses, a silence, or nothing."""
    jam = replace(next(row for row in md.rows[Trigger.SHOE_JAM] if row.cite), cite=("9.A", "13.F"))
    silent = replace(jam, cite=())
    state = frozenset({Guard.ROUND_LIVE, Guard.SELF_CLEARED})
    assert str(AmbiguousLaw("md-uth", Trigger.SHOE_JAM, state, [jam, silent])) == (
        "md-uth: shoe_jam (round_live, self_cleared) is answered by 9.A/13.F and silent; "
        "exactly one row must govern"
    )
    assert "(no condition holds) is answered by nothing;" in str(
        AmbiguousLaw("md-uth", Trigger.SHOE_JAM, frozenset(), [])
    )


def test_a_trigger_without_any_row_is_answered_by_nothing(md: Rulebook) -> None:
    """The loader refuses such a file; should one ever come, it fails by name and not by an error of our own."""
    without = replace(
        md, rows={trigger: rows for trigger, rows in md.rows.items() if trigger is not Trigger.SHOE_JAM}
    )
    assert without.absent(Trigger.SHOE_JAM) is None
    assert without.cite_of(Trigger.SHOE_JAM) == ()
    with pytest.raises(AmbiguousLaw, match="answered by nothing"):
        without.row(Trigger.SHOE_JAM, frozenset())


def test_an_unknown_rulebook_names_the_directory_that_was_searched(tmp_path: Path) -> None:
    """A person who gave --directory sees where nothing was found."""
    with pytest.raises(RulebookUnknown, match=f"no rulebook 'md-uth' in {tmp_path}") as refused:
        find("md-uth", tmp_path)
    assert (refused.value.directory, refused.value.known) == (tmp_path, ())


def test_a_coverage_that_is_missing_or_unsound_is_refused_by_its_path(md: Rulebook, tmp_path: Path) -> None:
    """The file is named with its directory, whether it is not there or holds a fault."""
    clauses = tmp_path / "clauses"
    clauses.mkdir()
    (clauses / "md-uth.txt").write_text("1.A\n")
    path = clauses / "md-uth.coverage.toml"
    with pytest.raises(CoverageInvalid, match="it is missing") as missing:
        find_coverage(md, tmp_path)
    assert str(missing.value).startswith(f"{path}: ")
    path.write_text("[[enforced]]\n")
    with pytest.raises(CoverageInvalid) as unsound:
        find_coverage(md, tmp_path)
    assert str(unsound.value).startswith(f"{path}: ")


def test_a_question_marks_its_cautious_choice_and_says_where_all_tables_are_alike(co: Rulebook) -> None:
    """A reading has one choice with a star; what the text leaves to the house has none."""
    for reading in co.readings.values():
        line = question_line(reading)
        assert [c.id for c in reading.choices if f"{c.id}*" in line] == [reading.cautious], line
    alike = {
        choice.id: "Choices, at every table alike: " in question_line(choice) for choice in co.choices.values()
    }
    assert alike == {c.id: bool(c.everywhere and c.everywhere.value) for c in co.choices.values()}
    assert set(alike.values()) == {True, False}
    assert not any("*" in question_line(choice) for choice in co.choices.values())


def test_only_a_reading_that_voids_or_of_a_matter_that_no_text_knows_lets_a_person_void(md: Rulebook) -> None:
    """A clause alone gives no such remedy, nor does a reading that has no void among its choices."""
    law = cautious(md, "bench")
    voiding = {
        step.reading
        for rows in md.rows.values()
        for row in rows
        for step in row.by_reading
        if {"void_round", "void_all_hands"} & {demand.action for demand in step.do}
    }
    assert law.of_holds is not None
    assert {reading for reading in md.readings if law.may_void(reading)} == voiding | {law.of_holds}
    assert voiding != set(md.readings)
    assert not law.may_void(None)


@pytest.mark.parametrize("role", list(Role))
def test_a_person_may_do_what_asks_for_less_and_not_what_asks_for_more(role: Role) -> None:
    """Player, dealer, floorperson, supervisor; a technician stands outside and does only a technician's work."""
    ladder = [Role.PLAYER, Role.DEALER, Role.FLOORPERSON, Role.SUPERVISOR]
    may = {least for least in Role if role.may_act_as(least)}
    assert may == ({role} if role is Role.TECHNICIAN else set(ladder[: ladder.index(role) + 1]))
