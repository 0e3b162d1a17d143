"""The short form of `make mutants`: a few lines that decide are changed, and for each a test has to fail."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHANGES = tomllib.loads(Path(__file__).with_name("decisive.toml").read_text())["change"]
FAILED = 1
"""Exit code of pytest where tests ran and some failed; any other one is no answer."""


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project without what these tests have no use for, to be changed at will."""
    copy = tmp_path_factory.mktemp("changed")
    for room in ("controller", "drivers", "config", "tests"):
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("e2e", "vectors", "days"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def run(copy: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    """Runs these tests on the copy, and stops at the first that fails."""
    plain = [option for name in ("cacheprovider", "xdist") for option in ("-p", f"no:{name}")]
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", *plain, *tests]
    env = {**os.environ, "PYTHONPATH": str(copy)}
    return subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True, timeout=200, check=False)


@pytest.mark.timeout(300)
def test_the_named_tests_pass_on_the_code_as_it_is(copied):
    """A test that fails anyway would find every change."""
    done = run(copied, *sorted({change["test"] for change in CHANGES}))
    assert done.returncode == 0, done.stdout


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "change", CHANGES, ids=lambda change: f"{Path(change['file']).stem}: {change['becomes'].strip()}"
)
def test_a_decisive_line_does_not_change_unnoticed(copied, change):
    """The line is there once, is changed, and its test fails."""
    path = copied / change["file"]
    source = path.read_text()
    assert source.count(change["line"]) == 1, (
        f"{change['file']} has this line {source.count(change['line'])} times"
    )
    path.write_text(source.replace(change["line"], change["becomes"]))
    try:
        done = run(copied, change["test"])
    finally:
        path.write_text(source)
    assert done.returncode == FAILED, done.stdout
