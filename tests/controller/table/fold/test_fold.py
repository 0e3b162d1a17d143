"""Facts folded one by one over a state of which nearly every field says something: what each changes, and nothing else."""

import dataclasses

import pytest

from controller.games.model import Answer, Decision, Game, Phase, Settle, Stage, Street
from controller.games.registry import UNNAMED
from controller.rules.vocabulary import BurnAt, Method, Trigger
from controller.table.fold.fold import evolve
from controller.table.state.card_set import CardSet, GamingDay
from controller.table.state.deal import Deal
from controller.table.state.device import Device
from controller.table.state.table import LastRound, Round, Seat, State, Wager
from controller.table.words import facts as f
from controller.table.words.acts import OutOfService
from controller.table.words.structs import replace
from drivers import events as e

LEVELS = e.Levels(
    e.ENGAGED, e.INHIBITED, e.Mode.SORT, jammed=True, door_open=True, cards_inside=7, wagers=1, lamps=1
)
TROUBLED = Device(
    e.DeviceKind.SHUFFLER, awaited=True, serial="S1", model="M1", firmware="F1", firmware_sha256="a1",
    config_sha256="c1", capabilities=frozenset({e.Capability.TWO_SETS}), levels=LEVELS, wanted={"lockout": e.ENGAGED},
    jammed=True, failed=True, disturbed=True, holds="red", out=OutOfService.SIGNED, liveness="unknown",
    unknown=frozenset(e.Level),
)  # fmt: skip
WELL = Device(
    e.DeviceKind.SHUFFLER, online=True, levels=e.Levels(e.RELEASED, e.ALLOWED, e.Mode.SHUFFLE), holds="red"
)
READ = e.Levels(e.RELEASED, e.INHIBITED, jammed=True, cards_inside=3)

SEATS = {
    1: Seat(wagers={"ante": Wager(1000), "trips": Wager(500)}),
    3: Seat(wagers={"ante": Wager(1000)}, coupons={"ante": Wager(1000)}),
}
ROUND = Round(
    "r7", 7, "red", Method.MANUAL_SHOE, seats=SEATS, accepted=frozenset({(1, 1), (3, 1)}), stacks=(2, 2), cards_out=4,
    streets=1, face_up_sensed=1, drawn=1, cutting_card=3, marker=4,
)  # fmt: skip
STATE = State(
    Method.MANUAL_SHOE, {}, {"red": CardSet("red"), "blue": CardSet("blue")}, open=True, rounds=6, last_back="blue",
    since_stub_count=5, serial=9, marker=4, last_seats=(1, 2), cutting_card=2, new_dealer=True,
    gaming_day=GamingDay("2026-01-01", 1, 2, 3, "b1"), last_round=LastRound("r6", {}),
)  # fmt: skip

