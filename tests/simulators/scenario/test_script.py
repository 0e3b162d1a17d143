"""Scenario files: each mistake is named, each step is taken when it is due, and each shipped file comes out."""

import contextlib
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from drivers.protocol.reports import Level
from simulators.cli.main import sim
from simulators.scenario.run import play
from simulators.scenario.script import ACTS, BUS, LINES, STEP_KEYS, ScriptError, load, read_steps

Make = Callable[..., Any]
"""A fixture that makes something when it is called."""

ROOT = Path(__file__).parents[3]
ALL_SHIPPED = sorted((ROOT / "config" / "scenarios").glob("*.toml"))
SHIPPED = [path for path in ALL_SHIPPED if load(path).device not in (BUS, LINES)]
"""Those of devices that speak TDP/1; `tests/faults/test_scenarios.py` has the others, at a whole table."""
HEAD = 'about = "x"\ndevice = "shoe"\n'
OF_A_BUS = HEAD.replace("shoe", "remote-io")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
async def test_a_shipped_scenario_comes_out_as_it_says(start: Make, connect: Make, path: Path) -> None:
    """At two hundred times the speed, before a host that only releases the lock or allows dispensing."""
    script = load(path)
    sim_ = await start(script.device, speed=200.0, settings=script.needs)
    async with connect(sim_.link) as host:
        await host.online()
        if script.device == "progressive":
            await host.want(Level.LOCKOUT, "released")
        elif script.needs.get("plan") != []:
            await host.want(Level.DISPENSING, "allowed")
        await play(sim_.simulator, script.steps)
    assert len(sim_.noted("step", ok=True)) == len(script.steps)
    assert not sim_.noted("act", ok=False)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_command_on_top_of_a_shipped_scenario_has_what_it_needs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a link whose folder is missing it gets as far as that, so scenario and settings go together."""
    monkeypatch.chdir(ROOT)
    command = path.read_text().splitlines()[0].removeprefix("# tablewarden sim ")
    words = shlex.split(command.replace("--link run/", f"--link {tmp_path}/missing/"))
    shown = CliRunner().invoke(sim, words).output
    assert "no such directory" in shown
    assert f"config/scenarios/{path.name}" in command


MISTAKES: list[tuple[str, str, str]] = [
    # what is written, the place of the fault, its code
    ('about = "x"', "device", "key_missing"),
    (HEAD.replace("shoe", "shoo"), "device", "word_unknown"),
    ('device = "shoe"', "about", "key_missing"),
    (HEAD, "[[step]]", "key_missing"),
    (HEAD + 'record = "jammed"', "record", "type_wrong"),
    (HEAD + 'then = "go"', "then", "word_unknown"),
    (HEAD + "speed = 2", "speed", "key_unknown"),
    (OF_A_BUS + '[[step]]\non = "wager_sensed"', "step 1 on", "key_unfit"),
    (OF_A_BUS + '[[step]]\ndo = "draw"', "step 1 do", "word_unknown"),
    (OF_A_BUS + '[[step]]\ninject = "bus_silnt"', "step 1 inject", "fault_unknown"),
    (HEAD + "[[step]]", "step 1", "nothing_happens"),
    (HEAD + '[[step]]\ndo = "tak"', "step 1 do", "word_unknown"),
    (HEAD + '[[step]]\ndo = "put_chip"', "step 1 do", "word_unknown"),
    (HEAD + '[[step]]\ndo = "load"\nbak = "red"', "step 1 bak", "key_unknown"),
    (HEAD + '[[step]]\ndo = "load"\nback = "redd"', "step 1 back", "word_unknown"),
    (HEAD + '[[step]]\ndo = "remove"\nleave = -1', "step 1 leave", "number_out_of_range"),
    (HEAD + '[[step]]\ndo = "hang"\nfor_s = "long"', "step 1 for_s", "type_wrong"),
    (HEAD + '[[step]]\ninject = "jamm"', "step 1 inject", "fault_unknown"),
    (HEAD + '[[step]]\ninject = "jam"\nback = "red"', "step 1 back", "key_unknown"),
    (HEAD + '[[step]]\ninject = "jam"\ndo = "take"', "step 1 inject", "keys_exclude"),
    (HEAD + '[[step]]\nat = 1\nafter = 1\ndo = "take"', "step 1 after", "keys_exclude"),
    (HEAD + '[[step]]\nat = "soon"\ndo = "take"', "step 1 at", "type_wrong"),
    (HEAD + '[[step]]\nwithin = -1\ndo = "take"', "step 1 within", "number_out_of_range"),
    (HEAD + '[[step]]\non = "jamed"', "step 1 on", "word_unknown"),
    (HEAD + '[[step]]\non = "jammed"\nbody = {stak = 2}', "step 1 body", "word_unknown"),
    (HEAD + '[[step]]\non = {deal = "idle"}\nbody = {stack = 2}', "step 1 body", "keys_together"),
    (HEAD + '[[step]]\nexpect = "jammed"', "step 1 expect", "type_wrong"),
    (HEAD + '[[step]]\ndo = "take"\n[[step]]\nlater = 1\ndo = "take"', "step 2 later", "key_unknown"),
]


@pytest.mark.parametrize(("written", "place", "code"), MISTAKES)
def test_a_mistake_in_a_file_has_its_place_and_its_code(
    written: str, place: str, code: str, tmp_path: Path
) -> None:
    """Nothing starts; the file is named first, and the fault is all that the exception says."""
    path = tmp_path / "s.toml"
    path.write_text(written)
    with pytest.raises(ScriptError, match="^" + re.escape(str(path))) as caught:
        load(path)
    assert caught.value.fault is not None
    assert (caught.value.fault.place, caught.value.fault.code) == (place, code)


def test_what_is_no_toml_is_named_with_its_file(tmp_path: Path) -> None:
    """In the words of the parser."""
    path = tmp_path / "s.toml"
    path.write_text("about = [")
    with pytest.raises(ScriptError, match="no TOML"):
        load(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """As any other mistake."""
    with pytest.raises(ScriptError, match="No such file"):
        load(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["shuffler"], "is for a shoe; this is a shuffler"),
        (["shoe", "--decks", "2"], "needs decks = 8, and this simulator has 2"),
    ],
)
def test_a_simulator_that_does_not_fit_is_refused(arguments: list[str], says: str, tmp_path: Path) -> None:
    """With exit code 2, before it has a port."""
    path = tmp_path / "s.toml"
    path.write_text(HEAD + 'needs = {decks = 8}\n[[step]]\ndo = "take"\n')
    result = CliRunner().invoke(sim, [*arguments, "--link", str(tmp_path / "dev"), "--scenario", str(path)])
    assert (result.exit_code, says in " ".join(result.output.split())) == (2, True), result.output


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ([{"do": "take"}], "step 1: no stack lies in the output"),
        ([{"expect": {"jamed": True}}], "step 1: no key of the state 'jamed' (nearest: jammed)"),
        ([{"expect": {"places": {"magazin": 1}}}], "nearest: magazine"),
        (
            [{"do": "open_lid"}, {"expect": {"lid_open": False}, "within": 0.05}],
            "step 2: after 0.05 s lid_open is True and not False",
        ),
        ([{"on": "jammed", "within": 0.05}], "step 1: no report jammed came within 0.05 s"),
        (
            [{"do": "load", "back": "red"}, {"on": "cards_loaded", "body": {"back": "blue"}, "within": 0.05}],
            "step 2: no report cards_loaded with {'back': 'blue'} came within 0.05 s; the last one said {'back': 'red'",
        ),
    ],
)
async def test_what_does_not_come_out_is_an_answer_on_the_socket(start: Make, steps: list[Any], says: str) -> None:
    """With the step, what was wanted and what was there."""
    sim_ = await start("shoe")
    answered = await sim_.ask(act="scenario", steps=steps)
    assert answered["ok"] is False
    assert says in answered["error"]
    assert (await sim_.ask(act="state"))["ok"]


async def test_a_scenario_runs_through_the_socket_in_the_time_of_the_mechanics(start: Make) -> None:
    """Ten seconds of `after` and twenty of `at` are short at fifty times the speed; a report serves one step only."""
    sim_ = await start("shoe")
    steps: list[dict[str, Any]] = [
        {"do": "open_lid"},
        {"on": "door_opened", "do": "close_lid"},
        {"on": "door_closed"},
        {"after": 10.0, "do": "open_lid"},
        {"on": "door_opened", "expect": {"lid_open": True}},
        {"at": 20.0, "do": "close_lid"},
    ]
    assert await sim_.ask(act="scenario", steps=steps) == {"ok": True, "steps": 6}
    times = {line["number"]: line["t"] / 1e9 for line in sim_.noted("step", ok=True)}
    assert times[4] - times[3] >= 10.0 / 50.0 - 0.01
    assert times[6] - times[1] >= 20.0 / 50.0 - (times[1] - sim_.noted("link")[0]["t"] / 1e9) - 0.01
    again = [{"do": "open_lid"}, {"on": "door_opened"}, {"on": "door_opened", "within": 0.05}]
    assert "step 3: no report door_opened" in (await sim_.ask(act="scenario", steps=again))["error"]


def test_the_command_ends_as_the_scenario_says(tmp_path: Path) -> None:
    """0 where all came out and `then` is end; 1 with file and step where it did not."""
    path = tmp_path / "s.toml"
    good = HEAD + 'then = "end"\n[[step]]\ndo = "load"\nback = "red"\nexpect = {places.magazine = 52}\n'
    for written, code, says in (
        (good, 0, '"what":"step","number":1,"ok":true'),
        (good.replace("52}\n", "51}\nwithin = 0.1\n"), 1, f"Error: {path}: step 1: after 0.1 s places is"),
    ):
        path.write_text(written)
        result = CliRunner().invoke(sim, ["shoe", "--link", str(tmp_path / "dev"), "--scenario", str(path)])
        assert (result.exit_code, says in result.output) == (code, True), result.output
        assert "Traceback" not in result.output


_WORDS = st.sampled_from(["jammed", "deal", "take", "load", "jam:stack=2", "jam@x", "places", "stack"]) | st.text(
    max_size=5
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | _WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_WORDS, inner, max_size=2),
    max_leaves=4,
)


@given(
    st.lists(st.dictionaries(st.sampled_from([*STEP_KEYS, "back", "x"]), _VALUES, max_size=4), max_size=2)
    | _VALUES
)
def test_whatever_is_written_is_read_or_named(written: object) -> None:
    """The socket brings anything; no other exception may reach it."""
    with contextlib.suppress(ScriptError):
        for step in read_steps(written, "shoe"):
            assert step.do in ("", "inject", *ACTS)
            assert step.within > 0


async def test_a_report_from_before_the_last_step_is_not_taken_for_a_new_one(start: Make) -> None:
    """Only what the step before led to counts, so an old jam can't stand in for one that never came."""
    sim_ = await start("shoe")
    steps = [{"do": "open_lid"}, {"do": "close_lid"}, {"on": "door_opened", "within": 0.05}]
    assert "step 3: no report door_opened" in (await sim_.ask(act="scenario", steps=steps))["error"]


def test_every_act_that_a_step_may_do_is_one_that_a_device_knows() -> None:
    """The list of acts is one more place where they are named; it must not go its own way."""
    shown = ROOT.joinpath("simulators", "firmware", "control.py").read_text().split('"""')[1]
    assert [act for act in ACTS if act not in shown] == []
