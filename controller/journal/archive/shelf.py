"""Finds a journal's segments and their order by their names; reads no file."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from controller.journal.disk.file import Description

NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(\d{12,})-(\d{12,})-[0-9a-f]{16}\.segment")


class Named(NamedTuple):
    """A segment by its name. `first`, `last`: order numbers of its first and last record."""

    day: str
    first: int
    last: int
    path: Path


def beside(journal: Path, journal_id: str) -> Path:
    """Returns the folder of this journal's own segments on the table's PC."""
    return journal.with_name(journal.name + ".segments") / journal_id


def in_place(place: Path, about: Description) -> Path:
    """Returns the folder of this journal's copies in the second place, which tables may share."""
    return place / f"{about.site}-{about.table}" / about.id


def all_in(folder: Path) -> list[Named]:
    """Returns every segment in a folder by place in the record; [] without the folder. Raises `OSError`."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    found = (NAME.fullmatch(name) for name in names)
    named = (Named(m[1], int(m[2]), int(m[3]), folder / m[0]) for m in found if m)
    return sorted(named, key=lambda n: (n.first, n.last))


def before(segments: Sequence[Named], order: int) -> list[Named]:
    """Returns the segments that lead without a gap to this order number; [] if none ends there."""
    chain: list[Named] = []
    for named in reversed(segments):
        if named.last == (chain[-1].first - 1 if chain else order):
            chain.append(named)
    return chain[::-1]


def durable(path: Path) -> None:
    """Makes a file, or a folder's names, durable. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
