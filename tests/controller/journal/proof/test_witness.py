"""Checkpoints within a record, and heads that somebody else kept: what they find that a chain alone cannot."""

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.clock import Stamp
from controller.journal.errors import JournalForeign, JournalOlder
from controller.journal.proof.checkpoint import signed_statement
from controller.journal.proof.export import export_lines
from controller.journal.proof.findings import Cause
from controller.journal.proof.keys import PublicKey, SigningKey, make_key
from controller.journal.proof.verify import verify
from controller.journal.proof.witness import HeadKept, HeadUnreadable, heads_in
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal, opened

INPUT, MAIN, DIAG = Stream.INPUT, Stream.MAIN, Stream.DIAG
Event = Callable[..., Transaction]
SCRIPT = Path(__file__).resolve().parents[4] / "docs" / "verify-record.sh"
Found = list[tuple[Cause, Stream | None, int | None, int | None]]


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    make_key(tmp_path / "table.key")
    return SigningKey.load(tmp_path / "table.key")


@pytest.fixture
def seal(key: SigningKey, now: Stamp) -> Callable[..., Transaction]:
    """A checkpoint of a journal as it is, ready to be recorded; `by`: signed with another key than the table's."""

    def seal_(journal: Journal, by: SigningKey | None = None) -> Transaction:
        heads, order = journal.last()
        text, signature = signed_statement(by or key, journal.id, journal.site, journal.table, heads, order, now)
        body = json.dumps({"statement": text, "signature": signature}, separators=(",", ":")).encode()
        return Transaction(
            now,
            Draft(INPUT, "checkpoint_signed", 1, "table", None, b'{"body":%s}' % body),
            None,
            (Draft(DIAG, "checkpoint_signed", 1, "table", None, body),),
        )

    return seal_


@pytest.fixture
def sealed(path: Path, event: Event, seal: Callable[..., Transaction], now: Stamp) -> Path:
    """30 inputs with facts in both streams, a checkpoint after each ten, and three records that none names."""
    journal = Journal.open(path, site="lv01", table="uth-017")
    for n in range(1, 31):
        journal.append([event(n, MAIN, DIAG)], now)
        if n % 10 == 0:
            journal.append([seal(journal)], now)
    journal.append([event(31, MAIN, DIAG)], now)
    journal.close()
    return path


def found(path: Path, **options: object) -> Found:
    return [(f.cause, f.stream, f.first, f.last) for f in verify(path, **options).faults]  # type: ignore[arg-type]


def test_a_signed_record_is_proved_by_the_public_key_alone(sealed: Path, key: SigningKey) -> None:
    """On a copy, with the public half from its file, and it says how far the newest signature reaches."""
    copy = sealed.with_name("copy")
    shutil.copy(sealed, copy)
    report = verify(copy, keys=[PublicKey.load(sealed.with_name("table.key.pub"))])
    assert report.ok
    assert (report.seals.found, report.seals.proved, report.seals.strange) == (3, 3, {})
    assert (report.seals.through, report.order) == (94, 99)
    unasked = verify(copy).seals
    assert (unasked.found, unasked.proved, unasked.through) == (3, 0, 94)


def test_another_key_is_told_apart_from_damage(sealed: Path, tmp_path: Path, key: SigningKey) -> None:
    """The record is sound, and who signed it is named; with both keys all is well."""
    other = make_key(tmp_path / "other.key")
    report = verify(sealed, keys=[other])
    assert report.ok
    assert (report.seals.proved, report.seals.strange) == (0, {key.public.id: 3})
    assert verify(sealed, keys=[other, key.public]).seals.proved == 3


def test_a_record_that_nobody_signed_does_not_prove_by_a_key(filled: Path, key: SigningKey) -> None:
    """Somebody who writes a record anew leaves the signatures out."""
    assert found(filled) == []
    assert found(filled, keys=[key.public]) == [(Cause.CHECKPOINT, None, None, None)]


