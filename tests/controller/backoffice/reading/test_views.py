"""The views for people say the same in SQLite and PostgreSQL, and what they say is what the tables published."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from controller.backoffice.report.fact import Fact, fact_of
from controller.backoffice.store.schema import migrations
from tests.controller.backoffice.reading.captured import kept_days
from tests.controller.backoffice.reading.stores import RECEIVED, fill, sqlite_store
from tests.support.postgres import Postgres

VIEWS = ("round", "disposition", "wager", "alarm_life", "device", "progressive")
ROLE = Path(__file__).resolve().parents[4] / "config" / "backoffice" / "reader-role.sql"
ALARM = (
    "INSERT INTO alarm (source, code, detail, opened, acknowledged, acknowledged_by) VALUES "
    f"('urn:tablewarden:lv01:t-1', 'gap', 'main 5 to 7', '{RECEIVED}', '2027-01-15T08:00:07.500000Z', 'olga')"
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """What three tables published: with voids, jams, settled wagers and a progressive."""
    return kept_days(["md-uth-1", "ma-colorado-9", "ma-uth-4"], tmp_path_factory.mktemp("days"))


@pytest.fixture(scope="module")
def seeded(told: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("seeded") / "store"
    sqlite_store(path, told)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(ALARM)
        yield connection


@pytest.fixture(scope="module")
def house(postgres: Postgres, told: list[bytes]) -> str:
    """The address of a PostgreSQL with the events of three tables."""
    postgres.execute("CREATE DATABASE views")
    with psycopg.connect(postgres.url("views")) as connection:
        for step in migrations("postgresql"):
            connection.execute(step.sql)
        fill(connection, "postgresql", told)
        connection.execute(ALARM)
    return postgres.url("views")


def _plain(value: Any) -> Any:
    """A value that is the same of both stores: times to the second, JSON without blanks, yes as 1."""
    if hasattr(value, "isoformat"):
        return value.isoformat()[:19]
    if isinstance(value, str) and value[:1] in "[{" and value:
        return json.dumps(json.loads(value), sort_keys=True)
    if isinstance(value, str) and value[4:5] == value[7:8] == "-":
        return value[:19]
    return value if isinstance(value, str) or value is None else round(float(value), 3)


def test_both_stores_have_the_same_views() -> None:
    """Beneath the first two, which read the events, the text is one."""
    texts = [
        migrations(dialect)[1].sql.partition("CREATE VIEW round AS")[2] for dialect in ("sqlite", "postgresql")
    ]
    assert texts[0] == texts[1]
    assert all(f"CREATE VIEW {view} AS" in f"CREATE VIEW round AS{texts[0]}" for view in VIEWS)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_says_the_same_in_both_stores(view: str, seeded: sqlite3.Connection, house: str) -> None:
    asked = f"SELECT * FROM {view}"
    with psycopg.connect(house, options="-c TimeZone=UTC") as connection:
        cursor = connection.execute(asked)
        here = sorted((tuple(map(_plain, row)) for row in cursor), key=repr)
        names = [column.name for column in cursor.description or ()]
    mine = seeded.execute(asked)
    there = sorted((tuple(map(_plain, row)) for row in mine), key=repr)
    assert names == [column[0] for column in mine.description]
    assert here == there
    assert len(here) >= 2, "the days show something of each view"


def test_views_tell_what_was_published(told: list[bytes], seeded: sqlite3.Connection) -> None:
    facts: list[Fact] = [fact_of(text) for text in told]

    def count(kind: str) -> int:
        return sum(fact.kind == kind for fact in facts)

    def ask(sql: str) -> list[tuple]:
        return seeded.execute(sql).fetchall()

    assert ask("SELECT COUNT(*), COUNT(ended) FROM round") == [(count("round_begun"), count("round_ended"))]
    assert ask("SELECT COUNT(*) FROM disposition") == [(count("disposition_made"),)]
    placed = sum(fact.data["cents"] for fact in facts if fact.kind == "wager_placed")
    assert ask("SELECT SUM(placed_cents) FROM wager") == [(placed,)]
    fates = {(fact.table, fact.round, fact.data["seat"], fact.data["wager"]): fact.data["fate"] for fact in facts
             if fact.kind == "wager_decided"}  # fmt: skip
    asked = ask("SELECT site || '/' || table_name, round_id, seat, wager, fate FROM wager WHERE fate IS NOT NULL")
    assert {row[:4]: row[4] for row in asked} == fates
    assert ask("SELECT COUNT(*) FROM alarm_life WHERE origin = 'hold'") == [(count("hold_placed"),)]
    assert ask("SELECT what, seen_by, round(seconds, 1) FROM alarm_life WHERE origin = 'recorder'") == [
        ("gap: main 5 to 7", "olga", 7.5)
    ]
    assert ask("SELECT accepted, counted, difference FROM progressive WHERE counted IS NOT NULL ORDER BY time") == [
        (fact.data["accepted"], fact.data["chips"], fact.data["chips"] - fact.data["accepted"])
        for fact in sorted(facts, key=lambda fact: fact.time) if fact.kind == "progressive_counted"
    ]  # fmt: skip
    (jams,) = ask("SELECT SUM(jams) FROM device")[0]
    assert jams == count("jammed")


def test_the_reader_reads_and_changes_nothing(postgres: Postgres, house: str) -> None:
    """Also of a partition that is made later."""
    with psycopg.connect(house, autocommit=True) as owner:
        owner.execute(ROLE.read_text())
        owner.execute(ROLE.read_text())  # a second time changes nothing
        owner.execute("CREATE ROLE grafana LOGIN IN ROLE tablewarden_reader")
        owner.execute("CREATE TABLE later (x int)")
    with psycopg.connect(house.replace("postgres@", "grafana@"), autocommit=True) as reader:
        assert reader.execute("SELECT COUNT(*) FROM round").fetchone() != (0,)
        assert reader.execute("SELECT COUNT(*) FROM later").fetchone() == (0,)
        for order in (
            "DELETE FROM event",
            "UPDATE alarm SET closed = now()",
            "CREATE TABLE mine (x int)",
            "DROP VIEW round",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute(order)


DASHBOARD = json.loads((ROLE.parent / "grafana-dashboard.json").read_text())
QUIET = {"Alarms of the back office that are open", "Not heard for 30 s"}
"""Panels that may be empty on the seeded days."""


def _asked(sql: str) -> str:
    """A query as Grafana's data source for PostgreSQL sends it."""
    since, until = "'2027-01-15T00:00:00Z'", "'2027-01-17T23:59:59Z'"
    sql = sql.replace("${site:sqlstring}", "'lv01', 'elsewhere'")
    sql = sql.replace("$__timeFrom()", since).replace("$__timeTo()", until)
    sql = re.sub(r"\$__timeFilter\((\w+)\)", rf"\1 BETWEEN {since} AND {until}", sql)
    sql = re.sub(r"\$__timeGroup\((\w+), ?'1h'\)", r"floor(extract(epoch from \1)/3600)*3600", sql)
    assert "$" not in sql, sql
    return sql


