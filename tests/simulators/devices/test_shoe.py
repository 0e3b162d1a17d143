"""The dealing shoe: stacks by a plan while dispensing is allowed, and everything that can go wrong with a stack."""

from collections.abc import Callable

import pytest

from drivers.protocol.reports import (
    Activity,
    Back,
    ButtonPressed,
    CardsLoaded,
    CardsRemoved,
    DealCompleted,
    DealStopped,
    DoorOpened,
    FaceUpCard,
    JamCleared,
    Jammed,
    JamPlace,
    Level,
    ResetCause,
    StackDispensed,
    StopReason,
)
from simulators.devices.cards import FACES
from simulators.devices.model import DISPLAY_CHARS, ActImpossible, Outcome


def deal(table, back: str = "red") -> None:
    """Loads a set, allows dispensing and presses green."""
    table.act("load", back=back)
    table.want(Level.DISPENSING, "allowed")
    table.act("green")


def test_stacks_come_one_after_another_and_the_stub_stays(bench: Callable) -> None:
    """Three twos from the top of the set, in its order; 46 cards are left."""
    shoe = bench("shoe", plan=(2, 2, 2))
    shoe.act("load", back="red")
    assert shoe.of(CardsLoaded) == [CardsLoaded(Back.RED, None)]
    shoe.want(Level.DISPENSING, "allowed")
    assert shoe.act("green").note == ""
    faces = [c.face for stack in shoe.take_all() for c in stack]
    assert faces == list(FACES[:6])
    assert shoe.of(StackDispensed) == [StackDispensed(Back.RED, n, 2) for n in (1, 2, 3)]
    assert shoe.of(DealCompleted) == [DealCompleted(Back.RED, 3, 46)]


@pytest.mark.parametrize("plan", [(2,) * 7, (3,) * 7, (5,) * 7, (4, 5, 2, 2, 2), (5, 2, 2)])
def test_stacks_are_of_the_sizes_that_the_plan_says(bench: Callable, plan: tuple[int, ...]) -> None:
    """Twos, threes, fives, and unlike ones as where a box and the board come first; the remaining cards are told."""
    table = bench("shoe", plan=plan)
    deal(table)
    stacks = table.take_all()
    assert [len(stack) for stack in stacks] == list(plan)
    assert [(r.stack, r.cards) for r in table.of(StackDispensed)] == list(enumerate(plan, 1))
    assert table.of(DealCompleted) == [DealCompleted(Back.RED, len(plan), 52 - sum(plan))]
    assert table.model.levels().cards_inside == 52 - sum(plan)


def test_the_stub_must_come_out_before_the_next_deal(bench: Callable) -> None:
    """A stub is no set: green does not deal from it, and nothing can be loaded upon it."""
    shoe = bench("shoe")
    deal(shoe)
    shoe.take_all()
    assert shoe.act("green").note == "take the cards"
    with pytest.raises(ActImpossible, match="take the cards out first"):
        shoe.act("load", back="blue")
    shoe.act("remove")
    deal(shoe, "blue")
    shoe.take_all()
    assert len(shoe.of(DealCompleted)) == 2


def test_the_shoe_never_starts_while_inhibited(bench: Callable) -> None:
    """After power-up it is inhibited; the button is reported and nothing moves, not even after a later release."""
    shoe = bench("shoe")
    shoe.act("load", back="red")
    assert shoe.act("green").note == "dispensing inhibited"
    shoe.want(Level.DISPENSING, "allowed")
    shoe.run(60)
    assert len(shoe.of(ButtonPressed)) == 1
    assert shoe.model.state()["places"]["magazine"] == 52


def test_a_jam_at_stack_two_leaves_all_the_rest_inside(bench: Callable) -> None:
    """One player has cards, 50 are in the shoe until hands take them out under the lid."""
    shoe = bench("shoe", "jam@1")
    deal(shoe)
    assert len(shoe.take_all()) == 1
    assert shoe.of(Jammed) == [Jammed(Back.RED, Activity.DEALING, JamPlace.OUTPUT, 2, 50)]
    assert shoe.model.levels().jammed
    shoe.act("open_lid")
    assert len(shoe.act("remove").cards) == 50
    shoe.act("close_lid")
    assert shoe.of(JamCleared) == [JamCleared(by_itself=False, tries=3)]
    assert shoe.model.levels().cards_inside == 0
    deal(shoe)
    assert len(shoe.take_all()) == 3


