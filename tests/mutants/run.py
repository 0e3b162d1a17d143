"""`make mutants`: each line of the core is changed in turn, and a test has to fail; what survives is listed and judged.

    python -m tests.mutants.run [controller/table/acts/rounds.py ...] [--processes N] [--report] [--all]

Three steps: mutmut makes the changes and finds out which tests reach what; `first` asks what the kept days notice; `then` puts
what is left to the tests. Without a module all of `controller/rules` and `controller/table` is tried. What was noticed before and
has not changed since is not tried again (`mutants/` here, and `tried.json.gz` in the project keep it), and a run that was stopped
goes on; `--all` begins anew, which takes hours.
Survivors are compared with `judged.toml`. Words for people may change without a test that notices, and so may the `strict` of a
`zip` whose parts are equally long: survivors that change only these are counted and not listed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.mutants import tried
from tests.mutants.judged import judged, survivor_of
from tests.mutants.survivor import Survivor

ROOT = Path(__file__).resolve().parents[2]
SURVIVED, UNTESTED, TIMED_OUT = 0, 33, (24, 36, 152, 255, -24)
FEW = "controller.rules.parts.*"
"""mutmut makes all changes before it tries these; with a name given it tries no others, which it would do one test run each."""


def main() -> int:
    """Returns the exit code: 0, or 1 where a survivor is not judged, or a judgement has nothing to judge any more."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", type=Path, help="files of the core; all of it where none is named")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--report", action="store_true", help="only tell what was found before")
    parser.add_argument("--all", action="store_true", help="forget what was noticed on other machines and days")
    given = parser.parse_args()
    names = [".".join(module.with_suffix("").parts) for module in given.modules]
    if given.all:
        shutil.rmtree(ROOT / "mutants", ignore_errors=True)
    if not given.report:
        _try(names, given.processes, {} if given.all else tried.read())
    return report(names)


def _try(names: list[str], processes: int, kept: tried.Kept) -> None:
    """mutmut runs in the root of the project, where its configuration stands; the steps after it among what it made."""
    mutmut = str(Path(sys.executable).with_name("mutmut"))
    subprocess.run([mutmut, "run", "--max-children", str(processes), FEW], cwd=ROOT, check=True)
    print(f"{tried.recall(kept)} changes were noticed before")
    for step in ("first", "then"):
        command = [sys.executable, "-m", f"tests.mutants.{step}", "--processes", str(processes), *names]
        subprocess.run(command, cwd=ROOT / "mutants", check=True)
    tried.write(tried.remember())


def report(names: list[str]) -> int:
    """Prints what was found in these modules, by function."""
    looked_at = judged()
    open_still: list[Survivor] = []
    met: set[Survivor] = set()
    for meta in sorted((ROOT / "mutants").rglob("*.py.meta")):
        path = meta.relative_to(ROOT / "mutants").with_suffix("")
        name = ".".join(path.with_suffix("").parts)
        if names and name not in names:
            continue
        codes = json.loads(meta.read_text())["exit_code_by_key"]
        counts = Counter(_ended(code) for code in codes.values())
        survivors = [survivor_of(key, path) for key, code in codes.items() if code in (SURVIVED, UNTESTED)]
        worded = [s for s in survivors if s.words_only]
        strict = [s for s in survivors if s.strict_only]
        met |= set(survivors)
        open_here = [s for s in survivors if not (s.words_only or s.strict_only) and s not in looked_at]
        open_still += open_here
        if codes:
            said = ", ".join(f"{many} {ended}" for ended, many in sorted(counts.items()))
            print(
                f"{path}: {said}; of the survivors {len(worded)} change words only, {len(strict)} only a strict `zip`, "
                f"{len(open_here)} are not judged"
            )
    for survivor in sorted(open_still, key=lambda s: s.function):
        print(f"\n{survivor.function}\n  - {survivor.was}\n  + {survivor.now}")
    tried = {name.rpartition(".")[0] for name in (s.function for s in met)} if names else None
    stale = [s for s in looked_at if s not in met and (tried is None or s.function.rpartition(".")[0] in tried)]
    for survivor in stale:
        print(f"\njudged, and survives no more: {survivor.function}\n  - {survivor.was}\n  + {survivor.now}")
    return 1 if open_still or stale else 0


def _ended(code: int | None) -> str:
    if code is None:
        return "not tried"
    return {SURVIVED: "survived", UNTESTED: "without a test"}.get(
        code, "timed out" if code in TIMED_OUT else "killed"
    )


if __name__ == "__main__":
    sys.exit(main())
