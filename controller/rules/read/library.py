"""Where rulebooks lie, and how one is found by its id."""

from pathlib import Path
from typing import NamedTuple

from controller.readers.fault import Fault
from controller.readers.nearest import nearest
from controller.rules.explain.coverage import Coverage, CoverageInvalid, parse_coverage
from controller.rules.explain.house_edge import Edges, EdgesInvalid, parse_edges
from controller.rules.model import Rulebook
from controller.rules.read.loader import ClausesUnusable, RulebookInvalid, clause_ids, load_rulebook, whole

HOUSE = Path(__file__).resolve().parents[3] / "config" / "rulebooks"
"""In a source tree: the rulebooks beside the code."""

INSTALLED = Path(__file__).resolve().parents[2] / "_config" / "rulebooks"
"""In an installed package: the same files, carried inside it."""


class RulebookUnknown(Exception):
    """There is no rulebook with this id in the directory."""

    def __init__(self, rulebook: str, directory: Path, known: tuple[str, ...]) -> None:
        super().__init__(f"no rulebook {rulebook!r} in {directory} {nearest(rulebook, known)}")
        self.rulebook, self.directory, self.known = rulebook, directory, known


def shipped(part: str = "rulebooks") -> Path:
    """Returns the directory of the rulebooks, or of another part of `config/`, that came with this software.

    Raises `FileNotFoundError` if there is none.
    """
    installed, house = INSTALLED.with_name(part), HOUSE.with_name(part)
    for directory in (installed, house):
        if directory.is_dir():
            return directory
    raise FileNotFoundError(f"no {part}: neither {installed} nor {house} is there")


def available(directory: Path | None = None) -> tuple[str, ...]:
    """Names that `find` knows: `<id>`, or `<id>@<edition>` where an edition is kept beside a later one."""
    where = shipped() if directory is None else directory
    return tuple(sorted(path.stem for path in where.glob("*.toml")))


def find(rulebook: str, directory: Path | None = None) -> Rulebook:
    """The rulebook of this name, from `directory` or from those shipped.

    Raises `RulebookUnknown` where there is none, `RulebookInvalid` with all faults where its file is not sound.
    """
    where = shipped() if directory is None else directory
    known = available(where)
    if rulebook not in known:
        raise RulebookUnknown(rulebook, where, known)
    path = where / f"{rulebook}.toml"
    try:
        return load_rulebook(path)
    except FileNotFoundError as exc:
        raise RulebookInvalid(
            path, [Fault("file", "it is a link to nothing, or was taken away just now", "not_readable")]
        ) from exc


class _Made(NamedTuple):
    """A coverage that was read, and what it was read from: a start asks for it three times."""

    rulebook: Rulebook
    text: tuple[list[str], bytes]
    coverage: Coverage


_COVERAGES: list[_Made] = []
_KEPT = 8


def find_coverage(rulebook: Rulebook, directory: Path | None = None) -> Coverage:
    """How each clause of this rulebook is carried out, from `clauses/<id>.coverage.toml`.

    Raises `CoverageInvalid` with all faults, also where the file is missing or cannot be read.
    """
    where = (shipped() if directory is None else directory) / "clauses"
    path = where / f"{rulebook.id}.coverage.toml"
    try:
        ids, data = clause_ids(where / f"{rulebook.id}.txt"), whole(path)
    except ClausesUnusable as exc:
        raise CoverageInvalid(str(path), [Fault("file", str(exc), "not_readable")]) from exc
    except FileNotFoundError:
        raise CoverageInvalid(str(path), [Fault("file", "it is missing", "not_readable")]) from None
    except OSError as exc:
        raise CoverageInvalid(
            str(path), [Fault("file", f"cannot be read: {exc.strerror}", "not_readable")]
        ) from exc
    for made in _COVERAGES:
        if made.rulebook is rulebook and made.text == (ids, data):
            return made.coverage
    coverage = parse_coverage(data, rulebook, ids, str(path))
    _COVERAGES.insert(0, _Made(rulebook, (ids, data), coverage))
    del _COVERAGES[_KEPT:]
    return coverage


def find_edges(rulebook: Rulebook, directory: Path | None = None) -> Edges:
    """What each wager of this rulebook brings the house, from `edges/<id>.json`; nothing where there is no such file.

    Raises `EdgesInvalid`.
    """
    path = (shipped() if directory is None else directory) / "edges" / f"{rulebook.id}.json"
    try:
        data = whole(path)
    except FileNotFoundError:
        data = b"[]"
    except OSError as exc:
        raise EdgesInvalid(str(path), f"cannot be read: {exc.strerror}") from exc
    return parse_edges(data, rulebook, str(path))
