"""Runs a case file: the lines of NAME.jsonl at the table of NAME.toml, decided by the pure core."""

import json
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from controller.config.load import load_config
from controller.config.model import Config
from controller.filters.decide import DecideFilter
from controller.rules.elections import proposals
from controller.rules.read.library import find

CASES = Path(__file__).resolve().parent


class Case:
    """`facts`: what followed from each line, by its number from 1; `state`: of the table after the last."""

    def __init__(self, name: str, **elections: str) -> None:
        """`elections`: what this run elects in the place of the file, `R_151="hold"`; what neither answers is as proposed."""
        config = _config(name, {question.replace("_", "-"): choice for question, choice in elections.items()})
        proposed = {q: (choice, "case") for q, choice in proposals(find(config.table.rulebook)).items()}
        lines = DecideFilter(replace(config, elections=proposed | {**config.elections}).setup())
        given = (CASES / f"{name}.jsonl").read_bytes().splitlines()
        self.facts = {n: [json.loads(x) for x in lines.feed(line).splitlines()] for n, line in enumerate(given, 1)}
        self.state = lines.state

    def of(self, line: int, kind: str) -> list[dict[str, Any]]:
        """The data of each fact of this kind that followed from the line."""
        return [fact["data"] for fact in self.facts[line] if fact["kind"] == kind]

    def refused(self, line: int) -> tuple[str, list[str]]:
        """The code and the clauses of the refusal that the line met with."""
        (refused,) = self.of(line, "input_refused")
        return refused["code"], refused["cite"]

    def accepted_before(self, line: int) -> bool:
        """Whether every earlier line was accepted, so that the one looked at stands where the case means it."""
        return not any(self.of(n, "input_refused") for n in self.facts if n < line)


def _config(name: str, elections: dict[str, str]) -> Config:
    """The file of the table, with these elections in it."""
    text = (CASES / f"{name}.toml").read_text("utf-8")
    for question, choice in elections.items():
        text = re.sub(rf'(?m)^"{question}" = .*\n', "", text)
        text = text.replace(
            "[elections]\n", f'[elections]\n"{question}" = {{ choice = "{choice}", by = "case" }}\n'
        )
    with TemporaryDirectory() as directory:
        path = Path(directory) / f"{name}.toml"
        path.write_text(text, "utf-8")
        return load_config(path, alone=True)
