"""`backoffice report`: what a day was, from the stored events alone, for people and for programs."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from controller.backoffice.report.alarms import lives
from controller.backoffice.report.build import report
from controller.backoffice.report.day import day_of
from controller.backoffice.report.fact import Fact, fact_of
from controller.backoffice.report.pages import SECTIONS, csv_text, page
from controller.backoffice.store.reading import opened
from controller.backoffice.verify import keys_in
from controller.cli.main import cli
from controller.rules.vocabulary import Role
from controller.table.words import acts as a
from tests.controller.backoffice.reading.captured import kept_days, published
from tests.controller.backoffice.reading.stores import sqlite_store
from tests.support.recorded import Recorded

DAY = date(2027, 1, 15)
SECOND = "2027-01-15T12:00:{:02}.000000Z"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[bytes], Path]:
    folder = tmp_path_factory.mktemp("days")
    return kept_days(["md-uth-1", "ma-colorado-9", "ma-uth-4"], folder), folder / "keys"


@pytest.fixture(scope="module")
def store(told: tuple[list[bytes], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "store"
    sqlite_store(path, told[0])
    return path


def document(path: Path, keys: Path | None = None, day: date = DAY) -> dict[str, Any]:
    with closing(opened(f"sqlite:{path}")) as reading:
        return report(reading, day, keys=keys_in(keys) if keys else None)


def fact(kind: str, second: int, subject: str = "table", round_: str = "r-1", **data: object) -> Fact:
    at = SECOND.format(second)
    return Fact("urn:tablewarden:lv01:t-1", "0" * 16, "main", second, kind, subject, round_, at, at, data)


def test_a_day_says_what_its_events_say(told: tuple[list[bytes], Path], store: Path) -> None:
    facts = [fact_of(text) for text in told[0]]
    made = document(store, told[1])

    def count(kind: str, **data: object) -> int:
        return sum(f.kind == kind and data.items() <= f.data.items() for f in facts)

    assert [row["state"] for row in made["completeness"]] == ["complete and as published"] * 3
    assert len([row for row in made["rounds"] if "begun" in row]) == count("round_begun")
    assert len(made["voids"]) == count("round_voided") + count("hand_voided")
    assert sum(row["what"] == "stub" for row in made["miscounts"]) == count("stub_counted", right=False)
    assert [row["difference"] for row in made["progressive"] if "difference" in row] == [
        f.data["chips"] - f.data["accepted"] for f in facts if f.kind == "progressive_counted"
    ]
    assert len([row for row in made["alarms"] if row["what"].startswith("hold")]) == count("hold_placed")
    demanded = sum(len(f.data["demands"]) or 1 for f in facts if f.kind == "disposition_made")
    assert sum(row["times"] for row in made["dispositions"]) == demanded
    assert {row["rulebook"] for row in made["readings"]} == {"md-uth", "ma-colorado", "ma-uth"}


def test_a_void_names_what_was_paid_before_it() -> None:
    """Of a hand, what went to its seat; of a round, what went to all; a correction counts."""
    day = day_of(
        [
            fact("wager_placed", 1, seat=1, wager="ante", cents=500, currency="USD"),
            fact("wager_settled", 2, seat=1, wager="ante", returned=500, paid=300),
            fact("wager_settled", 3, seat=2, wager="ante", returned=100, paid=0),
            fact("hand_voided", 4, seat=2, cite=["13.B"]),
            fact("settlement_corrected", 5, seat=1, wager="ante", owed=-50),
            fact("round_voided", 6, cite=[], reading="R-22"),
            fact("wager_settled", 7, seat=3, wager="ante", returned=700, paid=0),
        ]
    )
    assert [(v.get("seat"), v["rests_on"], v["paid_before_cents"]) for v in day.voids] == [
        (2, "13.B", 100),
        (None, "R-22", 850),
    ]
    assert day.rounds[0]["handed_back_cents"] == 1550


def test_accepted_and_counted_are_reconciled() -> None:
    """A count belongs to the closing of bets of its round; bets that nobody counted stay without one."""
    day = day_of(
        [
            fact("bets_closed", 1, accepted=[1, 2]),
            fact("progressive_counted", 2, chips=3, accepted=2, by="ada"),
            fact("bets_closed", 3, round_="r-2", accepted=[4]),
            fact("bets_closed", 4, round_="r-3", accepted=[]),
        ]
    )
    assert [(r["round"], r["accepted"], r.get("counted"), r.get("difference")) for r in day.progressive] == [
        ("r-1", 2, 3, 1), ("r-2", 1, None, None),
    ]  # fmt: skip


def test_an_alarm_lives_until_a_person_answers() -> None:
    """One that comes again while it stands has to be seen anew; another device's alarm is another one."""
    found = lives(
        [
            fact("security_alarm", 1, "shoe-1", reason="device_changed", detail="serial"),
            fact(
                "alarm_seen", 5, alarm="A1", by="flo", role="floorperson", device="shoe-1", reason="device_changed"
            ),
            fact("security_alarm", 6, "shoe-1", reason="device_changed", detail="serial"),
            fact("alarm_raised", 7, "shuffler-1", severity="alarm", code=7, text="cover"),
            fact("alarm_raised", 7, "shuffler-1", severity="warning", code=8, text="lamp"),
            fact(
                "alarm_cleared",
                9,
                alarm="A1",
                by="sue",
                role="supervisor",
                device="shoe-1",
                reason="device_changed",
                found="x",
            ),
            fact("hold_placed", 10, hold="H1", reason="look"),
            fact("hold_lifted", 22, hold="H1", by="flo", role="floorperson"),
        ]
    )
    assert [(life.what, life.seconds, life.by, bool(life.ended)) for life in found] == [
        ("shoe-1: device_changed: serial", 3, "sue", True),
        ("shuffler-1: device_alarm: 7 cover", None, "", False),
        ("hold: H1: look", 12, "flo", True),
    ]


