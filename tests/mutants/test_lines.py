"""Which changes are put to whom: those, and only those, who run the statement that was changed."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.lines import Watched

MADE = '''\
def x_pay__mutmut_orig(cents, won):
    """What is paid."""
    if won:
        total = sum(
            part
            for part in (cents, cents)
        )
        return total
    return 0


def x_pay__mutmut_1(cents, won):
    """What is paid."""
    if not won:
        total = sum(
            part
            for part in (cents, cents)
        )
        return total
    return 0


def x_pay__mutmut_2(cents, won):
    """What is paid."""
    if won:
        total = sum(
            part
            for part in (cents, None)
        )
        return total
    return 0


def x_pay__mutmut_3(cents, won):
    """What is paid."""
    if won:
        total = sum(
            part
            for part in (cents, cents)
        )
        return total
    return 1


def x_pay__mutmut_4(cents, won=None):
    """What is paid."""
    if won:
        total = sum(
            part
            for part in (cents, cents)
        )
        return total
    return 0


def x_pay__mutmut_5(cents, won):
    """What is paid."""
    if won:
        total = None
        return total
    return 0
'''
WINS, LOSES = 0, 1


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "money.py"
    path.write_text(MADE)
    return path


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("money", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("change", "concerned"),
    [
        (1, {WINS, LOSES}),  # the condition is looked at by both
        (2, {WINS}),  # in the middle of a statement of several lines
        (3, {LOSES}),
        (4, {WINS, LOSES}),  # of the signature: whoever asks the function
        (5, {WINS}),  # a statement of several lines that becomes one of one line
    ],
)
def test_a_change_concerns_those_who_run_its_statement(path: Path, change: int, concerned: set[int]) -> None:
    """Nobody else can notice it, and each of these may."""
    module, watched = loaded(path), Watched([path])
    with watched.by(WINS):
        assert module.x_pay__mutmut_orig(5, True) == 10
    with watched.by(LOSES):
        module.x_pay__mutmut_orig(5, False)
    assert watched.who_runs(path, f"money.x_pay__mutmut_{change}") == concerned


def test_what_runs_a_change_itself_is_not_looked_at(path: Path) -> None:
    """Who ran which line is found out on the functions as they were."""
    module, watched = loaded(path), Watched([path])
    with watched.by(WINS):
        module.x_pay__mutmut_1(5, True)
    assert not watched.by_line
