"""Runs of the bench as a user starts them: processes of their own, a private directory, one JSON document."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.forked import Mother

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("controller", "drivers", "simulators", "config")
RUN_S = 150
"""Longest run of these tests; the longest takes about a tenth of it on two free cores."""


@dataclass(frozen=True)
class Ran:
    """`told`: the JSON document, None where there was none."""

    code: int
    told: dict[str, Any] | None
    errors: str

    def state(self, promise: str) -> str:
        """What became of the promise whose name begins like this."""
        assert self.told is not None, self.errors
        return next(v["state"] for name, v in self.told["invariants"].items() if name.startswith(promise))

    @property
    def broken(self) -> list[str]:
        assert self.told is not None, self.errors
        return [name for name, verdict in self.told["invariants"].items() if verdict["state"] == "broken"]

    def why(self) -> str:
        """For the message of a failed assertion."""
        assert self.told is not None, self.errors
        return json.dumps({n: v for n, v in self.told["invariants"].items() if v["state"] == "broken"}, indent=1)


def run_bench(source: Path, *arguments: str) -> Ran:
    """One run of the code in `source`."""
    command = [sys.executable, "-c", "from controller.cli.main import main; main()", "bench", "--json", *arguments]
    env = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(command, cwd=source, env=env, capture_output=True, text=True, timeout=RUN_S, check=False)
    told = json.loads(done.stdout) if done.stdout.startswith("{") else None
    return Ran(done.returncode, told, done.stderr[-4000:])


@pytest.fixture
def bench(mother: Mother, tmp_path: Path) -> Callable[..., Ran]:
    """One run of this project's code, by a process that has it in memory: `sabotaged` starts each of its own from the disk."""

    def run(*arguments: str) -> Ran:
        out, errors = (tmp_path / f"bench.{name}" for name in ("out", "errors"))
        code = mother.bench(("--json", *arguments), out, errors)
        said = out.read_text()
        return Ran(code, json.loads(said) if said.startswith("{") else None, errors.read_text()[-4000:])

    return run


@pytest.fixture
def sabotaged(tmp_path: Path) -> Callable[..., Ran]:
    """Runs a copy of the code in which one piece of text in one file was replaced by another."""

    def run(file: str, good: str, bad: str, *arguments: str) -> Ran:
        source = tmp_path / "sabotaged"
        for package in PACKAGES:
            shutil.copytree(
                ROOT / package, source / package
            )  # with what is compiled: only the changed file is compiled anew
        text = (source / file).read_text()
        assert text.count(good) == 1, f"{file} has this text {text.count(good)} times: {good}"
        (source / file).write_text(text.replace(good, bad))
        return run_bench(source, *arguments)

    return run
