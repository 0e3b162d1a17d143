"""Changes tried in children of this process: everything is loaded once, and one child dies of one change.

Both steps of `make mutants` come through here. They run in the folder `mutants`, where mutmut keeps for each file of the core
which of its changes were tried, and how each ended.
"""

import argparse
import gc
import json
import os
import resource
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

KILLED, SURVIVED, UNTESTED = 1, 0, 33
"""mutmut's own codes of how a change ended."""

Asked = Callable[[str], bool]
"""Given the name of a change, in a child that runs with it: True where nothing that is asked notices it."""


def asked_for() -> argparse.Namespace:
    """What a step's command line asks for: `modules`, such as controller.table.acts.rounds, all where none; and `processes`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def sources() -> list[Path]:
    """The files that mutmut made, of those that it changes."""
    return [meta.with_suffix("") for meta in sorted(Path().glob("controller/*/**/*.py.meta"))]


def untried(modules: Sequence[str]) -> Iterator[tuple[Path, list[str]]]:
    """Each file's record with the changes of it that nobody has tried."""
    return _ended_so((None,), modules)


def survivors(modules: Sequence[str]) -> Iterator[tuple[Path, list[str]]]:
    """Each file's record with the changes of it that no test noticed that was asked, or that none runs."""
    return _ended_so((SURVIVED, UNTESTED), modules)


def _ended_so(wanted: Sequence[int | None], modules: Sequence[str]) -> Iterator[tuple[Path, list[str]]]:
    for meta in sorted(Path().glob("controller/*/**/*.py.meta")):
        codes = json.loads(meta.read_text())["exit_code_by_key"]
        if keys := [key for key, ended in codes.items() if ended in wanted and _is_asked(key, modules)]:
            yield meta, keys


def keep(meta: Path, ended: Mapping[str, int]) -> None:
    """Writes how these changes ended into the file's record. A run that is stopped goes on from there."""
    found = json.loads(meta.read_text())
    found["exit_code_by_key"] |= ended
    meta.with_suffix(".new").write_text(json.dumps(found))
    meta.with_suffix(".new").replace(meta)


def tried(keys: Sequence[str], survives: Asked, *, limit_s: int, processes: int) -> Iterator[tuple[str, bool]]:
    """Each change and whether it was noticed, as they end: by what differs, by what raises, or by never coming to an end.

    `limit_s`: seconds of the processor after which a child is given up, which is noticing.
    """
    gc.collect()
    gc.freeze()  # what is not moved about is not copied into each child
    running: dict[int, str] = {}
    for key in keys:
        if len(running) == processes:
            yield _ended(running)
        running[_child(key, survives, limit_s)] = key
    while running:
        yield _ended(running)


def function_of(key: str) -> str:
    """The function as mutmut mangles its name, which several changes share."""
    return key.rpartition("__mutmut_")[0]


def _is_asked(key: str, modules: Sequence[str]) -> bool:
    return not modules or any(key.startswith(f"{module}.") for module in modules)


def _ended(running: dict[int, str]) -> tuple[str, bool]:
    pid, status = os.wait()
    return running.pop(pid), status != 0


def _child(key: str, survives: Asked, limit_s: int) -> int:
    child = os.fork()
    if child:
        return child
    os.environ["MUTANT_UNDER_TEST"] = key
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    void = os.open(os.devnull, os.O_WRONLY)
    os.dup2(void, 1)
    os.dup2(void, 2)
    code = KILLED
    try:
        code = SURVIVED if survives(key) else KILLED
    finally:
        os._exit(code)
