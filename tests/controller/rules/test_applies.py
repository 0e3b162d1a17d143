"""When a clause speaks of a table: the conditions of a file, what is left of a citation, and every fault of an entry."""

import pytest

from controller.rules.applies import Applies, Here, applying
from controller.rules.elections import elect, proposals
from controller.rules.vocabulary import Method

ALL = frozenset({"shuffler", "shoe", "progressive"})
SHOE, HAND = (Method.DEALING_SHOE,), (Method.HAND,)


@pytest.mark.parametrize(
    ("condition", "methods", "sets", "devices", "offered", "fits"),
    [
        (Applies(("1",)), HAND, 1, frozenset(), frozenset(), True),
        (Applies(("1",), dealt_by=HAND), HAND, 1, frozenset(), frozenset(), True),
        (Applies(("1",), dealt_by=HAND), SHOE, 2, ALL, frozenset({"trips"}), False),
        (Applies(("1",), dealt_by=HAND), (*SHOE, *HAND), 1, frozenset(), frozenset(), True),
        (Applies(("1",), two_sets=True), HAND, 2, frozenset(), frozenset(), True),
        (Applies(("1",), two_sets=True), HAND, 1, ALL, frozenset(), False),
        (Applies(("1",), devices=("shoe", "shuffler")), HAND, 1, frozenset({"shuffler"}), frozenset(), True),
        (Applies(("1",), devices=("shoe", "shuffler")), HAND, 2, frozenset({"progressive"}), frozenset(), False),
        (Applies(("1",), offered=("trips",)), HAND, 1, frozenset(), frozenset({"trips"}), True),
        (Applies(("1",), offered=("trips",)), HAND, 1, frozenset(), frozenset({"bonus"}), False),
        (Applies(("1",), dealt_by=HAND, two_sets=True), HAND, 1, frozenset(), frozenset(), False),
    ],
)
def test_each_key_of_a_condition_must_fit(condition, methods, sets, devices, offered, fits):
    """Of the words of one key any will do; of the keys each is needed."""
    here = Here(methods, sets, devices, offered)
    assert condition.fits(here) is fits
    assert applying({"1": (condition,)}, ("1", "2"), here) == (("1", "2") if fits else ("2",))


def test_a_clause_with_two_conditions_needs_both():
    """As a clause in the chapter of one way of dealing that speaks of a shuffler."""
    conditions = {"1": (Applies(("1",), dealt_by=HAND), Applies(("1",), devices=("shuffler",)))}
    both = Here(HAND, 1, ALL, frozenset())
    assert applying(conditions, ("1",), both) == ("1",)
    assert applying(conditions, ("1",), Here(SHOE, 1, ALL, frozenset())) == ()
    assert applying(conditions, ("1",), Here(HAND, 1, frozenset(), frozenset())) == ()


def test_what_nobody_elected_may_yet_fit():
    """A version is left out only once another one was elected."""
    version = Applies(("1",), election=(("version", ("old", "older")),))
    assert [version.elected(x) for x in ({}, {"version": "older"}, {"version": "new"})] == [True, True, False]


def test_an_elected_law_cites_one_version(co):
    """Rows, values, tables of odds and the order of acts cite the version that is played; the rulebook itself knows both."""
    for version, cites, bets in (("required_bet", "10", "10(b)(1)"), ("permissible_bet", "11", "11(b)(1)")):
        chosen = {**proposals(co), "version": version}
        law = elect(co, {question: (choice, "test") for question, choice in chosen.items()}).rulebook
        assert law.act_order["record_decision"] == (f"{cites}(b)",)
        assert law.discards.reconstructable.cite == ("10(h)",) if cites == "10" else ("11(i)",)
        assert law.wagers["bet"].cite == ("1", bets)
        assert law.wagers["bet"].times[0][1].cite == ("1", bets)
        assert law.rows["community_card_exposed"][0].do[0].cite == (f"{cites}(c)",)
        assert law.readings == co.readings
    assert co.act_order["record_decision"] == ("10(b)", "11(b)")


def test_a_condition_holds_for_what_stands_in_its_clauses_and_not_for_what_is_left_out(co, md):
    """7(e)(2) stands in 7(e), which 7 leaves out; 10.B(1) alone deals a box, whatever deals the rest."""
    assert set(co.applies) >= {"7", "7(c)", "7(c)(6)", "10(b)(3)(i)"}
    assert not {"7(e)", "7(e)(2)", "6a", "1"} & set(co.applies)
    assert {"10", "10.B", "10.B(2)", "10.E(1)"} <= set(md.applies)
    assert "10.B(1)" not in md.applies


FIRST = """[[applies]]
clauses  = "8"
dealt_by = "manual_shoe"
"""


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('clauses = "8"', "[[applies]] 1: condition_missing"),
        ('clauses = "88"\ntwo_sets = true', "[[applies]] 1: clause_unknown"),
        ('clauses = "8"\nbut = "8.Q"\ntwo_sets = true', "[[applies]] 1: clause_unknown"),
        ('clauses = "8"\ndealt_by = "foot"', "[[applies]] 1 dealt_by: word_unknown"),
        ('clauses = "8"\ndevices = "kettle"', "[[applies]] 1 devices: word_unknown"),
        ('clauses = "8"\ntwo_sets = 2', "[[applies]] 1 two_sets: type_wrong"),
        ('clauses = "8"\nelection = { dealer_stak = "dealer_first" }', "[[applies]] (8): reading_unknown"),
        ('clauses = "8"\nelection = { dealer_stack = "never" }', "[[applies]] (8): choice_unknown"),
        ('clauses = "8"\noffered = "trips_bonus"', "[[applies]] (8): wager_unknown"),
        ('clauses = "8"\ntwo_sets = true\nwhenever = 1', "[[applies]] 1 whenever: key_unknown"),
    ],
)
def test_a_faulty_entry_refuses_the_file(faults_of, written, fault):
    """Each with what it is."""
    found = faults_of((FIRST, f"[[applies]]\n{written}\n"))
    assert fault in found
