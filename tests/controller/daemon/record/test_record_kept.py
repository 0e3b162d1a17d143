"""A daemon and its record: signed from start to stop, put aside and begun anew where it is damaged, proved in the background."""

import asyncio
import json
import pickle
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from controller.audit.replay import table_at
from controller.cli.main import cli
from controller.config.load import load_config
from controller.daemon import app
from controller.daemon.record.proof_run import Checker
from controller.journal.archive.quarantine import MOST, TooManyDamaged, set_aside
from controller.journal.errors import JournalLocked, JournalWriteFailed
from controller.journal.proof.keys import PublicKey, make_key
from controller.journal.proof.verify import verify
from controller.journal.record import Draft, Record, Stream, Transaction
from controller.journal.store import Journal, opened
from controller.journal.vault.vault_keys import VaultKeys, make_vault, renew_vault
from controller.rules.vocabulary import Area, Role
from controller.table.state.table import State
from controller.table.words.acts import (
    BringSet,
    ClearAlarm,
    NewDealer,
    RecordHand,
    Resolution,
    ResolveHold,
    SeeAlarm,
)
from controller.table.words.codec import encode, encode_input
from controller.table.words.facts import HandRecorded
from controller.table.words.inputs import Actor, Input, Moment, RecordChecked
from controller.table.words.structs import replace
from drivers.events import DeviceRejected
from tests.support.far_ends import until

EXAMPLE = Path(__file__).resolve().parents[4] / "config" / "tables" / "example.toml"
PATIENCE_S = 30


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "t.journal"


@pytest.fixture
def public(journal: Path) -> PublicKey:
    return make_key(journal.with_name("k"))


@pytest.fixture
def config(tmp_path: Path, journal: Path, public: PublicKey) -> Path:
    """The example's table without a broker, everything of it in a folder of the test."""
    text = EXAMPLE.read_text().replace("/var/lib/tablewarden/example.journal", str(journal))
    text = text.replace("/run/tablewarden/", f"{tmp_path}/")
    text = text[: text.index("# Without this section")] + text[text.index("# The socket through") :]
    path = tmp_path / "t.toml"
    path.write_text(text.replace("[journal]\n", f'[journal]\nkey = "{tmp_path}/k"\n'))
    return path


@asynccontextmanager
async def running(config: Path) -> AsyncIterator[app.Daemon]:
    """A daemon in this process whose table is up and has its first records; it is stopped in order at the end."""
    daemon = app.Daemon(load_config(config))
    serving = asyncio.create_task(daemon.serve())
    try:
        async with asyncio.timeout(PATIENCE_S):
            while daemon.desk.table is None or daemon.desk.table.engine.order < 4:
                await asyncio.sleep(0.01)
                assert not serving.done(), serving.result()
        yield daemon
    finally:
        daemon._stop.set()
        async with asyncio.timeout(PATIENCE_S):
            assert await serving == 0


def bytes_of(path: Path) -> bytes:
    return path.read_bytes()


def kinds(journal: Path) -> list[str]:
    with opened(journal) as view:
        return [record.kind for record in view.merged([*Stream])]


async def test_a_daemon_signs_its_record_from_start_to_stop(
    config: Path, journal: Path, public: PublicKey
) -> None:
    """Its last word is under a signature too; only the checkpoint itself comes after."""
    async with running(config):
        pass
    report = verify(journal, keys=[public])
    assert report.ok, report.faults
    assert report.seals.proved == report.seals.found >= 2
    assert report.order - report.seals.through == 2


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:9000] if path.exists() else b"no journal")


def _take_an_old_body(path: Path) -> None:
    """Far from the end of the file, where a start does not look for itself; folding it finds the hole.

    A snapshot would spare the folding, and leave the hole to the proof in the background.
    """
    path.with_name(f"{path.name}.snapshot").unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TRIGGER body_no_delete")
        db.execute("DELETE FROM body WHERE ord = 2")
        sql = "CREATE TRIGGER body_no_delete BEFORE DELETE ON body BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"
        db.execute(sql)
        db.commit()


@pytest.mark.parametrize("damage", [_cut, lambda path: path.write_bytes(b""), lambda path: path.write_text("log\n" * 99),
                                    _take_an_old_body], ids=["cut", "empty", "text", "a body is gone"])  # fmt: skip
