"""Facts about sets of cards, each folded over a set of which every field says something: what it changes, and nothing else."""

import pytest

from controller.games.model import Phase
from controller.rules.parts import ProcedureStep
from controller.rules.vocabulary import Action, BurnAt, Method, Role, Step
from controller.table.fold.fold import evolve
from controller.table.state.card_set import CardSet, Cut
from controller.table.state.deal import Deal
from controller.table.state.table import Duty, Round, Seat, State, Wager
from controller.table.words import facts as f
from controller.table.words.inputs import Moment, SetDue
from controller.table.words.procedure import Procedure
from controller.table.words.rounds_since_check import NOTHING_PLAYED, PlayedRound, PlayedSince
from controller.table.words.structs import replace
from drivers.events import Defect

TURN, WASH, SHUFFLE, CUT = (
    ProcedureStep(step, Role.DEALER, ()) for step in (Step.TURN_FACE_UP, Step.WASH, Step.SHUFFLE, Step.CUT)
)
SPREAD = ProcedureStep(Step.SPREAD, Role.DEALER, ())
ONE, TWO = (PlayedSince((PlayedRound(name, (1,)),)) for name in ("r1", "r2"))

USED = CardSet(
    "red", cycle_complete=True, mode_shuffle=True, count_right=True, identities_complete=True,
    defects=(Defect.EXTRA,), by_hand=True, since=Moment(1, 2, "b1"), due=True, in_shoe=True, uncounted=ONE, unread=TWO,
    procedure=Procedure.IDLE, steps=(SPREAD, TURN, WASH), stepped_by="a dealer", preshuffled=True, cut=Cut.MARK_DUE,
    gone=9,
)  # fmt: skip
GONE = CardSet("red", present=False)
ROUND = Round("r7", 7, "red", Method.HAND, seats={1: Seat(wagers={"ante": Wager(1000)})}, cutting_card=3, burned=2)
STATE = State(Method.HAND, {}, {}, open=True, round=ROUND, cutting_card=2)


def folded(card_set, event, **round_):
    """The set, the round and the rest after a fact."""
    sets = {"red": card_set, "blue": CardSet("blue")}
    return evolve(replace(STATE, sets=sets, round=replace(ROUND, **round_)), f.Fact("table", event))


SHUFFLED = {
    "in_shoe": False,
    "preshuffled": False,
    "cut": Cut.NONE,
    "gone": 0,
}
STEPPED = {"stepped_by": "x", "preshuffled": False, "in_shoe": False}
NOT_READ = f.SetChecked("red", False, True, None, None, (Defect.MISSING,))
SET_FACTS = [
    (NOT_READ, {**SHUFFLED, "cycle_complete": False, "mode_shuffle": True, "count_right": None,
                "identities_complete": None, "defects": (Defect.MISSING,), "by_hand": False}),
    (f.SetShuffledByHand("red", "x"), {**SHUFFLED, "cycle_complete": True, "mode_shuffle": True, "count_right": None,
                                       "identities_complete": None, "defects": (), "by_hand": True}),
    (f.SetDisarmed("red", "x"), {"cycle_complete": False, "in_shoe": False}),
    (f.SetRemoved("red", "x"), {"present": False, "cycle_complete": False, "in_shoe": False, "procedure": None, "steps": ()}),
    (f.SetInPlay("red", "x", 11, 12, "b2", "synced"), {"since": Moment(11, 12, "b2", "synced")}),
    (f.SetTimeCarried("red", 11, -12, "b2", "holdover"), {"since": Moment(11, -12, "b2", "holdover")}),
    (SetDue("red"), {"due": True}),
    (f.StepsAsked("red", Procedure.OPENING, (WASH,)), {"procedure": Procedure.OPENING, "steps": (WASH,), "stepped_by": ""}),
    (f.CutAsked("red", "x", ()), {"cut": Cut.DUE}),
    (f.CardBurned("red", BurnAt.NEW_SHOE, "x", ()), {"gone": "one more"}),
]  # fmt: skip


@pytest.mark.parametrize("before", [USED, GONE], ids=["used", "gone"])
@pytest.mark.parametrize(("event", "changes"), SET_FACTS)
def test_what_happens_to_a_set_changes_so_much_of_it(event, changes, before):
    """Whatever was known of it before, and of no other set. A shuffle undoes what was done with the cards before it."""
    changes = {**changes, "gone": before.gone + 1} if changes.get("gone") == "one more" else changes
    assert folded(before, event).sets == {"red": replace(before, **changes), "blue": CardSet("blue")}


@pytest.mark.parametrize("preshuffled", [True, False])
def test_a_set_that_is_brought_has_no_past(preshuffled):
    """Nothing was played with it; one that came shuffled may be dealt as it is."""
    after = folded(USED, f.SetBrought("red", "x", preshuffled)).sets["red"]
    told = {"cycle_complete": preshuffled, "mode_shuffle": preshuffled, "by_hand": preshuffled}
    assert after == CardSet("red", preshuffled=preshuffled, **told)


