"""After `first`: the changes that are left are put to the tests that reach them, each until one fails.

    python -m tests.mutants.then [controller.table.rounds ...]      # in the folder `mutants`, once mutmut has made it

mutmut collects all tests anew for each change, which takes ten times as long as the tests themselves; here they are collected
once, and each is watched once: only those that run the changed statement are asked. Those that noticed other changes of the same
file come first, then those of its name, then the quick ones: how long each takes mutmut has found out. Where no test runs a
statement, the import may run it: that is tried in an interpreter of its own. What changes words only is not put to any test.
"""

import json
import os
import pickle
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.forked import KILLED, SURVIVED, UNTESTED, asked_for, keep, sources, tried, untried
from tests.mutants.fresh import noticed as noticed_afresh
from tests.mutants.lines import Watched
from tests.mutants.survivor import changes

LIMIT_S = 300
ENOUGH_S = 12.0
"""Seconds of the processor for which a change is put to tests, the most promising first. What none noticed by then has survived:
a test that runs its line for other ends would hardly notice it, and takes longer than a look at it."""
STATS = Path("mutmut-stats.json")
LINES = Path("lines.pickle")
"""Which test runs which lines; good until mutmut has looked at the tests again."""
NOTICED = Path("noticed")
"""A file for each file of the core: the tests that noticed a change of it, a line each time."""
PROJECT = Path("pyproject.toml")


class Known:
    """Which tests noticed changes of one file. Children write it, and each child reads it: the parent knows nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def of(cls, meta: Path) -> "Known":
        NOTICED.mkdir(exist_ok=True)
        return cls(NOTICED / ".".join(meta.with_suffix("").with_suffix("").parts))

    def first(self, items: Iterable[pytest.Item]) -> list[pytest.Item]:
        """The same tests, those first that noticed most; then those of the file's own name."""
        counts = Counter(self._path.read_text().splitlines()) if self._path.exists() else Counter()
        own = f"test_{self._path.name.rpartition('.')[2]}"
        return sorted(items, key=lambda item: (-counts[item.nodeid], own not in item.nodeid))

    def noticed(self, item: pytest.Item) -> None:
        with self._path.open("a") as file:
            file.write(f"{item.nodeid}\n")


class InTurn:
    """Takes the place of pytest's own loop over the tests."""

    def __init__(self, modules: Sequence[str], processes: int) -> None:
        self._modules = modules
        self._processes = processes

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = session.items
        watched = _watched(items)
        took = json.loads(STATS.read_text())["duration_by_test"]
        for meta, left_over in untried(self._modules):
            source = meta.with_suffix("").read_text()
            free = {key for key, change in changes(source, left_over) if change.words_only or change.strict_only}
            keep(meta, dict.fromkeys(free, SURVIVED))
            waiting = [key for key in left_over if key not in free]
            concerned = {
                key: sorted(
                    watched.who_runs(meta.with_suffix(""), key), key=lambda n: took.get(items[n].nodeid, 0.0)
                )
                for key in waiting
            }

            survives = partial(_survives, items, concerned, Known.of(meta))
            asked = [key for key in waiting if concerned[key]]
            left = len(left_over)
            for key in set(waiting) - set(asked):
                at_import = noticed_afresh(key)
                keep(meta, {key: KILLED if at_import else UNTESTED})
                left -= at_import
            for key, noticed in tried(asked, survives, limit_s=LIMIT_S, processes=self._processes):
                keep(meta, {key: KILLED if noticed else SURVIVED})
                left -= noticed
            print(
                f"\n{meta.with_suffix('')}: {left} of {len(left_over)} survive, {len(free)} of them words",
                flush=True,
            )
        return True


def _survives(items: Sequence[pytest.Item], concerned: Mapping[str, list[int]], known: Known, key: str) -> bool:
    """In a child that runs with this change: True where no test notices it, as far as it is asked."""
    until = time.process_time() + ENOUGH_S
    asked = known.first([items[number] for number in concerned[key]])
    for item, after in zip(asked, [*asked[1:], None], strict=True):
        if not _passes(item, after):
            known.noticed(item)
            return False
        if time.process_time() > until:
            break
    return True


def _watched(items: Sequence[pytest.Item]) -> Watched:
    """Which test runs which lines. They are run in a child, so that nothing that they have loaded is kept in this process."""
    watched, names = Watched(sources()), [item.nodeid for item in items]
    fresh = LINES.exists() and LINES.stat().st_mtime > STATS.stat().st_mtime
    if not fresh or pickle.loads(LINES.read_bytes())[0] != names:
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            try:
                for number, item in enumerate(items):
                    with watched.by(number):
                        runtestprotocol(
                            item, nextitem=items[number + 1] if number + 1 < len(items) else None, log=False
                        )
                LINES.write_bytes(pickle.dumps((names, dict(watched.by_line))))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
    watched.by_line.update(pickle.loads(LINES.read_bytes())[1])
    return watched


def _passes(item: pytest.Item, after: pytest.Item | None) -> bool:
    return all(report.outcome != "failed" for report in runtestprotocol(item, nextitem=after, log=False))


def main(modules: Sequence[str], processes: int) -> int:
    """Returns pytest's exit code."""
    os.environ["MUTANT_UNDER_TEST"] = ""
    asked = tomllib.loads(PROJECT.read_text())["tool"]["mutmut"]
    selection = asked["pytest_add_cli_args_test_selection"]
    return pytest.main([*asked["pytest_add_cli_args"], *selection], plugins=[InTurn(modules, processes)])


if __name__ == "__main__":
    given = asked_for()
    sys.exit(main(given.modules, given.processes))
