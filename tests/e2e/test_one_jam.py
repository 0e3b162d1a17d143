"""The path of `docs/one-jam.md` walked on real parts, step by step, and the page itself held against the tree."""

import asyncio
import io
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from controller.journal.record import Record, Stream
from controller.table.fold.ruling import AT_ONCE
from simulators.crew.people import People
from simulators.crew.scenario import Mishap
from simulators.crew.table import Settings, Table
from tests.support.jam_path import jam_path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/one-jam.md").read_text()
ROUND = 4
MOST_CHANGES = 75
"""How often a reader of one jam may have to change the file in the core; the aim is 60."""


class WatchfulTable(Table):
    """People who stand still once a duty is open, until the test lets them go on."""

    def __init__(self, settings: Settings, log: io.StringIO) -> None:
        super().__init__(settings, log)
        self.go_on = asyncio.Event()

    async def look(self) -> None:
        await super().look()
        if self.view.duties:
            await self.go_on.wait()


@pytest.fixture
async def jam(rig: Callable[..., Awaitable[Any]]) -> Any:
    """A table whose shoe jams at the second stack of its fourth round; people stand still behind the jam."""
    table = await rig(speed=100.0, rounds=ROUND)
    await table.up()
    devices = {kind: (f"{kind}-1", table.names.device_socket(kind)) for kind in table.options.kinds}
    mishaps = (Mishap.parse(f"shoe_jam@{ROUND}"),)
    settings = Settings(table.names.control, devices, rounds=ROUND, speed=100.0, mishaps=mishaps)
    table.people = WatchfulTable(settings, io.StringIO())
    playing = asyncio.create_task(People(table.people).run(), name="people")
    try:
        await table.until(lambda: playing.done() or table.device_log("shoe", "fault"), "the shoe jams")
        await table.until(lambda: _acknowledged(table), "the shoe is acknowledged")
        table.playing = playing
        yield table
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)


def _jammed(table: Any) -> dict[str, Any]:
    (report,) = [r for r in table.device_log("shoe", "report") if r["kind"] == "jammed"]
    return dict(report)


def _acknowledged(table: Any) -> bool:
    if not any(report["kind"] == "jammed" for report in table.device_log("shoe", "report")):
        return False  # the fault is in the device, and its report is not out yet
    jammed = _jammed(table)
    acks = table.device_log("shoe", "acknowledged")
    return any(a["boot"] == jammed["boot"] and a["counter"] >= jammed["counter"] for a in acks)


def _caused(table: Any) -> tuple[Record, list[Record]]:
    """The input record of the jam and the facts decided from it."""
    jammed = _jammed(table)
    records = table.records()
    (given,) = [r for r in records if r.origin == ("SIM-shoe", jammed["boot"], jammed["counter"])]
    journal = table.told("main")[0]["journal"]
    return given, [r for r in records if r.cause == given.id(journal)]


def _bodies(facts: list[Record], kind: str) -> list[dict[str, Any]]:
    return [json.loads(r.data) for r in facts if r.kind == kind]


