"""The shuffler as the dealer meets it: sets in, a cycle, a count, packets out, jams with cards inside."""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from drivers.protocol.reports import (
    Activity,
    Back,
    Capability,
    CardsLoaded,
    CardsRemoved,
    Cause,
    DealCompleted,
    DispensingAllowed,
    DispensingInhibited,
    FaceUpCard,
    Identities,
    JamCleared,
    Jammed,
    JamPlace,
    Level,
    Mode,
    ModeChanged,
    ResetCause,
    ShuffleCompleted,
    ShuffleStarted,
    ShuffleStopped,
    StackDispensed,
    StopReason,
)
from simulators.devices.cards import FACES, TABLE
from simulators.devices.cycle import CYCLE_S, SLIP_S
from simulators.devices.model import ActImpossible, Outcome


def shuffle(bench, back: str = "red") -> None:
    """Loads the set of this colour and lets a whole cycle pass."""
    bench.act("load", back=back)
    bench.act("green")
    bench.run(CYCLE_S + 5)


def test_a_whole_cycle_takes_22_seconds_and_counts_52(bench: Callable) -> None:
    """The completion comes when the last card is in the rack, not before."""
    table = bench("shuffler")
    table.act("load", back="red")
    assert table.of(CardsLoaded) == [CardsLoaded(Back.RED, None)]
    table.act("green")
    assert table.of(ShuffleStarted) == [ShuffleStarted(Back.RED, Mode.SHUFFLE)]
    assert not any(isinstance(r, ShuffleCompleted) for r in table.run(CYCLE_S - 0.1))
    table.run(0.2)
    assert table.of(ShuffleCompleted) == [ShuffleCompleted(Back.RED, Mode.SHUFFLE, 52, Identities.NOT_READ)]


def test_packets_come_by_the_plan_when_each_was_taken(bench: Callable) -> None:
    """Four for the box, five for the board, then twos; each is reported when it is taken, the stub stays inside."""
    table = bench("shuffler", plan=(4, 5, 2, 2, 2))
    shuffle(table)
    table.want(Level.DISPENSING, "allowed")
    table.act("green")
    stacks = table.take_all()
    assert [len(s) for s in stacks] == [4, 5, 2, 2, 2]
    assert table.of(StackDispensed) == [StackDispensed(Back.RED, n + 1, c) for n, c in enumerate((4, 5, 2, 2, 2))]
    assert table.of(DealCompleted) == [DealCompleted(Back.RED, 5, 37)]
    assert len(table.act("remove").cards) == 37
    assert table.of(CardsRemoved) == [CardsRemoved(0)]


def test_the_next_packet_waits_until_the_last_was_taken(bench: Callable) -> None:
    """A packet lies in the output as long as nobody takes it."""
    table = bench("shuffler")
    shuffle(table)
    table.want(Level.DISPENSING, "allowed")
    table.act("green")
    table.run(60)
    assert table.model.state()["places"]["output"] == 2
    assert not table.of(StackDispensed)


def test_two_sets_alternate_one_in_play_while_the_other_is_shuffled(bench: Callable) -> None:
    """Once the stub of the one set is out, the other goes in and is ready when the round is over."""
    table = bench("shuffler")
    for back in ("red", "blue", "red", "blue"):
        shuffle(table, back)
        table.want(Level.DISPENSING, "allowed")
        table.act("green")
        assert all(c.back == back for stack in table.take_all() for c in stack)
        table.act("remove")
    assert [r.back for r in table.of(ShuffleCompleted)] == ["red", "blue", "red", "blue"]
    assert all(r.count == 52 for r in table.of(ShuffleCompleted))


def test_the_next_set_may_wait_in_the_infeed_while_packets_come(bench: Callable) -> None:
    """The tray is outside the machine: its cards are not counted as inside and can be taken away again."""
    table = bench("shuffler")
    shuffle(table)
    table.act("load", back="blue")
    assert table.model.levels().cards_inside == 52
    assert len(table.act("unload").cards) == 52


