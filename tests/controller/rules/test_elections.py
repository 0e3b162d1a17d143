"""Elections are the licensee's: what they name must be there, and what they leave open is listed."""

import pytest

from controller.rules.elections import ElectionsInvalid, ask, cautious, elect
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
        assert law.elections.keys() == book.readings.keys()
        assert {election.by for election in law.elections.values()} == {"bench"}


def test_a_reading_is_asked_as_a_question(ma: Rulebook) -> None:
    """Clauses, problem and each choice, the cautious one marked."""
    lines = ask(ma.readings["R-22"])
    assert lines[0].startswith("R-22 (7(f)(2), 15(a), 15(b), 15(d), 15(f)): ")
    assert [line.split(":")[0] for line in lines[1:]] == ["  return [cautious]", "  hold"]
