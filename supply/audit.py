"""Compares locks with published advisories by pip-audit: `python -m supply.audit PIP_AUDIT LOCK...`.

Exit code 0: each package of each lock was looked up, and nothing is known against it. 1: an advisory is known. 3: NOT RUN, as no
source of advisories answered for one package at least. pip-audit itself calls a package that it could not look up no finding.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from supply.bill import PINNED

NOT_RUN = 3


def asked(tool: str, lock: Path) -> dict[str, Any]:
    """Returns what pip-audit says of a lock; an empty answer where it does not run or reaches nobody."""
    command = [
        tool,
        "--disable-pip",
        "--require-hashes",
        "-r",
        str(lock),
        "--format=json",
        "--progress-spinner=off",
        "--timeout=15",
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        answer = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return {}
    return answer if isinstance(answer, dict) else {}


def judged(lock: Path, answer: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Returns the advisories, one a line, and the packages of the lock that nobody answered for."""
    told = {one["name"]: one for one in answer.get("dependencies", []) if "skip_reason" not in one}
    known = [line for one in told.values() for line in _lines(one)]
    return known, [
        f"{name} {version}" for name, version, _ in PINNED.findall(lock.read_text("utf-8")) if name not in told
    ]


def _lines(told: dict[str, Any]) -> Iterator[str]:
    for one in told["vulns"]:
        mended = ", ".join(one.get("fix_versions", ())) or "no release yet"
        yield f"{told['name']} {told['version']}: {one['id']}; mended in {mended}"


def main(arguments: Sequence[str]) -> int:
    """Asks for each lock."""
    tool, *locks = arguments
    findings, silent, count = set[str](), set[str](), 0
    for lock in map(Path, locks):
        known, unanswered = judged(lock, asked(tool, lock))
        findings |= set(known)
        silent |= set(unanswered)
        count += len(PINNED.findall(lock.read_text("utf-8")))
    print("\n".join(sorted(findings)), end="\n" if findings else "")
    if silent:
        print(f"NOT RUN: no source of advisories answered for {len(silent)} packages: {', '.join(sorted(silent))}")
    elif not findings:
        print(f"advisories: {count} entries of {len(locks)} locks looked up, none is known")
    return 1 if findings else NOT_RUN if silent else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