def test_the_dealer_closes_the_deal_early_with_the_green_button(bench: Callable) -> None:
    """With two hands at a plan for three, what was not taken goes back to the stub."""
    table = bench("shuffler", plan=(2, 2, 2))
    shuffle(table)
    order = [str(c) for c in table.model.body.cards.cards("rack")]
    table.want(Level.DISPENSING, "allowed")
    table.act("green")
    for _ in range(2):
        table.run(3)
        table.act("take")
    table.run(3)
    table.act("green")
    assert table.of(DealCompleted) == [DealCompleted(Back.RED, 2, 48)]
    assert [str(c) for c in table.act("remove").cards] == order[4:], "the stub keeps its order"
    with pytest.raises(ActImpossible, match="no stack"):
        table.act("take")


def test_no_packet_comes_while_dispensing_is_inhibited(bench: Callable) -> None:
    """The button alone is not enough, and an inhibition in the middle of a packet stops it where it is."""
    table = bench("shuffler")
    shuffle(table)
    assert table.act("green").note == "dispensing inhibited"
    table.want(Level.DISPENSING, "allowed")
    table.act("green")
    table.run(0.5)
    table.want(Level.DISPENSING, "inhibited")
    table.run(60)
    assert table.model.state()["places"] | {"table": 0} == {
        "output": 0, "transport": 1, "rack": 51, "feeder": 0, "infeed": 0, "table": 0, "lost": 0, "retired": 0,
    }  # fmt: skip
    table.want(Level.DISPENSING, "allowed")
    table.run(1)
    assert table.model.state()["places"]["output"] == 2


@pytest.mark.parametrize("place", ["rack", "infeed"])
def test_a_jam_leaves_cards_inside_until_hands_take_them_out(bench: Callable, place: str) -> None:
    """Nothing moves, nothing completes; lid up, cards out, lid down, and only then the jam is over."""
    table = bench("shuffler", f"jam@1:card=7:place={place}")
    table.act("load", back="red")
    table.act("green")
    table.run(100)
    assert table.of(Jammed) == [Jammed(Back.RED, Activity.SHUFFLING, JamPlace(place), 0, 52)]
    assert table.model.levels().jammed
    assert table.model.levels().cards_inside == 52
    assert not table.of(ShuffleCompleted)
    assert table.act("green").note == "take the cards"
    with pytest.raises(ActImpossible, match="open the lid"):
        table.act("remove")
    table.act("open_lid")
    assert len(table.act("remove").cards) == 52
    assert table.model.levels().jammed
    table.act("close_lid")
    assert table.of(JamCleared) == [JamCleared(by_itself=False, tries=3)]
    assert not table.model.levels().jammed
    shuffle(table)
    assert len(table.of(ShuffleCompleted)) == 1


def test_a_card_overlooked_in_a_jam_keeps_the_machine_shut(bench: Callable) -> None:
    """The machine senses what is left and starts nothing until that is out too."""
    table = bench("shuffler", "jam:card=7")
    table.act("load", back="red")
    table.act("green")
    table.run(100)
    table.act("open_lid")
    table.act("remove", leave=1)
    table.act("close_lid")
    assert table.of(CardsRemoved) == [CardsRemoved(1)]
    assert table.act("green").note == "take the cards"
    table.act("open_lid")
    table.act("remove")
    table.act("close_lid")
    assert table.act("green").note == "no cards"


def test_a_jam_that_clears_itself_is_told_and_the_cycle_goes_on(bench: Callable) -> None:
    """Both the jam and its end are reported, and all 52 cards arrive."""
    table = bench("shuffler", "jam_self_cleared@1:card=30:tries=3")
    shuffle(table)
    kinds = [type(r) for r in table.reports]
    assert kinds[-3:] == [Jammed, JamCleared, ShuffleCompleted]
    assert table.of(JamCleared) == [JamCleared(by_itself=True, tries=3)]
    assert table.of(ShuffleCompleted)[0].count == 52


