"""After a run that failed: its failures once more, alone and in order, when there are few.

Some tests start a whole table in processes of its own and hold it to seconds of real time. Three workers on two cores can
be too slow for that, and so can a neighbour of a virtual machine. What fails alone too is a fault; what passes is printed
as `passed alone`, so that nobody takes it for a test that always passes. Exit codes as pytest's.
"""

import json
import subprocess
import sys
from pathlib import Path

FEW = 3
"""More failures than this are no matter of load."""
FAILED = Path(".pytest_cache/v/cache/lastfailed")


def main() -> int:
    failed = sorted(json.loads(FAILED.read_text())) if FAILED.exists() else []
    if not 0 < len(failed) <= FEW:
        print(f"{len(failed)} tests failed: none is run again")
        return 1
    print("run again, alone:", *failed, sep="\n  ", flush=True)
    code = subprocess.run([sys.executable, "-m", "pytest", "-q", *failed], check=False).returncode
    if code == 0:
        print("passed alone:", *failed, sep="\n  ")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