@pytest.mark.parametrize(
    ("steps", "face_up", "left", "procedure"),
    [
        ((SPREAD, TURN, WASH), False, (TURN, WASH), Procedure.IDLE),
        ((SPREAD, TURN, WASH), True, (WASH,), Procedure.IDLE),
        ((SPREAD, WASH), True, (WASH,), Procedure.IDLE),
        ((SPREAD, TURN), True, (), None),
        ((SPREAD,), True, (), None),
        ((SHUFFLE,), False, (), None),
    ],
)
def test_a_step_that_is_taken_leaves_those_after_it(steps, face_up, left, procedure):
    """What was spread face up need not be turned. The set is not as it came any more, and in no shoe."""
    before = replace(USED, steps=steps)
    after = folded(before, f.StepTaken("red", steps[0].step, "x", "dealer", (), face_up)).sets["red"]
    assert after == replace(before, steps=left, procedure=procedure, **STEPPED)


@pytest.mark.parametrize(("by_hand", "left"), [(True, (CUT, WASH)), (False, (WASH,))])
def test_after_the_shuffle_of_a_device_the_cut_alone_falls_away(by_hand, left):
    """What stands behind it is still to be done. Clause: `[cut] after`."""
    before = replace(USED, steps=(SHUFFLE, CUT, WASH), by_hand=by_hand)
    after = folded(before, f.StepTaken("red", Step.SHUFFLE, "x", "dealer", ())).sets["red"]
    assert after == replace(before, steps=left, **STEPPED)


@pytest.mark.parametrize(("whole", "left"), [(True, (WASH,)), (False, (CUT, WASH))])
def test_a_cut_that_waits_falls_away_only_where_a_device_has_shuffled_since(whole, left):
    """A cycle that was none of the whole set makes nothing undone of it. Clause: `[cut] after`."""
    after = folded(replace(USED, steps=(CUT, WASH)), f.SetChecked("red", whole, True, True, None)).sets["red"]
    assert (after.armed, after.steps, after.procedure) == (whole, left, Procedure.IDLE)


VERDICTS = [  # number right, identities right: rounds since the last count, rounds since the last reading
    (None, None, ONE, TWO),
    (True, None, NOTHING_PLAYED, TWO),
    (False, None, ONE, TWO),
    (None, True, NOTHING_PLAYED, NOTHING_PLAYED),
    (True, True, NOTHING_PLAYED, NOTHING_PLAYED),
    (False, True, ONE, TWO),
    (None, False, ONE, TWO),
    (True, False, NOTHING_PLAYED, TWO),
    (False, False, ONE, TWO),
]


@pytest.mark.parametrize(("count", "identities", "uncounted", "unread"), VERDICTS)
def test_a_good_verdict_answers_for_the_rounds_before_it(count, identities, uncounted, unread):
    """Its number for its number; who read every card knows their number too, unless that was found to be wrong."""
    after = folded(USED, f.SetChecked("red", True, True, count, identities)).sets["red"]
    told = {"count_right": count, "identities_complete": identities, "defects": (), "by_hand": False}
    assert after == replace(USED, uncounted=uncounted, unread=unread, **SHUFFLED, **told)


@pytest.mark.parametrize(
    ("identities", "unread"), [(None, None), (False, ONE), (True, NOTHING_PLAYED)], ids=["none", "wrong", "right"]
)
def test_a_first_reading_begins_with_what_was_not_counted(identities, unread):
    """A set that was never read has no earlier reading to go back to."""
    event = f.SetChecked("red", True, True, None, identities)
    assert folded(replace(USED, unread=None), event).sets["red"].unread == unread


PROVEN = {"count_proven": True, "identities_proven": True}
DONE = {"collected": True}
STOPPED = {"phase": Phase.STOPPED}
OF_ROUND = [
    (f.CardBurned("red", BurnAt.NEW_SHOE, "x", ()), {}, {"burned": 3}),
    (f.SetDisarmed("red", "x"), {"vouched": True, "reshuffled": True}, {"vouched": False, "reshuffled": False}),
    (f.SetRemoved("red", "x"), {"vouched": True, "reshuffled": True}, {"reshuffled": False}),
    (f.SetBrought("red", "x", preshuffled=True), DONE, {**PROVEN, "reshuffled": True}),
    (f.SetBrought("red", "x"), {**DONE, "reshuffled": True}, {**PROVEN, "reshuffled": False}),
    (f.SetBrought("red", "x", preshuffled=True), {}, {}),
    (f.SetShuffledByHand("red", "x"), DONE, {"reshuffled": True}),
    (f.SetShuffledByHand("red", "x"), {}, {}),
    (f.SetChecked("red", True, True, True, None), {}, {}),
    (f.SetChecked("red", True, True, None, None), DONE, {"reshuffled": True}),
    (f.SetChecked("red", True, True, True, None), DONE, {"reshuffled": True, "count_proven": True}),
    (f.SetChecked("red", True, True, True, True), DONE, {"reshuffled": True, **PROVEN}),
    (f.SetChecked("red", True, True, None, True), DONE, {"reshuffled": True, **PROVEN}),
    (f.SetChecked("red", True, True, False, True), DONE, {"reshuffled": True}),
    (
        f.SetChecked("red", False, True, False, False),
        {**DONE, **PROVEN, "reshuffled": True},
        {"reshuffled": False},
    ),
    (f.SetChecked("red", True, True, True, None), STOPPED, {"reshuffled": True, "count_proven": True}),
    (f.SetChecked("red", True, True, None, True), STOPPED, {"reshuffled": True, **PROVEN}),
    (f.SetChecked("red", False, True, True, None), STOPPED, {"reshuffled": False, "count_proven": True}),
    (f.SetChecked("red", True, True, None, None), STOPPED, {}),
    (f.SetChecked("red", True, True, False, True), STOPPED, {}),
    (f.SetShuffledByHand("red", "x"), STOPPED, {}),
]


