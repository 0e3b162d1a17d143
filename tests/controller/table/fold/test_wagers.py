"""Facts about wagers, hands and meters, each folded over a round: what it changes of which seat, and nothing else."""

import pytest

from controller.cards.cards import parse
from controller.games.model import Decision
from controller.games.registry import GAMES
from controller.games.settling.round import UNREADABLE, Meter
from controller.games.settling.settled import Outcome
from controller.rules.vocabulary import Area, Method, Role, Trigger
from controller.table.fold.fold import evolve
from controller.table.fold.wagers import with_, without
from controller.table.state.table import Fate, LastRound, Phase, Round, Seat, SeenHand, State, Wager
from controller.table.words import facts as f
from controller.table.words.structs import replace

ANTE, BLIND, TRIPS = Wager(1000, player="p1"), Wager(1000), Wager(500)
SEATS = {
    1: Seat(
        wagers={"ante": ANTE, "blind": BLIND, "trips": TRIPS},
        coupons={"ante": Wager(1000), "trips": Wager(500)},
        envy={4: Wager(0, Fate.SETTLED, outcome=Outcome.LOSE, compared=True)},
    ),
    3: Seat(wagers={"ante": Wager(1500), "blind": Wager(1500)}),
}
ROUND = Round(
    "r7", 7, "red", Method.HAND, phase=Phase.LAST_TWO, seats=SEATS, validated=frozenset({3}), meters={"major": Meter(9, 1)},
    seen={(Area.DEALER, 0): SeenHand((1,))},
)  # fmt: skip
LAST = LastRound("r6", SEATS)
STATE = State(Method.HAND, {}, {}, open=True, round=ROUND, last_round=LAST)


def folded(round_, event):
    """The round after a fact; nothing else of the state may be another."""
    after = evolve(replace(STATE, round=round_), f.Fact("table", event))
    assert after.round is not None
    assert replace(after, round=None) == replace(STATE, round=None)
    return after.round


def seat_1(**changes):
    """The seats, with these changes of the first."""
    return with_(SEATS, 1, replace(SEATS[1], **changes))


def settled(cls, wager, **fields):
    """A fact of that kind: this wager of seat 1 has won 300 beside the 200 that go back."""
    own = {"role": Role.SUPERVISOR, "reason": "x"} if cls is f.SettlementCorrected else {}
    return cls(
        **{"round": "r7", "seat": 1, "wager": wager, "outcome": Outcome.WIN, "stake": 1000, "returned": 200, "paid": 300,
           "currency": "USD", "by": "x", **own, **fields}
    )  # fmt: skip


def now(before, *, corrected=False, compared=False):
    """The same wager once such a fact is folded."""
    won = {"fate": Fate.SETTLED, "outcome": Outcome.WIN, "returned": 200, "paid": 300}
    return replace(before, **won, corrected=corrected, compared=compared)


