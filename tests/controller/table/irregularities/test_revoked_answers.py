"""An answer that cannot stand any more: a natural that is none, and what a hand with too many cards had answered. Fast Action."""

import pytest

from controller.rules.vocabulary import Area, Method, Trigger
from controller.table.decide import fold
from controller.table.settlement.offer import offer
from controller.table.settlement.unchecked import Check, unchecked
from controller.table.state.table import State
from controller.table.words import acts as a
from controller.table.words import facts as f

WIN, LOSE = a.Outcome.WIN, a.Outcome.LOSE
TOO_MANY = a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1, too_many=True)
NO_NATURAL = a.ReportIrregularity(Trigger.FALSE_DECLARATION, seat=1)
DEALER = a.RecordHand(Area.DEALER, "Ks Qs 4d 2c")
COMMUNITY = a.RecordHand(Area.COMMUNITY, "Kd 8h 7c 3s 5h")


def holds(events):
    return [event for event in events if isinstance(event, f.HoldPlaced)]


def lift(table, resolution=a.Resolution.GO_ON):
    for hold in list(table.state.holds.values()):
        table.act(a.ResolveHold(hold.id, resolution if resolution in hold.choices else hold.choices[0]))


def to_showdown(table, natural=False):
    table.act(a.RevealDealer(natural=natural))
    if not natural:
        table.act(a.RevealCommunity(a.Street.COMMUNITY))
    return table


@pytest.fixture
def table(make_table):
    """Two hands of Fast Action that wait to be set; the duty to lay cards away is left open."""

    def make(stake=1000, **elect):
        bets = ((1, "original", stake), (2, "original", 1000))
        made = make_table(
            "fast-action",
            Method.MANUAL_SHOE,
            offered=(),
            elect={k.replace("_", "-", 1): v for k, v in elect.items()},
        )
        made.ready().bet(*bets).let_out().act(a.RecordInitialDeal())
        made.answer(2, "set")
        return made

    return make


# ---- too few


TOO_FEW = a.ReportIrregularity(Trigger.WRONG_COUNT_PLAYER, seat=1)


@pytest.mark.parametrize(
    ("choice", "answer", "asked"),
    [
        ("hold", "surrender", ["R-238"]),
        ("stands", "surrender", []),
        ("hold", "set", []),
    ],
)
def test_a_short_hand_that_was_given_up_before_is_asked_about(table, choice, answer, asked):
    """Its player would have chosen; the half that was collected can be corrected. Clause: fast-action (i)(3), R-238."""
    made = table(R_238=choice)
    made.answer(1, answer)
    found = holds(made.act(TOO_FEW))
    assert [hold.reading for hold in found] == asked
    assert [(hold.seat, hold.wager, hold.choices) for hold in found] == [
        (1, "original", (a.Resolution.GO_ON,)) for _ in asked
    ]
    if asked:
        made.act(a.CorrectSettlement(1, "original", a.Outcome.RETURN, reason="the hand is void"))
        assert made.round.seats[1].wagers["original"].returned == 1000
        lift(made)
        assert not made.state.holds


# ---- too many cards


def test_the_second_wager_of_a_hand_that_was_split_before_is_held(table):
    """It was split before anybody counted; whether the second wager goes back a person decides. Clause: (i)(4)."""
    made = table()
    made.answer(1, "split", 1)
    (hold,) = holds(made.act(TOO_MANY))
    assert (hold.seat, hold.wager, hold.cite, hold.choices) == (
        1,
        "second_hand",
        ("(i)(4)",),
        ("return_wager", "wager_stands"),
    )
    assert made.fates() == {(1, "original"): "live", (1, "second_hand"): "held", (2, "original"): "live"}
    assert holds(made.act(TOO_MANY)) == []  # it is asked already
    lift(made, a.Resolution.RETURN_WAGER)
    assert holds(made.act(TOO_MANY)) == []  # and was answered
    to_showdown(made)
    for act in (DEALER, COMMUNITY, a.RecordHand(Area.PLAYER, "Ac Ah ?? ?? ??", 1, played="Ac Ah")):
        made.act(act)
    line = offer(made.setup, made.round).line(1, "original")
    assert (line.outcome, line.paid) == (WIN, 1000)
    assert offer(made.setup, made.round).line(1, "second_hand") is None
    assert fold(State.initial(made.setup), made.all) == made.state


