"""A day of play for tests of the record, from a seed: today's core plays it, so it has its rounds whatever the core decides."""

from functools import cache

from controller.table.state.table import Setup
from controller.table.words.inputs import Input
from tests.kept.days import Line, decide_all  # type: ignore[attr-defined]  # the folder days/ has the name of the module
from tests.soak.day import Day

ROUNDS = 7


class _Day(Day):
    p_fault, p_nonsense, p_service = 0.03, 0.1, 0.0


@cache
def played_day() -> tuple[Setup, list[Line]]:
    """The table, and each input with what follows from it: `ROUNDS` rounds, no restart of the daemon.

    With this seed something is on record between the second, third and fourth round.
    """
    inputs: list[Input] = []
    day = _Day("md-uth", "a day of the record 16", ROUNDS, inputs)
    day.play()
    return day.setup, list(decide_all(day.setup, inputs))
