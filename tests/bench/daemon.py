"""The daemon as the bench starts it: one table under md-uth, whose only device is an ASCII line, or one that speaks TDP/1."""

import sys
from pathlib import Path

from controller.rules.elections import proposals
from controller.rules.read.library import find

RULEBOOK = "md-uth"


def config_text(kind: str, terminal: str, port: int, work: Path) -> str:
    elections = "\n".join(
        f'"{question}" = {{ choice = "{choice}", by = "bench" }}'
        for question, choice in proposals(find(RULEBOOK)).items()
    )
    return f"""
[table]
site = "bench"
id = "t1"
seats = 6
rulebook = "{RULEBOOK}"
method = "manual_shoe"
backs = ["red"]
offered = ["trips"]

[elections]
{elections}

[[device]]
name = "dut-1"
kind = "{kind}"
path = "{terminal}"

[journal]
path = "{work}/journal.db"

[mqtt]
host = "127.0.0.1"
port = {port}
client_id = "t1"

[control]
socket = "{work}/control.sock"
people = [{{ name = "bench", roles = ["supervisor"] }}]

[log]
level = "warning"
"""


def command(terminal: str, port: int, work: Path, kind: str = "line") -> list[str]:
    path = work / "table.toml"
    path.write_text(config_text(kind, terminal, port, work))
    return [sys.executable, "-m", "controller.cli", "run", "--config", str(path)]
