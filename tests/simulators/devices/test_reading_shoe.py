"""A shoe that hands deal from: what it tells of each card, what it says wrong, and the lines that it writes."""

from random import Random
from typing import Any

import pytest

from drivers.lines.bee_tek import BeeTek
from drivers.lines.line import LineCodec
from drivers.protocol.reports import (
    AlarmRaised,
    Back,
    Capability,
    CardDrawn,
    CardsLoaded,
    CardsRemoved,
    CuttingCardSensed,
    DeviceKind,
    Level,
    PoweredUp,
    Recognition,
    Report,
    ResetCause,
)
from simulators.devices.bee_tek import BeeTekShoe
from simulators.devices.body import CardSettings
from simulators.devices.model import ActImpossible
from simulators.devices.reading_shoe import ReadingShoe
from simulators.scenario.fault_kind import LINES
from simulators.scenario.faults import Fault, FaultBook, parse


def _parsed(text: str) -> Fault:
    """A fault of the model, whichever end of the wire it has: only one that writes lines can tell another card."""
    return parse(text, LINES if text == "misread" else DeviceKind.SHOE)


def shoe(*faults: str, **changes: Any) -> ReadingShoe:
    settings = CardSettings(**{"plan": (), "backs": (Back.RED,), "reads": True, **changes})
    model = ReadingShoe(settings, Random(1), FaultBook([_parsed(text) for text in faults]))
    model.power_up(0.0, ResetCause.POWER)
    return model


def loaded(*faults: str, **changes: Any) -> ReadingShoe:
    model = shoe(*faults, **changes)
    assert model.act("load", {"back": "red"}, 0.0).reports == (CardsLoaded(Back.RED, None),)
    return model


def draw(model: ReadingShoe, cards: int = 1) -> tuple[Report, ...]:
    return model.act("draw", {"cards": cards}, 1.0).reports


def card(left: int, seen: Recognition = Recognition.READ, *, burned: bool = False) -> CardDrawn:
    return CardDrawn(Back.UNKNOWN, seen, burned, False, left)


def test_each_card_that_hands_take_is_told_with_what_is_left() -> None:
    """Never which it was."""
    model = loaded()
    assert draw(model, 2) == (card(51), card(50))
    assert model.levels().cards_inside == 50
    assert {Capability.TELLS_DRAWS, Capability.READS_CARDS} <= set(model.capabilities)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("drawn_untold", ()),
        ("told_twice", (card(51), card(51))),
        ("drawn_double", (card(50),)),
        ("misread", (card(51),)),
        ("key_turned", (card(51, burned=True),)),
        ("key_turned:to=diagnostic", (card(51),)),
    ],
)
def test_what_it_tells_wrong(fault: str, told: tuple[Report, ...]) -> None:
    """A card lost, doubled or taken for another; afterwards it is right again, but for the key."""
    model = loaded(fault)
    assert draw(model) == told
    (after,) = draw(model)
    assert isinstance(after, CardDrawn)


def test_a_fault_may_wait_for_its_draw() -> None:
    """By number, from the first card of the set."""
    model = loaded("drawn_untold@1:card=3")
    assert [len(draw(model)) for _ in range(4)] == [1, 1, 0, 1]


def test_what_cannot_be_read_is_told_as_such() -> None:
    """Worn cards; and a shoe without a reader reads none."""
    model = loaded("unreadable:cards=52")
    assert draw(model) == (card(51, Recognition.UNREADABLE),)
    assert draw(loaded(reads=False)) == (card(51, Recognition.NOT_READ),)


def test_the_cutting_card_comes_where_it_was_put() -> None:
    """Before the last quarter, where it was put by hand, or never."""
    model = loaded()
    assert draw(model, 39)[-2:] == (card(13), CuttingCardSensed(Back.RED))
    by_hand = loaded()
    by_hand.act("cutting_card", {"behind": 50}, 0.0)
    assert CuttingCardSensed(Back.RED) in draw(by_hand, 2)
    missing = loaded("cutting_card_missing")
    assert CuttingCardSensed(Back.RED) not in draw(missing, 52)