def test_a_table_says_whose_alarm_a_person_saw(tmp_path: Path) -> None:
    """So a report, and the view `alarm_life`, need not count the alarms of a journal from its beginning."""
    table = Recorded(tmp_path)
    name = table.alarm()
    table.act(a.SeeAlarm(name), Role.FLOORPERSON)
    table.act(a.ClearAlarm(name, "a screw"), Role.SUPERVISOR)
    table.checkpoint()
    table.journal.close()
    texts = list(published(tmp_path / "j", "lv01", "uth-017"))
    (life,) = lives(fact_of(text) for text in texts)
    assert (life.what, life.seconds, bool(life.ended)) == ("shoe-1: device_alarm: 7 the cover was opened", 0, True)
    sqlite_store(tmp_path / "store", texts)
    with closing(sqlite3.connect(tmp_path / "store")) as connection:
        asked = "SELECT id, what, seen IS NOT NULL, ended IS NOT NULL, seconds < 1 FROM alarm_life"
        assert connection.execute(asked).fetchall() == [("shoe-1", "device_alarm: the cover was opened", 1, 1, 1)]


def test_the_gaming_day_of_a_table_decides(told: tuple[list[bytes], Path], tmp_path: Path) -> None:
    """A table that publishes its gaming day is reported by it, another by the date in UTC."""
    path = tmp_path / "store"
    sqlite_store(path, told[0])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (body,) = connection.execute(
            "SELECT body FROM event WHERE kind = 'table_opened' AND source LIKE '%t-1'"
        ).fetchone()
        envelope = json.loads(body)
        envelope["type"] = envelope["type"].replace("table_opened", "gaming_day_began")
        envelope["data"] = {
            "day": "2027-01-15",
            "begins_us": 1_799_996_400_000_000,
            "ends_us": 1_800_000_060_000_000,
        }
        connection.execute(
            "UPDATE event SET kind = 'gaming_day_began', body = ? WHERE body = ?", [json.dumps(envelope), body]
        )
    made = {row["table"]: (row["begins"], row["ends"]) for row in document(path)["tables"]}
    assert made["lv01/t-1"] == ("2027-01-15T07:00:00.000000Z", "2027-01-15T08:01:00.000000Z")
    assert made["lv01/t-2"] == ("2027-01-15T00:00:00.000000Z", "2027-01-16T00:00:00.000000Z")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_stands_alone_and_is_escaped(store: Path, told: tuple[list[bytes], Path]) -> None:
    """No script, nothing from elsewhere; a name that looks like HTML is shown as it is."""
    made = document(store, told[1])
    made["alarms"][0]["what"] = "</td><script>alert(1)</script>\x1b[31m"
    made["rounds"][0]["round"] = '"><img src=x onerror=y>'
    text = page(made)
    tags = _Tags()
    tags.feed(text)
    assert tags.open == []
    assert "<script" not in text
    assert "<img" not in text
    assert "\x1b" not in text
    assert "</td><script>alert(1)</script>" in "".join(tags.text)
    assert not {name for name, _ in tags.attributes} - {"lang", "charset", "http-equiv", "content", "class"}
    assert all(heading in tags.text for heading, _ in SECTIONS.values())
    assert "Complete: every event is as its table published it" in text


def test_csv_and_json_say_the_same(store: Path, told: tuple[list[bytes], Path]) -> None:
    """One value a line, in columns that do not change; a spreadsheet takes no text for a formula."""
    made = document(store, told[1])
    made["alarms"][0]["what"] = "=HYPERLINK(1)"
    lines = list(csv.DictReader(io.StringIO(csv_text(made))))
    assert sum(line["section"] == "rounds" and line["name"] == "wagers" for line in lines) == len(made["rounds"])
    assert "'=HYPERLINK(1)" in [line["value"] for line in lines if line["section"] == "alarms"]
    told_sum = sum(int(line["value"]) for line in lines if line["name"] == "staked_cents")
    assert told_sum == sum(row["staked_cents"] for row in made["rounds"])


def test_a_report_says_what_is_not_proven(told: tuple[list[bytes], Path], tmp_path: Path) -> None:
    path = tmp_path / "store"
    sqlite_store(path, told[0])
    assert "No fault was found, but not all is proven." in page(document(path))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM event WHERE source LIKE '%t-2' AND stream = 'main' AND sequence = 9")
    assert "The events of lv01/t-2 are not as published" in page(document(path, told[1]))


@pytest.mark.parametrize("form", ["page", "csv", "json"])
def test_the_command_writes_each_form(form: str, store: Path, told: tuple[list[bytes], Path]) -> None:
    asked = [
        "backoffice",
        "report",
        "--from",
        f"sqlite:{store}",
        "--day",
        "2027-01-15",
        "--tables",
        "lv01/t-3",
        "--format",
        form,
    ]
    done = CliRunner().invoke(cli, [*asked, "--keys", str(told[1])])
    assert done.exit_code == 0, done.output
    assert ("lv01/t-3" in done.output, "lv01/t-2" in done.output) == (True, False)
    if form == "json":
        assert json.loads(done.output)["day"] == "2027-01-15"
