"""A simulated device on a pseudo-terminal, as a process of its own, for commands that open a port."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli

START_S = 30.0


@pytest.fixture(scope="module")
def shoe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The port of a simulated dealing shoe that runs."""
    yield from _running(tmp_path_factory.mktemp("d"), "shoe")


@pytest.fixture(scope="module")
def progressive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield from _running(tmp_path_factory.mktemp("d"), "progressive")


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The port of a simulated shoe with a key; beside it lie `key`, `other` (another key) and `image` (its firmware)."""
    folder = tmp_path_factory.mktemp("d")
    for name, key in (("key", bytes(range(32))), ("other", bytes(range(32, 64)))):
        (folder / name).touch(0o600)
        (folder / name).write_bytes(key)
    (folder / "image").write_bytes(b"firmware" * 1000)
    yield from _running(folder, "shoe", "--key", str(folder / "key"), "--image", str(folder / "image"))


def _running(folder: Path, kind: str, *options: str) -> Iterator[Path]:
    link = folder / f"{kind}-1"
    log = ["--log", str(folder / "log"), *options]
    command = [sys.executable, "-m", "simulators", kind, "--link", str(link), *log]
    with subprocess.Popen(command) as simulator:
        end = time.monotonic() + START_S
        while not link.exists():
            assert simulator.poll() is None
            assert time.monotonic() < end, "the simulator did not come up"
            time.sleep(0.01)
        yield link
        simulator.terminate()


@pytest.fixture
def command() -> Callable[..., Result]:
    """Runs `tablewarden` with these words."""
    return lambda *words: CliRunner().invoke(cli, [str(word) for word in words])