@pytest.mark.parametrize(("event", "before", "changes"), OF_ROUND)
def test_what_happens_to_its_set_is_of_a_round_until_it_is_ended(event, before, changes):
    """A verdict counts once the cards are collected, or counted whole after a stop; a person's word, and a shuffle, until the
    set is disarmed."""
    assert folded(USED, event, **before).round == replace(ROUND, **{**before, **changes})


@pytest.mark.parametrize(("event", "before", "changes"), OF_ROUND)
def test_what_happens_to_another_set_is_not_of_the_round(event, before, changes):
    """The round is dealt from the blue set, and this is told of the red one."""
    blue = {**before, "back": "blue"}
    assert folded(USED, event, **blue).round == replace(ROUND, **blue)


@pytest.mark.parametrize(("collected", "of_round", "of_table"), [(True, None, 2), (False, 3, None)])
def test_the_cut_is_offered_once_to_who_had_the_cutting_card(collected, of_round, of_table):
    """In the round whose cards are collected, else in the one before it; no other act of a set answers it."""
    after = folded(replace(USED, cut=Cut.DUE), f.SetCut("red", 3, (), "x", ()), collected=collected)
    assert after.round is not None
    assert (after.round.cutting_card, after.cutting_card) == (of_round, of_table)
    other = folded(USED, f.CutAsked("red", "x", ()), collected=collected)
    assert other.round is not None
    assert (other.round.cutting_card, other.cutting_card) == (3, 2)


def test_a_cut_between_rounds_answers_the_cutting_card_of_the_last():
    """No round is begun while the set is made ready."""
    after = evolve(
        replace(STATE, sets={"red": replace(USED, cut=Cut.DUE)}, round=None),
        f.Fact("table", f.SetCut("red", 3, (), "x", ())),
    )
    assert (after.round, after.cutting_card) == (None, None)


@pytest.mark.parametrize(
    ("event", "then"),
    [
        (f.SetDisarmed("green", "x"), CardSet("green")),
        (f.SetBrought("green", "x", preshuffled=False), CardSet("green")),
        (f.SetChecked("green", True, False, True, None), CardSet("green", cycle_complete=True, count_right=True)),
        (f.CardBurned("green", BurnAt.NEW_SHOE, "x", ()), CardSet("green", gone=1)),
        (f.DealingAllowed("x", resumed=False), CardSet("green", in_shoe=True)),
        (f.RoundEnded("r7", "void", "x"), CardSet("green")),
        (f.RoundEnded("r7", "played", "x", cards=4), CardSet(
            "green", uncounted=PlayedSince((PlayedRound("r7", (1,)),)), gone=4, since_count=1, since_any_count=1,
        )),
    ],
)  # fmt: skip
def test_a_record_is_folded_with_sets_that_the_table_has_no_more(event, then):
    """The house has other backs since; what was written down of the green set must not keep the table from starting."""
    phase = Phase.BETS_CLOSED if event.kind == "dealing_allowed" else Phase.BETTING
    deal = Deal.DONE if event.kind == "round_ended" and event.cards else Deal.NOTHING
    green = replace(ROUND, back="green", phase=phase, deal=deal)
    after = evolve(replace(STATE, round=green), f.Fact("table", event))
    assert after.sets == {"green": then}


@pytest.mark.parametrize(
    ("action", "back", "leaves"),
    [
        (Action.RESHUFFLE_AFTER_ROUND, "red", True),
        (Action.SWAP_SET_AFTER_ROUND, "red", True),
        (Action.RESHUFFLE_AFTER_ROUND, "blue", False),
        (Action.CALL_FLOORPERSON, "red", False),
    ],
)
def test_a_set_leaves_the_shoe_by_what_waits_for_its_own_round_to_end(action, back, leaves):
    """Neither by what waits for that of another set, nor by whatever else is to be done about it."""
    duty = Duty("D1", action, Role.DEALER, "", back, 0, (), None)
    assert replace(STATE, duties={"D1": duty}).leaves_after_round("red") is leaves
