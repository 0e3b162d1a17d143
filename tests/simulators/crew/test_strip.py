"""The bench strip: people stop, play on, leave the dealer's part to somebody, and let a fault happen, as they are told."""

import asyncio
import json

import pytest

from simulators.crew.scenario import MISHAPS, Cue
from simulators.crew.strip import Strip, served
from simulators.crew.table import Mode, Settings, Table
from simulators.crew.talk import Talk
from simulators.crew.view import TableView


@pytest.fixture
def table(tmp_path):
    return Table(Settings(tmp_path / "c.sock", {"shoe": ("shoe-1", tmp_path / "s.sock")}))


@pytest.fixture
def strip(table):
    return Strip(table, {"identities": "the shuffler reads no cards here"})


def asked(strip, **request):
    return strip.answer(json.dumps(request).encode())


def test_every_scene_and_every_fault_of_the_devices_here_is_offered(strip):
    state = asked(strip, act="state")
    assert [scene["name"] for scene in state["scenes"]] == list(MISHAPS)
    assert {d["name"].split(".")[0] for d in state["devices"]} == {"shoe"}
    assert "shoe.jam_dealing" in [d["name"] for d in state["devices"]]
    assert all(d["effect"] for d in state["devices"])


def test_modes_are_taken_and_a_forward_ends_in_a_pause(strip, table):
    for mode in ("pause", "dealt", "hands", "crew"):
        assert asked(strip, act="mode", mode=mode)["mode"] == mode
    assert asked(strip, act="forward", rounds=3)["mode"] == "forward"
    assert table.forward_to == table.view.number + 3


def test_who_deals_leaves_bets_floor_and_technician_to_the_people(table):
    table.mode = Mode.DEALT
    acts = [
        ("end_round", "dealer"),
        ("record_decision", "player"),
        ("place_wager", "player"),
        ("resolve_hold", "floorperson"),
    ]
    assert [table._is_somebody_elses(*act) for act in acts] == [True, True, False, False]
    table.mode = Mode.HANDS
    assert all(table._is_somebody_elses(*act) for act in acts)


@pytest.mark.parametrize(
    ("phase", "name", "round_"),
    [("", "method", 4), ("betting", "method", 5), ("betting", "shoe_jam", 4), ("dealing", "shoe_jam", 5),
     ("dealing", "exposed", 4), ("flop", "exposed", 5)],
)  # fmt: skip
def test_a_fault_waits_for_the_next_round_once_its_moment_is_over(strip, table, phase, name, round_):
    in_round = {"number": 4, "phase": phase} if phase else None
    table.view = TableView({"round": in_round, "rounds": 3})
    state = asked(strip, act="fault", name=name)
    assert [(m["name"], m["round"]) for m in state["coming"]] == [(name, round_)]
    assert table.scenario.expects(round_, MISHAPS[name].cue)


def test_what_cannot_happen_is_refused_with_the_reason(strip):
    assert asked(strip, act="fault", name="identities")["error"].endswith("the shuffler reads no cards here")
    assert "did you mean" in asked(strip, act="fault", name="shoe_jamm")["error"]


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b'"x"', b'{"act":"mode","mode":"x"}', b'{"act":"forward","rounds":"x"}']
)
def test_a_line_that_is_no_request_is_answered(strip, line):
    assert strip.answer(line)["ok"] is False


async def test_the_socket_answers_line_by_line(strip, tmp_path):
    path = tmp_path / "people.ctl"
    talk = Talk(path)
    async with served(strip, path), asyncio.TaskGroup() as group:
        line = group.create_task(talk.run())
        await talk.up()
        assert (await talk.ask({"act": "state"}))["mode"] == "crew"
        assert (await talk.ask({"act": "mode", "mode": "pause"}))["mode"] == "pause"
        line.cancel()
    assert not path.exists()


def test_a_mishap_that_begins_is_told(table):
    table.note("mishap", name="shoe_jam", round=4)
    assert table.happened == [{"name": "shoe_jam", "round": 4, "effect": "The dispenser jams."}]
    assert MISHAPS["shoe_jam"].cue is Cue.DEAL
