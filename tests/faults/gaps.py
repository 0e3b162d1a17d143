"""`python -m tests.faults.gaps`: the ids of the catalogue that lack an injector, a test or a verdict. Exit 1 where any does."""

import ast
import sys
from pathlib import Path

from tests.faults.catalogue import ALL_IDS, Catalogue, load

ROOT = Path(__file__).resolve().parents[2]


def gaps(table: Catalogue) -> list[str]:
    """One line for each id that something is missing of."""
    found = []
    for fault_id in ALL_IDS:
        rows = [row for row in table.rows if row.base == fault_id]
        if not rows:
            found.append(f"{fault_id}: no row")
        for row in rows:
            if row.open:
                found.append(f"{row.id}: open: {row.open}")
            if not row.verdict.because.endswith("."):
                found.append(f"{row.id}: no verdict")
            if row.shown_by and not _exists(row.shown_by):
                found.append(f"{row.id}: {row.shown_by} does not exist")
    return found


def _exists(test: str) -> bool:
    """Whether `path::name` is a test that is there."""
    path, _, name = test.partition("::")
    file = ROOT / path
    if not file.is_file():
        return False
    return any(getattr(node, "name", "") == name for node in ast.walk(ast.parse(file.read_text())))


def main() -> int:
    table = load()
    found = gaps(table)
    for line in found:
        print(line)
    shown = len({row.base for row in table.rows if not row.open})
    print(f"{shown} of {len(ALL_IDS)} faults are shown, in {len(table.rows)} forms; gaps: {len(found) or 'none'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
