"""Before any test is asked: which changes do the kept days, the kept pages and the rulebooks themselves notice?

    python -m tests.mutants.first [controller.table.rounds ...]     # in the folder `mutants`, once mutmut has made it

Most changes of the core change what some kept day led to. A child decides days until one differs, which takes a tenth of the
time that a run of the tests takes. What is noticed here counts as killed; what is not is left for the tests.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from controller.rules.library import find_coverage, find_edges
from controller.rules.loader import load_rulebook
from tests.kept import days, pages
from tests.mutants.forked import KILLED, asked_for, keep, sources, tried, untried
from tests.mutants.lines import Watched
from tests.soak.tables import FILES, RULEBOOKS

LIMIT_S = 60
MOST_DAYS = 8

Try = Callable[[], bool]
"""Something that the core is asked; True where the answer is the one that is known."""


def main(modules: Sequence[str], processes: int) -> None:
    """Tries what has not been tried; what is noticed is kept as killed."""
    os.environ["MUTANT_UNDER_TEST"] = ""
    tries = list(_tries())
    watched = Watched(sources())
    for number, (name, ask) in enumerate(tries):
        with watched.by(number):
            right = ask()
        if not right:
            raise SystemExit(f"{name} differs where nothing was changed; python -m tests.kept.make --again")

    for meta, waiting in untried(modules):
        concerned = {key: sorted(watched.who_runs(meta.with_suffix(""), key)) for key in waiting}

        def survives(key: str, concerned: dict[str, list[int]] = concerned) -> bool:
            return all(ask() for ask in _useful([tries[number] for number in concerned[key]]))

        asked = [key for key in waiting if concerned[key]]
        ended = tried(asked, survives, limit_s=LIMIT_S, processes=processes)
        killed = {key: KILLED for key, noticed in ended if noticed}
        keep(meta, killed)
        print(f"{meta.with_suffix('')}: {len(killed)} of {len(waiting)} are noticed at once", flush=True)


def _useful(found: Sequence[tuple[str, Try]]) -> list[Try]:
    """A page loads what it tells of, so where loading asks a function a page says little more, and takes long.

    Of many days a few are asked, of all rulebooks: what these do not notice the tests are quicker to find.
    """
    loads = [ask for name, ask in found if name.startswith("load ")]
    pages_ = [ask for name, ask in found if name.startswith("page ")]
    days_ = [ask for name, ask in found if name.endswith(".gz")]
    return days_[:: -(-len(days_) // MOST_DAYS) or 1] + (loads or pages_)


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


if __name__ == "__main__":
    given = asked_for()
    main(given.modules, given.processes)
