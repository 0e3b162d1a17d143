"""The people: what may go wrong around them, what they see, and that they never ask for what is not allowed."""

import asyncio
import io
import json
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from drivers.protocol.reports import DeviceKind, Mode
from simulators.crew.floor import Floor
from simulators.crew.layout import Layout
from simulators.crew.people import main
from simulators.crew.play import Play
from simulators.crew.players import answers, bets
from simulators.crew.scenario import MISHAPS, Cue, Mishap, Scenario, ScenarioError, Stack
from simulators.crew.sets import Sets
from simulators.crew.table import Settings, Table
from simulators.crew.talk import Gone, Refused, Talk
from simulators.crew.view import Answer, Hold, TableView
from simulators.scenario.faults import parse

WAIT_S = 10.0
DONE_BY_HANDS = (Cue.BETWEEN, Cue.BETS_CLOSED, Cue.COUNT, Cue.STUB)
"""What people do wrong themselves on these cues."""
WAGERS = [
    {"wager": "ante", "optional": False, "sensed": False, "equals": None, "cents": None, "requires": ["blind"]},
    {"wager": "blind", "optional": False, "sensed": False, "equals": "ante", "cents": None, "requires": ["ante"]},
    {"wager": "trips", "optional": True, "sensed": False, "equals": None, "cents": None, "requires": ["ante"]},
    {"wager": "dollar", "optional": True, "sensed": False, "equals": None, "cents": 100, "requires": []},
    {"wager": "chip", "optional": True, "sensed": True, "equals": None, "cents": None, "requires": ["trips"]},
]


class Daemon:
    """The other end of a socket: answers each request with what `answers` says for it, and keeps what it was asked."""

    def __init__(self, path: Path, answers: dict[str, Any]) -> None:
        self.path, self.answers = path, answers
        self.asked: list[dict[str, Any]] = []
        self.was_asked = asyncio.Event()
        self.clients: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.clients.append(writer)
        while line := await reader.readline():
            request = json.loads(line)
            self.asked.append(request)
            self.was_asked.set()
            answer = self.answers.get(request.get("do") or request.get("act"))
            if answer is not None:
                about = {"id": request["id"]} if "id" in request else {}
                writer.write(json.dumps({**about, **answer}).encode() + b"\n")
        writer.close()

    def tell(self, message: dict[str, Any]) -> None:
        for client in self.clients:
            client.write(json.dumps(message).encode() + b"\n")


@asynccontextmanager
async def serving(path: Path, **answers: Any):
    daemon = Daemon(path, answers)
    server = await asyncio.start_unix_server(daemon.serve, path)
    try:
        yield daemon
    finally:
        server.close()
        for client in daemon.clients:
            client.close()
        await server.wait_closed()


@asynccontextmanager
async def running(*lines: Talk):
    tasks = [asyncio.create_task(line.run()) for line in lines]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _look_for_ever(table: Table) -> None:
    while True:
        await table.look()


def table_of(path: Path, **settings: Any) -> Table:
    return Table(Settings(path, {}, **settings), io.StringIO())


@pytest.mark.parametrize(("name", "scene"), MISHAPS.items())
def test_every_mishap_arms_a_fault_that_its_device_knows(name, scene):
    """A scene that no device can play would silently do nothing."""
    mishap = Mishap.parse(f"{name}@4")
    kinds = {"shuffler": (DeviceKind.SHUFFLER,), "dispenser": (DeviceKind.SHUFFLER, DeviceKind.SHOE)}
    kinds |= {"shoe": (DeviceKind.SHOE,)}
    where = {"stack": 3} if scene.cue is Cue.DEAL else {}
    for kind in kinds.get(scene.device, ()):
        if scene.fault:
            assert parse(mishap.device_fault(**where), kind).name == scene.fault.split(":")[0]
    assert scene.device or not scene.fault
    assert scene.fault or scene.reports or scene.mode in set(Mode) or scene.cue in DONE_BY_HANDS
    assert scene.stack is Stack.ANY or scene.cue is Cue.DEAL


