"""Whatever stands on a line, `settle` answers it with a settlement or with what is wrong, and goes on."""

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from controller.filters.settle import SettleFilter
from controller.games.settling.round import MOST, Terms
from controller.rules.elections import elect, proposals
from controller.rules.read.library import available, find
from controller.rules.vocabulary import GUARDS_OF

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
ODD: tuple[Any, ...] = (
    None, 0, -1, MOST, MOST + 1, 10**18, 2**64 - 1, 1.5, "", "??", "As Kd", "x", [], {}, ["As"], {"a": 1}, True,
    {"unit": 3}, {"least": {"ante": 5}}, {"trigger": "card_face_up", "state": ["several"]},
)  # fmt: skip
KEYS = ("terms", "irregularity", "meters", "coupons", "played", "shown", "seats", "cards")
DAMAGED = 300


def _filter(name: str) -> SettleFilter:
    book = find(name)
    law = elect(book, {question: (choice, "test") for question, choice in proposals(book).items()})
    return SettleFilter(law, Terms("USD"))


def _example(name: str) -> dict[str, Any]:
    line: dict[str, Any] = json.loads((EXAMPLES / f"settle-{name}.jsonl").read_text())
    return line


def _damaged(line: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The line with something happened in the round, and up to three values gone, added or changed at random."""
    line = copy.deepcopy(line)
    if rng.random() < 0.4:
        trigger = rng.choice(list(GUARDS_OF))
        state = [guard for guard in GUARDS_OF[trigger] if rng.random() < 0.5]
        seat = rng.choice((0, line["seats"][0]["seat"]))
        line["irregularity"] = {"trigger": trigger, "state": state, "seat": seat}
    for _ in range(rng.randint(0, 3)):
        inside = rng.choice(list(_containers(line)))
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        key = rng.choice((*keys, rng.choice(KEYS))) if isinstance(inside, dict) else rng.choice(keys or [None])
        if key is None:
            continue
        if rng.random() < 0.25 and key in keys:
            del inside[key]
        else:
            inside[key] = copy.deepcopy(rng.choice(ODD))
    return line


def _containers(value: Any) -> Any:
    if isinstance(value, dict | list):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from _containers(each)


@pytest.mark.parametrize("name", available())
def test_every_line_is_answered_once_and_never_ends_the_command(name: str) -> None:
    """A settlement whose sums are right, or an error with words in it; a good line after a bad one is settled."""
    rounds, rng, example = _filter(name), random.Random(name), _example(name)
    settled = 0
    for number in range(1, DAMAGED + 1):
        answer = json.loads(rounds.feed(json.dumps(_damaged(example, rng)).encode()))
        assert answer["line"] == number
        if "error" in answer:
            assert len(answer["error"]) > 10
            continue
        settled += 1
        settlement = answer["settlement"]
        for seat in settlement["seats"]:
            lines = [line for line in settlement["lines"] if line["seat"] == seat["seat"]]
            cut = sum(
                c["cut"] for c in settlement.get("cuts", []) if c["seat"] == seat["seat"] and not c.get("held")
            )
            assert seat["back"] == sum(line["returned"] + line["paid"] for line in lines) - cut
    assert rounds.bad == DAMAGED - settled
    assert 0 < settled < DAMAGED
    assert "settlement" in json.loads(rounds.feed(json.dumps(example).encode()))


def test_the_largest_sums_are_exact_and_larger_ones_are_refused() -> None:
    """What could not be written exactly for every reader of JSON is not taken at all."""
    rounds, example = _filter("ma-colorado"), _example("ma-colorado")
    example["seats"][1]["wagers"] = {"ante": MOST, "bet": MOST}
    (ante, *_) = [
        line
        for line in json.loads(rounds.feed(json.dumps(example).encode()))["settlement"]["lines"]
        if line["seat"] == 3
    ]
    assert (ante["returned"], ante["paid"]) == (MOST, 2 * MOST)
    example["seats"][1]["wagers"] = {"ante": MOST + 1, "bet": MOST + 1}
    error = json.loads(rounds.feed(json.dumps(example).encode()))["error"]
    assert error == f"seat 3, ante: is {MOST + 1} cents; a wager is from 0 to {MOST}"
