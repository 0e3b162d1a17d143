"""`python -m tests.faults.look [ID ...]`: plays faults of the table and prints what came of each, and what is wrong.

With no id all of them.
"""

import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.faults.catalogue import load
from tests.faults.judge import judge
from tests.faults.play import play
from tests.faults.virtual import run_virtual

MOST_S = 120
"""Real seconds for one fault: a run that stands still in virtual time is broken, too."""


def _too_long(*_: object) -> None:
    raise TimeoutError(f"it ran for over {MOST_S} s")


def main(ids: list[str]) -> int:
    faults = 0
    signal.signal(signal.SIGALRM, _too_long)
    for row in load().played:
        if ids and row.id not in ids:
            continue
        began = time.perf_counter()
        signal.alarm(MOST_S)
        with tempfile.TemporaryDirectory() as room:
            try:
                played, wrong = run_virtual(play(row, Path(room), judge))
            except (AssertionError, Exception) as exc:
                print(f"{row.id} BROKE {exc!r}"[:1500])
                if ids:
                    traceback.print_exc()
                faults += 1
                continue
        faults += bool(wrong)
        took = time.perf_counter() - began
        print(
            f"{row.id} {'WRONG' if wrong else 'as expected'} {took:.2f} s, back after {played.back_s:.2f}: {played.facts}"
        )
        print(f"    because of {played.reasons}, unproven {played.unproven}")
        print(
            f"    counts {dict(played.counts)} turns/s {played.turns_per_s:.0f} frames/s {played.frames_per_s:.1f}"
        )
        for what in wrong:
            print(f"    {what}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