def test_a_fault_waits_for_its_occasion(bench: Callable) -> None:
    """jam@2 spares the first cycle and the third."""
    table = bench("shuffler", "stop@2:card=3")
    shuffle(table)
    table.act("remove")
    shuffle(table)
    assert table.of(ShuffleStopped) == [ShuffleStopped(Back.RED, StopReason.STOPPED, 52)]
    table.act("open_lid")
    table.act("remove")
    table.act("close_lid")
    shuffle(table)
    assert len(table.of(ShuffleCompleted)) == 2


def test_a_slipping_feed_ends_in_a_timeout(bench: Callable) -> None:
    """A cycle that does not end is given up by the machine itself."""
    table = bench("shuffler", "timeout:card=3")
    table.act("load", back="red")
    table.act("green")
    table.run(SLIP_S)
    assert not table.of(ShuffleStopped)
    table.run(5)
    assert table.of(ShuffleStopped) == [ShuffleStopped(Back.RED, StopReason.TIMEOUT, 52)]


def test_an_opened_lid_stops_the_cycle(bench: Callable) -> None:
    """Somebody's hand in the machine: the set can't be trusted any more."""
    table = bench("shuffler", "lid@1:after=4")
    table.act("load", back="red")
    table.act("green")
    table.run(30)
    assert table.of(ShuffleStopped) == [ShuffleStopped(Back.RED, StopReason.COVER_OPEN, 52)]
    assert table.model.levels().door_open


@pytest.mark.parametrize(
    ("fault", "count", "lying"),
    [("count_low@1", 51, 51), ("count_high@1:cards=2", 54, 54), ("miscount@1:by=-1", 51, 52)],
)
def test_a_wrong_count_is_reported_and_the_set_is_not_dealt(
    bench: Callable, fault: str, count: int, lying: int
) -> None:
    """Cards are really missing or too many, or only the counter is wrong; the machine can't know which."""
    table = bench("shuffler", fault)
    shuffle(table)
    assert table.of(ShuffleCompleted)[0].count == count
    assert table.model.state()["places"]["rack"] == lying
    table.want(Level.DISPENSING, "allowed")
    assert table.act("green").note == "take the cards"


def test_a_machine_that_does_not_count_says_no_number(bench: Callable) -> None:
    """None, not 52: the absence of a count must not look like a good one."""
    table = bench("shuffler", "count_low@1", counts=False)
    shuffle(table)
    assert table.of(ShuffleCompleted)[0].count is None
    assert Capability.COUNTS_EACH_SHUFFLE not in table.model.capabilities


def test_recognition_finds_a_doubled_card_that_the_count_misses(bench: Callable) -> None:
    """52 cards, but one face twice: count right, identities wrong."""
    table = bench("shuffler", "identity_wrong@1", reads=True)
    shuffle(table)
    done = table.of(ShuffleCompleted)[0]
    assert (done.count, done.identities) == (52, Identities.INCOMPLETE)
    faces = Counter(c.face for c in table.act("remove").cards)
    assert max(faces.values()) == 2


def test_recognition_meets_a_card_that_lies_face_up(bench: Callable) -> None:
    """Reported while it shuffles; a machine without a reader passes the card on unseen."""
    reading, blind = bench("shuffler", "face_up@1", reads=True), bench("shuffler", "face_up@1")
    for table in (reading, blind):
        shuffle(table)
    assert reading.of(FaceUpCard) == [FaceUpCard(Back.RED, Activity.SHUFFLING)]
    assert not blind.of(FaceUpCard)
    assert sum(c.face_up for c in blind.act("remove").cards) == 1


def test_a_jam_while_packets_come_keeps_the_rest_inside(bench: Callable) -> None:
    """The first packet is out with the player; everything else is in the machine."""
    table = bench("shuffler", "jam_dealing@1:stack=2", plan=(2, 2, 2))
    shuffle(table)
    table.want(Level.DISPENSING, "allowed")
    table.act("green")
    assert len(table.take_all()) == 1
    assert table.of(Jammed) == [Jammed(Back.RED, Activity.DEALING, JamPlace.OUTPUT, 2, 50)]
    table.act("open_lid")
    assert len(table.act("remove").cards) == 50
    table.act("close_lid")
    assert table.of(JamCleared) == [JamCleared(by_itself=False, tries=3)]


