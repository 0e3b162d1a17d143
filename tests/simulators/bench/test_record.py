"""The observer's own reading of a journal file, tried on files that the real journal wrote."""

import shutil
import sqlite3

from controller.clock import ManualClock
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal
from simulators.bench.observer.record import RecordReader, broken_links


def written(path, count=3):
    """A journal with `count` device reports, each with one fact."""
    clock = ManualClock()
    journal = Journal.open(path, site="bench", table="uth-1")
    for counter in range(1, count + 1):
        report = Draft(Stream.INPUT, "button_pressed", 1, "shoe-1", None, b'{"body":{"button":"gr\xc3\xbcn"}}')
        fact = Draft(Stream.MAIN, "level_wanted", 1, "table", "uth-1-1", b'{"operation":%d}' % counter)
        at = clock.stamp()
        unique = ("SIM-shoe", "00000000000000aa", 2**64 - 10 + counter)
        journal.append([Transaction(at, report, unique, (fact,))], at)
    journal.close()
    return path


def judged(path):
    reader = RecordReader(path)
    try:
        return broken_links(reader.about()[0], reader.rows(), reader.anchors())
    finally:
        reader.close()


def test_a_journal_of_the_daemon_holds_together_by_the_published_rules(tmp_path):
    """Hashes computed anew from the layout alone are those of the file, with high counters and letters beyond ASCII."""
    path = written(tmp_path / "j.sqlite")
    assert judged(path) == []
    reader = RecordReader(path)
    rows = reader.rows()
    assert [(row.stream, row.sequence) for row in rows] == [(s, n) for n in (1, 2, 3) for s in ("input", "main")]
    assert rows[0].origin == ("SIM-shoe", "00000000000000aa", 2**64 - 9)
    assert (reader.last_order(), reader.heads()) == (6, {"input": 3, "main": 3, "diag": 0})
    assert reader.rows(after=4) == rows[4:]
    reader.close()


def test_what_is_on_record_is_seen_while_it_is_written(tmp_path):
    """The file may not be there yet; a wish is found by its operation, an acknowledgement by its counter."""
    reader = RecordReader(tmp_path / "j.sqlite")
    assert (reader.last_order(), reader.wanted(1), reader.about()[0]) == (0, None, "")
    written(tmp_path / "j.sqlite")
    assert reader.wanted(2) == {"operation": 2}
    assert reader.wanted(4) is None
    reader.close()


def test_a_changed_a_removed_and_a_reordered_record_are_found(tmp_path):
    """Whoever can write to the file can still not do it unseen."""
    sound = written(tmp_path / "j.sqlite")
    changes = {
        "does not match its hash": "UPDATE body SET data = CAST('{\"operation\":7}' AS BLOB) WHERE ord = 4",
        "main 3 follows 1": "DELETE FROM main WHERE sequence = 2",
        "main 1 does not match": "UPDATE main SET subject = 'shoe-2' WHERE sequence = 1",
    }
    for number, (word, change) in enumerate(changes.items()):
        path = tmp_path / f"changed-{number}.sqlite"
        for suffix in ("", "-wal"):
            if (source := sound.with_name(sound.name + suffix)).exists():
                shutil.copy(source, path.with_name(path.name + suffix))
        db = sqlite3.connect(path)
        for (trigger,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute(change)
        db.commit()
        db.close()
        found = judged(path)
        assert any(word in fault for fault in found), found
