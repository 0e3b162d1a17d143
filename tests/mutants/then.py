"""After `first`: the changes that are left are put to the tests that reach them, each until one fails.

    python -m tests.mutants.then [controller.table.rounds ...]      # in the folder `mutants`, once mutmut has made it

mutmut collects all tests anew for each change, which takes ten times as long as the tests themselves; here they are collected
once. Which tests reach a function, and how long each takes, mutmut has found out before.
"""

import json
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.forked import KILLED, SURVIVED, UNTESTED, asked_for, function_of, keep, tried, untried

LIMIT_S = 300
STATS = Path("mutmut-stats.json")
PROJECT = Path("pyproject.toml")


class InTurn:
    """Takes the place of pytest's own loop over the tests."""

    def __init__(self, modules: Sequence[str], processes: int) -> None:
        self._modules = modules
        self._processes = processes

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        stats = json.loads(STATS.read_text())
        known = {item.nodeid: item for item in session.items}

        def survives(key: str) -> bool:
            items = _reaching(key, known, stats)
            return all(map(_passes, items, [*items[1:], None]))

        for meta, waiting in untried(self._modules):
            asked = [key for key in waiting if _reaching(key, known, stats)]
            keep(meta, dict.fromkeys(set(waiting) - set(asked), UNTESTED))
            left = len(waiting)
            for key, noticed in tried(asked, survives, limit_s=LIMIT_S, processes=self._processes):
                keep(meta, {key: KILLED if noticed else SURVIVED})
                left -= noticed
            print(f"\n{meta.with_suffix('')}: {left} of {len(waiting)} survive", flush=True)
        return True


def _reaching(key: str, known: Mapping[str, pytest.Item], stats: Mapping[str, Any]) -> list[pytest.Item]:
    """The tests that reach the function, the quickest first."""
    took = stats["duration_by_test"]
    names = stats["tests_by_mangled_function_name"].get(function_of(key), ())
    return [known[name] for name in sorted(names, key=lambda name: took.get(name, 0.0)) if name in known]


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