async def test_a_damaged_record_is_kept_under_another_name_and_a_new_one_begins_held(
    config: Path, journal: Path, damage: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No loop, nothing deleted: the new record begins with what was put aside, and a supervisor looks before play goes on."""
    monkeypatch.setattr("controller.journal.proof.verify.TAIL", 1)
    async with running(config):
        pass
    damage(journal)
    before = bytes_of(journal)
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        (hold,) = daemon.desk.table.engine.state.holds.values()
        assert "t.journal.damaged-" in hold.reason
        assert hold.least_role is Role.SUPERVISOR
        answer = ResolveHold(hold.id, Resolution.GO_ON, "looked at the table")
        await daemon.desk.table.engine.act(answer, Actor("sam", Role.SUPERVISOR))
        assert not daemon.desk.table.engine.state.holds
    (aside,) = [p for p in journal.parent.glob("t.journal.damaged-*") if not p.name.endswith(("-wal", "-shm"))]
    kept = bytes_of(aside)
    is_seen_at_open = damage is not _take_an_old_body
    assert (kept == before) is is_seen_at_open, "what was found later had its log and its counters written before"
    with opened(journal) as view:
        first = next(view.merged([Stream.MAIN]))
    told = json.loads(first.data)
    assert first.kind == "record_replaced"
    assert (told["file"], told["size"]) == (aside.name, len(kept))
    assert told["sha256"] == sha256(kept).hexdigest()
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        assert not daemon.desk.table.engine.state.holds, "it is told once"
    assert kinds(journal).count("record_replaced") == 2  # the input and its fact


async def test_a_start_that_was_cut_off_after_it_put_the_record_aside_is_made_good(
    config: Path, journal: Path
) -> None:
    """The next start finds a new record with nothing in it, and says what lies beside it."""
    _cut(journal)
    set_aside(journal)
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        assert len(daemon.desk.table.engine.state.holds) == 1
    assert kinds(journal)[0] == "record_replaced"


def test_so_many_damaged_records_are_a_disk_to_be_looked_at(journal: Path) -> None:
    """No name is used twice, logs go along, and after the eighth nothing is moved any more."""
    for n in range(MOST):
        journal.write_text(f"damage {n}")
        journal.with_name("t.journal-wal").write_text(f"log {n}")
        aside = journal.with_name(set_aside(journal).name)
        assert (aside.read_text(), Path(f"{aside}-wal").read_text()) == (f"damage {n}", f"log {n}")
    journal.write_text("one more")
    with pytest.raises(TooManyDamaged, match="8 damaged journals lie beside it"):
        set_aside(journal)
    assert journal.read_text() == "one more"


def test_a_log_without_its_journal_is_put_aside_too(journal: Path) -> None:
    """Else no journal could ever be made in its place."""
    journal.with_name("t.journal-wal").write_text("log")
    aside = set_aside(journal)
    assert (aside.size, aside.sha256) == (0, "")
    assert journal.with_name(f"{aside.name}-wal").read_text() == "log"


def test_a_record_that_somebody_writes_or_that_cannot_be_moved_stays_where_it_is(journal: Path) -> None:
    """The writer's lock is respected; a folder that is gone is a failed write like any other."""
    held = Journal.open(journal, site="lv01", table="t1")
    with pytest.raises(JournalLocked):
        set_aside(journal)
    held.close()
    with pytest.raises(JournalWriteFailed):
        set_aside(journal.parent / "none" / "j")


class Engine:
    def __init__(self) -> None:
        self.told: asyncio.Queue[RecordChecked] = asyncio.Queue()

    def submit(self, subject: str, body: RecordChecked) -> bool:
        self.told.put_nowait(body)
        return True


COMMAND = ("-c", "from controller.cli.main import main; main()", "journal", "verify", "--json")


@pytest.mark.parametrize("is_sound", [True, False])
async def test_the_whole_record_is_proved_in_the_background(
    config: Path, journal: Path, is_sound: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict comes back as news of the service, with the first fault where there is one."""
    # With the least priority the child never gets its turn where other tests keep the machine busy.
    monkeypatch.setattr("controller.daemon.subprocess_json.NICE", 0)
    async with running(config):
        pass
    if not is_sound:
        _take_an_old_body(journal)
    engine = Engine()
    checking = asyncio.create_task(Checker(engine, journal, first_s=0, command=COMMAND).run())  # type: ignore[arg-type]
    async with asyncio.timeout(PATIENCE_S):
        told = await engine.told.get()
    checking.cancel()
    await asyncio.gather(checking, return_exceptions=True)
    assert told.records == verify(journal).records
    assert (told.faults == 0, told.first_fault == "") == (is_sound, is_sound)


async def test_a_proof_that_cannot_be_made_tells_nothing_and_ends_nothing(journal: Path) -> None:
    """A program that is not there to prove is no proof, and no reason to stop a table."""
    engine = Engine()
    checking = asyncio.create_task(
        Checker(engine, journal, first_s=0, command=("-c", "raise SystemExit(1)")).run()
    )  # type: ignore[arg-type]
    await asyncio.sleep(0.5)
    assert engine.told.empty()
    assert not checking.done()
    checking.cancel()
    await asyncio.gather(checking, return_exceptions=True)


def _forge(snapshot: Path) -> None:
    """Pickled by somebody without the key, and meant to do harm when it is read."""
    snapshot.write_bytes(bytes(64) + pickle.dumps(_Harm()))


class _Harm:
    def __reduce__(self) -> Any:
        return (exec, ("raise SystemExit('unpickled')",))


def _move_away(path: Path) -> None:
    path.rename(path.with_name("away"))


def _copy(snapshot: Path) -> None:
    snapshot.write_bytes(snapshot.with_name("earlier").read_bytes())


@pytest.mark.parametrize("change", [None, _forge, _copy], ids=["none", "forged", "earlier"])
async def test_a_start_takes_the_state_from_a_snapshot_or_from_the_record_and_it_is_the_same(
    config: Path, journal: Path, change: Callable[[Path], Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever became of the snapshot: only one that the table's key signed, of this very record, is taken."""
    folded: list[int] = []
    fold = app.Engine.fold_record

    def counting(engine: app.Engine, snapshot: Any = None) -> int:
        folded.append(fold(engine, snapshot))
        return folded[-1]

    monkeypatch.setattr(app.Engine, "fold_record", counting)
    snapshot = journal.with_name("t.journal.snapshot")
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        await daemon.desk.table.engine.act(NewDealer(), Actor("flora", Role.FLOORPERSON))
    snapshot.with_name("earlier").write_bytes(bytes_of(snapshot))
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        await daemon.desk.table.engine.act(BringSet("red"), Actor("flora", Role.FLOORPERSON))
    if change is not None:
        change(snapshot)
    with opened(journal) as view:
        expected = table_at(view, time_us=2**60).state
        facts = sum(1 for _ in view.merged([Stream.MAIN, Stream.DIAG]))
    before = len(folded)
    daemon = app.Daemon(load_config(config))
    again = Journal.open(journal, site="bench", table="example")
    engine = app.Engine(daemon.setup, again, app.Recorder(again, daemon.clock), daemon.clock)
    assert daemon._key is not None
    engine.fold_record(app.Snapshots(journal, daemon._key, daemon.setup).load(again))
    again.close()
    assert engine.state == expected
    expected_folded = {None: range(1), _forge: range(facts, facts + 1), _copy: range(1, facts)}
    assert folded[before] in expected_folded[change]


async def test_a_snapshot_of_other_code_or_of_another_record_is_passed_over(config: Path, journal: Path) -> None:
    """A changed core may fold otherwise; a journal that was begun anew has other records under the same numbers."""
    async with running(config):
        pass
    daemon = app.Daemon(load_config(config))
    assert daemon._key is not None
    again = Journal.open(journal, site="bench", table="example")
    assert app.Snapshots(journal, daemon._key, daemon.setup).load(again) is not None
    other = replace(daemon.setup, seats=daemon.setup.seats - 1)
    assert app.Snapshots(journal, daemon._key, other).load(again) is None
    again.close()
    _move_away(journal)
    fresh = Journal.open(journal, site="bench", table="example")
    assert app.Snapshots(journal, daemon._key, daemon.setup).load(fresh) is None
    fresh.close()


async def test_a_snapshot_of_a_table_with_a_vault_can_be_read_with_it_alone(
    config: Path, journal: Path, tmp_path: Path
) -> None:
    """The state knows hands that were told; one that lies there from before the vault, or of another one, is thrown away."""
    async with running(config) as daemon:
        pass
    vault, key = make_vault(tmp_path / "v"), daemon._key
    assert key is not None
    file, again = journal.with_name(journal.name + ".snapshot"), Journal.open_readonly(journal)
    state = replace(State.initial(daemon.setup), rounds=471_147_114_711)
    plain = app.Snapshots(journal, key, daemon.setup)
    plain.save(again, state)
    assert b"471147114711" in file.read_bytes(), "the search below would find it"
    sealed = app.Snapshots(journal, key, daemon.setup, vault)
    assert sealed.load(again) is None
    assert not file.exists(), "what said it in the clear is gone"
    sealed.save(again, state)
    assert b"471147114711" not in file.read_bytes()
    found = sealed.load(again)
    assert found is not None
    assert found.state == state
    assert app.Snapshots(journal, key, daemon.setup, renew_vault(tmp_path / "v")).load(again) is not None
    for other in (make_vault(tmp_path / "other"), None):
        sealed.save(again, state)
        assert app.Snapshots(journal, key, daemon.setup, other).load(again) is None
    again.close()


async def test_cards_whose_vault_key_is_missing_are_asked_for_again_and_nothing_is_put_aside(
    config: Path, journal: Path, tmp_path: Path
) -> None:
    """Another vault in the place of the table's: no damage, a record that says which key is missing, and play."""
    _give_a_vault(config, tmp_path / "v")
    lost = VaultKeys.load(tmp_path / "v").id
    async with running(config) as daemon:
        pass
    said = encode_input(
        Input(Moment(1, 1, "b"), "table", RecordHand(Area.DEALER, "As Kd"), None, Actor("a", Role.DEALER))
    )
    fact = encode(HandRecorded("uth-9", Area.DEALER, 0, "As Kd", "", "", "a"))
    written = Journal.open(
        journal, site=daemon.setup.site, table=daemon.setup.table, vault=VaultKeys.load(tmp_path / "v")
    )
    at = daemon.clock.stamp()
    drafts = (Draft(Stream.MAIN, "hand_recorded", 1, "table", "uth-9", fact),)
    written.append(
        [Transaction(at, Draft(Stream.INPUT, "record_hand", 1, "table", "uth-9", said), None, drafts)], at
    )
    written.close()
    (tmp_path / "v").rename(tmp_path / "lost")
    make_vault(tmp_path / "v")
    async with running(config):
        pass
    (unread,) = [r for r in _diag(journal) if r.kind == "cards_unread"]
    assert msgspec.json.decode(unread.data) == {"vault": lost, "rounds": ["uth-9"]}
    assert _put_aside(tmp_path) == []
    assert "round_opened" not in kinds(journal)
    _put_back(tmp_path / "lost", tmp_path / "v")
    async with running(config):
        await until(lambda: "round_opened" in kinds(journal), "the opening of the round")
    assert [r.kind for r in _diag(journal)].count("cards_unread") == 1, (
        "with its line back in the file nothing is missing"
    )


def _give_a_vault(config: Path, vault: Path) -> None:
    make_vault(vault)
    config.write_text(config.read_text().replace("[journal]\n", f'[journal]\nvault = "{vault}"\n'))


def _put_back(lost: Path, vault: Path) -> None:
    """The lines of one file behind those of the other."""
    vault.write_bytes(vault.read_bytes() + lost.read_bytes())


def _put_aside(folder: Path) -> list[Path]:
    return list(folder.glob("t.journal.damaged-*"))


def _diag(journal: Path) -> list[Record]:
    with opened(journal) as view:
        return list(view.merged((Stream.DIAG,)))


async def test_who_saw_an_alarm_when_is_told_from_the_record_alone(config: Path, journal: Path) -> None:
    """Raised, come again, seen, cleared with what was found; over a restart, and without the daemon. A hold too."""
    flora, sam = Actor("flora", Role.FLOORPERSON), Actor("sam", Role.SUPERVISOR)
    async with running(config) as daemon:
        engine = _engine(daemon)
        device = next(iter(engine.state.devices))
        for _ in range(2):
            engine.submit(device, DeviceRejected("auth_bad_mac", "somebody is on the cable"))
        await engine.act(SeeAlarm("A1"), flora)
        await engine.note(RecordChecked(1, 1, "main/3: changed"))
    async with running(config) as daemon:
        await _engine(daemon).act(SeeAlarm("A1"), sam)
        await _engine(daemon).act(ClearAlarm("A1", "a loose plug"), sam)
    found = CliRunner().invoke(cli, ["journal", "alarms", str(journal), "--json"])
    alarm, hold = json.loads(found.output)["alarms"]
    assert (alarm["id"], alarm["what"]) == ("A1", f"{device}: auth_bad_mac: somebody is on the cable")
    assert len(alarm["again"]) == 1
    assert [(seen["by"], seen["role"]) for seen in alarm["seen"]] == [
        ("flora", "floorperson"),
        ("sam", "supervisor"),
    ]
    assert (alarm["ended"]["by"], alarm["ended"]["found"]) == ("sam", "a loose plug")
    times = [alarm["raised"], *alarm["again"], *[seen["time"] for seen in alarm["seen"]], alarm["ended"]["time"]]
    assert times == sorted(times)
    assert hold["ended"] is None
    page = CliRunner().invoke(cli, ["journal", "alarms", str(journal)]).output
    assert "seen by flora (floorperson)" in page
    assert "ended by sam (supervisor): a loose plug" in page
    assert page.rstrip().endswith("STILL OPEN")


def _engine(daemon: app.Daemon) -> app.Engine:
    assert daemon.desk.table is not None
    return daemon.desk.table.engine
