"""Where the segments of a journal lie, and which of them follow on each other. Names say enough; no file is read for it."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from controller.journal.file import Description

__all__ = ["Named", "all_in", "before", "beside", "durable", "in_place"]

NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(\d{12,})-(\d{12,})-[0-9a-f]{16}\.segment")


class Named(NamedTuple):
    """A segment by its name. `first`, `last`: orders of its first and last record."""

    day: str
    first: int
    last: int
    path: Path


def beside(journal: Path, journal_id: str) -> Path:
    """The folder of this journal's own segments on the table's PC; a journal that takes its place has another."""
    return journal.with_name(journal.name + ".segments") / journal_id


def in_place(place: Path, about: Description) -> Path:
    """The folder of this journal's copies in the second place, which tables may share."""
    return place / f"{about.site}-{about.table}" / about.id


def all_in(folder: Path) -> list[Named]:
    """Every segment in a folder by place in the record; [] where there is no such folder. Raises `OSError` on another failure."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    found = (NAME.fullmatch(name) for name in names)
    named = (Named(m[1], int(m[2]), int(m[3]), folder / m[0]) for m in found if m)
    return sorted(named, key=lambda n: (n.first, n.last))


def before(segments: Sequence[Named], order: int) -> list[Named]:
    """The segments that lead without a gap to the record of this order; [] where none ends there."""
    chain: list[Named] = []
    for named in reversed(segments):
        if named.last == (chain[-1].first - 1 if chain else order):
            chain.append(named)
    return chain[::-1]


def durable(path: Path) -> None:
    """A file, or what a folder says of its names, is on the disk when this returns. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
