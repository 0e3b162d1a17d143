"""What users read is in plain words: no phrase of tests/banned_phrases.txt in docs, messages, help texts and docstrings."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LIST = Path(__file__).with_name("banned_phrases.txt")


def banned() -> dict[str, str]:
    """Each phrase with what to write instead."""
    lines = [line for line in LIST.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return dict((part.strip() for part in line.split("->", 1)) for line in lines)  # type: ignore[misc]


@cache
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(re.escape(phrase) for phrase in phrases).replace(r"\ ", r"\s+")
    return re.compile(rf"\b({words})\b", re.I)


def phrases_in(text: str, phrases: dict[str, str]) -> list[str]:
    """The phrases that stand in a text, line breaks and case aside."""
    return [" ".join(found.lower().split()) for found in _pattern(tuple(phrases)).findall(text)]


def texts_of(source: str) -> Iterator[tuple[int, str]]:
    """Every string of a module that has more than one word, with its line: docstrings, messages, help texts."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def _modules() -> list[Path]:
    return [
        path for room in ("controller", "drivers", "simulators") for path in sorted((ROOT / room).rglob("*.py"))
    ]


def test_no_banned_phrase_stands_in_what_users_read() -> None:
    """Pages and strings alike; the message says what to write instead."""
    phrases = banned()
    texts = [(path, 1, path.read_text("utf-8")) for path in PAGES]
    texts += [(path, line, text) for path in _modules() for line, text in texts_of(path.read_text("utf-8"))]
    found = [
        f"{path.relative_to(ROOT)}:{line}: {phrase!r}; write: {phrases[phrase]}"
        for path, line, text in texts
        for phrase in phrases_in(text, phrases)
    ]
    assert not found, "\n".join(found)


def test_a_banned_phrase_would_be_seen() -> None:
    """Over a line break and in capitals too, and never inside another word."""
    phrases = {"let out": "dispense", "is told": "report"}
    assert phrases_in("The card is Let\n   out; this told nobody.", phrases) == ["let out"]
    assert [text for _, text in texts_of('def f():\n    """One two."""\n    raise E(f"it {x} is told")')] == [
        "One two.",
        "it ",
        " is told",
    ]
