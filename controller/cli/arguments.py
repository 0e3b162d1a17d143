"""What the commands can be given: numbers and names of files that are what they seem, told apart before anything is done."""

import os
import stat
from math import isfinite
from pathlib import Path
from typing import Any

import click

LARGEST = 2**63 - 1
"""No record has a higher number: SQLite cannot count further."""


class Finite(click.FloatRange):
    """A number of this range; "nan" is in every range that Python compares it with, and no time."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the number; fails for infinity and NaN."""
        found = super().convert(value, param, ctx)
        if not isfinite(found):
            self.fail(f"{value!r} is no finite number", param, ctx)
        return found


class Place(click.Path):
    """A path with a name that something can be put beside; no device, which may be read without end."""

    def __init__(self, **given: Any) -> None:
        super().__init__(path_type=Path, **given)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the path with a file name in it; fails for an empty path."""
        if not os.fspath(value):
            self.fail("a path is wanted, and this one is empty", param, ctx)
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.name:  # "." has none
            path = path.absolute()
        if not path.name:
            self.fail(f"{path} has no name; name a file or a folder in it", param, ctx)
        if is_device(path):
            self.fail(f"{path} is a device, which has no end; name a file", param, ctx)
        return path


def is_device(path: Path) -> bool:
    """Whether a terminal, a disk or something like /dev/zero stands there."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


A_FILE = Place(exists=True, dir_okay=False)
A_PATH = Place()
