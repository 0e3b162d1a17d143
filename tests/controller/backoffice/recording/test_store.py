"""Both stores keep events once and as they came, and say why when they cannot."""

import pytest

from controller.backoffice.row import Row, read
from controller.backoffice.store.batch import Batch, Occupied, RowRefused, Store, StoreAway
from controller.backoffice.store.database import database, store
from controller.backoffice.store.upkeep import prune
from controller.backoffice.watch import Watch
from tests.support.told_table import ToldTable

AT = "2026-01-02T00:00:00.000000Z"


@pytest.fixture
def opened(store_url):
    made = store(store_url, "recorder")
    made.open()
    yield made
    made.close()


def _rows(table: ToldTable, count: int, **changes) -> list[Row]:
    return [read(table.source, None, each, AT) for each in table.grow(count, **changes)]


def test_an_event_is_kept_as_it_came(opened: Store, store_url: str, table: ToldTable) -> None:
    odd = '{"text":"tab\\t, back\\\\slash, \\u0000, \\n, ü, 牌, \\\\N \\\\."}'.encode()
    rows = [*_rows(table, 3), *_rows(table, 1, body=odd), *_rows(table, 2, stream="diag")]
    assert opened.write(Batch(AT, rows=rows)) == 6
    with database(store_url) as db:
        found = db.execute("SELECT body, sequence, recordhash, kind FROM event ORDER BY stream DESC, sequence")
    assert [body for body, *_ in found] == [row.body for row in rows]
    assert [bytes(each).hex() for *_, each, _ in found] == [row.recordhash for row in rows]
    assert {kind for *_, kind in found} == {"cards_counted"}


def test_a_repeat_is_stored_once_and_another_content_is_named(opened: Store, table: ToldTable) -> None:
    rows = _rows(table, 5)
    opened.write(Batch(AT, rows=rows[:3]))
    assert opened.write(Batch(AT, rows=rows)) == 2
    assert opened.differing(rows) == []
    other = rows[1]._replace(body=rows[1].body.replace("3", "4"))
    elsewhere = rows[2]._replace(day="2026-03-01")
    unknown = rows[2]._replace(sequence=99)
    assert opened.differing([rows[0], other, elsewhere, unknown])[:1] == [other]
    assert unknown in opened.differing([unknown])


def test_one_of_two_recorders_by_one_name_is_refused(opened: Store, store_url: str) -> None:
    second = store(store_url, "recorder")
    with pytest.raises(Occupied, match="record"):
        second.open()
    opened.close()
    second.open()
    second.close()


def test_a_store_knows_again_what_it_had(opened: Store, table: ToldTable) -> None:
    watch, batch = Watch(opened.load()), Batch(AT)
    for row in [each for each in _rows(table, 9) if each.sequence != 4]:
        watch.event(row, batch, 0.0)
    watch.listens(0.0)
    watch.tick(batch, 1.0)
    watch.tick(batch, 7.0)
    watch.flush(batch)
    opened.write(batch)
    loaded = opened.load()
    assert [(each.through, each.head) for each in loaded.positions] == [(3, 0)]
    assert [(each.standing.code, each.standing.first, each.last) for each in loaded.alarms] == [("gap", 4, 4)]
    again = Watch(loaded)
    assert again.knows(read(table.source, None, table.event(9), AT))
    assert not again.knows(read(table.source, None, table.event(4), AT))


def test_a_row_that_no_column_can_hold_is_refused_and_nothing_of_its_batch_stored(
    opened: Store, store_url: str, table: ToldTable
) -> None:
    rows = _rows(table, 2)
    with pytest.raises(RowRefused):
        opened.write(Batch(AT, rows=[rows[0], rows[1]._replace(mono_ns=2**70)]))
    with database(store_url) as db:
        assert db.execute("SELECT count(*) FROM event") == [(0,)]
    assert opened.write(Batch(AT, rows=rows)) == 2


def test_old_days_go_by_class_and_their_repeats_are_no_forks(
    opened: Store, store_url: str, table: ToldTable
) -> None:
    rows = [*_rows(table, 3), *_rows(table, 3, stream="diag")]
    opened.write(Batch(AT, rows=rows))
    with database(store_url) as db:
        kept = {"main": 10_000, "diag": 1}
        assert prune(db, kept, is_only_asked=True) == [("diag", "2026-01-01", 3)]
        assert db.execute("SELECT count(*) FROM event") == [(6,)]
        prune(db, kept)
        assert db.execute("SELECT DISTINCT stream FROM event") == [("main",)]
    assert opened.differing(rows) == []


def test_days_out_of_reason_are_kept(opened: Store, store_url: str) -> None:
    table = ToldTable(spacing_us=86_400_000_000 * 5_000)
    rows = _rows(table, 3)
    assert opened.write(Batch(AT, rows=rows)) == 3
    assert rows[-1].day > "2060"
    assert opened.differing(rows) == []


def test_a_store_that_is_not_open_says_so(store_url: str) -> None:
    with pytest.raises(StoreAway):
        store(store_url, "recorder").write(Batch(AT))