def _rewritten(path: Path, key: SigningKey, seal: Callable[..., Transaction], event: Event, now: Stamp) -> None:
    """The same journal, with our own code, all hashes right; one body differs, and the checkpoints are the old ones."""
    with closing(sqlite3.connect(path)) as db:
        about = db.execute("SELECT id, created_us FROM journal").fetchone()
        old = dict(db.execute("SELECT ord, data FROM body").fetchall())
    path.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("controller.journal.disk.file.token_hex", lambda _: about[0])
        patch.setattr("controller.journal.disk.file.time.time_ns", lambda: about[1] * 1000)
        journal = Journal.open(path, site="lv01", table="uth-017")
    for n in range(1, 32):
        draft = event(n, MAIN, DIAG)
        if n == 5:
            (first, *rest) = draft.facts
            changed = Draft(first.stream, first.kind, first.version, first.subject, first.round_id, b'{"cards":9}')
            draft = Transaction(draft.at, draft.input, draft.unique, (changed, *rest))
        journal.append([draft], now)
        if n % 10 == 0:
            at, body = journal.last()[1], b""
            body = old[at + 2]
            said = Draft(INPUT, "checkpoint_signed", 1, "table", None, b'{"body":%s}' % body)
            journal.append(
                [Transaction(now, said, None, (Draft(DIAG, "checkpoint_signed", 1, "table", None, body),))], now
            )
    journal.close()


def test_a_record_that_was_written_anew_as_a_whole_contradicts_its_checkpoints(
    sealed: Path, key: SigningKey, seal: Callable[..., Transaction], event: Event, now: Stamp
) -> None:
    """Every hash is right, so only what was signed can tell; no key is needed to see it."""
    _rewritten(sealed, key, seal, event, now)
    faults = verify(sealed).faults
    assert {(f.cause, f.stream, f.first) for f in faults} == {(Cause.CHECKPOINT, DIAG, n) for n in (11, 22, 33)}
    assert all("had another hash when it was signed" in f.detail for f in faults)


def test_a_checkpoint_that_the_key_has_not_signed_is_named(
    journal: Journal, key: SigningKey, seal: Callable[..., Transaction], event: Event, now: Stamp, tmp_path: Path
) -> None:
    """Its statement names the table's key, and another one made the signature."""
    make_key(tmp_path / "thief.key")
    thief = SigningKey.load(tmp_path / "thief.key")
    thief.public.id = key.public.id
    journal.append([event(1, MAIN, DIAG)], now)
    journal.append([seal(journal, by=thief)], now)
    assert found(journal.path) == []
    assert found(journal.path, keys=[key.public]) == [(Cause.CHECKPOINT, DIAG, 2, 2)]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"{}", "cannot be read"),
        (b'{"statement":"{}","signature":""}', "is no statement"),
        (b'{"statement":"no","signature":"zz"}', "is no statement"),
    ],
)
def test_a_checkpoint_that_cannot_be_read_is_named(journal: Journal, now: Stamp, body: bytes, why: str) -> None:
    """Whatever stands in its place."""
    said = Draft(INPUT, "checkpoint_signed", 1, "table", None, b"{}")
    journal.append(
        [Transaction(now, said, None, (Draft(DIAG, "checkpoint_signed", 1, "table", None, body),))], now
    )
    (fault,) = verify(journal.path).faults
    assert (fault.cause, fault.first) == (Cause.CHECKPOINT, 1)
    assert why in fault.detail


def test_a_checkpoint_of_another_journal_is_named(
    journal: Journal, tmp_path: Path, seal: Callable[..., Transaction], now: Stamp
) -> None:
    """Its signature is real, and of something else."""
    other = Journal.open(tmp_path / "other.db", site="lv01", table="uth-018")
    journal.append([seal(other)], now)
    other.close()
    (fault,) = verify(journal.path).faults
    assert "of lv01/uth-018" in fault.detail


