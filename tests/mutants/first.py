"""Before any test is asked: which changes do the kept days, the kept pages and the rulebooks themselves notice?

    python -m tests.mutants.first [controller.table.acts.rounds ...]     # in the folder `mutants`, once mutmut has made it

Most changes of the core change what some input of a kept day leads to. Each input is decided in the state that it met, so that
only those are asked that run what was changed: hundreds in the time of one test. What is noticed here counts as killed, as the
test of that kept day would notice it; what is not is left for the tests.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from controller.rules.read.library import find_coverage, find_edges
from controller.rules.read.loader import load_rulebook
from controller.table.state.table import State
from tests.kept import days, pages
from tests.mutants.forked import KILLED, asked_for, keep, sources, survivors, tried, untried
from tests.mutants.lines import Watched
from tests.soak.tables import FILES, RULEBOOKS

LIMIT_S = 60
MOST_INPUTS = 600
"""Of the inputs that run a change so many are asked, from all days alike."""
FURTHER = 100
"""Where an input leaves another state behind, so many after it are decided in that one."""

Try = Callable[[], bool]
"""Something that the core is asked; True where the answer is the one that is known."""


def main(modules: Sequence[str], processes: int) -> None:
    """Tries what nobody has noticed; what is noticed is kept as killed."""
    os.environ["MUTANT_UNDER_TEST"] = ""
    tries = list(_tries())
    watched = Watched(sources())
    for number, (name, ask) in enumerate(tries):
        with watched.by(number):
            right = ask()
        if not right:
            raise SystemExit(f"{name} differs where nothing was changed; python -m tests.kept.make --again")

    for meta, waiting in chain(untried(modules), survivors(modules)):
        concerned = {key: sorted(watched.who_runs(meta.with_suffix(""), key)) for key in waiting}

        def survives(key: str, concerned: dict[str, list[int]] = concerned) -> bool:
            return all(ask() for ask in _useful([tries[number] for number in concerned[key]]))

        asked = [key for key in waiting if concerned[key]]
        ended = tried(asked, survives, limit_s=LIMIT_S, processes=processes)
        killed = {key: KILLED for key, noticed in ended if noticed}
        keep(meta, killed)
        print(f"{meta.with_suffix('')}: {len(killed)} of {len(waiting)} are noticed at once", flush=True)


def _useful(found: Sequence[tuple[str, Try]]) -> list[Try]:
    """A page loads what it tells of, so where loading asks a function a page says little more, and takes long."""
    loads = [ask for name, ask in found if name.startswith("load ")]
    pages_ = [ask for name, ask in found if name.startswith("page ")]
    inputs = [ask for name, ask in found if name.startswith("input ")]
    return inputs[:: -(-len(inputs) // MOST_INPUTS) or 1] + (loads or pages_)


def _tries() -> Iterator[tuple[str, Try]]:
    for path in sorted(days.FOLDER.glob("*.gz")):
        day = _Day(path)
        for number in range(len(day.lines)):
            yield f"input {number + 1} of {path.name}", day.asked(number)
    for rulebook in RULEBOOKS:
        yield f"load {rulebook}", _same(lambda rulebook=rulebook: repr(_loaded(rulebook)))
    for name in RULEBOOKS:
        yield f"page {name}", _same(lambda name=name: pages.today(name))


class _Day:
    """One kept day. `before`: the state that each of its inputs met, and the last one."""

    def __init__(self, path: Path) -> None:
        self._setup, self.lines = days.read(path)
        self._inputs = list(days.inputs_of(self.lines))
        self._before = [State.initial(self._setup)]
        for number in range(len(self.lines)):
            self._before.append(self._decide(number, self._before[number])[1])

    def asked(self, number: int) -> Try:
        """True where this input leads to what is known, and so does all that follows from the state that it leaves."""

        def ask() -> bool:
            state = self._before[number]
            for at in range(number, min(len(self.lines), number + FURTHER)):
                line, state = self._decide(at, state)
                if line != self.lines[at]:
                    return False
                if state == self._before[at + 1]:
                    return True
            return True

        return ask

    def _decide(self, number: int, state: State) -> tuple[days.Line, State]:
        return days.decide_one(self._setup, state, number, self._inputs[number])


def _loaded(rulebook: str) -> object:
    book = load_rulebook(FILES / f"{rulebook}.toml")
    return book, find_coverage(book), find_edges(book)


def _same(ask: Callable[[], object]) -> Try:
    known = ask()
    return lambda: ask() == known


if __name__ == "__main__":
    given = asked_for()
    main(given.modules, given.processes)