def test_no_card_comes_from_an_empty_shoe() -> None:
    """In a round too: hands find nothing, and the shoe has nothing to tell."""
    model = loaded()
    draw(model, 51)
    with pytest.raises(ActImpossible, match="1 cards lie in reach"):
        draw(model, 2)
    assert model.act("remove", {}, 2.0).reports == (CardsRemoved(0),)
    with pytest.raises(ActImpossible, match="no cards"):
        model.act("remove", {}, 2.0)


def test_nothing_in_it_obeys() -> None:
    """Hands deal; there is no level to set, and it says so."""
    answer = loaded().command(Level.DISPENSING, "allowed", 1, 0.0)
    assert not answer.holds
    assert "hands deal from this shoe" in answer.text


def test_after_a_power_cut_it_tells_what_lies_in_it() -> None:
    """A set in it stays in it."""
    model = loaded()
    draw(model, 4)
    model.power_down(1.0)
    assert model.act("draw", {"cards": 1}, 1.0).reports == ()
    assert model.power_up(2.0, ResetCause.POWER) == (PoweredUp(ResetCause.POWER, 47),)


class Line:
    """A Bee-Tek shoe, and the host's reading of its line."""

    def __init__(self, *faults: str, **changes: Any) -> None:
        self.device = BeeTekShoe(shoe(*faults, **changes), lambda what, about: None, now=0.0)
        self.device.model.power_down(0.0)
        self.device.power_on(0.0)
        self.device.act("load", {"back": "red"}, 0.0)
        self.codec, self.grammar, self.now = LineCodec(), BeeTek(), 0.0

    def hear(self, gap_s: float = 1.0) -> list[Report]:
        self.now += gap_s
        return [
            self.grammar.read(line, self.now) for line in self.codec.feed(self.device.data_to_send(), self.now)
        ]

    def draw(self, cards: int = 1) -> list[Report]:
        self.device.act("draw", {"cards": cards}, self.now)
        return self.hear()


def test_the_lines_mean_what_happened() -> None:
    """Written by one end, read by the other; loading and removing say nothing."""
    line = Line()
    assert line.hear() == []
    assert line.draw(2) == [CardDrawn(Back.UNKNOWN, Recognition.READ, False, False, None)] * 2
    line.device.act("key", {"to": "burn"}, line.now)
    assert line.draw() == [CardDrawn(Back.UNKNOWN, Recognition.READ, True, False, None)]


def test_an_unreadable_card_comes_with_its_alarm() -> None:
    """The maker's own number and words."""
    seen, alarm = Line("unreadable:cards=52").draw()
    assert seen == CardDrawn(Back.UNKNOWN, Recognition.UNREADABLE, False, False, None)
    assert isinstance(alarm, AlarmRaised)
    assert (alarm.code, alarm.text) == (3, "Card Not Read")


def test_a_line_told_twice_is_marked_and_one_in_diagnosis_is_kept_without_its_card() -> None:
    """D43, D45: the key stands elsewhere, and the host cannot know what the cards are for."""
    _, again = Line("told_twice").draw()
    assert isinstance(again, CardDrawn)
    assert again.repeat_suspected
    (kept,) = Line("key_turned:to=diagnostic").draw()
    assert kept.kind == "line_unparsed"
    assert "Diagnostic" in kept.text
    assert "Card:**" in kept.text


def test_without_power_or_while_it_hangs_nothing_is_written_and_nothing_is_kept() -> None:
    """No log: what nobody hears is gone, and the next card does not say so."""
    line = Line()
    line.device.hang(0.0)
    assert line.draw() == []
    line.device.wake(0.0)
    assert len(line.draw()) == 1
    line.device.power_off(0.0)
    with pytest.raises(ActImpossible, match="power is off"):
        line.device.power_off(0.0)
    line.device.power_on(0.0)
    assert len(line.draw()) == 1
    assert line.device.counters == {"lines": 2}


def test_a_line_of_the_makers_own_reaches_the_host() -> None:
    """Whatever else it says is kept."""
    line = Line()
    line.device.act("say", {"text": "Bee-Tek 2.1 ready"}, 0.0)
    (kept,) = line.hear()
    assert kept.kind == "line_unparsed"