DEVICE_FACTS = [
    (
        e.DeviceOnline(
            e.DeviceKind.SHUFFLER, "M2", "S2", "F2", "0" * 16, rebooted=False, gap_closed=True,
            capabilities=(e.Capability.READS_CARDS,), levels=READ, firmware_sha256="a2", config_sha256="c2",
        ),
        {
            "online": True, "awaited": False, "serial": "S2", "model": "M2", "firmware": "F2", "firmware_sha256": "a2",
            "config_sha256": "c2", "capabilities": frozenset({e.Capability.READS_CARDS}), "levels": READ,
            "jammed": True, "liveness": "", "unknown": frozenset(),
        },
    ),
    (e.DeviceOffline("link_lost"), {"online": False}),
    (e.DeviceRejected("wrong_serial"), {"online": False}),
    (e.DeviceSuspect(half_dead=True), {}),
    (e.LivenessChanged(known=True), {"liveness": "known"}),
    (e.LivenessChanged(known=False), {"liveness": "unknown"}),
    (e.LevelsRead(READ), {"levels": READ, "jammed": True, "unknown": frozenset()}),
    (e.LevelsRead(e.Levels()), {"levels": e.Levels(), "jammed": False, "unknown": frozenset()}),
    (e.JamCleared(by_itself=True, tries=1), {"jammed": False, "disturbed": True}),
    (e.ShuffleStarted(e.Back.BLUE, e.Mode.SHUFFLE), {"disturbed": False, "holds": "blue"}),
    (e.ShuffleStarted(e.Back.UNKNOWN, e.Mode.SHUFFLE), {"disturbed": False, "holds": ""}),
    (e.ShuffleCompleted(e.Back.RED, e.Mode.SHUFFLE, 52, e.Identities.NOT_READ), {"failed": False}),
    (f.DeviceTakenOut("d", OutOfService.COVERED, failed=True, by="x"),
     {"out": OutOfService.COVERED, "failed": True, "awaited": False}),
    (f.DeviceTakenOut("d", OutOfService.REMOVED, failed=False, by="x"),
     {"out": OutOfService.REMOVED, "failed": False, "awaited": False}),
    (f.DeviceReturned("d", by="x"), {"out": None, "failed": False}),
    (e.FaceUpCard(e.Back.RED, e.Activity.DEALING), {}),
    (e.CuttingCardSensed(e.Back.RED), {}),
    (e.WagerSensed(1, 1, locked=False), {}),
    (e.WagerRemoved(1, 1, locked=False), {}),
]  # fmt: skip


@pytest.fixture(params=[TROUBLED, WELL], ids=["troubled", "well"])
def device(request):
    """A device of which everything is wrong, and one of which nothing is."""
    return request.param


def folded(device, event, **state):
    """The state after a fact about this device; another one stands beside it."""
    return evolve(replace(STATE, devices={"d": device, "other": WELL}, **state), f.Fact("d", event))


@pytest.mark.parametrize(("event", "changes"), DEVICE_FACTS)
def test_what_is_told_of_a_device_changes_so_much_of_it(device, event, changes):
    """Whatever was known of it before; no other device, and nothing of the table, while there is no round."""
    after = replace(device, **changes)
    assert folded(device, event) == replace(STATE, devices={"d": after, "other": WELL})


@pytest.mark.parametrize(
    ("event", "level", "levels"),
    [
        (e.LevelConfirmed(e.Level.LOCKOUT, e.RELEASED, 1), e.Level.LOCKOUT, {"lockout": e.RELEASED}),
        (e.LevelConfirmed(e.Level.DISPENSING, e.ALLOWED, 1), e.Level.DISPENSING, {"dispensing": e.ALLOWED}),
        (e.LockoutEngaged(e.Cause.BUTTON, 0), e.Level.LOCKOUT, {"lockout": e.ENGAGED}),
        (e.LockoutReleased(e.Cause.BUTTON, 0), e.Level.LOCKOUT, {"lockout": e.RELEASED}),
        (e.DispensingInhibited(e.Cause.BUTTON, 0), e.Level.DISPENSING, {"dispensing": e.INHIBITED}),
        (e.DispensingAllowed(e.Cause.BUTTON, 0), e.Level.DISPENSING, {"dispensing": e.ALLOWED}),
        (e.ModeChanged(e.Mode.COUNT), None, {"mode": e.Mode.COUNT}),
        (e.DoorOpened(), None, {"door_open": True}),
        (e.DoorClosed(), None, {"door_open": False}),
    ],
)
def test_a_level_that_is_told_is_known_again_and_no_other_with_it(device, event, level, levels):
    """One that the daemon commands is in doubt no more from then on; nobody commands a door."""
    after = replace(device, levels=dataclasses.replace(device.levels, **levels), unknown=device.unknown - {level})
    assert folded(device, event) == replace(STATE, devices={"d": after, "other": WELL})


