"""Runs a case file: the lines of NAME.jsonl at the table of NAME.toml, decided by the pure core."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.config_file import load_config
from controller.decide_filter import DecideFilter
from controller.rules.elections import proposals
from controller.rules.library import find

CASES = Path(__file__).resolve().parent


class Case:
    """`facts`: what followed from each line, by its number from 1; `state`: of the table after the last."""

    def __init__(self, name: str, **elections: str) -> None:
        """`elections`: what this run elects beside the file; a question that neither answers gets its proposed choice."""
        config = load_config(CASES / f"{name}.toml", alone=True)
        proposed = proposals(find(config.table.rulebook)) | {q.replace("_", "-"): c for q, c in elections.items()}
        asked = {question: (choice, "case") for question, choice in proposed.items()}
        elected = {
            question: e for question, e in config.elections.items() if question.replace("-", "_") not in elections
        }
        lines = DecideFilter(replace(config, elections=asked | elected).setup())
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
