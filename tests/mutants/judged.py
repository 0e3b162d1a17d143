"""Survivors as the report names them, and those that a person has judged: `judged.toml`, each with a reason."""

import tomllib
from pathlib import Path

from mutmut.mutation.diff_apply import get_diff_for_mutant

from tests.mutants.survivor import Survivor

JUDGED = Path(__file__).with_name("judged.toml")


def survivor_of(key: str, path: Path) -> Survivor:
    """`key`: mutmut's name of the change, such as `controller.rules.elections.x_elect__mutmut_4`."""
    lines = get_diff_for_mutant(key, path=path).splitlines()
    was = " ".join(line[1:].strip() for line in lines if line.startswith("-") and not line.startswith("---"))
    now = " ".join(line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++"))
    module, _, mangled = key.rpartition("__mutmut_")[0].rpartition(".")
    function = mangled.removeprefix("xǁ").replace("ǁ", ".") if "ǁ" in mangled else mangled.removeprefix("x_")
    return Survivor(f"{module}.{function}", was, now)


def judged() -> set[Survivor]:
    """Survivors that were looked at, each with a reason why no test has to notice. Raises `SystemExit` for one without."""
    rows = tomllib.loads(JUDGED.read_text()).get("survivor", [])
    if without := [row for row in rows if not row.get("because", "").strip()]:
        raise SystemExit(f"{JUDGED.name}: judged without a reason: {without}")
    return {Survivor(row["function"], row["was"], row["now"]) for row in rows}