def test_a_jam_that_clears_itself_goes_on_dealing(bench: Callable) -> None:
    """Told as a jam and as its end; every stack has its cards all the same."""
    shoe = bench("shoe", "jam_self_cleared@1:stack=1", plan=(1, 2))
    deal(shoe)
    assert [len(s) for s in shoe.take_all()] == [1, 2]
    kinds = [type(r) for r in shoe.reports if isinstance(r, Jammed | JamCleared | StackDispensed)]
    assert kinds == [Jammed, JamCleared, StackDispensed, StackDispensed]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [("stop@1:stack=3", StopReason.STOPPED), ("fail_to_deal@1:stack=3", StopReason.FAILED_TO_DEAL)],
)
def test_a_deal_that_stops_says_before_which_stack(bench: Callable, fault: str, reason: StopReason) -> None:
    """No jam, but the stack does not come."""
    shoe = bench("shoe", fault)
    deal(shoe)
    assert len(shoe.take_all()) == 2
    assert shoe.of(DealStopped) == [DealStopped(Back.RED, reason, 3, 48)]
    assert not shoe.model.levels().jammed
    assert shoe.act("green").note == "take the cards"


def test_a_shoe_without_enough_cards_fails_to_deal(bench: Callable) -> None:
    """The plan asks for more than is there."""
    shoe = bench("shoe", plan=(51, 2))
    deal(shoe)
    shoe.run(60)
    shoe.act("take")
    shoe.run(60)
    assert shoe.of(DealStopped) == [DealStopped(Back.RED, StopReason.FAILED_TO_DEAL, 2, 1)]


@pytest.mark.parametrize(
    ("fault", "real", "told"),
    [
        ("double_feed@1:stack=2", [2, 3, 2], [2, 3, 2]),
        ("missed_feed@1:stack=1", [1, 2, 2], [1, 2, 2]),
        ("double_feed@1:stack=2:seen=no", [2, 3, 2], [2, 2, 2]),
        ("missed_feed@1:stack=3:seen=no", [2, 2, 1], [2, 2, 2]),
    ],
)
def test_a_stack_with_a_wrong_number_of_cards(
    bench: Callable, fault: str, real: list[int], told: list[int]
) -> None:
    """The hands hold what really came; the shoe tells what it noticed."""
    shoe = bench("shoe", fault)
    deal(shoe)
    assert [len(s) for s in shoe.take_all()] == real
    assert [r.cards for r in shoe.of(StackDispensed)] == told


def test_a_missed_single_card_is_a_failure_to_deal(bench: Callable) -> None:
    """A stack of nothing can't be offered."""
    shoe = bench("shoe", "missed_feed@1:stack=1", plan=(1, 1))
    deal(shoe)
    assert shoe.take_all() == []
    assert shoe.of(DealStopped) == [DealStopped(Back.RED, StopReason.FAILED_TO_DEAL, 1, 52)]


def test_a_lid_opened_in_a_deal_stops_it(bench: Callable) -> None:
    """A hand in the shoe: the deal is over."""
    shoe = bench("shoe", "lid@1:after=1.0")
    deal(shoe)
    shoe.run(5)
    assert [type(r) for r in shoe.reports[-2:]] == [DoorOpened, DealStopped]
    assert shoe.of(DealStopped) == [DealStopped(Back.RED, StopReason.COVER_OPEN, 1, 52)]


def test_a_card_face_up_in_the_shoe_is_met_while_dealing(bench: Callable) -> None:
    """A reading shoe tells of it when the card comes; the card is dealt as it lies."""
    shoe = bench("shoe", "face_up@1:cards=52", reads=True, plan=(2,))
    deal(shoe)
    (stack,) = shoe.take_all()
    assert shoe.of(FaceUpCard) == [FaceUpCard(Back.RED, Activity.DEALING)] * 2
    assert all(c.face_up for c in stack)


