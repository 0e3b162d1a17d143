"""A reader holds a file and a function in one look."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE_LINES, FUNCTION_LINES = 400, 60


def sources() -> list[Path]:
    return [p for room in ("controller", "drivers", "simulators") for p in sorted((ROOT / room).rglob("*.py"))]


def test_no_file_is_longer_than_a_reader_can_hold():
    """Files stay under the limit."""
    long = [str(p.relative_to(ROOT)) for p in sources() if len(p.read_text().splitlines()) > FILE_LINES]
    assert not long, long


def test_no_function_is_longer_than_a_screen():
    """Functions stay under the limit, decorators and docstrings included."""
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno >= FUNCTION_LINES
    ]
    assert not long, long
