"""Before any test is asked: which changes do the kept days, the kept pages and the rulebooks themselves notice?

    python -m tests.mutants.first [controller.table.rounds ...]     # in the folder `mutants`, once mutmut has made it

Most changes of the core change what some kept day led to. Everything is loaded once; each change is tried in a child of this
process, which decides days until one differs, and takes a tenth of the time that a run of the tests takes. What is noticed
here counts as killed; what is not is left for the tests.
"""

import json
import os
import resource
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from controller.rules.library import find_coverage, find_edges
from controller.rules.loader import load_rulebook
from tests.kept import days, pages
from tests.soak.tables import FILES, RULEBOOKS

KILLED, SURVIVED = 1, 0
LIMIT_S = 60
"""Processor seconds after which a change that never comes to an end is given up, which is noticing it."""
SUFFIX = "__mutmut_orig"

Try = Callable[[], bool]
"""Something that the core is asked; True where the answer is the one that is known."""


def main(modules: Sequence[str]) -> None:
    """Tries what has not been tried; results stand where mutmut keeps its own."""
    os.environ["MUTANT_UNDER_TEST"] = ""
    tries = dict(_tries())
    reached = _reached(tries)
    for meta in sorted(Path().glob("controller/*/**/*.py.meta")):
        found = json.loads(meta.read_text())
        codes = found["exit_code_by_key"]
        waiting = [key for key, code in codes.items() if code is None and _is_asked(key, modules)]
        killed = 0
        for key in waiting:
            if _noticed(key, [tries[name] for name in _useful(reached[key.rpartition("__mutmut_")[0]])]):
                codes[key] = KILLED
                killed += 1
        meta.write_text(json.dumps(found))
        if waiting:
            print(f"{meta.with_suffix('')}: {killed} of {len(waiting)} are noticed at once", flush=True)


def _is_asked(key: str, modules: Sequence[str]) -> bool:
    return not modules or any(key.startswith(f"{module}.") for module in modules)


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


def _noticed(key: str, tries: Sequence[Try]) -> bool:
    """In a child of its own, which ends with the first thing that differs, or that raises, or that never ends."""
    if not tries:
        return False
    child = os.fork()
    if child == 0:
        os.environ["MUTANT_UNDER_TEST"] = key
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        code = KILLED
        try:
            code = SURVIVED if all(ask() for ask in tries) else KILLED
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] != 0


if __name__ == "__main__":
    main(sys.argv[1:])
