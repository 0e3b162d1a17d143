"""Elections are the licensee's: what they name must be there, and what they leave open is listed."""

import pytest

from controller.rules.elections import ElectionsInvalid, ask, cautious, elect, open_questions, proposals, unequal
from controller.rules.model import Rulebook
from controller.rules.vocabulary import Action, Guard, Trigger


def test_an_election_says_what_who_and_for_which_reading(ma: Rulebook) -> None:
    """The law of the table knows each choice with the name behind it."""
    law = elect(ma, {"R-22": ("return", "J. Doe, compliance")})
    assert law.elected("R-22") == "return"
    assert law.elections["R-22"].by == "J. Doe, compliance"
    assert law.elected("R-29") is None
    assert "R-22" not in {reading.id for reading in law.unelected()}


def test_wagers_of_a_void_round_go_back_only_under_the_election(ma: Rulebook) -> None:
    """The void stands on 15(f), the return on the reading; without the election nothing is returned."""
    jam = (Trigger.SHOE_JAM, frozenset({Guard.ROUND_LIVE}))
    _, returned = elect(ma, {"R-22": ("return", "J. Doe")}).demands(*jam)
    _, silent = elect(ma, {}).demands(*jam)
    assert [(d.action, d.cite, d.reading) for d in returned][-1] == (Action.RETURN_ALL_WAGERS, (), "R-22")
    assert returned[:-1] == silent


def test_every_fault_of_the_elections_is_listed_together(ma: Rulebook) -> None:
    """Unknown readings and choices come with what is known, and an election of nobody is none."""
    with pytest.raises(ElectionsInvalid) as refused:
        elect(
            ma, {"R-220": ("return", "J. Doe"), "R-22": ("give_back", "J. Doe"), "R-29": ("dealing_failure", " ")}
        )
    assert refused.value.faults == (
        "R-220: ma-uth has no such reading (nearest: R-22)",
        "R-22: unknown choice 'give_back' (choices: return, hold)",
        "R-29: 'by' must name who elected 'dealing_failure'",
    )
    assert all(fault in str(refused.value) for fault in refused.value.faults)


def test_a_reading_of_the_other_document_is_unknown_here(md: Rulebook) -> None:
    """Maryland says that wagers go back, so there is nothing to elect."""
    with pytest.raises(ElectionsInvalid, match="R-22: md-uth has no such reading"):
        elect(md, {"R-22": ("return", "J. Doe")})


def test_the_cautious_law_has_every_reading_elected(ma: Rulebook, md: Rulebook) -> None:
    """A bench can open a table with it, in a name that says what it is."""
    for book in (ma, md):
        law = cautious(book, "bench")
        assert law.elections.keys() == book.questions.keys()
        assert {election.by for election in law.elections.values()} == {"bench"}


def test_a_reading_is_asked_as_a_question(ma: Rulebook) -> None:
    """Clauses, problem and each choice, the cautious one marked."""
    lines = ask(ma.readings["R-22"])
    assert lines[0].startswith("R-22 (7(f)(2), 15(a), 15(b), 15(d), 15(f)): ")
    assert [line.split(":")[0] for line in lines[1:]] == ["  return", "  hold [cautious]"]


def test_what_the_text_leaves_to_the_licensee_must_be_chosen_too(nj: Rulebook) -> None:
    """A table does not open before each version, order and amount is elected by name."""
    missing = {question.id for question in elect(nj, {}).unelected()}
    assert missing >= {"qualifier", "settlement", "play_3", "play_5", "positions", "dealer_stack", "R-16", "R-28"}
    assert "R-15" not in missing  # it moves nothing
    chosen = elect(nj, {"settlement": ("by_player", "J. Doe")})
    assert chosen.elected("settlement") == "by_player"
    assert "settlement" not in {question.id for question in chosen.unelected()}
    assert cautious(nj, "bench").unelected() == ()


def test_a_choice_that_contradicts_another_election_is_refused(nj: Rulebook) -> None:
    """Play 5 at twice the ante stands against its definition, so it needs the reading that allows it."""
    by = "J. Doe"
    for other, tells in (({}, "not elected"), ({"R-16": ("equal_only", by)}, "equal_only")):
        with pytest.raises(ElectionsInvalid) as refused:
            elect(nj, {"play_5": ("twice", by), **other})
        assert refused.value.faults == (f"play_5: 'twice' needs R-16 = 'by_election', which is {tells}",)
    law = elect(nj, {"play_5": ("twice", by), "R-16": ("by_election", by)})
    assert law.elected("play_5") == "twice"


def test_a_choice_that_is_not_offered_is_refused_with_those_that_are(nj: Rulebook) -> None:
    """House choices are checked like readings."""
    with pytest.raises(ElectionsInvalid, match=r"positions: unknown choice 'four' \(choices: one, two, three\)"):
        elect(nj, {"positions": ("four", "J. Doe")})


def test_electing_changes_values_and_nothing_of_the_rulebook_itself(co: Rulebook) -> None:
    """The rulebook as loaded stays as it was, hash and rows are shared, and questions still can be asked."""
    law = elect(co, {"positions": ("two", "J. Doe")})
    assert (law.rulebook.positions.value, co.positions.value) == (2, 1)
    assert law.rulebook.positions.cite == co.positions.cite
    assert law.rulebook.sha256 == co.sha256
    assert law.rulebook.rows is co.rows
    assert law.rulebook.readings is co.readings
    assert law.rulebook.choices is co.choices


def test_a_version_is_the_same_at_every_table_of_the_house(co: Rulebook, nj: Rulebook) -> None:
    """Clause ma-colorado 6(f); other choices, and other documents, may differ from table to table."""
    one = elect(co, proposals_by(co))
    other = elect(
        co, proposals_by(co) | {"version": ("permissible_bet", "J. Doe"), "positions": ("two", "J. Doe")}
    )
    pikit = elect(nj, proposals_by(nj))
    assert unequal({"t1": one, "t2": one, "t3": pikit}) == []
    assert unequal({"t1": one, "t2": other, "t3": pikit}) == [
        "ma-colorado version [6(f)]: the same at every table of the house, but "
        "t1 has required_bet, t2 has permissible_bet"
    ]
    assert "t1 has nothing" in unequal({"t1": elect(co, {}), "t2": one})[0]


def proposals_by(book: Rulebook) -> dict[str, tuple[str, str]]:
    return {question: (choice, "J. Doe") for question, choice in proposals(book).items()}


def test_a_house_choice_is_asked_without_a_cautious_mark(nj: Rulebook) -> None:
    """The text allows each of them, so none is proposed."""
    assert [line.split(":")[0] for line in ask(nj.choices["qualifier"])[1:]] == ["  without", "  with"]


def test_what_values_hang_on_and_nobody_elected_is_asked_part_by_part(co: Rulebook, nj: Rulebook) -> None:
    """A value by itself, those of a pay table with the question that chooses the table, and all of a mapping; once each."""
    law, none = elect(nj, {"positions": ("two", "J. Doe")}), elect(nj, {})
    assert [question.id for question in open_questions(none, nj.positions)] == ["positions"]
    assert open_questions(law, law.rulebook.positions) == ()
    assert open_questions(none, nj.seats) == ()
    asked = {question.id for question in open_questions(elect(co, {}), co.pay)}
    assert asked >= {"version", "R-20"}
    assert asked == {question.id for question in open_questions(elect(co, {}), tuple(co.pay.values()))}
    optional = {question.id for question in co.questions.values() if question.wager is not None}
    assert optional
    assert not asked & optional
