"""A table that may not open says so first, with what to elect, and offers nothing that would be refused."""

from pathlib import Path

import pytest

from controller.config.load import load_config
from controller.config.starter import Wanted, methods_of, starter
from controller.rules.read.library import find
from controller.table.acts.permissions import can
from controller.table.acts.possible import PEOPLE, possible
from controller.table.acts.registry import REGISTRY
from controller.table.state.table import Setup, State
from controller.text.next_act import next_act, to_elect
from controller.text.status_page import status_page

BOOK = find("md-uth")


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    text = starter(Wanted(BOOK, "bench", "t1", 6, methods_of(BOOK)[0], (), {}, True))
    file = tmp_path / "t1.toml"
    file.write_text("\n".join(line for line in text.splitlines() if not line.startswith(('"R-01"', '"R-224"'))))
    return load_config(file).setup()


def test_what_to_elect_comes_first_one_a_line(setup: Setup) -> None:
    asked = to_elect(setup, State.initial(setup))
    told = [
        {"reading": q.id, "choices": [c.id for c in q.choices], "cautious": q.cautious, "problem": q.problem}
        for q in asked
    ]
    first, *lines = status_page({"to_elect": told, "next": ""})
    assert first.startswith("MAY NOT OPEN")
    assert lines[0].startswith("ELECT     R-01 = void_and_remove | hold (cautious): ")
    assert lines[1].startswith("ELECT     R-224 = ")


def test_the_next_step_names_the_questions(setup: Setup) -> None:
    found = next_act(setup, State.initial(setup))
    assert found.says.startswith("This table may not open: elect R-01, R-224 in [elections]")
    assert found.act is None


def test_each_offered_act_would_be_accepted(setup: Setup) -> None:
    state = State.initial(setup)
    for kind in (offered := possible(setup, state)):
        tries = REGISTRY[kind].tries
        assert tries is not None
        assert any(can(setup, state, act, person) for act in tries(setup, state) for person in PEOPLE), kind
    assert "open_table" not in offered
    assert "take_device_out" in offered
