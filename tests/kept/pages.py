"""The pages of the rulebooks as people read them, kept to be compared: lines of text under gzip.

    python -m tests.kept.pages      # keeps them as they are now, for a change that was meant

The difference of the files is not readable, so the test that failed says before which lines become different.
"""

import gzip
from pathlib import Path

from click.testing import CliRunner

from controller.cli.rulebook.rulebook import rulebook
from controller.rules.explain.clause_page import brief
from controller.rules.explain.explain import explanation, headline, page
from controller.rules.read.library import find_coverage
from tests.soak.tables import RULEBOOKS, book

FOLDER = Path(__file__).with_name("pages")


def kept(name: str) -> list[str]:
    """The lines of a page as they were kept."""
    return gzip.decompress((FOLDER / f"{name}.gz").read_bytes()).decode().splitlines()


def keep(name: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.gz").write_bytes(gzip.compress("\n".join(today(name)).encode(), mtime=0))


def today(name: str) -> list[str]:
    """The lines of a page now."""
    commands = ("show", "readings", "coverage", "edge")
    return [
        *(line for command in commands for json in ((), ("--json",)) for line in _said(command, name, *json)),
        *_explained(name),
    ]


def _said(*command: str) -> list[str]:
    run = CliRunner().invoke(rulebook, command)
    assert run.exit_code == 0, run.output
    return run.output.splitlines()


def _explained(name: str) -> list[str]:
    """Each clause of the document, in brief and in full."""
    mine, others = book(name), [book(other) for other in RULEBOOKS if other != name]
    lines = []
    for clause in find_coverage(mine).clauses:
        told = explanation(mine, clause, others)
        lines += [headline(told), *brief(told), *page(told)]
    return lines


if __name__ == "__main__":
    for each in RULEBOOKS:
        keep(each)
