"""What the golden days show of each type of event: an example, the classes of devices, the clauses that it cited.

`seen.json` is made by `python -m tests.kept.catalogue`. `released.json` holds the schemas of the newest release and of those
before it.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

FOLDER = Path(__file__).parent


class Shown(Struct, frozen=True):
    """What was seen of one type. `clauses`: rulebook -> its articles; `example`: a body, or a whole message."""

    example: dict[str, Any]
    classes: tuple[str, ...] = ()
    clauses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Released(Struct, frozen=True):
    """The schemas of each type that a release has published, by name."""

    release: str
    schemas: dict[str, dict[str, Any]]


@cache
def seen() -> Mapping[str, Shown]:
    """Returns what was seen of each type, by its name."""
    return msgspec.json.decode((FOLDER / "seen.json").read_bytes(), type=dict[str, Shown])


@cache
def released() -> Released:
    """Returns the schemas of the newest release."""
    return msgspec.json.decode((FOLDER / "released.json").read_bytes(), type=Released)
