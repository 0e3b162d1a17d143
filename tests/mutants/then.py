"""After `first`: the changes that are left are put to the tests that reach them, each until one fails.

    python -m tests.mutants.then [controller.table.rounds ...]      # in the folder `mutants`, once mutmut has made it

mutmut collects all tests anew for each change, which takes ten times as long as the tests themselves. Here they are collected
once, and each change is tried in a child of this process. Which tests reach a function, and how long each takes, mutmut has
found out before.
"""

import json
import os
import resource
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

KILLED, SURVIVED, UNTESTED = 1, 0, 33
LIMIT_S = 300
"""Processor seconds after which a change that never comes to an end is given up, which is noticing it."""
STATS = Path("mutmut-stats.json")
PROJECT = Path("pyproject.toml")


class InTurn:
    """Takes the place of pytest's own loop over the tests."""

    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = modules

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        stats = json.loads(STATS.read_text())
        known = {item.nodeid: item for item in session.items}
        for meta in sorted(Path().glob("controller/*/**/*.py.meta")):
            found = json.loads(meta.read_text())
            codes = found["exit_code_by_key"]
            waiting = [key for key, code in codes.items() if code is None and _is_asked(key, self._modules)]
            for key in waiting:
                codes[key] = _tried(key, _reaching(key, known, stats))
                meta.write_text(json.dumps(found))
            if waiting:
                left = sum(codes[key] != KILLED for key in waiting)
                print(f"\n{meta.with_suffix('')}: {left} of {len(waiting)} survive", flush=True)
        return True


def _is_asked(key: str, modules: Sequence[str]) -> bool:
    return not modules or any(key.startswith(f"{module}.") for module in modules)


def _reaching(key: str, known: Mapping[str, pytest.Item], stats: Mapping[str, Mapping]) -> list[pytest.Item]:  # type: ignore[type-arg]
    """The tests that reach the function, the quickest first."""
    took = stats["duration_by_test"]
    names = stats["tests_by_mangled_function_name"].get(key.rpartition("__mutmut_")[0], ())
    return [known[name] for name in sorted(names, key=lambda name: took.get(name, 0.0)) if name in known]


def _tried(key: str, items: Sequence[pytest.Item]) -> int:
    """In a child of its own, which ends with the first test that fails, or that never ends."""
    if not items:
        return UNTESTED
    child = os.fork()
    if child == 0:
        os.environ["MUTANT_UNDER_TEST"] = key
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
        void = os.open(os.devnull, os.O_WRONLY)
        os.dup2(void, 1)
        os.dup2(void, 2)
        code = KILLED
        try:
            after = [*items[1:], None]
            code = SURVIVED if all(map(_passes, items, after)) else KILLED
        finally:
            os._exit(code)
    return SURVIVED if os.waitpid(child, 0)[1] == 0 else KILLED


def _passes(item: pytest.Item, after: pytest.Item | None) -> bool:
    return all(report.outcome != "failed" for report in runtestprotocol(item, nextitem=after, log=False))


def main(modules: Sequence[str]) -> int:
    os.environ["MUTANT_UNDER_TEST"] = ""
    asked = tomllib.loads(PROJECT.read_text())["tool"]["mutmut"]
    selection = asked["pytest_add_cli_args_test_selection"]
    return pytest.main([*asked["pytest_add_cli_args"], *selection], plugins=[InTurn(modules)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
