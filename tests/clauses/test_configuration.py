"""Clauses that are carried out before a table opens: what its configuration may say, and what it is refused for."""

from pathlib import Path
from typing import Any

import pytest

from controller.config.load import read_config
from tests.clauses import texts

CONFIG = frozenset({"name", "method", "seats", "backs", "devices", "offered", "elect", "fault"})


def cases() -> list[Any]:
    found = []
    for path, raw in texts.of_book().items():
        for case in raw.get("config", []):
            found.append(
                pytest.param(path.parent.name, case, id=f"{path.parent.name}/{path.stem}: {case['name']}")
            )
    return found


@pytest.mark.parametrize(("rulebook", "case"), cases())
def test_a_table_is_configured_as_the_clause_has_it(rulebook: str, case: dict[str, Any], tmp_path: Path) -> None:
    """A table dealt this way, with so many seats, these sets, devices and wagers, has exactly this fault, or none."""
    assert set(case) <= CONFIG, f"unknown {sorted(set(case) - CONFIG)}"
    path = tmp_path / "table.toml"
    path.write_text(
        f'[table]\nsite = "s"\nid = "t"\nseats = {case.get("seats", 6)}\nrulebook = "{rulebook}"\nmethod = "{case["method"]}"\n'
        f"backs = {case.get('backs', ['red'])}\noffered = {case.get('offered', [])}\n"
        '[journal]\npath = "j"\n'
        + "".join(
            f'[[device]]\nname = "{kind}-1"\nkind = "{kind}"\npath = "/run/{kind}"\nserial = "SIM-{kind}"\n'
            for kind in case.get("devices", [])
        )
        + "".join(
            f'[elections."{question}"]\nchoice = "{choice}"\nby = "test"\n'
            for question, choice in case.get("elect", {}).items()
        )
    )
    faults = read_config(path).faults
    if "fault" in case:
        (fault,) = faults
        assert case["fault"] in fault
    else:
        assert faults == ()
