"""The codes that the sources raise, found in them without running them."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def refusals() -> set[str]:
    """Of acts, by `Refusal(..., code=...)`; and the codes that a contradictory statement is given."""
    return _keyword("controller/table", "Refusal") | {
        "irregularity_contradicts", "settlement_contradicts", "stub_count_contradicts"
    }  # fmt: skip


def holds() -> set[str]:
    """By `draft.hold(..., code=...)`; the trigger of a row is a code as well."""
    return _keyword("controller/table", "hold")


def faults() -> set[str]:
    """Of files: the code is the third argument of a fault."""
    found = set()
    for folder in (
        "controller/config",
        "controller/readers",
        "controller/rules",
        "controller/cli",
        "controller/games",
        "simulators/scenario",
    ):
        for call in _calls(folder):
            name = ast.unparse(call.func).rpartition(".")[2]
            if name in ("fault", "Fault"):
                found |= {arg.value for arg in call.args[2:3] if isinstance(arg, ast.Constant)}
    return found


def lines() -> set[str]:
    """Of lines of `decide` and `settle`: the second argument of `LineRefused`."""
    calls = (call for folder in ("controller/filters", "controller/readers") for call in _calls(folder))
    mine = (call for call in calls if ast.unparse(call.func).rpartition(".")[2] in ("LineRefused", "Unread"))
    return {arg.value for call in mine for arg in call.args[1:2] if isinstance(arg, ast.Constant)}


def without_code() -> list[str]:
    """Refusals and holds that are raised without a code."""
    return [
        f"{ast.unparse(call)[:100]}"
        for call in _calls("controller/table")
        if ast.unparse(call.func).rpartition(".")[2] in ("Refusal", "hold")
        and not (len(call.args) > 2 or any(keyword.arg == "code" for keyword in call.keywords))
        and not ast.unparse(call.func).startswith("statements.")
    ]


def _keyword(folder: str, name: str) -> set[str]:
    named = {}
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                named |= {target.id: node.value.value for target in node.targets if isinstance(target, ast.Name)}
    found = set()
    for call in _calls(folder):
        if ast.unparse(call.func).rpartition(".")[2] == name:
            for value in (keyword.value for keyword in call.keywords if keyword.arg == "code"):
                found.add(value.value if isinstance(value, ast.Constant) else named.get(ast.unparse(value), ""))
    return {code for code in found if isinstance(code, str)} - {""}


@cache
def _calls(folder: str) -> tuple[ast.Call, ...]:
    trees = [ast.parse(path.read_text()) for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple(node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
