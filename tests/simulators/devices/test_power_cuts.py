"""The power fails in every state a card machine can be in: a table of states, and what the machine is and says afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from drivers.protocol.reports import (
    ButtonPressed,
    Cause,
    DealStopped,
    DispensingInhibited,
    JamCleared,
    Level,
    PoweredUp,
    Report,
    ResetCause,
    ShuffleCompleted,
    ShuffleStarted,
    ShuffleStopped,
    StackDispensed,
    StopReason,
)

WHOLE = 52
A_CYCLE, A_WHILE, A_MOMENT = 25.0, 12.0, 0.2


@dataclass(frozen=True)
class Cut:
    """`way`: acts (text), seconds to wait (numbers) and levels (pairs) up to the cut. `told`: with a memory, what it says."""

    device: str
    way: tuple[object, ...]
    inside: int
    jammed: bool = False
    told: type[Report] | None = None
    fault: str = ""
    reshuffles: bool = False


ALLOW = (Level.DISPENSING, "allowed")
SHUFFLE = ("load", "green")
SHUFFLED = (*SHUFFLE, A_CYCLE)
DEAL = (*SHUFFLED, ALLOW, "green")
OF_SHOE = ("load", ALLOW, "green")
PUT_IN = ("load",)

CUTS = {
    "shuffler idle": Cut("shuffler", (), 0),
    "shuffler with a set in the open tray": Cut("shuffler", ("load",), 0),
    "shuffling": Cut("shuffler", (*SHUFFLE, A_WHILE), WHOLE, told=ShuffleStopped),
    "slipping": Cut("shuffler", (*SHUFFLE, A_WHILE), WHOLE, told=ShuffleStopped, fault="timeout"),
    "freeing a card": Cut("shuffler", (*SHUFFLE, A_WHILE), WHOLE, True, ShuffleStopped, "jam_self_cleared:tries=9"),
    "jammed": Cut("shuffler", (*SHUFFLE, A_WHILE), WHOLE, True, fault="jam"),
    "stopped": Cut("shuffler", (*SHUFFLE, A_WHILE), WHOLE, fault="stop"),
    "a set is ready": Cut("shuffler", SHUFFLED, WHOLE),
    "a set is sorted": Cut("shuffler", ((Level.MODE, "sort"), *SHUFFLED), WHOLE),
    "ready, lid open": Cut("shuffler", (*SHUFFLED, "open_lid"), WHOLE),
    "forming a packet": Cut("shuffler", (*DEAL, A_MOMENT), WHOLE, told=DealStopped),
    "a packet is offered": Cut("shuffler", (*DEAL, 2.0), WHOLE, told=DealStopped),
    "a packet was taken": Cut("shuffler", (*DEAL, 2.0, "take", A_MOMENT), WHOLE - 2, told=DealStopped),
    "inhibited in the deal": Cut("shuffler", (*DEAL, A_MOMENT, (Level.DISPENSING, "inhibited")), WHOLE, told=DealStopped),
    "freeing a card of a packet": Cut(
        "shuffler", (*DEAL, 2.0), WHOLE, True, DealStopped, "jam_dealing_self_cleared:stack=1:tries=9"
    ),
    "jammed with a packet": Cut("shuffler", (*DEAL, 2.0), WHOLE, True, fault="jam_dealing:stack=1"),
    "the deal stopped": Cut("shuffler", (*DEAL, 2.0), WHOLE, fault="stop_dealing:stack=1"),
    "a stub is left": Cut("shuffler", (*DEAL, 2.0, "take", "green"), WHOLE - 2),
    "shoe idle": Cut("shoe", (), 0),
    "shoe loaded": Cut("shoe", ("load",), WHOLE),
    "shoe forming": Cut("shoe", (*OF_SHOE, A_MOMENT), WHOLE, told=DealStopped),
    "shoe offers": Cut("shoe", (*OF_SHOE, 2.0), WHOLE, told=DealStopped),
    "shoe between two stacks": Cut("shoe", (*OF_SHOE, 2.0, "take", A_MOMENT), WHOLE - 2, told=DealStopped),
    "shoe freeing": Cut("shoe", (*OF_SHOE, 2.0), WHOLE, True, DealStopped, "jam_dealing_self_cleared:stack=1:tries=9"),
    "shoe jammed": Cut("shoe", (*OF_SHOE, 2.0), WHOLE, True, fault="jam_dealing:stack=1"),
    "shoe stopped": Cut("shoe", (*OF_SHOE, 2.0), WHOLE, fault="stop_dealing:stack=1"),
    "reshuffling": Cut("shoe", (*PUT_IN, A_WHILE), WHOLE, told=ShuffleStopped, reshuffles=True),
    "reshuffled": Cut("shoe", (*PUT_IN, A_CYCLE), WHOLE, reshuffles=True),
    "reshuffled and dealing": Cut(
        "shoe", (*PUT_IN, A_CYCLE, ALLOW, "green", A_MOMENT), WHOLE, told=DealStopped, reshuffles=True
    ),
}  # fmt: skip


def go(table: Any, way: tuple[object, ...]) -> None:
    for step in way:
        match step:
            case "load":
                table.act("load", back="red")
            case str():
                table.act(step)
            case float():
                table.run(step)
            case (Level() as level, str() as value):
                assert table.want(level, value).holds


@pytest.mark.parametrize("remembers", [False, True], ids=["forgets", "remembers"])
@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
def test_after_a_power_cut_nothing_moves_and_nothing_counts_as_shuffled(
    bench: Callable[..., Any], cut: Cut, remembers: bool
) -> None:
    """It says what it finds inside, takes its safe side, and wants its cards out; a card that stuck sticks on.

    One with a memory says what was cut off; one without says nothing that it cannot know.
    """
    faults = (cut.fault,) if cut.fault else ()
    settings = {"plan": (2, 2), "counts": True, "remembers": remembers, "reshuffles": cut.reshuffles}
    table = bench(cut.device, *faults, **settings)
    go(table, cut.way)
    cards = sum(table.model.state()["places"].values())
    table.model.power_down(table.now)
    table.run(60.0)
    before = len(table.reports)
    table.power_up(ResetCause.POWER)
    powered, inhibited, *rest = table.reports[before:]
    assert powered == PoweredUp(ResetCause.POWER, cut.inside)
    assert inhibited == DispensingInhibited(Cause.POWER_UP, 0)
    assert [(type(r), r.reason, r.cards_inside) for r in rest] == (
        [(cut.told, StopReason.POWER_LOST, cut.inside)] if remembers and cut.told else []
    )
    assert table.model.levels().jammed is cut.jammed
    assert table.model.next_step() is None
    if cut.inside:
        _wants_its_cards_out(table, cut)
    assert sum(table.model.state()["places"].values()) == cards


def _wants_its_cards_out(table: Any, cut: Cut) -> None:
    """No button and no permission makes it go on; emptied under the lid it is as good as new."""
    table.want(*ALLOW)
    if cut.way[-1] != "open_lid":
        if cut is not CUTS["shoe loaded"]:  # its set is whole, and whether it may be dealt the daemon says
            before = len(table.reports)
            assert table.act("green").note in ("take the cards", "put the cards back")
            assert [type(r) for r in table.reports[before:]] == [ButtonPressed]
        table.act("open_lid")
    before = len(table.reports)
    assert len(table.act("remove").cards) == cut.inside
    table.act("close_lid")
    moved = [
        r for r in table.reports[before:] if isinstance(r, ShuffleStarted | ShuffleCompleted | StackDispensed)
    ]
    assert not moved
    assert [type(r) for r in table.reports[before:] if isinstance(r, JamCleared)] == [JamCleared] * cut.jammed
    assert not table.model.levels().jammed
    assert table.model.levels().cards_inside == 0