def test_a_fault_of_a_device_is_armed_in_its_round_with_its_parameters():
    """Anything of the simulators' catalogue may happen at the table too."""
    mishap = Mishap.parse("shoe.power_loss@3:for=2")
    assert (mishap.round, mishap.scene.cue, mishap.scene.device) == (3, Cue.FIRST_STACK, "dispenser")
    assert mishap.device_fault() == "power_loss:for=2"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("shoe_jam", "in which round"),
        ("shoe_jam@0", "in which round"),
        ("shoe_jm@4", "did you mean shoe_jam"),
        ("roulette.jam@4", "is no device"),
        ("shoe.put_on_fire@4", "no fault"),
        ("shoe.power_loss@4:when=2", "takes"),
    ],
)
def test_a_mishap_that_cannot_be_is_refused_with_the_reason(text, word):
    """A misspelt scene must not pass as a quiet run."""
    with pytest.raises(ScenarioError, match=word):
        Mishap.parse(text)


def test_a_mishap_happens_once_in_its_round_and_on_its_cue():
    """Taken it is gone, and another round's is left alone."""
    scenario = Scenario([Mishap.parse("shoe_jam@2"), Mishap.parse("shoe_fail@3")])
    assert scenario.expects(2, Cue.DEAL)
    assert not scenario.expects(2, Cue.STUB)
    assert [m.name for m in scenario.take(2, Cue.DEAL)] == ["shoe_jam"]
    assert scenario.take(2, Cue.DEAL) == []
    assert [m.name for m in scenario.coming] == ["shoe_fail"]


@pytest.mark.parametrize(
    ("last", "present", "expected"),
    [
        ("", ("red", "blue"), "red"),
        ("red", ("red", "blue"), "blue"),
        ("blue", ("red", "blue"), "red"),
        ("red", ("red",), "red"),
        ("red", (), ""),
    ],
)
def test_people_see_whose_turn_it_is(last, present, expected):
    """The set that was not used last, or the only one there is."""
    sets = {back: {"present": back in present, "by_hand": False} for back in ("red", "blue")}
    assert TableView({"last_back": last, "sets": sets}).next_back() == expected


@pytest.mark.parametrize(
    ("out", "by_hand", "expected"), [("removed", True, "red"), ("removed", False, "blue"), (None, True, "blue")]
)
def test_people_who_shuffle_by_hand_play_on_with_one_set(out, by_hand, expected):
    """A second set is used only beside a shuffler: once the last one was shuffled by hand, it comes again."""
    sets = {"red": {"present": True, "by_hand": by_hand}, "blue": {"present": True, "by_hand": False}}
    devices = {"shuffler-1": {"kind": "shuffler", "out": out}}
    assert TableView({"last_back": "red", "sets": sets, "devices": devices}).next_back() == expected


@pytest.mark.parametrize(
    ("since", "waived", "due"), [(3, False, False), (4, False, True), (5, False, True), (4, True, False)]
)
def test_people_see_when_a_stub_count_is_due(since, waived, due):
    """The fifth round may not end without a count, unless the status says that it is waived."""
    view = TableView({"stub": {"since": since, "every": 5, "waived": waived}})
    assert view.stub_is_due is due


def test_nothing_can_be_done_while_the_daemon_cannot_write_its_record():
    """A status without acts, or with a failed record, is none to act on."""
    assert not TableView({"held": [], "record": {"ok": False}}).is_known
    assert not TableView({"allowed": [], "record": {"ok": False}}).is_known
    assert TableView({"allowed": [], "record": {"ok": True}}).is_known


def test_the_same_seed_gives_the_same_players_and_another_one_others(tmp_path):
    """A run can be repeated; a wager that requires another is placed beside it, one of a single amount in that."""
    tables = [table_of(tmp_path / "x", seed=seed) for seed in (1, 1, 2)]
    for table in tables:
        table.view = TableView({"wagers": WAGERS})
    first, again, other = ([bets(table, number) for number in range(1, 30)] for table in tables)
    assert first == again != other
    placed = [wagers for one in first for wagers in one.values()]
    assert all(one for one in first)
    assert all(wagers["ante"] == wagers["blind"] >= 500 for wagers in placed)
    assert all("trips" in wagers for wagers in placed if "chip" in wagers)
    assert any("chip" in wagers for wagers in placed)
    assert {wagers["dollar"] for wagers in placed if "dollar" in wagers} == {100}


def test_chips_lie_where_the_scenario_wants_them_counted(tmp_path):
    """A mishap about progressive chips would never happen in a round in which nobody has drawn one."""
    table = table_of(tmp_path / "x", mishaps=(Mishap.parse("mismatch@7"),))
    table.view = TableView({"wagers": WAGERS})
    assert all("chip" in wagers for wagers in bets(table, 7).values())
    assert not all("chip" in wagers for number in range(8, 20) for wagers in bets(table, number).values())


