"""Acts that contradict themselves, exact amounts that were not held, and one act that did what another one refuses."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from controller.cli.filters.decide import example_setup
from controller.config.load import load_config
from controller.config.model import ConfigInvalid
from controller.filters.decide import DecideFilter
from controller.rules.elections import proposals
from controller.rules.read.library import find
from controller.table.state.table import Setup

HERE = Path(__file__).parent
Told = list[dict[str, Any]]
Decided = Callable[..., dict[int, Told]]


def setup_of(name: str, rulebook: str) -> Setup:
    """The table of a case; what it elects nothing about is proposed."""
    proposed = {question: (choice, "bench") for question, choice in proposals(find(rulebook)).items()}
    path = HERE / f"{name}.toml"
    if not path.exists():
        return example_setup(find(rulebook), proposed)
    config = load_config(path, alone=True)
    return replace(config, elections={**proposed, **config.elections}).setup()


@pytest.fixture
def decided() -> Decided:
    """Facts of a case by the number of the line, after its lines and any `more` copies of the last one."""

    def decide(name: str, rulebook: str, more: int = 0) -> dict[int, Told]:
        lines = (HERE / f"{name}.jsonl").read_bytes().splitlines()
        core = DecideFilter(setup_of(name, rulebook))
        given = [*lines, *lines[-1:] * more]
        return {n: [json.loads(told) for told in core.feed(line).splitlines()] for n, line in enumerate(given, 1)}

    return decide


def test_a_stub_count_that_contradicts_itself_is_asked_again(decided):
    (refused,) = decided("ma_stub_count_contradicts_itself", "ma-uth")[22]
    assert (refused["kind"], refused["data"]["code"]) == ("input_refused", "stub_count_contradicts")
    assert refused["data"]["cite"] == ["7(f)(2)"]


def test_a_stub_count_that_contradicts_itself_twice_holds_play(decided):
    facts = decided("ma_stub_count_contradicts_itself", "ma-uth", more=1)[23]
    assert [fact["kind"] for fact in facts] == ["stub_counted", "hold_placed"]
    assert facts[-1]["data"]["code"] == "stub_count_contradicts"


def test_a_progressive_of_one_dollar_is_no_progressive_here():
    """The file is refused at load. Clause: ma-uth 14(a)."""
    with pytest.raises(ConfigInvalid) as refused:
        setup_of("ma_progressive_1_dollar", "ma-uth")
    (fault,) = [fault for fault in refused.value.faults if "progressive_cents" in fault]
    assert fault.endswith("a progressive wager is exactly 500 cents (14(a)), and 100 is set; set 500")


def test_a_round_is_not_settled_with_a_payout_that_nobody_validated(decided):
    """The light is off, so the payout is not validated; neither act pays it. Clause: md-uth 11.J(2)."""
    facts = decided("md_progressive_light_off_settle_round", "md-uth")
    (light_off,), (refused,) = facts[43], facts[44]
    assert light_off["data"]["code"] == "light_off"
    assert refused["data"]["code"] == "progressive_not_validated"
    assert refused["data"]["cite"] == ["11.J(2)(a)", "11.J(2)(b)", "11.J(2)(c)"]


def test_a_deck_change_at_a_table_that_a_shuffler_deals_cites_no_time_of_others(decided):
    """No time is printed for cards that a shuffler hands out, and R-06 says which one holds. Clause: md-uth 3.C."""
    facts = decided("md_deck_change_shuffler_cite", "md-uth")[19]
    made, duty = (
        next(fact["data"] for fact in facts if fact["kind"] == k) for k in ("disposition_made", "duty_opened")
    )
    assert (made["cite"], made["demands"]) == (
        ["3.C"],
        [{"action": "change_set", "cite": [], "reading": "R-06"}],
    )
    assert (duty["action"], duty["cite"], duty["reading"]) == ("change_set", [], "R-06")
