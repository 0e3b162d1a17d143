"""The short form of `make mutants`: a few lines that decide are changed, and for each a test has to fail."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.decisive import CHANGES, ROOT


@pytest.fixture(scope="module")
def answers() -> list[list[bool]]:
    command = [sys.executable, "-m", "tests.mutants.decisive"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(CHANGES), done.stderr[-4000:]
    return found


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "number",
    range(len(CHANGES)),
    ids=lambda n: f"{Path(CHANGES[n]['file']).stem}: {CHANGES[n]['becomes'].strip()}",
)
def test_a_decisive_line_does_not_change_unnoticed(answers, number):
    """Its test passes on the line as it is, and fails on what it becomes."""
    assert answers[number] == [True, False]