async def test_one_jam_from_the_wire_to_the_back_office(jam: Any) -> None:
    """A jam in the fourth round under the Maryland rules: each step of the page leaves the trace that it promises."""
    # 1: the shoe has written the jam into its own log, and its cards are still inside
    jammed = _jammed(jam)
    assert (jammed["body"]["activity"], jammed["body"]["stack"]) == ("dealing", 2)
    assert jammed["body"]["cards_inside"] > 0
    places = (await jam.device("shoe"))["places"]
    assert places["transport"] + places["magazine"] == jammed["body"]["cards_inside"]

    # 2-5: bytes became one report, counted as frames of a link without a fault
    link = (await jam.status())["devices"]["shoe-1"]["link"]
    assert (link["state"], link["authenticated"], link["measured_s"]) == ("online", False, None)
    assert link["counters"]["reports"] >= jammed["counter"]
    assert {name: link["counters"][name] for name in ("crc", "cobs", "duplicate")} == {
        "crc": 0,
        "cobs": 0,
        "duplicate": 0,
    }
    given, facts = _caused(jam)
    assert (given.kind, given.subject, json.loads(given.data)["origin"]["from_log"]) == ("jammed", "shoe-1", False)

    # 6: the shoe was inhibited by the short path
    inhibited = [c for c in _after(jam, jammed) if (c["level"], c["value"]) == ("dispensing", "inhibited")]
    assert inhibited[0]["operation"] & AT_ONCE, "the first command after a jam does not wait for the record"
    assert inhibited[0]["holds"]

    # 7, 8: the report is the first fact, then what the document demands, each with its clause
    assert [facts[0].kind, facts[1].kind] == ["jammed", "disposition_made"]
    (disposition,) = _bodies(facts, "disposition_made")
    assert (disposition["trigger"], disposition["rulebook"]) == ("shoe_jam", "md-uth")
    assert "round_live" in disposition["guards"]
    assert "13.I" in disposition["cite"]
    assert [v["cite"] for v in _bodies(facts, "round_voided")] == [["13.I"]]
    fates = _bodies(facts, "wager_decided")
    assert fates
    assert {(w["fate"], *w["cite"]) for w in fates} == {("returned", "13.I(1)")}
    duties = {d["action"]: d["cite"] for d in _bodies(facts, "duty_opened")}
    assert duties == {
        "return_all_wagers": ["13.I(1)"], "clear_device": ["13.I(2)"], "reshuffle_with_dealt": ["13.I(3)"],
    }  # fmt: skip

    # 6, 11: the dealer at each device reads first that play is held, then what is to be done there; of the deal alone a text may
    # have been on its way
    texts = [c["value"] for c in _after(jam, jammed) if c["level"] == "display"]
    held = texts.index("HELD: shoe-1 reported jammed")
    assert all(text.startswith("Wait: shoe-1 deals") for text in texts[:held]), texts
    await jam.until(lambda: _displays(jam), "every display shows what the status says that it shows")
    display = (await jam.status())["devices"]["shoe-1"]["display"]
    assert (display["text"].partition(", ")[2], display["shown"]) == ("dealer: Take all cards out of sho..", True)

    # 9: input and facts are one transaction, next to each other in a chain that proves
    assert [r.order for r in facts] == list(range(given.order + 1, given.order + 1 + len(facts)))
    assert {r.recorded_us for r in facts} == {given.recorded_us}
    jam.assert_journal_verifies()

    # 10, 13: the state, as whoever asks is told it: stopped, three duties, who may close them, the clause of each
    status = await jam.status()
    assert (status["round"]["number"], status["round"]["phase"], status["round"]["void"]) == (
        ROUND,
        "stopped",
        True,
    )
    assert {d["action"]: d["cite"] for d in status["duties"]} == duties
    assert all(d["least_role"] for d in status["duties"])

    # 11: others are told only now: the shoe is acknowledged, and has its wanted level
    assert _acknowledged(jam)
    acks = [a for a in jam.device_log("shoe", "acknowledged") if a["counter"] >= jammed["counter"]]
    assert min(a["t"] for a in acks) / 1000 > given.mono_ns / 1000
    assert (await jam.device("shoe"))["dispensing"] == "inhibited"


def _after(table: Any, report: dict[str, Any]) -> list[dict[str, Any]]:
    return [c for c in table.device_log("shoe", "command") if c["t"] > report["t"]]


async def _displays(table: Any) -> bool:
    """True once each device shows what the daemon says that it shows."""
    devices = (await table.status())["devices"]
    shows = {kind: (await table.device(kind))["display"] for kind in table.options.kinds}
    return all(devices[f"{kind}-1"]["display"] == {"text": text, "shown": True} for kind, text in shows.items())


