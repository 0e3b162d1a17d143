"""The tables of the store are the same in SQLite and PostgreSQL, and an older release does not touch a newer store."""

import re

import pytest

from controller.backoffice.store.schema import Dialect, SchemaUnknown, migrations, missing

COLUMN = re.compile(r"^ {4}([a-z_]+) ", re.MULTILINE)


def _tables(dialect: Dialect) -> dict[str, list[str]]:
    sql = migrations(dialect)[0].sql
    return {
        name: COLUMN.findall(body)
        for name, body in re.findall(r"^CREATE TABLE (\w+) \(\n(.*?)^\)", sql, re.MULTILINE | re.DOTALL)
    }


def test_both_stores_have_equal_tables_and_columns() -> None:
    sqlite = _tables("sqlite")
    assert sqlite == _tables("postgresql")
    assert len(sqlite) >= 9
    assert "body" in sqlite["event"]


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_migrations_count_from_one_without_holes(dialect: Dialect) -> None:
    found = migrations(dialect)
    assert [each.number for each in found] == list(range(1, len(found) + 1))


def test_a_store_of_a_later_release_is_refused() -> None:
    with pytest.raises(SchemaUnknown, match="migration 99"):
        missing("sqlite", {1, 99})
    assert [each.number for each in missing("sqlite", set())][:1] == [1]
