"""What the commands of all simulators have in common besides their options: the record's file, and repeatable chance."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TextIO

import click


@contextlib.contextmanager
def record(path: Path | None) -> Iterator[TextIO]:
    """The file to write the record into, None = standard output."""
    if path is None:
        yield sys.stdout
        return
    try:
        out = path.open("a", encoding="utf-8")
    except OSError as exc:
        raise click.ClickException(f"{path}: {exc.strerror}") from exc
    with out:
        yield out


def seeded(seed: int, serial: str, purpose: str) -> Random:
    """Chance that can be repeated, apart for each device and purpose. Nothing here is a secret."""
    return Random(f"{seed}/{serial}/{purpose}")  # noqa: S311


def folders_exist(*paths: Path | None) -> None:
    """Raises `ClickException` for a name in a folder that is not there."""
    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise click.ClickException(f"{path.parent}: no such directory")