@pytest.mark.parametrize("panel", DASHBOARD["panels"], ids=lambda panel: panel["title"])
def test_a_panel_of_the_dashboard_shows_something(panel: dict[str, Any], house: str) -> None:
    """Each query runs on a seeded PostgreSQL, as the role that only reads; one a time series has its time first."""
    (target,) = panel["targets"]
    with psycopg.connect(house, options="-c TimeZone=UTC -c default_transaction_read_only=on") as connection:
        cursor = connection.execute(_asked(target["rawSql"]))
        names = [column.name for column in cursor.description or ()]
        rows = cursor.fetchall()
    assert rows or panel["title"] in QUIET
    if target["format"] == "time_series":
        assert names[0] == "time"
        assert [row[0] for row in rows] == sorted(row[0] for row in rows)


def test_the_dashboard_is_whole() -> None:
    """Panels stand beside each other and name the store by the variable; the variable's query is in it, too."""
    panels = DASHBOARD["panels"]
    cells = [(p["gridPos"]["x"] + x, p["gridPos"]["y"] + y) for p in panels for x in range(p["gridPos"]["w"])
             for y in range(p["gridPos"]["h"])]  # fmt: skip
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert {p["datasource"]["uid"] for p in panels} == {"${datasource}"}
    assert [v["name"] for v in DASHBOARD["templating"]["list"]] == ["datasource", "site"]