def test_players_answer_what_may_be_answered_and_place_what_goes_with_it(tmp_path):
    """Each answer is drawn from those of the status, with one of its multiples; the same seed answers the same."""
    table = table_of(tmp_path / "x")
    offered = (Answer("play_5", (1, 2)), Answer("fold", ()), Answer("unheard_of", ()))
    first = []
    for number in range(1, 60):
        table.view = TableView({"round": {"number": number, "phase": "decision"}})
        given = list(answers(table, 1, offered))
        assert sorted(str(one["decision"]) for one in given) == ["fold", "play_5", "unheard_of"]
        assert given == list(answers(table, 1, offered))
        first.append(given[0])
    assert {one["decision"] for one in first} == {"play_5", "fold", "unheard_of"}
    assert {one["multiple"] for one in first if one["decision"] == "play_5"} == {1, 2}
    assert all("multiple" not in one for one in first if one["decision"] != "play_5")


@pytest.mark.parametrize(
    ("hold", "phase", "expected"),
    [
        (Hold("H1", "late chip", "floorperson", 3, "progressive", "R-45"), "bets_closed", "return_wager"),
        (Hold("H1", "look", "floorperson", 0, "", "R-09"), "bets_closed", "go_on"),
        (Hold("H1", "cannot be proven", "floorperson", 0, "", "R-47"), "dealing", "void"),
        (Hold("H1", "cannot be proven", "floorperson", 0, "", "R-47"), "stopped", "go_on"),
        (Hold("H1", "look", "floorperson", 0, "", "R-09", ("void",)), "bets_closed", "void"),
    ],
)
def test_a_floorperson_decides_only_what_the_hold_offers(tmp_path, hold, phase, expected):
    """Held chips go back, an unproven round is called void, after anything else play goes on."""
    table = table_of(tmp_path / "x")
    table.view = TableView({"round": {"number": 1, "phase": phase}})
    assert Floor(table, Sets(table))._resolution(hold) == expected


async def test_a_set_in_play_is_changed_after_its_round(tmp_path):
    """The round is played out with it, and a shuffle that it still needs is made."""
    table = table_of(tmp_path / "x")
    due = {"duty": "D1", "action": "change_set", "back": "red", "least_role": "dealer"}
    table.view = TableView({"round": {"number": 1, "phase": "betting", "back": "red"}, "duties": [due]})
    floor = Floor(table, Sets(table))
    assert not await floor._do(table.view.duties[0])  # and nobody was asked: no line is up that could answer


async def test_nobody_asks_for_an_act_that_the_status_does_not_allow(tmp_path):
    """Such an act would only be a refusal on the record."""
    status = {"ok": True, "result": {"allowed": ["open_table"], "record": {"ok": True}}}
    async with serving(tmp_path / "d", status=status, act={"ok": True, "result": {"facts": []}}) as daemon:
        table = table_of(tmp_path / "d")
        async with running(table.talk), asyncio.timeout(WAIT_S):
            await table.talk.up()
            await table.look()
            assert not await table.act("begin_round", back="red")
            assert await table.act("open_table", "floorperson")
    acts = [request for request in daemon.asked if request["do"] == "act"]
    assert [(a["act"], a["who"], a["role"]) for a in acts] == [("open_table", "floorperson", "floorperson")]


async def test_a_refusal_is_no_success_and_is_written_down(tmp_path):
    """Somebody else may have been quicker; the reason stands in what people leave behind."""
    status = {"ok": True, "result": {"allowed": ["begin_round"]}}
    no = {"ok": False, "error": {"code": "refused", "reason": "duties are open"}}
    async with serving(tmp_path / "d", status=status, act=no):
        table = table_of(tmp_path / "d")
        async with running(table.talk), asyncio.timeout(WAIT_S):
            await table.talk.up()
            await table.look()
            assert not await table.act("begin_round", back="red")
    assert table.refusals == 1
    assert "duties are open" in table._log.getvalue()  # type: ignore[attr-defined]


async def test_people_hear_what_is_told_and_hear_it_again_after_a_restart(tmp_path):
    """The watch is asked for on each new line, so a restarted daemon is heard as the first one was."""
    path = tmp_path / "d"
    table = table_of(path)
    async with running(table.talk), asyncio.timeout(WAIT_S):
        for _ in range(2):
            async with serving(path, status={"ok": True, "result": {}}) as daemon:
                await table.talk.up()
                await table.look()
                daemon.tell({"id": 1, "ok": True, "event": {"kind": "round_begun"}})
                await table.news(WAIT_S)
                assert {"do": "watch", "streams": ["main", "diag"]}.items() <= daemon.asked[0].items()
            path.unlink(missing_ok=True)
            with pytest.raises(Gone):
                await _look_for_ever(table)