def test_a_second_wager_that_stands_is_settled_by_people(table):
    """Nobody knows which of three cards are the second hand; the first is compared, and the record says what was not."""
    made = table()
    made.answer(1, "split", 1)
    made.act(TOO_MANY)
    lift(made, a.Resolution.WAGER_STANDS)
    to_showdown(made)
    for act in (DEALER, COMMUNITY, a.RecordHand(Area.PLAYER, "Ac Ah 2d 4s 9s", 1, played="Ac Ah")):
        made.act(act)
    found = offer(made.setup, made.round)
    assert (found.line(1, "original").outcome, found.line(1, "second_hand")) == (WIN, None)
    made.act(a.SettleWager(1, "second_hand", LOSE))
    assert Check.PAYMENTS in unchecked(made.setup, made.state)


def test_a_hand_that_was_given_up_before_waits_for_a_person(table):
    """Half was collected at once, and the clause has such a hand played. Clause: (i)(4), (h)(6)."""
    made = table()
    made.answer(1, "surrender")
    (hold,) = holds(made.act(TOO_MANY))
    assert (hold.seat, hold.wager, hold.choices) == (1, "original", (a.Resolution.GO_ON,))
    assert "correct_settlement" in hold.reason
    made.act(a.CorrectSettlement(1, "original", a.Outcome.RETURN, "the hand had five cards"))
    assert not made.state.holds


def test_so_does_one_of_which_the_odd_cent_is_still_asked_about(table):
    """Both are asked. Clause: (i)(4), R-81."""
    made = table(R_81="hold", stake=1001)
    made.answer(1, "surrender")
    (hold,) = holds(made.act(TOO_MANY))
    assert "given up" in hold.reason
    lift(made)
    assert made.round.seats[1].wagers["original"].outcome is LOSE


def test_to_let_it_stand_leaves_the_odd_cent_to_its_own_question(table):
    """Whichever is answered first; a void between the two gives back nothing that was given up. Clause: (i)(4), (i)(5), R-81."""
    made = table(R_81="hold", stake=1001)
    made.answer(1, "surrender")
    made.act(TOO_MANY)
    (stands,) = [hold for hold in made.state.holds.values() if a.Resolution.GO_ON in hold.choices]
    made.act(a.ResolveHold(stands.id, a.Resolution.GO_ON))
    assert made.fates()[1, "original"] == "held"
    (hold,) = holds(made.act(a.ReportIrregularity(Trigger.CARDS_INSUFFICIENT)))
    assert ("settled already" in hold.reason, hold.choices) == (True, (a.Resolution.GO_ON,))
    assert made.fates() == {(1, "original"): "held", (2, "original"): "returned"}
    lift(made, a.Resolution.CENT_TO_PLAYER)
    wager = made.round.seats[1].wagers["original"]
    assert (wager.outcome, wager.returned) == (LOSE, 501)


@pytest.mark.parametrize("told_first", [True, False])
def test_a_natural_of_such_a_hand_is_decided_by_a_person(table, told_first):
    """The first four cards dealt are a natural, and the clause has such a hand set. Clause: (a)(1)(v), (i)(4)."""
    made = table()
    if told_first:
        made.act(TOO_MANY)
        (hold,) = holds(made.answer(1, "natural"))
    else:
        made.answer(1, "natural")
        (hold,) = holds(made.act(TOO_MANY))
    assert hold.reason.startswith("seat 1 has a natural and was dealt too many cards")
    assert ("false_declaration" in hold.reason, hold.seat, hold.cite) == (True, 1, ("(i)(4)",))
    lift(made)
    made.act(a.RecordHand(Area.PLAYER, "9c 9h 9d 9s 2c", 1))
    assert offer(made.setup, made.round).line(1, "original").paid == 5000


