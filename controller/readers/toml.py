"""TOML from bytes, as far as the language has it: whatever a file holds, it is a document or a reason why it is none. Pure.

Python's reader lets pass what no other reader of TOML does (a whole number of any length, tables without end), and ends in
errors of its own where brackets are nested deep; what comes behind it would fail only when it prints such a value.
"""

import re
import tomllib
from functools import lru_cache
from typing import Any

MARK = b"\xef\xbb\xbf"
"""The byte order mark that some editors put before UTF-8."""
MOST_DEPTH = 32
"""Tables and lists inside each other; no file of ours has more than six."""
MIN_NUMBER, MAX_NUMBER = -(2**63), 2**63 - 1
"""The whole numbers of TOML 1.0."""


WHERE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
REMEDIES = {
    "Cannot overwrite a value": "this key is there twice in one table; remove one of the two",
    "Cannot declare": "this table is there twice; put its keys together under one header",
    "Invalid value": 'the value has no known form; write text in quotes, as "md-uth", and yes or no as true or false',
    "Expected '=' after a key": "write KEY = VALUE; a comment begins with #",
    "Expected newline or end of document": "write one key a line, text in quotes and a comment behind #",
    "Invalid statement": "write KEY = VALUE, [table] or a comment behind #",
    "Illegal character": "close the quotes on the line on which they begin",
    "Unterminated string": "close the quotes",
    "Unclosed array": "close the bracket of the list",
}
"""How a message of Python's reader begins -> what to do."""


class TomlInvalid(ValueError):
    """These bytes are no TOML; the text says why, and what to do where that is not plain. `line`: from 1, None = unknown."""

    line: int | None = None


def parse_toml(data: bytes) -> dict[str, Any]:
    """The document in these bytes. Raises `TomlInvalid`, and nothing else."""
    if data.startswith(MARK):
        raise TomlInvalid("it begins with a byte order mark; save it as UTF-8 without one")
    try:
        document = tomllib.loads(data.decode())
    except UnicodeDecodeError as exc:
        raise TomlInvalid(f"byte {exc.start + 1} is no UTF-8; save it as UTF-8") from exc
    except RecursionError as exc:
        raise TomlInvalid(f"it is nested deeper than {MOST_DEPTH} tables or lists") from exc
    except ValueError as exc:  # of tomllib, and of `int` for a number with thousands of digits
        raise _named(str(exc), data) from exc
    _verify(document)
    return document


def _named(message: str, data: bytes) -> TomlInvalid:
    """Returns the fault with its line, what is written there, and what to do."""
    found = WHERE.search(message)
    said = message[: found.start()] if found else message
    remedy = next((do for begins, do in REMEDIES.items() if said.startswith(begins)), "")
    lines = data.decode().splitlines()
    number = int(found[1]) if found and found[1] else len(lines) if found else None
    written = (
        f"{lines[number - 1].strip()!r}: " if number and number <= len(lines) and lines[number - 1].strip() else ""
    )
    fault = TomlInvalid(f"{written}{said}{f'; {remedy}' if remedy else ''}")
    fault.line = number
    return fault


def _verify(document: dict[str, Any]) -> None:
    """What is deeper or larger than TOML has use for. Not recursive, as it looks for what is too deep."""
    level: list[Any] = [document]
    for _ in range(MOST_DEPTH + 1):
        inner: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                inner += value.values()
            elif isinstance(value, list):
                inner += value
            elif isinstance(value, int) and not MIN_NUMBER <= value <= MAX_NUMBER:
                raise TomlInvalid(
                    f"a whole number is not from {MIN_NUMBER} to {MAX_NUMBER}, which is all that TOML has"
                )
        level = inner
        if not level:
            return
    raise TomlInvalid(f"it is nested deeper than {MOST_DEPTH} tables or lists")


_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=""")
_PART = re.compile(r"""\s*\.?\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))""")
Path = tuple[str | int, ...]
"""The way to a value: keys of tables, and places in arrays from 0."""


def line_of(data: bytes, path: Path) -> int | None:
    """The line on which the value at `path` is written, or what it stands in; None for a key that no line names."""
    known = _lines(data)
    return next((known[path[:n]] for n in range(len(path), 0, -1) if path[:n] in known), None)


@lru_cache(maxsize=4)
def _lines(data: bytes) -> dict[Path, int]:
    """Every table and key that begins a line, with the number of that line."""
    found: dict[Path, int] = {}
    places: dict[Path, int] = {}
    head: Path = ()
    inside = False
    for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
        begun_inside, inside = inside, inside ^ bool((line.count('"""') + line.count("'''")) % 2)
        if begun_inside:
            continue
        if header := _HEADER.fullmatch(line):
            head = ()
            for depth, name in enumerate(parts := _parts(header[2]), 1):
                head = (*head, name)
                is_new = depth == len(parts) and header[1] == "[["
                if is_new or head in places:
                    places[head] = places.get(head, -1) + is_new
                    head = (*head, places[head])
            found.setdefault(head, number)
        elif key := _KEY.match(line):
            found.setdefault((*head, *_parts(key[1])), number)
    return found


def _parts(dotted: str) -> list[str]:
    return [part[1] or part[2] or part[3] or "" for part in _PART.finditer(dotted)]
