"""A real broker, a real PostgreSQL once for all tests of this worker, and a table without a daemon."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.controller.publish.conftest import Mosquitto
from tests.support.postgres import Postgres
from tests.support.told_table import ToldTable


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    cluster = Postgres()
    cluster.execute("CREATE DATABASE house")
    yield cluster
    cluster.remove()


@pytest.fixture
def postgres_url(postgres: Postgres) -> str:
    """An empty database: a schema is made anew in a tenth of the time that a database takes."""
    postgres.execute(
        "DROP SCHEMA public CASCADE",
        "CREATE SCHEMA public",
        "GRANT USAGE ON SCHEMA public TO PUBLIC",
        name="house",
    )
    return postgres.url("house")


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store, of either kind."""
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'house.db'}"
    return request.getfixturevalue("postgres_url")


@pytest.fixture
def table() -> ToldTable:
    return ToldTable()


@pytest.fixture
def make_mosquitto(tmp_path: Path) -> Iterator[Callable[..., Mosquitto]]:
    made: list[Mosquitto] = []

    def make(*lines: str) -> Mosquitto:
        folder = tmp_path / f"mosquitto-{len(made)}"
        folder.mkdir()
        broker = Mosquitto(folder)
        broker.lines += ["max_inflight_messages 1000", *lines]
        made.append(broker)
        broker.start()
        return broker

    yield make
    for broker in made:
        broker.stop()


@pytest.fixture
def mosquitto(make_mosquitto: Callable[..., Mosquitto]) -> Mosquitto:
    return make_mosquitto()
