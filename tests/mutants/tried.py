"""How each change ended, kept in the project by the hash of the function that it changes: a fresh machine goes on from there.

    python -m tests.mutants.tried      # in the root: writes down what stands in `mutants`

A function that has changed since is tried anew, and so is what survived, since a test for it may have come. What was noticed
counts as noticed until its function changes: `make mutants ALL=1` forgets all of it, which is due when tests were taken away.
"""

import gzip
import json
from collections import defaultdict
from pathlib import Path

from tests.mutants.forked import KILLED, SURVIVED, UNTESTED, function_of

KEPT = Path(__file__).with_name("tried.json.gz")
MADE = Path(__file__).resolve().parents[2] / "mutants"
LETTERS = {KILLED: "k", SURVIVED: "s", UNTESTED: "u", None: "."}
"""One for each change of a function, in the order of their numbers."""

Kept = dict[str, dict[str, tuple[str, str]]]
"""By file and function: the hash of the function, and the letters of its changes."""


def recall(kept: Kept, made: Path = MADE) -> int:
    """Fills in what was noticed before, where the function is as it was. Returns how many changes that are."""
    filled = 0
    for meta in _metas(made):
        found = json.loads(meta.read_text())
        known = kept.get(_name(meta, made), {})
        for key, code in found["exit_code_by_key"].items():
            function, number = _split(key)
            hash_, letters = known.get(function, ("", ""))
            same = hash_ == found["hash_by_function_name"].get(function)
            if code is None and same and letters[number - 1 : number] == "k":
                found["exit_code_by_key"][key] = KILLED
                filled += 1
        meta.write_text(json.dumps(found))
    return filled


def remember(made: Path = MADE) -> Kept:
    """What stands in `mutants` now."""
    kept: Kept = {}
    for meta in _metas(made):
        found = json.loads(meta.read_text())
        codes: dict[str, dict[int, str]] = defaultdict(dict)
        for key, code in found["exit_code_by_key"].items():
            function, number = _split(key)
            codes[function][number] = LETTERS.get(code, "k")  # out of time, or killed by a signal
        hashes = found["hash_by_function_name"]
        kept[_name(meta, made)] = {
            function: (hashes[function], "".join(by_number[n] for n in sorted(by_number)))
            for function, by_number in codes.items()
        }
    return kept


def read() -> Kept:
    """What the project keeps; {} where it keeps nothing."""
    return json.loads(gzip.decompress(KEPT.read_bytes())) if KEPT.exists() else {}


def write(kept: Kept) -> None:
    """The same results make the same bytes."""
    KEPT.write_bytes(gzip.compress(json.dumps(kept, sort_keys=True, indent=0).encode(), mtime=0))


def _metas(made: Path) -> list[Path]:
    return sorted(made.glob("controller/*/**/*.py.meta"))


def _name(meta: Path, made: Path) -> str:
    return meta.relative_to(made).with_suffix("").as_posix()


def _split(key: str) -> tuple[str, int]:
    return function_of(key).rpartition(".")[2], int(key.rpartition("__mutmut_")[2])


if __name__ == "__main__":
    write(remember())
