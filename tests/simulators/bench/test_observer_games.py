"""The observer's law of the other games and ways of dealing: what it accepts, and what it names when it is otherwise."""

import pytest

from controller.rules.named_wagers import ABOUT_ONE, placed
from controller.rules.read.library import find
from controller.rules.vocabulary import Action, Guard, Trigger
from simulators.bench.expected import EXPECTED
from simulators.bench.observer.law import citations, remedies
from simulators.bench.observer.money import wagers
from simulators.bench.observer.sets import sets_armed
from tests.simulators.bench.test_observer import Case, both, broken, by, deck


def hand_dealt(case: Case, back: str = "red", *, shuffled: bool = True) -> Case:
    """A round that the dealer deals from a manual shoe."""
    if shuffled:
        case.given("record_shuffle").fact("set_shuffled_by_hand", back=back, by="dealer")
    case.given("begin_round").fact("round_begun", round="r", number=1, back=back, method="manual_shoe")
    return case.given("start_dealing").fact("dealing_allowed", by="dealer", resumed=False)


def test_a_set_that_people_shuffled_may_be_dealt_by_hand_once():
    """Nothing of it stands in a device's record, so the journal is asked."""
    once = hand_dealt(Case("ma-colorado"))
    assert (sets_armed(once.evidence).state, sets_armed(once.evidence).checked) == ("held", 1)
    assert broken(sets_armed(hand_dealt(once, shuffled=False).evidence), "the dealer", "not shuffled since")


def test_a_set_that_is_kept_is_dealt_on_from_until_its_cutting_card_comes():
    """Two rounds of one shoe, and a third one after the cutting card. Clause: fast-action (g)(4)."""
    case = hand_dealt(Case("fast-action", R_18="not_enabled"))
    hand_dealt(case, shuffled=False)
    assert sets_armed(case.evidence).state == "held"
    case.given("report_irregularity").made("cutting_card_reached", by("play_on", "(g)(4)"))
    case.given("end_round").fact("round_ended", round="r", outcome="played")
    assert broken(sets_armed(hand_dealt(case, shuffled=False).evidence), "cutting card")


def shoe(case: Case, back: str, decks: int = 6) -> Case:
    """So many decks are shuffled and the first card of them is dealt."""
    cards = [f"{card}{n}" for n in range(decks) for card in deck(back)]
    case.did("shuffler-1", "moved", cards=cards, **{"from": "feeder", "to": "rack"})
    case.reported(1, "shuffle_started", "shuffler-1", back=back, mode="shuffle")
    body = {"back": back, "mode": "shuffle", "count": len(cards), "identities": "not_read"}
    case.reported(2, "shuffle_completed", "shuffler-1", **body)
    case.did("shuffler-1", "moved", cards=cards, **{"from": "rack", "to": "table"})
    case.reported(1, "stack_dispensed", back=back, stack=1, cards=1)
    return case.reported(2, "deal_completed", back=back, stacks=1, cards_left=len(cards) - 1)


@pytest.mark.parametrize(("decks", "state"), [(6, "held"), (5, "broken")])
def test_a_set_of_six_decks_is_counted_as_such(decks, state):
    """312 cards, not 52. Clause: fast-action (b)(1)."""
    assert sets_armed(shoe(Case("fast-action", decks="six"), "red", decks).evidence).state == state


def test_a_wrong_count_of_six_decks_is_due_an_answer():
    """The observer knows the size of the set from the document and the house's choice."""
    case = Case("fast-action", decks="six")
    case.report(1, "shuffle_completed", "shuffler-1", count=312).report(
        2, "shuffle_completed", "shuffler-1", count=311
    )
    assert broken(citations(case.evidence), "input 2", "shuffler_count_wrong")


@pytest.mark.parametrize(
    ("method", "clause"), [("dealing_shoe", "10.E(2)"), ("manual_shoe", "8.G(2)"), ("hand", "9.E(2)")]
)
def test_the_clause_is_that_of_the_way_of_dealing_in_use(method, clause):
    """Maryland repeats the count of the stub in three chapters; after a change of method the other one is cited."""
    case = Case("md-uth")
    case.given("change_method").fact("method_changed", method=method)
    demands = [by(action, clause) for action in ("void_all_hands", "return_all_wagers", "remove_set")]
    assert citations(case.made("stub_wrong", *demands).evidence).state == "held"
    other = Case("md-uth").made("stub_wrong", *[by(d["action"], "8.E") for d in demands])
    assert broken(citations(other.evidence), "stub_wrong")


def played(rulebook: str, *wagers_of_seat: str) -> Case:
    case = Case(rulebook).fact("round_begun", round="r", number=1)
    for wager in wagers_of_seat:
        case.fact("wager_placed", seat=1, wager=wager, cents=500)
    return case


