"""From a long day that broke something to the fewest inputs that still do: chunks are left out as long as it breaks."""

from collections.abc import Sequence

from controller.table.decide import decided
from controller.table.state.table import Setup, State
from controller.table.words.inputs import Input
from tests.soak.invariants import Watch

MOST_TRIES = 400


def breaks_at(setup: Setup, inputs: Sequence[Input]) -> tuple[int, str] | None:
    """The input that breaks something, counted from 0, and where it is seen; None where nothing is broken."""
    state, watch = State.initial(setup), Watch(setup)
    for number, given in enumerate(inputs):
        draft = decided(setup, state, given)
        try:
            watch.saw(state, given, draft.facts, draft.state)
        except AssertionError as error:
            return number, _place(error)
        state = draft.state
    return None


def shrunk(setup: Setup, inputs: Sequence[Input]) -> list[Input]:
    """Inputs without which the same invariant still breaks, left out. All of them where they break nothing."""
    broken = breaks_at(setup, inputs)
    if broken is None:
        return list(inputs)
    last, place = broken
    kept, tries = list(inputs[: last + 1]), 0
    size = len(kept) // 2
    while size and tries < MOST_TRIES:
        begin = 0
        while begin < len(kept) - 1 and tries < MOST_TRIES:
            without = kept[:begin] + kept[begin + size :]
            tries += 1
            again = breaks_at(setup, without)
            if again is not None and again[1] == place:
                kept = without[: again[0] + 1]
            else:
                begin += size
        size //= 2
    return kept


def _place(error: AssertionError) -> str:
    """Function and line in which an invariant is stated: the same one has to break."""
    trace = error.__traceback__
    assert trace is not None
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