async def test_a_request_that_nobody_answers_any_more_is_unknown_not_done(tmp_path):
    """The daemon went away with the act in its hands: people look again instead of believing anything."""
    async with serving(tmp_path / "d") as daemon:
        talk = Talk(tmp_path / "d", numbered=True)
        async with running(talk), asyncio.timeout(WAIT_S):
            await talk.up()
            asking = asyncio.create_task(talk.ask({"do": "act"}))
            await daemon.was_asked.wait()
            daemon.clients[0].close()
            with pytest.raises(Gone):
                await asking


async def test_a_devices_answers_come_in_the_order_of_the_requests(tmp_path):
    """Devices have no numbers on their lines; an impossible act is refused with the device's own words."""
    answers = {"state": {"ok": True, "state": {"on": True}}, "take": {"ok": False, "error": "no stack lies there"}}
    async with serving(tmp_path / "d", **answers):
        talk = Talk(tmp_path / "d")
        async with running(talk), asyncio.timeout(WAIT_S):
            await talk.up()
            looked, taken = await asyncio.gather(
                talk.ask({"act": "state"}), talk.ask({"act": "take"}), return_exceptions=True
            )
    assert looked == {"ok": True, "state": {"on": True}}
    assert isinstance(taken, Refused)
    assert "no stack lies there" in str(taken)


@pytest.mark.parametrize("argument", ["--mishap=shoe_jm@4", "--device=shoe"])
def test_a_command_line_that_makes_no_sense_is_told_so(argument, capsys):
    """Usage errors end with 2 before anything is touched."""
    with pytest.raises(SystemExit) as ended:
        main(["--control", "nowhere", argument])
    assert ended.value.code == 2
    assert capsys.readouterr().err


async def test_cards_of_a_round_are_in_hand_also_where_the_daemon_died_before_it_said_that_they_were_collected(
    tmp_path,
):
    """It had the act on record, and its answer never came: what lay on the layout is not forgotten there."""
    lies = {
        "round": {"number": 1, "phase": "settled", "back": "red"},
        "allowed": ["collect_cards", "end_round"],
        "devices": {},
    }
    async with serving(tmp_path / "s", status={"result": lies}) as daemon:
        table = table_of(tmp_path / "s", speed=1000.0)
        play = Play(table, Sets(table))
        play.layout = Layout(1)
        play.layout.stacks = [["As/red/p.1", "Kd/red/p.1"], ["2c/red/p.1"]]
        async with running(table.talk):
            await table.talk.up()
            await table.look()
            daemon.was_asked.clear()
            collecting = asyncio.create_task(play.go_on())
            await daemon.was_asked.wait()
            for client in daemon.clients:
                client.close()
            with pytest.raises(Gone):
                await collecting
            daemon.answers |= {
                "status": {"result": lies | {"round": lies["round"] | {"collected": True}}},
                "act": {"ok": True},
            }
            await table.talk.up()
            await table.look()
            assert await play.go_on()
    assert daemon.asked[-1]["act"] == "end_round"
    assert sorted(table.cards["red"]) == ["2c/red/p.1", "As/red/p.1", "Kd/red/p.1"]


async def test_a_set_that_left_the_table_is_not_looked_for_again_where_nobody_heard_of_it(tmp_path):
    """The daemon died before it had that on record, and asks for the same once more."""
    device = {"retire": {"ok": True}, "state": {"ok": True, "state": {"on": True}}}
    async with serving(tmp_path / "s"), serving(tmp_path / "d", **device) as shuffler:
        table = Table(
            Settings(tmp_path / "s", {"shuffler": ("shuffler-1", tmp_path / "d")}, speed=1000.0), io.StringIO()
        )
        sets = Sets(table)
        async with running(table.devices["shuffler"].talk):
            await table.devices["shuffler"].talk.up()
            assert await sets.retire("red")
            assert await sets.retire("red")
            assert [asked["act"] for asked in shuffler.asked] == ["retire"]
            shuffler.answers["bring_deck"] = {"ok": True, "cards": ["As/red/p.1"]}
            await sets.fetch("red")
            assert await sets.retire("red")
    assert [asked["act"] for asked in shuffler.asked] == ["retire", "bring_deck", "retire"]