def test_a_level_whose_command_got_no_answer_is_in_doubt_beside_those_that_were(device):
    """It is what it was, and may not be."""
    doubted = replace(device, unknown=frozenset({e.Level.MODE}))
    after = replace(device, unknown=frozenset({e.Level.MODE, e.Level.LOCKOUT}))
    event = e.LevelUnknown(e.Level.LOCKOUT, e.RELEASED, 1, "timeout")
    assert folded(doubted, event) == replace(STATE, devices={"d": after, "other": WELL})


@pytest.mark.parametrize(
    ("event", "changes"),
    [
        (e.Jammed(e.Back.RED, e.Activity.SHUFFLING, e.JamPlace.RACK, 0, 2),
         {"jammed": True, "failed": True, "disturbed": True}),
        (e.ShuffleStopped(e.Back.RED, e.StopReason.TIMEOUT, 2), {"failed": True, "disturbed": True}),
        (e.DealStopped(e.Back.RED, e.StopReason.TIMEOUT, 1, 2), {"failed": True, "disturbed": True}),
        (e.CardsRemoved(2), {}),
        (e.PoweredUp(e.ResetCause.POWER, 2), {}),
        (e.CardsRemoved(0), {"holds": ""}),
        (e.PoweredUp(e.ResetCause.POWER, 0), {"holds": ""}),
        (e.CardsRemoved(None), {}),
    ],
)  # fmt: skip
def test_what_a_device_still_has_inside_is_remembered_with_it(device, event, changes):
    """Only one that is known to be empty holds no set any more."""
    inside = dataclasses.replace(device.levels, cards_inside=event.cards_inside)
    after = replace(device, levels=inside, **changes)
    assert folded(device, event) == replace(STATE, devices={"d": after, "other": WELL})


DRAWN = e.CardDrawn(e.Back.RED, e.Recognition.READ, burned=False, repeat_suspected=False, cards_left=None)
DEALING = {"phase": Phase.DEALING, "deal": Deal.LET_OUT}
ROUND_OF_DEVICES = [
    (e.WagerSensed(5, 2, locked=False), {}, {"accepted": frozenset({(1, 1), (3, 1), (5, 2)})}),
    (e.WagerSensed(5, 2, locked=True), {}, {}),
    (e.WagerRemoved(3, 1, locked=False), {}, {"accepted": frozenset({(1, 1)})}),
    (e.WagerRemoved(3, 1, locked=True), {}, {}),
    (e.WagerSensed(5, 2, locked=False), {"chips": False}, {}),
    (e.WagerRemoved(3, 1, locked=False), {"chips": False}, {}),
    (e.WagerRemoved(3, 1, locked=False), {"phase": Phase.BETS_CLOSED}, {}),
    (e.FaceUpCard(e.Back.RED, e.Activity.DEALING), DEALING, {"face_up_sensed": 2}),
    (e.FaceUpCard(e.Back.RED, e.Activity.SHUFFLING), DEALING, {}),
    (DRAWN, {"phase": Phase.BETTING}, {}),
    (DRAWN, {"phase": Phase.BETS_CLOSED}, {"drawn_before": 1}),
    (DRAWN, DEALING, {"drawn": 2}),
    (DRAWN, {**DEALING, "method": Method.DEALING_SHOE}, {}),
    (e.CuttingCardSensed(e.Back.RED), DEALING, {"cutting_card_sensed": True}),
    (e.CuttingCardSensed(e.Back.RED), {"phase": Phase.STOPPED}, {}),
    (e.CuttingCardSensed(e.Back.RED), {"phase": Phase.SETTLED}, {}),
]


@pytest.mark.parametrize(("event", "before", "changes"), ROUND_OF_DEVICES)
def test_what_a_device_senses_is_of_the_round_while_it_may_be(event, before, changes):
    """A chip while bets are taken and not behind the lock, a card while cards are dealt, the cutting card in a live round."""
    round_ = replace(ROUND, **before)
    after = folded(WELL, event, round=round_)
    assert after == replace(STATE, devices={"d": WELL, "other": WELL}, round=replace(round_, **changes))