def test_modes_do_what_they_say(bench: Callable) -> None:
    """Sorting sorts, counting leaves the order, and neither makes a set that may be dealt."""
    table = bench("shuffler")
    table.act("wash", back="red")
    washed = [str(c) for c in table.model.body.cards.cards(TABLE) if c.back is Back.RED]
    for mode, expected in ((Mode.COUNT, washed), (Mode.SORT, None)):
        table.act("mode", mode=mode.value)
        shuffle(table)
        table.want(Level.DISPENSING, "allowed")
        assert table.act("green").note == "take the cards"
        cards = table.act("remove").cards
        if expected:
            assert [str(c) for c in cards] == expected
    assert [c.face for c in cards] == list(FACES)
    assert table.of(ModeChanged) == [ModeChanged(Mode.COUNT), ModeChanged(Mode.SORT)]


@pytest.mark.parametrize(
    ("players", "front"),
    [
        (1, "2 hands: royal flush 200 to 1, straight flush 100 to 1, quads 70 to 1, full house 12 to 1"),
        (6, "7 hands: royal flush 70 to 1, straight flush 30 to 1, quads 20 to 1, full house 4 to 1"),
        (8, "9 hands: no payouts"),
    ],
)
def test_in_cover_all_mode_the_front_shows_the_hands_and_what_they_are_paid(
    bench: Callable, players: int, front: str
) -> None:
    """Once the deal is over, the dealer's hand among them; the board is none. Clause: ma-uth 13(e), 13(f), 13(k)."""
    table = bench("shuffler", plan=(5, *[2] * (players + 1)))
    table.act("mode", mode="cover_all")
    shuffle(table)
    table.want(Level.DISPENSING, "allowed")
    table.act("green")
    assert table.model.state()["front"] == ""
    table.take_all()
    state = table.model.state()
    assert (state["hands"], state["front"]) == (players + 1, front)
    assert table.of(ShuffleCompleted)[0].mode is Mode.COVER_ALL


def test_in_other_modes_the_front_shows_no_hands(bench: Callable) -> None:
    """Nobody is paid by them there."""
    table = bench("shuffler")
    shuffle(table)
    table.want(Level.DISPENSING, "allowed")
    table.act("green")
    table.take_all()
    assert (table.model.state()["hands"], table.model.state()["front"]) == (0, "")


def test_the_daemon_may_set_the_mode_but_not_within_a_cycle(bench: Callable) -> None:
    """A level is refused with a reason where it can't hold."""
    table = bench("shuffler")
    assert table.want(Level.MODE, "cover_all").holds
    table.act("load", back="red")
    table.act("green")
    answer = table.want(Level.MODE, "sort")
    assert (answer.outcome, answer.text) == (Outcome.REFUSED, "shuffling")
    assert table.model.levels().mode is Mode.COVER_ALL


def test_a_batch_shuffler_hands_out_the_whole_set(bench: Callable) -> None:
    """Without a plan there is nothing to inhibit, and the shuffled set is taken out in its new order."""
    table = bench("shuffler", plan=())
    shuffle(table)
    assert table.want(Level.DISPENSING, "allowed").outcome is Outcome.REFUSED
    assert table.model.levels().dispensing is None
    cards = table.act("remove").cards
    assert sorted(c.face for c in cards) == sorted(FACES)
    assert [c.face for c in cards] != list(FACES)


def test_a_lost_card_turns_up_again(bench: Callable) -> None:
    """What was missing lies under the table; found, the set is whole again."""
    table = bench("shuffler", "count_low@1")
    shuffle(table)
    table.act("remove")
    assert len(table.act("find_lost").cards) == 1
    shuffle(table)
    assert [r.count for r in table.of(ShuffleCompleted)] == [51, 52]