@pytest.mark.parametrize("cards", ["9c 9h 9d 9s 2c", "9c 9h 9d 9s"])
def test_a_natural_that_a_person_does_not_let_stand_is_set_like_any_hand(table, cards):
    """Also where its fifth card is laid away: four cards prove no natural of a hand that had more."""
    made = table(R_67="play_on")
    made.act(TOO_MANY)
    made.answer(1, "natural")
    made.act(a.RecordHand(Area.PLAYER, cards, 1))
    made.act(NO_NATURAL)
    lift(made)
    made.answer(1, "set")
    assert made.fates()[1, "original"] == "live"


def test_only_a_hand_with_too_many_cards_is_told_with_more(table):
    """Up to those of two hands. Clause: (g)(3), (i)(4)."""
    made = table()
    made.answer(1, "natural")
    five = a.RecordHand(Area.PLAYER, "9c 9h 9d 9s 2c", 1)
    assert "4 cards lie there, and 5 were given" in made.refused(five).reason
    made.act(TOO_MANY)
    made.act(five)
    for wrong in (3, 9):
        refused = made.refused(a.RecordHand(Area.PLAYER, " ".join(["??"] * wrong), 1))
        assert f"4 to 8 cards lie there, and {wrong} were given" in refused.reason
    for right in (4, 8):
        made.act(a.RecordHand(Area.PLAYER, " ".join(["??"] * right), 1))


# ---- a natural that is none


@pytest.mark.parametrize("choice", ["hold", "play_on"])
def test_a_natural_that_was_recorded_and_is_none_is_set_like_any_hand(table, choice):
    """Nothing was paid on it: the hand is asked again, and its wager is compared with the cards. Clause: (h)(2), R-67."""
    made = table(R_67=choice)
    made.answer(1, "natural")
    assert made.fates()[1, "original"] == "settled"
    made.act(NO_NATURAL)
    assert made.fates()[1, "original"] == "live"
    lift(made)
    assert "seats 1 have not been asked" in made.refused(a.RevealDealer()).reason
    made.answer(1, "set")
    to_showdown(made)
    for act in (DEALER, COMMUNITY):
        made.act(act)
    assert holds(made.act(a.RecordHand(Area.PLAYER, "9c 9h 9d 8s", 1, played="9c 9h"))) == []
    line = offer(made.setup, made.round).line(1, "original")
    assert (line.outcome, line.returned) == (LOSE, 0)
    made.act(a.SettleWager(2, "original", LOSE))
    (hold,) = holds(made.act(a.SettleWager(1, "original", WIN, 5000)))
    assert "cards and pay table make it lose" in hold.reason
    assert fold(State.initial(made.setup), made.all) == made.state


def test_a_natural_that_was_paid_and_is_none_waits_for_a_person(table):
    """The money is with the player and the cards are in the rack. Clause: (h)(2)."""
    made = table(R_67="play_on")
    made.answer(1, "natural")
    made.act(a.SettleWager(1, "original", WIN, 5000))
    (hold,) = holds(made.act(NO_NATURAL))
    assert ("correct_settlement" in hold.reason, hold.choices) == (True, (a.Resolution.GO_ON,))
    (corrected, *_) = made.act(a.CorrectSettlement(1, "original", LOSE, "three nines"))
    assert corrected.owed == -6000
    assert not made.state.holds
    assert "is decided" in made.refused(a.RecordDecision(1, a.Decision.SET)).reason
    to_showdown(made)


