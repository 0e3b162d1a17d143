"""After `first`: the changes that are left are put to the tests that reach them, each until one fails.

    python -m tests.mutants.then [controller.table.rounds ...]      # in the folder `mutants`, once mutmut has made it

mutmut collects all tests anew for each change, which takes ten times as long as the tests themselves; here they are collected
once, and each is watched once: only those that run the changed statement are asked. How long each takes mutmut has found out.
Where no test runs it, it may be run by the import: that is tried in an interpreter of its own.
"""

import json
import os
import pickle
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.forked import KILLED, SURVIVED, UNTESTED, asked_for, keep, sources, tried, untried
from tests.mutants.fresh import noticed as noticed_afresh
from tests.mutants.lines import Watched

LIMIT_S = 300
STATS = Path("mutmut-stats.json")
LINES = Path("lines.pickle")
"""Which test runs which lines; good until mutmut has looked at the tests again."""
PROJECT = Path("pyproject.toml")


class InTurn:
    """Takes the place of pytest's own loop over the tests."""

    def __init__(self, modules: Sequence[str], processes: int) -> None:
        self._modules = modules
        self._processes = processes

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = session.items
        watched = _watched(items)
        took = json.loads(STATS.read_text())["duration_by_test"]
        for meta, waiting in untried(self._modules):
            concerned = {
                key: sorted(
                    watched.who_runs(meta.with_suffix(""), key), key=lambda n: took.get(items[n].nodeid, 0.0)
                )
                for key in waiting
            }

            def survives(key: str, concerned: dict[str, list[int]] = concerned) -> bool:
                asked = [items[number] for number in concerned[key]]
                return all(map(_passes, asked, [*asked[1:], None]))

            asked = [key for key in waiting if concerned[key]]
            left = len(waiting)
            for key in set(waiting) - set(asked):
                at_import = noticed_afresh(key)
                keep(meta, {key: KILLED if at_import else UNTESTED})
                left -= at_import
            for key, noticed in tried(asked, survives, limit_s=LIMIT_S, processes=self._processes):
                keep(meta, {key: KILLED if noticed else SURVIVED})
                left -= noticed
            print(f"\n{meta.with_suffix('')}: {left} of {len(waiting)} survive", flush=True)
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