def _cut(path: Path, order: int) -> None:
    """Takes the newest records away, as somebody does who wants an evening to be forgotten; the chain stays right."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        for table in ("input", "main", "diag", "body"):
            db.execute(f"DELETE FROM {table} WHERE ord > ?", (order,))
        for _, sql in triggers:
            db.execute(sql)


def test_a_cut_tail_is_found_by_a_head_that_somebody_else_holds(sealed: Path) -> None:
    """And by nothing else: what is left is a sound record."""
    heads = verify(sealed).heads
    with closing(sqlite3.connect(sealed)) as db:
        (journal,) = db.execute("SELECT id FROM journal").fetchone()
    kept = [HeadKept(journal, stream, head.sequence, head.recordhash) for stream, head in heads.items()]
    assert found(sealed, against=kept) == []
    _cut(sealed, 93)
    assert found(sealed) == []
    assert found(sealed, against=kept) == [
        (Cause.CUT, INPUT, 33, 34), (Cause.CUT, MAIN, 31, 31), (Cause.CUT, DIAG, 32, 34),
    ]  # fmt: skip


def test_another_hash_under_a_kept_number_is_a_change_and_another_journal_is_none(sealed: Path) -> None:
    """The first is damage, the second a mix-up of whoever asks."""
    assert found(sealed, against=[HeadKept("", MAIN, 7, bytes(32))]) == [(Cause.CHANGED, MAIN, 7, 7)]
    with pytest.raises(JournalForeign, match="journal 00000000000000aa, of which the head was kept"):
        verify(sealed, against=[HeadKept("00000000000000aa", MAIN, 7, bytes(32))])


def test_a_format_of_an_earlier_release_is_no_damage(sealed: Path) -> None:
    """It is named, with what reads it."""
    with closing(sqlite3.connect(sealed)) as db:
        db.execute("PRAGMA user_version = 0")
    with pytest.raises(JournalOlder, match="format 0, and this release reads formats from 1 on"):
        verify(sealed)


HASH = "0f" * 32


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        (f"main:17:{HASH}\n", [("", MAIN, 17)]),
        (
            json.dumps({"journal": "j", "stream": "diag", "sequence": f"{9:020d}", "recordhash": HASH}),
            [("j", DIAG, 9)],
        ),
        (
            json.dumps({"journal": "j", "heads": {"main": {"sequence": 4, "hash": HASH}}}, indent=1),
            [("j", MAIN, 4)],
        ),
        (
            "\n".join(
                json.dumps({"journal": "j", "stream": "main", "sequence": n, "recordhash": HASH}) for n in (1, 2)
            ),
            [("j", MAIN, 1), ("j", MAIN, 2)],
        ),
    ],
)
def test_heads_are_read_from_whatever_somebody_keeps(text: str, heads: list[tuple[str, Stream, int]]) -> None:
    """A line, an event, a verdict, a file of events."""
    assert heads_in(text) == [HeadKept(j, s, n, bytes.fromhex(HASH)) for j, s, n in heads]


def test_a_published_checkpoint_is_a_head_of_every_stream(sealed: Path) -> None:
    """As the back office gets it, within its event."""
    with opened(sealed) as view:
        event = next(r for r in view.merged([DIAG]) if r.kind == "checkpoint_signed")
        told = {
            "journal": view.description.id, "stream": "diag", "sequence": str(event.sequence),
            "recordhash": event.recordhash.hex(), "data": json.loads(event.data),
        }  # fmt: skip
    heads = heads_in(json.dumps(told))
    assert [(h.stream, h.sequence) for h in heads] == [(DIAG, 11), (INPUT, 10), (MAIN, 10), (DIAG, 10)]
    assert found(sealed, against=heads) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "main:17",
        f"mean:1:{HASH}",
        f"main:-1:{HASH}",
        f"main:{1 << 63}:{HASH}",
        "main:1:0f",
        "{}",
        '{"heads":{"main":7}}',
        "{",
    ],
)
def test_what_is_no_head_is_refused(text: str) -> None:
    """It would otherwise prove nothing, in silence."""
    with pytest.raises(HeadUnreadable):
        heads_in(text)


def test_a_file_that_is_no_head_is_not_told_whole() -> None:
    """It may be a record of years."""
    with pytest.raises(HeadUnreadable, match="is not STREAM:SEQUENCE:HASH") as refused:
        heads_in("journal\t1\n" * 10_000)
    assert len(str(refused.value)) < 200


@pytest.mark.skipif(not (shutil.which("openssl") and shutil.which("bash")), reason="no openssl or bash here")
@pytest.mark.parametrize("change", ["", "body", "header", "signature", "line"])
def test_a_stranger_proves_an_export_with_sha256sum_and_openssl(sealed: Path, change: str) -> None:
    """The script of docs/record.md uses nothing of ours; each change of the text is found."""
    with opened(sealed) as view:
        lines = list(export_lines(view))
    at = next(n for n, line in enumerate(lines) if line.startswith("diag\t11\t"))
    match change:
        case "body":
            lines[40] = lines[40].replace('"cards":', '"cards": ').replace('"counter":', '"counter": ')
        case "header":
            lines[40] = lines[40].replace('"shoe-1"', '"shoe-2"')
        case "signature":
            lines[at] = lines[at].replace('"signature":"', '"signature":"00')
        case "line":
            del lines[40]
    exported = sealed.with_name("export.tsv")
    exported.write_text("".join(lines))
    done = subprocess.run(
        ["bash", SCRIPT, exported, sealed.with_name("table.key.pub")], capture_output=True, text=True, check=False
    )
    if change:
        assert (done.returncode, "WRONG" in done.stdout) == (1, True), done.stdout + done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("99 records, 0 faults, 3 checkpoints proved")
