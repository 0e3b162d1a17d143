"""Puts the inputs of a case through `decide`: NAME.jsonl at the table NAME.toml."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.config.load import load_config
from controller.filters.decide import DecideFilter
from controller.rules.elections import proposals
from controller.rules.read.library import find

CASES = Path(__file__).parent


def decided(name: str, **elect: str) -> dict[int, list[dict[str, Any]]]:
    """Facts by the number of the input's line. `elect`: elections beside those of the file, with `_` for `-`; the others
    are as proposed."""
    config = load_config(CASES / f"{name}.toml", alone=True)
    proposed = {question: (choice, "bench") for question, choice in proposals(find(config.table.rulebook)).items()}
    chosen = {question.replace("_", "-"): (choice, "bench") for question, choice in elect.items()}
    lines = DecideFilter(replace(config, elections={**proposed, **config.elections, **chosen}).setup())
    facts: dict[int, list[dict[str, Any]]] = {}
    for number, line in enumerate((CASES / f"{name}.jsonl").read_bytes().splitlines(), 1):
        facts[number] = [json.loads(fact) for fact in lines.feed(line).splitlines()]
    return facts