@pytest.mark.parametrize(
    ("rulebook", "before", "decision", "settled"),
    [
        ("nj-pikit", ("five_card_bonus",), "fold", ("five_card_bonus",)),
        ("nj-pikit", ("five_card_bonus", "three_card_bonus"), "play_3", ("five_card_bonus", "three_card_bonus")),
        ("ma-colorado", ("ante", "bonus"), "declare", ("ante", "bonus")),
        ("fast-action", ("original",), "natural", ("original",)),
    ],
)
def test_a_wager_that_is_settled_with_an_answer_is_not_given_back_by_a_later_void(
    rulebook, before, decision, settled
):
    """Its fate is final; the same wager given back as well has had two."""
    case = played(rulebook, *before).fact("decision_recorded", seat=1, decision=decision, cents=500)
    later = EXPECTED[rulebook].later.get(decision)
    if later:
        case.fact("wager_decided", seat=1, wager=later, cents=500, fate="returned")
    case.fact("round_ended", round="r", outcome="void")
    assert wagers(case.evidence).state == "held"
    case = played(rulebook, *before).fact("decision_recorded", seat=1, decision=decision, cents=500)
    for wager in (settled[0], *([later] if later else [])):
        case.fact("wager_decided", seat=1, wager=wager, cents=500, fate="returned")
    case.fact("round_ended", round="r", outcome="void")
    assert broken(wagers(case.evidence), settled[0], "settled, returned")


@pytest.mark.parametrize(
    ("stake", "returned", "reading", "cite", "state"),
    [
        (500, 250, None, ["(h)(6)"], "held"),
        (501, 250, "R-81", ["(h)(6)"], "held"),
        (501, 251, "R-81", ["(h)(6)"], "held"),
        (500, 251, None, ["(h)(6)"], "broken"),
        (500, 0, None, ["(h)(6)"], "broken"),
        (501, 250, None, ["(h)(6)"], "broken"),
        (500, 250, None, ["(h)(3)"], "broken"),
    ],
)
def test_a_surrender_gives_up_half_to_the_cent(stake, returned, reading, cite, state):
    """An odd cent is somebody's by a reading alone. Clause: fast-action (h)(6)."""
    case = Case("fast-action").fact("round_begun", round="r", number=1).given("record_decision")
    case.fact("wager_placed", seat=1, wager="original", cents=stake)
    case.fact("decision_recorded", seat=1, decision="surrender", cents=0)
    about = {"stake": stake, "returned": returned, "paid": 0, "cite": cite, "reading": reading}
    case.fact("wager_settled", seat=1, wager="original", **about).fact("round_ended", round="r", outcome="played")
    assert wagers(case.evidence).state == state


@pytest.mark.parametrize(("is_held", "state"), [(False, "broken"), (True, "held")])
def test_a_surrender_that_settles_nothing_is_caught(is_held, state):
    """Half goes at once, unless a floorperson is asked about an odd cent."""
    case = Case("fast-action").fact("round_begun", round="r", number=1).given("record_decision")
    case.fact("wager_placed", seat=1, wager="original", cents=501)
    case.fact("decision_recorded", seat=1, decision="surrender", cents=0)
    if is_held:
        case.fact("wager_decided", seat=1, wager="original", cents=501, fate="held", reading="R-81")
    case.given("resolve_hold")
    case.fact(
        "wager_settled", seat=1, wager="original", stake=501, returned=251, paid=0, cite=["(h)(6)"], reading="R-81"
    )
    assert wagers(case.fact("round_ended", round="r", outcome="played").evidence).state == state


@pytest.mark.parametrize(
    ("rulebook", "wager", "said", "cite"),
    [
        ("nj-pikit", "play_5", {"qualifies": False}, ["39.10(f)", "39.11(a)"]),
        ("fast-action", "second_hand", {"natural": True}, ["(h)(8)"]),
    ],
)
def test_a_wager_goes_back_over_the_dealers_hand_only_as_the_document_says(rulebook, wager, said, cite):
    """The act says what the hand is; another wager, another hand or another clause follows from nothing."""

    def sent_back(wager: str, said: dict[str, bool], cite: list[str]) -> str:
        case = Case(rulebook).given("reveal_dealer", who="dealer", role="dealer", **said)
        case.fact("wager_decided", seat=1, wager=wager, cents=500, fate="returned", cite=cite)
        return str(remedies(case.evidence).state)

    assert sent_back(wager, said, cite) == "held"
    assert sent_back("ante", said, cite) == "broken"
    assert sent_back(wager, {key: not value for key, value in said.items()}, cite) == "broken"
    assert sent_back(wager, said, ["39.1"]) == "broken"


@pytest.mark.parametrize("rulebook", sorted(EXPECTED))
def test_the_observers_law_speaks_in_known_words_and_every_trigger_has_a_last_case(rulebook):
    """A misspelt action or guard would never be found; a trigger without a case for the rest would have none."""
    wagers = find(rulebook).wagers
    known = {*Action, *(f"{action} {wager}" for action in ABOUT_ONE for wager in wagers)} - {*ABOUT_ONE}
    for trigger, cases in EXPECTED[rulebook].cases.items():
        assert trigger in set(Trigger)
        assert cases[-1].when == (), f"{trigger} has no case for the rest"
        for case in cases:
            assert set(case.must) | set(case.may) <= known, trigger
            assert {word.lstrip("!") for word in case.when} <= {*Guard, *map(placed, wagers)}, trigger


def test_both_sets_of_a_game_that_keeps_them_take_turns_by_the_shoe():
    """The second shoe from the same set, with the other one at the table. Clause: fast-action (b)(4)(v)."""
    in_turn = shoe(shoe(both(Case("fast-action")), "red"), "blue")
    assert sets_armed(in_turn.evidence).state == "held"
    assert broken(sets_armed(shoe(in_turn, "blue").evidence), "twice running")
