"""After `first`: the changes that are left are put to the tests that reach them, each until one fails.

    python -m tests.mutants.then [controller.table.acts.rounds ...]      # in the folder `mutants`, once mutmut has made it

mutmut collects all tests anew for each change, which takes ten times as long as the tests themselves; here they are collected
once, and each is watched once: only those that run the changed statement are asked. Those come first that may notice most for
their time: that noticed other changes of the same file, that bear its name, that are quick; how long each takes mutmut has found
out. Where no test runs a statement, the import may run it: that is tried in an interpreter of its own. What changes words only is
not put to any test. When all were tried, what survived and was judged by nobody is tried once more with ten times as long.
"""

import json
import os
import pickle
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import chdir
from functools import partial
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.forked import KILLED, SURVIVED, UNTESTED, asked_for, keep, sources, survivors, tried, untried
from tests.mutants.fresh import noticed as noticed_afresh
from tests.mutants.judged import judged, survivor_of
from tests.mutants.lines import Watched
from tests.mutants.survivor import changes

LIMIT_S = 300
ENOUGH_S = 12.0
"""Seconds of the processor for which a change is put to tests, the most promising first."""
PATIENT_S = 120.0
"""The same for what survived that: only then a person looks at it."""
OWN, OTHER = 0.5, 0.1
"""What a test that never noticed a change of a file counts beside one that noticed one: named after the file, or not."""
LEAST_S = 0.005
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

    def first(self, items: Iterable[pytest.Item], took: Mapping[str, float]) -> list[pytest.Item]:
        """The same tests, those first that may be expected to notice most for their time. `took`: seconds, by test."""
        counts = Counter(self._path.read_text().splitlines()) if self._path.exists() else Counter()
        own = f"test_{self._path.name.rpartition('.')[2]}"

        def worth(item: pytest.Item) -> float:
            chance = counts[item.nodeid] + (OWN if own in item.nodeid else OTHER)
            return chance / max(took.get(item.nodeid, LEAST_S), LEAST_S)

        return sorted(items, key=worth, reverse=True)

    def noticed(self, item: pytest.Item) -> None:
        with self._path.open("a") as file:
            file.write(f"{item.nodeid}\n")


class InTurn:
    """Takes the place of pytest's own loop over the tests."""

    def __init__(self, modules: Sequence[str], processes: int) -> None:
        self._modules = modules
        self._processes = processes

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._items = session.items
        self._watched = _watched(session.items)
        self._took = json.loads(STATS.read_text())["duration_by_test"]
        for meta, waiting in untried(self._modules):
            self._put(meta, waiting, ENOUGH_S)
        looked_at = judged()
        for meta, survived in survivors(self._modules):
            with chdir(".."):  # where mutmut looks for what it made
                left = [key for key in survived if survivor_of(key, meta.with_suffix("")) not in looked_at]
            self._put(meta, left, PATIENT_S)
        return True

    def _put(self, meta: Path, keys: Sequence[str], enough_s: float) -> None:
        """Puts these changes of one file to the tests and keeps how each ended."""
        file = meta.with_suffix("")
        free = {key for key, change in changes(file.read_text(), keys) if change.words_only or change.strict_only}
        concerned = {key: self._watched.who_runs(file, key) for key in keys if key not in free}
        ended = dict.fromkeys(free, SURVIVED)
        for key in (key for key, tests in concerned.items() if not tests):
            ended[key] = KILLED if noticed_afresh(key) else UNTESTED
        keep(meta, ended)
        asked = [key for key, tests in concerned.items() if tests]
        survives = partial(self._survives, concerned, Known.of(meta), enough_s)
        for key, noticed in tried(asked, survives, limit_s=LIMIT_S, processes=self._processes):
            ended[key] = KILLED if noticed else SURVIVED
            keep(meta, {key: ended[key]})
        if left := sum(code != KILLED for code in ended.values()):
            print(
                f"\n{file}: {left} of {len(keys)} survive {enough_s:.0f} s, {len(free)} of them words", flush=True
            )

    def _survives(self, concerned: Mapping[str, set[int]], known: Known, enough_s: float, key: str) -> bool:
        """In a child that runs with this change: True where no test notices it, as far as it is asked."""
        until = time.process_time() + enough_s
        asked = known.first([self._items[number] for number in sorted(concerned[key])], self._took)
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