def test_found_after_the_dealers_hand_is_up_its_wager_is_held(table):
    """It is not set as the others were any more; what stands is compared with the cards that are told as played."""
    made = table(R_67="play_on")
    made.answer(1, "natural")
    to_showdown(made)
    for act in (DEALER, COMMUNITY):
        made.act(act)
    (slip,) = holds(made.act(a.RecordHand(Area.PLAYER, "9c 9h 9d 8s", 1)))
    assert "report_irregularity" in slip.reason
    (hold,) = holds(made.act(NO_NATURAL))
    assert (hold.wager, hold.choices) == ("original", ("return_wager", "wager_stands"))
    assert made.fates()[1, "original"] == "held"
    lift(made, a.Resolution.WAGER_STANDS)
    assert offer(made.setup, made.round).line(1, "original") is None
    assert holds(made.act(a.RecordHand(Area.PLAYER, "9c 9h 9d 8s", 1, played="9c 9h"))) == []
    assert offer(made.setup, made.round).line(1, "original").outcome is LOSE


# ---- what the person is asked, whole


def asked(hold):
    return hold.seat, hold.wager, hold.cite, hold.reading, hold.choices


@pytest.mark.parametrize(
    ("settled", "fate", "choices", "says"),
    [
        (False, "held", ("return_wager", "wager_stands"), "decide about the second_hand wager: return_wager"),
        (True, "settled", ("go_on",), "and this one was split and settled before; correct that"),
    ],
)
def test_a_hand_that_was_split_with_too_many_cards_is_asked_about_by_its_clause(
    table, settled, fate, choices, says
):
    """The second wager is held, or a person looks at what was settled of it. Clause: fast-action (i)(4)."""
    made = table()
    made.answer(1, "split", 1)
    if settled:
        to_showdown(made)
        made.act(a.SettleWager(1, "second_hand", LOSE))
    events = made.act(TOO_MANY)
    (hold,) = holds(events)
    assert asked(hold) == (1, "second_hand", ("(i)(4)",), None, choices)
    assert says in hold.reason
    assert made.fates()[1, "second_hand"] == fate
    decided = [event for event in events if isinstance(event, f.WagerDecided)]
    assert [(x.seat, x.wager, x.cents, x.fate, x.cite) for x in decided] == (
        [] if settled else [(1, "second_hand", 1000, "held", ("(i)(4)",))]
    )


@pytest.mark.parametrize(("answer", "wager"), [("surrender", "original"), ("natural", "")])
def test_so_is_one_that_was_given_up_or_shown_as_a_natural(table, answer, wager):
    """It may stand, and a void is no remedy of this clause. Clause: fast-action (i)(4)."""
    made = table()
    made.answer(1, answer)
    (hold,) = holds(made.act(TOO_MANY))
    assert asked(hold) == (1, wager, ("(i)(4)",), None, ("go_on",))


def test_a_natural_that_is_none_is_asked_about_by_its_clauses(table):
    """Paid by then, or set too late: with what stands to choose, and its wager held by the same. Clause: fast-action (h)(2)."""
    cite = table().setup.law.rulebook.cite_of(Trigger.FALSE_DECLARATION)
    assert "(h)(2)" in cite
    paid = table(R_67="play_on")
    paid.answer(1, "natural")
    paid.act(a.SettleWager(1, "original", WIN, 5000))
    (hold,) = holds(paid.act(NO_NATURAL))
    assert asked(hold) == (1, "original", cite, None, ("go_on",))
    late = table(R_67="play_on")
    late.answer(1, "natural")
    events = to_showdown(late).act(NO_NATURAL)
    (hold,) = holds(events)
    assert asked(hold) == (1, "original", cite, None, ("return_wager", "wager_stands"))
    assert "the hand is no natural, and it is too late to set it as the others were" in hold.reason
    (decided,) = (event for event in events if isinstance(event, f.WagerDecided) and event.fate == "held")
    assert (decided.seat, decided.wager, decided.cents, decided.cite) == (1, "original", 1000, cite)