@pytest.mark.parametrize(
    ("event", "phase"),
    [
        (e.FaceUpCard(e.Back.RED, e.Activity.DEALING), Phase.DEALING),
        (e.CuttingCardSensed(e.Back.RED), Phase.DEALING),
        (DRAWN, Phase.DEALING),
        (DRAWN, Phase.BETS_CLOSED),
        (e.WagerSensed(5, 2, locked=False), Phase.BETTING),
    ],
)
def test_what_a_device_senses_that_was_taken_out_is_not_of_the_round(event, phase):
    """Whatever it still sees, the round is dealt without it."""
    out, round_ = (
        replace(WELL, out=OutOfService.COVERED),
        replace(ROUND, phase=phase, deal=Deal.LET_OUT if phase is Phase.DEALING else Deal.NOTHING),
    )
    assert folded(out, event, round=round_).round == round_


def test_a_chip_that_was_taken_back_is_none_also_where_the_device_was_taken_out():
    """Nobody is held to a wager that does not lie there any more."""
    out = replace(WELL, out=OutOfService.COVERED)
    after = folded(out, e.WagerRemoved(3, 1, locked=False), round=ROUND)
    assert after.round == replace(ROUND, accepted=frozenset({(1, 1)}))


BURNED = {"red": CardSet("red", gone=1), "blue": CardSet("blue")}
TABLE_FACTS = [
    (f.TableOpened("x"), {"open": False}, {"open": True, "marker": 0, "last_seats": (), "cutting_card": None}),
    (f.TableClosed("x"), {}, {"open": False}),
    (f.TableIdle("x"), {}, {"last_seats": (), "cutting_card": None}),
    (f.GamingDayBegan("2026-01-02", 11, 12, 13, 14, "b2"), {}, {"gaming_day": GamingDay("2026-01-02", 11, 13, 14, "b2")}),
    (f.DealerCame("x"), {"new_dealer": False}, {"new_dealer": True}),
    (f.CardBurned("red", BurnAt.NEW_DEALER, "x", ()), {}, {"new_dealer": False, "sets": BURNED}),
    (f.CardBurned("red", BurnAt.NEW_SHOE, "x", ()), {}, {"sets": BURNED}),
    (f.MethodChanged(Method.HAND, "x"), {}, {"method": Method.HAND}),
    (
        f.RoundBegun("r7", 7, "red", Method.HAND, "x"),
        {},
        {"rounds": 7, "round": Round("r7", 7, "red", Method.HAND, game=UNNAMED, marker=4)},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("event", "before", "changes"), TABLE_FACTS)
def test_what_happens_to_the_table_changes_so_much_of_it(event, before, changes):
    """The table of a new game has seen no player and no cutting card; a record without a game's name is of the first one."""
    state = replace(STATE, **before)
    assert evolve(state, f.Fact("table", event)) == replace(state, **changes)


def test_a_level_of_a_device_that_left_the_configuration_is_a_number_alone():
    """A start folds what was recorded with it; numbers that were given stay given."""
    wanted = f.LevelWanted("shoe-9", e.Level.DISPENSING, e.INHIBITED, 10, "x")
    assert evolve(STATE, f.Fact("shoe-9", wanted)) == replace(STATE, serial=STATE.serial + 1)


@pytest.mark.parametrize(("marker", "then"), [(None, 4), (2, 2), (0, 0)])
def test_a_round_without_a_card_leaves_the_table_as_it_was(marker, then):
    """Nothing came of it: the cutting card and the players of the round before are those of the next cut; the marker goes where
    it is put."""
    round_ = replace(ROUND, stacks=(), cards_out=0)
    after = evolve(replace(STATE, round=round_), f.Fact("table", f.RoundEnded("r7", "void", "x", marker)))
    assert after == replace(STATE, round=None, marker=then, last_round=LastRound("r7", round_.seats))


@pytest.mark.parametrize(("counted", "since"), [(False, 6), (True, 5)])
def test_a_round_that_was_played_is_what_the_next_one_follows(counted, since):
    """Its set is the last one, and its cutting card the one that counts, also where none came."""
    round_ = replace(ROUND, phase=Phase.SETTLED, cutting_card=None, stub_counted=counted)
    after = evolve(replace(STATE, round=round_), f.Fact("table", f.RoundEnded("r7", "played", "x", cards=4)))
    told = (after.last_back, after.cutting_card, after.since_stub_count, after.marker, after.last_seats)
    assert told == ("red", None, since, 4, (1, 3))


ROUND_FACTS = [
    (f.DealerRevealed(), {"phase": Phase.LAST_TWO}, {"phase": Phase.SHOWDOWN}),
    (f.DealerRevealed(natural=True), {"phase": Phase.PRE_FLOP}, {"phase": Phase.SHOWDOWN, "natural": True}),
    (f.DealerRevealed(True, True), {"phase": Phase.STOPPED}, {"natural": True, "qualified": True}),
    (f.DealerRevealed(False, True), {"phase": Phase.SETTLED}, {"natural": True, "qualified": False}),
    (f.CommunityRevealed(Street.FLOP), {"phase": Phase.PRE_FLOP}, {"phase": Phase.FLOP, "streets": 2}),
    (f.CommunityRevealed(Street.FLOP), {"phase": Phase.STOPPED}, {"streets": 2}),
    (f.CardsCollected("x"), {}, {"cards_out": 0, "stacks": ()}),
    (f.CardsCollected("x"), {"phase": Phase.STOPPED}, {"collected": True}),
    (f.CardsCollected("x"), {"phase": Phase.LAST_TWO, "deal": Deal.LET_OUT}, {"collected": True}),
    (f.CardsCollected("x"), {"phase": Phase.SETTLED, "deal": Deal.LET_OUT}, {"collected": True}),
]


@pytest.mark.parametrize(("event", "before", "changes"), ROUND_FACTS)
def test_what_happens_in_a_round_changes_so_much_of_it(event, before, changes):
    """Where nothing is played for any more, no phase follows. Cards that came unbidden go back before the deal."""
    round_ = replace(ROUND, **before)
    after = evolve(replace(STATE, round=round_), f.Fact("table", event))
    assert after == replace(STATE, round=replace(round_, **changes))


@pytest.mark.parametrize(("told", "found"), [(0, 1), (1, 1), (3, 3)])
def test_a_card_face_up_without_a_number_is_one(told, found):
    """Records of earlier versions do not say how many were found, and mean one. A clause sends all of them to the rack."""
    made = f.DispositionMade(Trigger.CARD_FACE_UP, (), "r7", 0, (), (), False, "", "", "", "", cards=told)
    round_ = replace(ROUND, face_up=1, racked=1)
    after = evolve(replace(STATE, round=round_), f.Fact("table", made))
    later = replace(round_, face_up=1 + found, racked=1 + found, face_up_early=True)
    assert after == replace(STATE, round=later)


def test_each_stage_that_nobody_is_asked_in_is_passed_over():
    """Also where two of them follow on one another: nobody has placed either bonus."""
    show = (Answer(Decision.SHOW, final=False),)
    stages = (
        Stage(Phase.BONUS_CARDS, "", None, show, of="three_card_bonus"),
        Stage(Phase.DECISION, "", None, show, of="five_card_bonus"),
        Stage(Phase.SHOWDOWN, "", Settle()),
    )
    round_ = replace(ROUND, phase=Phase.DEALING, game=Game("of bonuses", "ante", stages))
    after = evolve(replace(STATE, round=round_), f.Fact("table", f.InitialDealCompleted(4)))
    assert after == replace(STATE, round=replace(round_, phase=Phase.SHOWDOWN, deal=Deal.DONE))
