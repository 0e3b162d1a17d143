"""A clause is explained in a few plain lines: what it decides here, and what it leaves open."""

import pytest

from controller.rules.explain.explain import ClauseUnknown, explain, explanation
from controller.rules.model import Rulebook
from controller.rules.vocabulary import Trigger


def test_a_clause_tells_its_outcomes_with_its_parts_and_its_readings(md: Rulebook) -> None:
    """13.I: the shoe that fails, each demand under its own sub-clause, and the readings about it."""
    lines = explain(md, "13.I")
    assert lines[0].startswith("md-uth 13.I (Ultimate Texas Hold 'Em Poker, edition 1.4)")
    assert "    return_all_wagers (dealer): 13.I(1)" in lines
    in_deal = "  shoe_jam when round_live, not_bets_open, not_none_left_to_deal, not_self_cleared: "
    assert any(line.startswith(in_deal) for line in lines)
    assert any("the text is silent" in line for line in lines)
    assert any(line.startswith("  reading R-29: ") for line in lines)


def test_a_sub_clause_tells_only_what_rests_on_it(md: Rulebook) -> None:
    """13.I(2) is about emptying the device; the base clause's readings are not its own."""
    lines = explain(md, "13.I(2)")
    assert not any(line.startswith("  reading") for line in lines)
    assert [line.split(" when")[0] for line in lines[1:] if line.startswith("  s")] == [
        "  shuffler_jam",
        "  shoe_jam",
    ]


def test_values_and_roles_are_told_with_their_reading(ma: Rulebook, md: Rulebook) -> None:
    """A number or a role that rests on the clause, and whether it is printed."""
    assert "  value decks.swap_after = round" in explain(ma, "2(b)(4)")
    assert "  value act recut = supervisor" in explain(ma, "4(d)")
    assert "  value wagers.progressive.exact_cents = 5.00" in explain(ma, "14(a)")
    assert "  value deck_change.interval_s.shuffler = 4 h if four_hours | 8 h if eight_hours (R-06)" in explain(
        md, "3.C"
    )
    assert "  value dealing.dealing_shoe.stacks.1 = 4 cards to six_card_box (by reading R-08)" in explain(
        md, "10.B(1)"
    )


def test_a_clause_on_which_nothing_rests_has_its_head_alone(md: Rulebook) -> None:
    """The operator fixes the boxes to the table."""
    assert explain(md, "2.D(1)")[1:] == []


@pytest.mark.parametrize(("clause", "hint"), [("13.Z", "13."), ("99", "nearest: 9"), ("xx", "known: 1, 10")])
def test_an_unknown_clause_is_answered_with_the_nearest(md: Rulebook, clause: str, hint: str) -> None:
    """The reader learns what the document does have."""
    with pytest.raises(ClauseUnknown) as unknown:
        explain(md, clause)
    assert f"md-uth has no clause '{clause}'" in str(unknown.value)
    assert hint in str(unknown.value)


def test_values_that_hang_on_an_election_are_told_with_each_choice(nj: Rulebook, co: Rulebook) -> None:
    """Which value follows from which choice, and the choice itself; one that the house makes once says so."""
    assert "  value positions = 1 if one | 2 if two | 3 if three (positions)" in explain(nj, "39.3(e)")
    assert any(line.startswith("  house choice positions: ") for line in explain(nj, "39.3(e)"))
    lines = explain(co, "6(f)")
    assert any("Choices, at every table alike: required_bet, permissible_bet" in line for line in lines)
    assert "  value pay.ante permissible_bet.pair_of_tens = ask | push | 1 to 1 if pays (R-20)" in explain(
        co, "13(b)"
    )


def test_steps_and_what_cannot_happen_are_told(nj: Rulebook) -> None:
    """The opening of a table by its steps; a trigger that the game cannot have is named as such."""
    assert "  value opening.steps.2 = verify_inspection by the floorperson" in explain(nj, "39.5(b)")
    assert any("marker_not_moved (not in this game)" in line for line in explain(nj, "39.7(c)"))


def test_an_unknown_clause_is_answered_from_its_own_section(nj: Rulebook, fa: Rulebook) -> None:
    """Sections are those of the document's own numbering."""
    with pytest.raises(ClauseUnknown, match=r"nearest: 39\.7\(f\)"):
        explain(nj, "39.7(x)")
    with pytest.raises(ClauseUnknown, match=r"nearest: \(i\)"):
        explain(fa, "(i)(9)")


def test_other_documents_are_told_beside_each_answer(
    ma: Rulebook, md: Rulebook, nj: Rulebook, fa: Rulebook
) -> None:
    """What they demand less or more, where they are silent, and under which clause of theirs."""
    lines = explain(md, "13.I", (ma, nj, fa))
    in_deal = "  shoe_jam when round_live, not_bets_open, not_none_left_to_deal, not_self_cleared"
    first = next(n for n, line in enumerate(lines) if line.startswith(in_deal))
    beside = [line for line in lines[first + 5 :] if not line.startswith("  shoe_jam")][:3]
    assert beside[0].startswith("    ma-uth 15(f): ")
    assert beside[0].endswith("Without: return_all_wagers. Also: by_approved_procedures.")
    assert beside[1].startswith("    nj-pikit 38.12(f): ")
    assert beside[1].endswith("Without: return_all_wagers.")
    assert beside[2].startswith("    fast-action (the text is silent): ")
    assert any("    ma-uth (not in this game): " in line for line in explain(fa, "(i)(3)", (ma,)))


def test_the_same_question_to_another_document_is_asked_in_the_same_state(ma: Rulebook, md: Rulebook) -> None:
    """Several cards face up are compared with several there, not with one."""
    told = explanation(md, "13.B", (ma,))
    face_up = [answer for answer in told.answers if answer.row.trigger is Trigger.CARD_FACE_UP]
    assert [answer.elsewhere[0].row.cite[0] for answer in face_up] == ["15(b)"] * 3
    assert {condition.guard for condition in face_up[0].elsewhere[0].row.when if condition.holds} == {"several"}


@pytest.mark.parametrize("written", ["13(i)", "§13.I", "13 i", "13.i"])
def test_a_clause_that_is_written_another_way_is_recognized(md: Rulebook, written: str) -> None:
    """Signs and capitals are easily missed; the answer says how the document prints it."""
    with pytest.raises(ClauseUnknown, match=r"\(meant is 13\.I\?\)"):
        explain(md, written)


def test_a_clause_without_its_brackets_is_recognized(fa: Rulebook, nj: Rulebook) -> None:
    """Fast Action puts each part in brackets, and Pik-it not the numbers."""
    with pytest.raises(ClauseUnknown, match=r"meant is \(i\)\(3\)\?"):
        explain(fa, "i(3)")
    with pytest.raises(ClauseUnknown, match=r"meant is 39\.7\(e\)2\?"):
        explain(nj, "39.7(e)(2)")
