"""The case `md_folded_progressive_rack`: seat 1 folds beside a progressive wager that R-103 = settled has the cards decide."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.rules.elections import proposals
from controller.rules.read.library import find

CASE = Path(__file__).with_name("md_folded_progressive_rack.jsonl")
FOLD, DEALER, HAND = 42, 44, 45
"""Lines of the input: the fold, the dealer's hand, the folded hand."""


def decided(folder: Path, cards: str) -> dict[int, dict[str, dict[str, object]]]:
    """Facts by line and kind, under `R-137 = cards`; what the file does not elect is as proposed."""
    text, book = CASE.with_suffix(".toml").read_text("utf-8"), find("md-uth")
    missing = {q: choice for q, choice in proposals(book).items() if f'"{q}"' not in text} | {"R-137": cards}
    elected = "".join(f'"{q}" = {{ choice = "{choice}", by = "bench" }}\n' for q, choice in missing.items())
    table = folder / "table.toml"
    table.write_text(text.replace("[elections]\n", f"[elections]\n{elected}"), "utf-8")
    told = (
        CliRunner()
        .invoke(cli, ["decide", "--rulebook", "md-uth", "--table", str(table)], CASE.read_bytes())
        .stdout
    )
    found: dict[int, dict[str, dict[str, object]]] = {}
    for line in map(json.loads, told.splitlines()):
        found.setdefault(line["line"], {})[line["kind"]] = line["data"]
    return found


@pytest.mark.parametrize(
    ("cards", "to", "under"), [("recorded", "rack_recorded", ""), ("kept", "under_wager", "progressive")]
)
def test_the_folded_hand_is_told_before_the_rack_or_stays_under_its_wager(tmp_path, cards, to, under):
    """Clause: md-uth 11.F(3)(b), 11.F(3)(d)."""
    found = decided(tmp_path, cards)
    said = found[FOLD]["decision_recorded"]
    assert (said["cards_to"], said.get("under", ""), said["reading"]) == (to, under, "R-137")
    if cards == "recorded":
        assert found[DEALER]["input_refused"]["code"] == "folded_hand_unrecorded"
    else:
        assert "dealer_revealed" in found[DEALER]
    assert found[HAND]["hand_recorded"]["seat"] == 1
