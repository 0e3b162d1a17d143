"""Fixtures for every room. The leak check runs on each test: no descriptor, task or thread may outlive it."""

import asyncio
import gc
import logging
import os
import pickle
import threading
import time
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from inspect import iscoroutinefunction
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from controller.journal.disk import file
from controller.readers import toml
from tests.support.published import watched

settings.register_profile("suite", derandomize=True, deadline=None, max_examples=40)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
"""The suite gives the same answer each time; HYPOTHESIS_PROFILE=search looks for new counterexamples."""

SMALL_LOG_BYTES = 1 << 16
"""With which a journal of a test begins; a daemon of its own process fills the whole log, and test_store looks at that."""

LONG_TOML = 4096
"""Characters of a text that is kept; the shortest rulebook has 57,000."""

ONLY_COMPILED = "TABLEWARDEN_ONLY_COMPILED"
"""Set where `pytest --collect-only` is to import all modules, and to make no tests."""

WORKERS = 4
"""Of `make test`."""

SETTLE_S = 2.0
"""How long a closing thread or descriptor may take before it counts as a leak."""


def _descriptors() -> dict[int, str]:
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[int(name)] = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue  # the descriptor of the listing itself
    return {fd: target for fd, target in found.items() if "/proc/" not in target}


def _leaks(descriptors: dict[int, str], threads: set[threading.Thread]) -> list[str]:
    new_fds = [f"descriptor {fd} -> {t}" for fd, t in _descriptors().items() if descriptors.get(fd) != t]
    new_threads = [f"thread {t.name}" for t in set(threading.enumerate()) - threads if t.is_alive()]
    return new_fds + new_threads


@pytest.fixture(autouse=True, scope="session")
def small_logs() -> Iterator[None]:
    """A whole log costs a test 40 ms of processor and five megabytes of disk; hundreds of tests open a journal."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file, "PRIME_BYTES", SMALL_LOG_BYTES)
        yield


class ReadOnce:
    """`tomllib` for long texts: what was read before is unpickled, in a twentieth of the time, for whoever asks again."""

    @staticmethod
    def loads(text: str) -> Any:
        return tomllib.loads(text) if len(text) < LONG_TOML else pickle.loads(_read(text))


@lru_cache(maxsize=32)
def _read(text: str) -> bytes:
    return pickle.dumps(tomllib.loads(text))


@pytest.fixture(autouse=True, scope="session")
def toml_is_read_once() -> Iterator[None]:
    """Tests that spoil one file read all others with it, the same again and again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toml, "tomllib", ReadOnce)
        yield


@pytest.fixture(scope="session")
def mother() -> Iterator[Any]:
    """The process that forks itself for daemons, devices, people and whole benches: one for all rooms."""
    from tests.support.forked import Mother

    mother = Mother()
    yield mother
    mother.close()


@pytest.fixture(autouse=True, scope="session")
def unfit_messages() -> Iterator[list[str]]:
    """What tables published in this process and is not as the catalogue says."""
    found: list[str] = []
    with watched(found):
        yield found


@pytest.fixture(autouse=True)
def published_by_the_catalogue(unfit_messages: list[str]) -> Iterator[None]:
    """Fails a test in which a table published a message that the catalogue does not have."""
    unfit_messages.clear()
    yield
    assert not unfit_messages, "not as the catalogue says:\n" + "\n".join(dict.fromkeys(unfit_messages[:20]))


@pytest.fixture(autouse=True)
def no_dead_log() -> None:
    """A command that ran in this process has set the log up for a stream that is closed by now."""
    for handler in list(logging.root.handlers):
        if getattr(getattr(handler, "stream", None), "closed", False):
            logging.root.removeHandler(handler)


@pytest.fixture(autouse=True)
def nothing_leaks() -> Iterator[None]:
    """Fails a test that leaves a descriptor, a thread, or a running task behind."""
    threads = set(threading.enumerate())
    descriptors = _descriptors()
    yield
    end = time.monotonic() + SETTLE_S
    while (leaks := _leaks(descriptors, threads)) and time.monotonic() < end:
        gc.collect()  # what only a cycle still holds is no leak; without a suspect it would cost more than most tests
        threading.Event().wait(0.02)
    assert not leaks, "left behind: " + ", ".join(leaks)


@pytest.fixture
async def no_task_left() -> object:
    """Fails a test that leaves a task running in its loop; each async test has it, and the others need no loop for it."""
    yield
    left = [t for t in asyncio.all_tasks() if t is not asyncio.current_task() and not t.done()]
    left = [t for t in left if "pytest" not in repr(t.get_coro())]
    assert not left, f"tasks left running: {left}"


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """The cases of a full form are not made where it is not asked for: they are a fifth of all, and each worker makes all. None
    at all are made where the modules are only to be compiled, as by `make test`."""
    config = collector.config
    marks = {mark.name for mark in getattr(obj, "pytestmark", ()) if isinstance(mark, pytest.Mark)}
    left_out = "full" in marks and not config.option.markexpr and not any("::" in name for name in config.args)
    return [] if left_out or (config.option.collectonly and os.environ.get(ONLY_COMPILED)) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the full form of a promise unless it is asked for, as with `-m full`; each worker begins with long tests.

    A long test that begins last keeps one worker busy while the others have nothing left to do. Each worker takes as many
    tests as the others, in the order in which they stand here.
    """
    for item in items:
        if isinstance(item, pytest.Function) and iscoroutinefunction(item.function):
            item.fixturenames.insert(0, "no_task_left")
    if not config.option.markexpr:
        full = [item for item in items if item.get_closest_marker("full")]
        items[:] = [item for item in items if not item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=full)
    longest: dict[Path, float] = {}
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        longest[item.path] = max(longest.get(item.path, 0), _limit_s(item))
        files.setdefault(item.path, []).append(item)
    shares: list[list[pytest.Item]] = [[] for _ in range(WORKERS)]
    for path in sorted(files, key=lambda path: -longest[path]):
        min(shares, key=len).extend(files[path])
    items[:] = chain.from_iterable(shares)


def _limit_s(item: pytest.Item) -> float:
    """The time limit that a test sets itself; 0 = that of all."""
    marker = item.get_closest_marker("timeout")
    return marker.args[0] if marker else 0
