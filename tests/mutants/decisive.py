"""Changes each line of `decisive.toml` in a fork of one process, and says whether its test fails: the child of `test_decisive`.

    python -m tests.mutants.decisive

Prints a JSON list for each change: the exit of its test on the line as it is, and on what it becomes; true where it passes.
"""

import gc
import json
import os
import sys
import tomllib
from enum import Enum
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).resolve().parents[2]
CHANGES = tomllib.loads(Path(__file__).with_name("decisive.toml").read_text())["change"]


class InTurn:
    """Takes the place of pytest's own loop over the tests."""

    def __init__(self, answers: int) -> None:
        self._answers = answers

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for change in CHANGES:
            path, line = ROOT / change["file"], change["line"]
            items = [item for item in session.items if item.nodeid.startswith(change["test"])]
            source = path.read_text()
            assert (source.count(line), bool(items)) == (1, True), change
            found = [_passes(path, source.replace(line, now), items) for now in (line, change["becomes"])]
            os.write(self._answers, json.dumps(found).encode() + b"\n")
        return True


def _passes(path: Path, source: str, items: list[pytest.Item]) -> bool:
    """True where all these tests pass in a fork that runs this source in place of the file's."""
    child = os.fork()
    if not child:
        code = 2
        try:
            put_in_place(path, source)
            code = int(not all(_is_passed(item) for item in items))
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 1), f"{path}: cannot be changed in place"
    return code == 0


def _is_passed(item: pytest.Item) -> bool:
    return all(report.outcome != "failed" for report in runtestprotocol(item, nextitem=None, log=False))


def put_in_place(path: Path, source: str) -> None:
    """Gives each function of a module that is loaded the code that it has in this source, and each table its contents."""
    (module,) = [m for m in list(sys.modules.values()) if getattr(m, "__file__", None) == str(path)]
    functions = [f for f in gc.get_objects() if type(f) is FunctionType and f.__code__.co_filename == str(path)]
    anew: dict[str, Any] = {"__name__": module.__name__, "__file__": str(path)}
    exec(compile(source, str(path), "exec"), anew)
    code = {_place(f): f.__code__ for f in gc.get_objects() if type(f) is FunctionType and f.__globals__ is anew}
    for function in functions:
        function.__code__ = code.get(_place(function), function.__code__)
    for name, table in vars(module).items():
        if type(table) is dict and name in anew and not name.startswith("__"):
            table |= {key: _known(module, value) for key, value in anew[name].items()}


def _known(module: ModuleType, value: object) -> object:
    """A word of an Enum that was made anew with the module, as all others know it."""
    cls = type(value)
    return (
        getattr(module, cls.__name__)(value)
        if isinstance(value, Enum) and cls.__module__ == module.__name__
        else value
    )


def _place(function: FunctionType) -> tuple[str, int]:
    return function.__qualname__, function.__code__.co_firstlineno


if __name__ == "__main__":
    answers = os.dup(1)
    os.dup2(2, 1)  # what pytest says is for whoever looks why
    tests = sorted({change["test"] for change in CHANGES})
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests], plugins=[InTurn(answers)]))
