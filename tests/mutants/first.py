"""Before any test is asked: which changes do the kept days, the kept pages and the rulebooks themselves notice?

    python -m tests.mutants.first [controller.table.rounds ...]     # in the folder `mutants`, once mutmut has made it

Most changes of the core change what some kept day led to. A child decides days until one differs, which takes a tenth of the
time that a run of the tests takes. What is noticed here counts as killed; what is not is left for the tests.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from controller.rules.library import find_coverage, find_edges
from controller.rules.loader import load_rulebook
from tests.kept import days, pages
from tests.mutants.forked import KILLED, asked_for, function_of, keep, tried, untried
from tests.soak.tables import FILES, RULEBOOKS

LIMIT_S = 60
SUFFIX = "__mutmut_orig"

Try = Callable[[], bool]
"""Something that the core is asked; True where the answer is the one that is known."""


def main(modules: Sequence[str], processes: int) -> None:
    """Tries what has not been tried; what is noticed is kept as killed."""
    os.environ["MUTANT_UNDER_TEST"] = ""
    tries = dict(_tries())
    reached = _reached(tries)

    def survives(key: str) -> bool:
        return all(tries[name]() for name in _useful(reached[function_of(key)]))

    for meta, waiting in untried(modules):
        asked = [key for key in waiting if reached[function_of(key)]]
        ended = tried(asked, survives, limit_s=LIMIT_S, processes=processes)
        killed = {key: KILLED for key, noticed in ended if noticed}
        keep(meta, killed)
        print(f"{meta.with_suffix('')}: {len(killed)} of {len(waiting)} are noticed at once", flush=True)


def _useful(names: Sequence[str]) -> list[str]:
    """A page loads what it tells of, so where loading asks a function a page says little more, and takes long."""
    loads = any(name.startswith("load ") for name in names)
    return [name for name in names if not (loads and name.startswith("page "))]


def _tries() -> Iterator[tuple[str, Try]]:
    for path in sorted(days.FOLDER.glob("*.gz")):
        yield path.name, _day(path)
    for rulebook in RULEBOOKS:
        yield f"load {rulebook}", _same(lambda rulebook=rulebook: repr(_loaded(rulebook)))
    for name in pages.NAMES:
        yield f"page {name}", _same(lambda name=name: pages.today(name))


def _day(path: Path) -> Try:
    setup, kept = days.read(path)
    inputs = list(days.inputs_of(kept))
    return lambda: all(was == now for was, now in zip(kept, days.decide_all(setup, inputs), strict=True))


def _loaded(rulebook: str) -> object:
    book = load_rulebook(FILES / f"{rulebook}.toml")
    return book, find_coverage(book), find_edges(book)


def _same(ask: Callable[[], object]) -> Try:
    known = ask()
    return lambda: ask() == known


def _reached(tries: dict[str, Try]) -> dict[str, list[str]]:
    """By function, as mutmut mangles its name: what asks it. Raises `SystemExit` where something differs unchanged."""
    reached: dict[str, list[str]] = defaultdict(list)
    for name, ask in tries.items():
        here: set[str] = set()

        def see(frame: FrameType, event: str, _: object, here: set[str] = here) -> None:
            if event == "call" and frame.f_code.co_name.endswith(SUFFIX):
                here.add(f"{frame.f_globals['__name__']}.{frame.f_code.co_name.removesuffix(SUFFIX)}")

        sys.setprofile(see)
        try:
            right = ask()
        finally:
            sys.setprofile(None)
        if not right:
            raise SystemExit(f"{name} differs where nothing was changed; python -m tests.kept.make --again")
        for function in here:
            reached[function].append(name)
    return reached


if __name__ == "__main__":
    given = asked_for()
    main(given.modules, given.processes)
