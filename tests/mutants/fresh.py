"""One change in an interpreter of its own: what the core works out as it is imported, no child that was forked can change.

MUTANT_UNDER_TEST=KEY python -m tests.mutants.fresh     # in the folder `mutants`; exit code 0 where nothing is noticed
"""

import os
import subprocess
import sys

from tests.kept import days
from tests.soak.tables import RULEBOOKS

LIMIT_S = 120.0


def noticed(key: str) -> bool:
    """True where an import or a kept day of one of the rulebooks fails, differs, or never comes to an end."""
    command = [sys.executable, "-m", "tests.mutants.fresh"]
    try:
        done = subprocess.run(
            command, env=os.environ | {"MUTANT_UNDER_TEST": key}, capture_output=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main() -> int:
    """Returns the exit code: 0 where the first kept day of each rulebook is decided as ever."""
    for rulebook in RULEBOOKS:
        setup, kept = days.read(sorted(days.FOLDER.glob(f"{rulebook}*.gz"))[0])
        if list(days.decide_all(setup, list(days.inputs_of(kept)))) != kept:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
