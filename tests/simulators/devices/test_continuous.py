"""A continuous reshuffling shoe: what goes in is shuffled in, and only a whole set is dealt from."""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from drivers.protocol.reports import (
    Back,
    Capability,
    CardsLoaded,
    Defect,
    Identities,
    Level,
    Mode,
    ResetCause,
    ShuffleCompleted,
    ShuffleStarted,
    StackDispensed,
)
from simulators.devices import continuous
from simulators.devices.body import CardSettings
from simulators.devices.model import ActImpossible

A_CYCLE = 25.0


def filled(bench: Callable, *faults: str, **settings: object):
    """The set went in, was shuffled, and may be dealt."""
    table = bench("shoe", *faults, **{"reshuffles": True, "counts": True, "plan": (5, 2, 2), **settings})
    table.act("load", back="red")
    table.run(A_CYCLE * table.model.body.settings.decks)
    table.want(Level.DISPENSING, "allowed")
    return table


def test_putting_cards_in_is_all_that_it_takes(bench: Callable) -> None:
    """Nobody presses a button: the cycle begins, ends with the count, and says so."""
    table = filled(bench)
    assert table.of(CardsLoaded) == [CardsLoaded(Back.RED, None)]
    assert table.of(ShuffleStarted) == [ShuffleStarted(Back.RED, Mode.SHUFFLE)]
    assert table.of(ShuffleCompleted) == [ShuffleCompleted(Back.RED, Mode.SHUFFLE, 52, Identities.NOT_READ)]
    able = table.model.capabilities
    assert {Capability.RESHUFFLES, Capability.DISPENSES_STACKS, Capability.COUNTS_EACH_SHUFFLE} <= set(able)


def test_the_rest_stays_in_and_what_was_dealt_goes_back(bench: Callable) -> None:
    """After a deal it deals no more until the whole set is in it and shuffled again."""
    table = filled(bench)
    for number in (1, 2):
        table.act("green")
        dealt = [card for stack in table.take_all() for card in stack]
        assert len(dealt) == 9
        assert table.act("green").note == "put the cards back"
        table.act("load", cards=[str(card) for card in dealt])
        assert table.act("green").note == "shuffling"
        table.run(A_CYCLE)
        assert [done.count for done in table.of(ShuffleCompleted)] == [52] * (number + 1)
    assert [d.cards for d in table.of(StackDispensed)] == [5, 2, 2] * 2


@pytest.mark.parametrize(
    ("fault", "count", "defects"),
    [
        ("count_low", 51, (Defect.MISSING,)),
        ("count_high", 53, (Defect.EXTRA, Defect.DUPLICATE)),
        ("identity_wrong", 52, (Defect.MISSING, Defect.DUPLICATE)),
        ("foreign_back", 52, (Defect.MISSING, Defect.FOREIGN_BACK)),
        ("unreadable", 52, (Defect.UNREADABLE,)),
        ("face_up", 52, (Defect.FLIPPED,)),
    ],
)
def test_a_set_that_is_not_whole_is_not_dealt(
    bench: Callable, fault: str, count: int, defects: tuple[Defect, ...]
) -> None:
    """Each verdict by name, and no card by name."""
    table = filled(bench, fault, reads=True)
    assert table.of(ShuffleCompleted) == [
        ShuffleCompleted(Back.RED, Mode.SHUFFLE, count, Identities.INCOMPLETE, defects)
    ]
    assert table.act("green").note == "put the cards back"
    assert not table.of(StackDispensed)


def test_one_that_deals_on_keeps_dealing_from_the_rest(bench: Callable) -> None:
    """Where the game keeps its set for many rounds: six decks are dealt on from, and hands draw from its mouth."""
    table = filled(bench, decks=6, deals_on=True, plan=(1, 1))
    for _ in range(2):
        table.act("green")
        assert [len(stack) for stack in table.take_all()] == [1, 1]
        assert len(table.act("draw", cards=6).cards) == 6
    assert table.model.levels().cards_inside == 6 * 52 - 16


def test_cards_wait_in_the_tray_while_it_moves(bench: Callable) -> None:
    """What is put in while stacks come is not in the machine yet; the button shuffles it in afterwards."""
    table = filled(bench)
    table.act("bring_deck", back="blue")
    table.act("green")
    table.run(1.0)
    table.act("load", back="blue")
    assert len(table.of(ShuffleStarted)) == 1
    table.take_all()
    assert table.act("green").note == ""
    assert len(table.of(ShuffleStarted)) == 2


def test_a_lid_that_stands_open_lets_nothing_begin(bench: Callable) -> None:
    """Hands are in it."""
    table = bench("shoe", reshuffles=True, counts=True)
    table.act("open_lid")
    table.act("load", back="red")
    assert table.run(A_CYCLE) == []
    assert table.act("green").note == "close the lid"
    with pytest.raises(ActImpossible, match="lie in the infeed already"):
        table.act("load", back="blue")


def test_one_may_say_that_it_reshuffles_while_it_deals(bench: Callable) -> None:
    """The lie is told with the right number; what to make of it is the daemon's business."""
    table = filled(bench, "cycle_in_deal@1:stack=2")
    table.act("green")
    table.run(3.0)
    before = len(table.reports)
    table.act("take")
    said = [r for r in table.reports[before:] if isinstance(r, ShuffleStarted | ShuffleCompleted)]
    assert said == [
        ShuffleStarted(Back.RED, Mode.SHUFFLE), ShuffleCompleted(Back.RED, Mode.SHUFFLE, 52, Identities.NOT_READ)
    ]  # fmt: skip
    assert sum(map(len, table.take_all())) == 4


def test_a_card_that_goes_back_may_come_to_lie_anywhere() -> None:
    """A card put back after each round is dealt first about as often as a 52nd part of the rounds."""
    machine = continuous.build(CardSettings(plan=(1,), backs=(Back.RED,), counts=True), Random(4))
    now, first = 0.0, Counter[str]()
    machine.power_up(now, ResetCause.POWER)
    machine.act("load", {"back": "red"}, now)
    for operation in range(1, 601):
        now += A_CYCLE
        machine.step(now)
        machine.command(Level.DISPENSING, "allowed", operation, now)
        machine.act("green", {}, now)
        now += 3.0
        machine.step(now)
        (card,) = machine.act("take", {}, now).cards
        first[card.face] += 1
        machine.act("load", {"cards": [str(card)]}, now)
    assert len(first) > 45
    assert max(first.values()) < 40