def test_a_set_is_retired_and_a_new_deck_comes(bench: Callable) -> None:
    """A wrong deck leaves the table for good; the new one counts 52."""
    table = bench("shuffler", "count_high@1")
    shuffle(table)
    table.act("remove")
    assert len(table.act("retire", back="red").cards) == 53
    table.act("bring_deck", back="red")
    shuffle(table)
    assert table.of(ShuffleCompleted)[-1].count == 52


@pytest.mark.parametrize(
    ("act", "given", "why"),
    [
        ("take", {}, "no stack"),
        ("remove", {}, "no cards"),
        ("unload", {}, "no cards"),
        ("close_lid", {}, "shut already"),
        ("load", {}, "load takes"),
        ("load", {"back": "green"}, "no such cards"),
        ("load", {"cards": ["As/red"]}, "is no card"),
        ("mode", {"mode": "party"}, "nobody can do"),
        ("plan", {"plan": [2, 0]}, "a plan is a list"),
        ("bring_deck", {"back": "pink"}, "back must be"),
        ("remove", {"leave": "all"}, "whole number"),
        ("dance", {}, "nobody can do"),
    ],
)
def test_what_hands_can_not_do_is_refused_with_a_reason(bench: Callable, act: str, given: dict, why: str) -> None:
    """An impossible act changes nothing and says why."""
    table = bench("shuffler")
    before = table.model.state()
    with pytest.raises(ActImpossible, match=why):
        table.act(act, **given)
    assert table.model.state() == before


def test_every_order_of_a_set_is_about_as_likely(bench: Callable) -> None:
    """Over many cycles a card that went in first ends in each third of the rack about equally often."""
    from simulators.devices import shuffler
    from simulators.devices.body import CardSettings

    machine = shuffler.build(CardSettings(backs=(Back.RED,), plan=()), Random(7))
    machine.power_up(0.0, ResetCause.POWER)
    thirds: Counter[int] = Counter()
    now = 0.0
    for _ in range(300):
        machine.act("load", {"back": "red"}, now)
        first = machine.body.cards.cards("infeed")[0]
        machine.act("green", {}, now)
        now += CYCLE_S + 1
        machine.step(now)
        thirds[machine.body.cards.cards("rack").index(first) * 3 // 52] += 1
        machine.act("remove", {}, now)
    assert all(60 < thirds[n] < 140 for n in range(3)), thirds


def test_allowed_again_by_an_old_command_does_not_hold(bench: Callable) -> None:
    """A repeat of a command that was obeyed is not obeyed again after the machine took its safe side."""
    table = bench("shuffler")
    assert table.want(Level.DISPENSING, "allowed", operation=7).holds
    table.reports += table.model.host_lost(table.now)
    again = table.want(Level.DISPENSING, "allowed", operation=7)
    assert (again.outcome, again.holds) == (Outcome.DUPLICATE, False)
    assert [r.cause for r in table.of(DispensingInhibited)] == [Cause.POWER_UP, Cause.WATCHDOG]
    assert table.want(Level.DISPENSING, "allowed", operation=8).holds
    assert [r.operation for r in table.of(DispensingAllowed)] == [7, 8]


@pytest.mark.parametrize(("fault", "count"), [((), 312), (("count_low",), 311)])
def test_a_set_of_six_decks_is_shuffled_and_counted_as_one(
    bench: Callable, fault: tuple[str, ...], count: int
) -> None:
    """Ready only where all 312 cards passed, and read as complete where each face was there six times."""
    shuffler = bench("shuffler", *fault, plan=(), decks=6, reads=True)
    shuffler.act("load", back="red")
    shuffler.act("green")
    shuffler.run(150.0)
    (done,) = shuffler.of(ShuffleCompleted)
    assert done.count == count
    assert shuffler.model.state()["phase"] == ("ready" if count == 312 else "spent")
    assert (done.identities is Identities.COMPLETE) is (count == 312)
