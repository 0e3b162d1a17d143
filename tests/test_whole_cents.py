"""Money is whole cents and odds are exact fractions: nothing that cards, law, games and table are made of is a float."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("controller/cards", "controller/rules", "controller/games", "controller/table")
OTHER = {
    "library.py": "joins the parts of a path",
    "loader.py": "joins the parts of a path",
    "reader.py": "measures how alike two words are",
    "time_in_play.py": "tells a time in hours",
}
"""Files that divide, or have a number with a point, for something else than money."""


def of_floats(tree: ast.AST) -> list[str]:
    """What in this source is a float or makes one: its line and what stands there."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=float() as value):
                found.append(f"{node.lineno}: {value}")
            case ast.Name(id="float"):
                found.append(f"{node.lineno}: float")
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                found.append(f"{node.lineno}: /")
    return sorted(found)


def test_no_float_touches_money_or_odds():
    """Neither a number with a point, nor the type, nor a division that would make one."""
    found = [
        f"{path.relative_to(ROOT)}:{what}"
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        if path.name not in OTHER
        for what in of_floats(ast.parse(path.read_text("utf-8")))
    ]
    assert not found, found


def test_a_float_would_be_seen():
    """Each of the three ways in which one comes about."""
    assert of_floats(ast.parse("x = 1.5\ny = float(x)\nz = x / 2")) == ["1: 1.5", "2: float", "3: /"]