(ACE,), (KING,) = parse("As"), parse("Kd")
FACTS = [
    (
        f.WagerPlaced(3, "trips", 700, "USD", "x", player="p3", coupon=200),
        {"seats": with_(SEATS, 3, Seat(with_(SEATS[3].wagers, "trips", Wager(700, player="p3")), coupons={"trips": Wager(200)}))},
    ),
    (f.WagerPlaced(5, "ante", 700, "USD", "x"), {"seats": with_(SEATS, 5, Seat({"ante": Wager(700)}))}),
    (
        f.WagerWithdrawn(1, "trips", "x"),
        {"seats": seat_1(wagers={"ante": ANTE, "blind": BLIND}, coupons={"ante": Wager(1000)})},
    ),
    (f.ProgressiveValidated("r7", 1, "x", Role.SUPERVISOR, ()), {"validated": frozenset({1, 3})}),
    (f.MeterRecorded("r7", "mini", 50, 5, "USD", "x"), {"meters": {"major": Meter(9, 1), "mini": Meter(50, 5)}}),
    (f.MeterRecorded("r7", "major", 50, 5, "USD", "x"), {"meters": {"major": Meter(50, 5)}}),
    (
        f.HandRecorded("r7", Area.PLAYER, 1, "As ??", "As", "Kd", "x"),
        {"seen": {**ROUND.seen, (Area.PLAYER, 1): SeenHand((ACE, UNREADABLE), (ACE,), (KING,))}},
    ),
    (settled(f.WagerSettled, "ante"), {"seats": seat_1(wagers=with_(SEATS[1].wagers, "ante", now(ANTE)))}),
    (
        settled(f.WagerSettled, "ante", offered=Outcome.LOSE),
        {"seats": seat_1(wagers=with_(SEATS[1].wagers, "ante", now(ANTE, compared=True)))},
    ),
    (
        settled(f.WagerSettled, "ante", coupon=1000),
        {"seats": seat_1(coupons=with_(SEATS[1].coupons, "ante", now(Wager(1000))))},
    ),
    (
        settled(f.WagerSettled, "trips", holder=3),
        {"seats": seat_1(envy=with_(SEATS[1].envy, 3, now(Wager(0))))},
    ),
    (
        settled(f.SettlementCorrected, "trips", holder=4),
        {"seats": seat_1(envy={4: now(Wager(0), corrected=True, compared=True)})},
    ),
    (
        settled(f.SettlementCorrected, "ante"),
        {"seats": seat_1(wagers=with_(SEATS[1].wagers, "ante", now(ANTE, corrected=True)))},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("event", "changes"), FACTS)
def test_what_happens_to_wagers_changes_so_much_of_the_round(event, changes):
    """A second seat and the wagers beside it stay as they are."""
    assert folded(ROUND, event) == replace(ROUND, **changes)


def test_a_seat_without_a_wager_is_no_seat_of_the_round():
    """The last of them was taken back."""
    alone = replace(ROUND, seats=with_(SEATS, 3, Seat({"ante": Wager(1500)})))
    assert folded(alone, f.WagerWithdrawn(3, "ante", "x")) == replace(ROUND, seats=without(SEATS, 3))


@pytest.mark.parametrize(
    ("round_", "of_round", "of_last"),
    [("r7", True, False), ("r6", False, True), ("r5", False, False)],
    ids=["in play", "the last", "an older one"],
)
def test_a_correction_stands_in_the_round_that_it_names(round_, of_round, of_last):
    """The round in play or the one before it; of older ones nothing is kept here but the record."""
    put_right = seat_1(wagers=with_(SEATS[1].wagers, "ante", now(ANTE, corrected=True)))
    after = evolve(STATE, f.Fact("table", settled(f.SettlementCorrected, "ante", round=round_)))
    assert after == replace(
        STATE,
        round=replace(ROUND, seats=put_right) if of_round else ROUND,
        last_round=LastRound("r6", put_right) if of_last else LAST,
    )


def test_a_correction_of_a_round_that_is_kept_nowhere_changes_nothing():
    """Before the first round of a table nothing is kept."""
    state = replace(STATE, round=None, last_round=None)
    assert evolve(state, f.Fact("table", settled(f.SettlementCorrected, "ante"))) == state


ANSWERS = [
    (Phase.LAST_TWO, Decision.PLAY, {"wagers": with_(SEATS[1].wagers, "play", Wager(2000)), "decided": True}),
    (Phase.LAST_TWO, Decision.FOLD, {"decided": True, "folded": True}),
    (Phase.FLOP, Decision.CHECK, {}),
    (Phase.FLOP, Decision.SURRENDER, {}),
    (Phase.STOPPED, Decision.PLAY, {}),
]


@pytest.mark.parametrize(("phase", "decision", "changes"), ANSWERS)
def test_an_answer_is_noted_and_carried_out_where_it_belongs(phase, decision, changes):
    """An answer that the game does not know there is on record all the same, and the record is folded with it."""
    after = folded(replace(ROUND, phase=phase), f.DecisionRecorded(1, decision, 2000, "x"))
    seats = seat_1(asked=phase, answers=(decision,), **changes)
    assert after == replace(ROUND, phase=phase, seats=seats)


@pytest.mark.parametrize("fate", [Fate.LIVE, Fate.STANDS, Fate.TO_SETTLE])
def test_an_answer_that_settles_a_bonus_settles_what_is_undecided(fate):
    """One that is held or was given back stays so."""
    bonuses = {"five_card_bonus": Wager(500, fate), "three_card_bonus": Wager(500, Fate.HELD)}
    seat = Seat({"ante": Wager(1000), **bonuses})
    other = Seat({"ante": Wager(1000)})
    round_ = replace(ROUND, game=GAMES["pikit"], phase=Phase.DECISION, seats={1: seat, 3: other})
    after = folded(round_, f.DecisionRecorded(1, Decision.FOLD, 0, "x"))
    paid = with_(seat.wagers, "five_card_bonus", Wager(500, Fate.SETTLED))
    answered = Seat(paid, decided=True, asked=Phase.DECISION, folded=True, answers=(Decision.FOLD,))
    assert after == replace(round_, seats={1: answered, 3: other})


NO_NATURAL = f.DispositionMade(Trigger.FALSE_DECLARATION, (), "r7", 1, (), (), False, "", "", "", "")


@pytest.mark.parametrize(
    ("phase", "changes"),
    [(Phase.SETTING, {"decided": False, "asked": None}), (Phase.DEALER_SET, {}), (Phase.SHOWDOWN, {})],
)
def test_a_false_announcement_alone_is_taken_back(phase, changes):
    """Its wager lies as before, and what was answered before it stays. Who is not asked again has been asked all the same."""
    won = Seat(
        {"original": Wager(1000, Fate.SETTLED)}, True, Phase.SETTING, answers=(Decision.SET, Decision.NATURAL)
    )
    round_ = replace(ROUND, game=GAMES["fast_action"], phase=phase, seats={1: won, 3: won})
    back = replace(won, wagers={"original": Wager(1000)}, answers=(Decision.SET,), disbelieved=True, **changes)
    assert folded(round_, NO_NATURAL) == replace(round_, seats={1: back, 3: won})


OF_EACH_FATE = {f"w{number}": Wager(100, fate) for number, fate in enumerate(Fate)}
"""One wager of each fate, `Fate.SETTLED` without an outcome of its own."""
BY_ITSELF = Wager(100, Fate.SETTLED, outcome=Outcome.LOSE)


@pytest.mark.parametrize("difference", [None, 0, 50])
@pytest.mark.parametrize(
    ("phase", "then"),
    [(Phase.SHOWDOWN, Phase.SETTLED), (Phase.STOPPED, Phase.STOPPED), (Phase.SETTLED, Phase.SETTLED)],
)
def test_a_round_settles_what_nothing_else_has_decided(phase, then, difference):
    """What was settled by itself, is held, or went back stays so. A round that was stopped stays stopped."""
    before = {"ante": BY_ITSELF, **OF_EACH_FATE}
    compared = difference is not None
    paid = {
        name: Wager(100, Fate.SETTLED, compared=compared)
        if wager.fate in (Fate.LIVE, Fate.TO_SETTLE, Fate.STANDS, Fate.SETTLED)
        else wager
        for name, wager in OF_EACH_FATE.items()
    }
    after = folded(
        replace(ROUND, phase=phase, seats={1: Seat(before, coupons=before)}),
        f.RoundSettled("x", difference=difference),
    )
    settled_now = {"ante": BY_ITSELF, **paid}
    assert after == replace(ROUND, phase=then, seats={1: Seat(settled_now, coupons=settled_now)})


def decided(fate=Fate.LOST):
    """The ante of seat 1 has its fate."""
    return f.WagerDecided("r7", 1, "ante", 900, "USD", fate.value)


@pytest.mark.parametrize("left", list(Fate))
def test_play_stops_once_the_last_wager_has_its_fate(left):
    """While one is live, stands, is spared or held, somebody is still to be dealt with."""
    round_ = replace(ROUND, seats={1: Seat({"ante": ANTE, "trips": Wager(500, left)})})
    goes_on = left in (Fate.LIVE, Fate.STANDS, Fate.TO_SETTLE, Fate.HELD)
    seats = {1: Seat({"ante": Wager(900, Fate.LOST, "p1"), "trips": Wager(500, left)})}
    phase = Phase.LAST_TWO if goes_on else Phase.STOPPED
    assert folded(round_, decided()) == replace(round_, seats=seats, phase=phase)


@pytest.mark.parametrize(("fate", "phase"), [(Fate.COLLECTED, Phase.LAST_TWO), (Fate.RETURNED, Phase.STOPPED)])
def test_a_fold_alone_stops_nothing(fate, phase):
    """Clause: md-uth 11.F(2): the dealer's hand is shown all the same."""
    round_ = replace(ROUND, seats={1: Seat({"ante": ANTE})})
    seats = {1: Seat({"ante": Wager(900, fate, "p1")})}
    assert folded(round_, decided(fate)) == replace(round_, seats=seats, phase=phase)


def test_what_was_settled_is_not_stopped_by_a_later_fate():
    """A wager that was held until after the settlement."""
    round_ = replace(ROUND, phase=Phase.SETTLED, seats={1: Seat({"ante": Wager(1000, Fate.HELD, "p1")})})
    assert folded(round_, decided()).phase is Phase.SETTLED
