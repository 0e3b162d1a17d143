"""The files of clauses, each read once for all who look for cases in it."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


@cache
def of_book(book: str = "*") -> dict[Path, dict[str, Any]]:
    """The files of one document, or of all, in order. Nobody changes what they hold."""
    return {path: _read(path) for path in sorted(HERE.glob(f"{book}/*.toml"))}


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))