async def test_the_back_office_gets_the_jam_as_it_stands_in_the_journal(jam: Any) -> None:
    """Step 12: one message for each record under its own id, and the retained state of the table behind it."""
    _, facts = _caused(jam)
    main = [r for r in facts if r.stream is Stream.MAIN]
    await jam.until(lambda: len(jam.told("main")) >= main[-1].sequence, "the jam is delivered")
    told = {e["id"]: e for e in jam.told("main")}
    journal = jam.told("main")[0]["journal"]
    for record in main:
        event = told[f"{journal}-main-{record.sequence}"]
        assert event["data"] == json.loads(record.data)
        assert event["recordhash"] == record.recordhash.hex()
        assert event["type"].endswith(f".{record.kind}.v{record.version}")
    await jam.until(lambda: jam.latest("state/round")["void"], "the state of the round follows")
    table = await jam.retained("state/table")
    await jam.until(lambda: table() == jam.latest("state/table"), "a newcomer gets it too")
    numbers = {table()["sequence"]}
    await jam.until(lambda: numbers <= {int(e["sequence"]) for e in jam.told("main")}, "it names an event of main")
    assert len(table()["duties"]) == 3


async def test_people_close_the_three_duties_of_the_jam_and_play_can_go_on(jam: Any) -> None:
    """Step 14: the emptied shoe and the reshuffled set prove two duties done, the dealer confirms the third."""
    assert "begin_round" not in (await jam.status())["allowed"]
    jam.people.go_on.set()
    await jam.until(jam.playing.done, "people finish the round")
    assert jam.playing.result() == ""
    opened = {d["duty"]: d["action"] for d in jam.facts("duty_opened")}
    closed = {opened[d["duty"]]: (d["by"], d["role"]) for d in jam.facts("duty_closed")}
    assert closed["clear_device"] == ("shoe-1", "device")
    assert closed["reshuffle_with_dealt"] == ("shuffler-1", "device")
    assert closed["return_all_wagers"] == ("dealer", "dealer")
    assert [(e["outcome"]) for e in jam.facts("round_ended")] == ["played"] * (ROUND - 1) + ["void"]
    assert not (await jam.status())["duties"]
    await jam.assert_everything_is_told()
    jam.assert_reports_are_on_record()
    jam.assert_nothing_was_opened_off_the_record()


def _steps() -> list[tuple[str, str]]:
    rows = re.findall(r"^\| (\d+) \| (.+?) \| ", PAGE, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 15))
    return rows


@pytest.mark.parametrize(("number", "where"), _steps())
def test_the_page_names_only_what_exists(number: str, where: str) -> None:
    """Every file that a step names is there, and every function is in the file before it."""
    file: Path | None = None
    for name in re.findall(r"`([^`]+)`", where):
        if re.search(r"\.(py|toml)$", name):
            beside = file.parent / name if file and "/" not in name else ROOT / name
            file = beside
            assert file.is_file(), f"step {number}: {name}"
        else:
            assert file is not None
            assert re.search(rf"def {re.escape(name)}\b", file.read_text()), (
                f"step {number}: {name} in {file.name}"
            )


def test_every_file_on_the_page_exists() -> None:
    """Also in the running text."""
    named = [name for name in re.findall(r"`([\w./-]+/[\w./-]+\.(?:py|toml|md))`", PAGE)]
    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_the_page_says_how_far_a_reader_goes() -> None:
    """The figures are about those that `python -m tests.support.jam_path` counts, and the path stays short."""
    path = jam_path()
    said = [int(number) for number in re.findall(r"\d+", PAGE.partition("Today a reader")[2].partition("aim")[0])]
    counted = [len(path.files), len(path.steps), path.changes]
    assert said == pytest.approx(counted, rel=0.1), f"write the figures on the page: {counted}"
    assert path.changes <= MOST_CHANGES, "the core's path through one jam became longer"