def test_cards_from_another_device_come_by_name_and_keep_their_order(bench: Callable) -> None:
    """The dealer carries a shuffled set over; a card that lies in this shoe already can't come a second time."""
    other = bench("shuffler", plan=(), prefix="X")
    other.act("wash", back="red")
    other.act("load", back="red")
    carried = [str(c) for c in other.act("unload").cards]
    shoe = bench("shoe", backs=(), plan=(3,))
    assert [str(c) for c in shoe.act("load", cards=carried).cards] == carried
    shoe.act("remove")
    assert [str(c) for c in shoe.act("load", cards=carried[::-1]).cards] == carried[::-1]
    shoe.want(Level.DISPENSING, "allowed")
    shoe.act("green")
    assert [str(c) for c in shoe.take_all()[0]] == carried[::-1][:3]


def test_a_card_that_is_in_a_machine_can_not_be_loaded_by_name(bench: Callable) -> None:
    """A name is no card: it must lie on the table."""
    table = bench("shuffler")
    loaded = [str(c) for c in table.act("load", back="red").cards]
    table.act("green")
    with pytest.raises(ActImpossible, match="not on the table but in feeder"):
        table.act("load", cards=loaded[:1])
    assert table.model.state()["places"]["infeed"] == 0


def test_the_plan_can_be_set_between_deals_only(bench: Callable) -> None:
    """The number of hands changes from round to round, never within one."""
    shoe = bench("shoe", plan=(2,))
    shoe.act("plan", plan=[5, 2])
    deal(shoe)
    with pytest.raises(ActImpossible, match="can't be changed"):
        shoe.act("plan", plan=[2])
    assert [len(s) for s in shoe.take_all()] == [5, 2]


def test_a_shoe_has_no_lockout_and_no_mode(bench: Callable) -> None:
    """A level of another kind of device is refused with a reason."""
    shoe = bench("shoe")
    for level, value in ((Level.LOCKOUT, "engaged"), (Level.MODE, "shuffle"), (Level.DISPENSING, "perhaps")):
        answer = shoe.want(level, value)
        assert (answer.outcome, answer.holds) == (Outcome.REFUSED, False)
        assert answer.text


@pytest.mark.parametrize("kind", ["shoe", "shuffler", "progressive"])
def test_a_display_shows_as_much_as_it_can_and_goes_dark_without_a_host(bench: Callable, kind: str) -> None:
    """What a host wrote is not true any more once it is gone, and a device that starts anew knows nothing of it."""
    device = bench(kind)
    assert device.want(Level.DISPLAY, "H" * DISPLAY_CHARS).holds
    assert device.model.state()["display"] == "H" * DISPLAY_CHARS
    assert not device.want(Level.DISPLAY, "H" * (DISPLAY_CHARS + 1)).holds
    device.model.host_lost(device.now)
    assert device.model.state()["display"] == ""
    device.want(Level.DISPLAY, "HELD")
    device.model.power_down(device.now)
    device.model.power_up(device.now, ResetCause.POWER)
    assert device.model.state()["display"] == ""


def test_a_shoe_that_is_dealt_on_from_needs_no_new_set_for_each_deal(bench: Callable) -> None:
    """Two deals of the same set, one after the other from its top, and cards that hands draw in between."""
    shoe = bench("shoe", plan=(1, 1), decks=6, deals_on=True)
    deal(shoe)
    first = [card for stack in shoe.take_all() for card in stack]
    drawn = shoe.act("draw", cards=6).cards
    assert shoe.of(CardsRemoved) == [CardsRemoved(312 - 8)]
    assert shoe.act("green").note == ""
    second = [card for stack in shoe.take_all() for card in stack]
    assert [card.face for card in (*first, *drawn, *second)] == list(FACES[:10])
    assert shoe.of(DealCompleted) == [DealCompleted(Back.RED, 2, 310), DealCompleted(Back.RED, 2, 302)]


def test_nobody_draws_from_a_shoe_that_moves_or_more_than_lies_there(bench: Callable) -> None:
    """Hands stay out while a stack is on its way; a card that is not there can't be drawn."""
    shoe = bench("shoe", plan=(2,), deals_on=True)
    deal(shoe)
    with pytest.raises(ActImpossible, match="moving"):
        shoe.act("draw", cards=1)
    shoe.take_all()
    with pytest.raises(ActImpossible, match="50 cards"):
        shoe.act("draw", cards=51)
