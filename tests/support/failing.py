"""A table whose devices are about to fail, in each phase, and the ways in which it is told that one did."""

import pytest

from controller.rules.vocabulary import Method, Trigger
from controller.table.words import acts as a
from drivers import events as e

OTHERS = ("ma-uth", "ma-colorado", "nj-pikit")
DEALT_BY_SHUFFLER = ("md-uth", *OTHERS)
OTHER_METHODS = (Method.HAND, Method.MANUAL_SHOE, Method.DEALING_SHOE)
CLAUSE = {"md-uth": "13.H", "ma-uth": "15(e)", "ma-colorado": "14(e)", "nj-pikit": "38.12(e)"}
LATE = {"dealer_stack": "after_decisions"}


def betting(make_table, rulebook, method=Method.SHUFFLER, elect=None, devices=None, backs=("red", "blue")):
    """Bets lie on the layout, and the red set, shuffled and counted, is the one of this round."""
    table = make_table(rulebook, method, elect=elect, offered=(), devices=devices, backs=backs).ready()
    must = [
        r.name for r in table.setup.law.rulebook.wagers.values() if r.placed == "before_deal" and not r.optional
    ]
    return table.bet(*((seat, wager, 1000) for seat in (1, 3) for wager in must))


def at(make_table, rulebook, phase, method=Method.SHUFFLER):
    """A round in this phase. `waiting`, `delivered`: the dealer's stack stays in the device until all have answered."""
    table = betting(make_table, rulebook, method, LATE if phase in ("waiting", "delivered") else None)
    if phase == "betting":
        return table
    table.close_bets()
    if phase == "closed":
        return table
    table.act(a.StartDealing())
    if phase == "dealing":
        return table.deal(2)
    table.deal()
    if phase != "delivered":
        return table
    table.decide_all(a.Decision.CHECK)
    table.act(a.RevealCommunity(a.Street.FLOP))
    table.decide_all(a.Decision.CHECK)
    table.act(a.RevealCommunity(a.Street.LAST_TWO))
    table.decide_all(a.Decision.PLAY, 1)
    table.act(a.StartDealing())
    return table


def seen(table):
    """A person reports it; the device says nothing."""
    return table.act(a.ReportIrregularity(Trigger.SHUFFLER_JAM))


def jammed(activity, back=e.Back.UNKNOWN):
    return lambda table: table.put(e.Jammed(back, activity, e.JamPlace.OUTPUT, 0, 52), "shuffler-1")


def freed(table):
    return table.put(e.JamCleared(True, 2), "shuffler-1")


def stopped(table):
    return table.put(e.ShuffleStopped(e.Back.UNKNOWN, e.StopReason.TIMEOUT, 52), "shuffler-1")


OF_ITS_OWN = {
    "a person": seen,
    "idle": jammed(e.Activity.IDLE),
    "idle, red": jammed(e.Activity.IDLE, e.Back.RED),
    "shuffling": jammed(e.Activity.SHUFFLING),
    "shuffling, red": jammed(e.Activity.SHUFFLING, e.Back.RED),
    "freed itself": freed,
    "stopped": stopped,
}
reported = pytest.mark.parametrize("report", list(OF_ITS_OWN.values()), ids=list(OF_ITS_OWN))
UNNAMED = {name: report for name, report in OF_ITS_OWN.items() if "red" not in name}
reported_unnamed = pytest.mark.parametrize("report", list(UNNAMED.values()), ids=list(UNNAMED))
