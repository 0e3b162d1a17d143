"""A daemon closes its gaming days, has them copied, notes it, prunes, and starts again from what is left."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from controller.audit.replay import table_at
from controller.clock import ManualClock
from controller.config.load import load_config
from controller.daemon import app
from controller.daemon.record.archivist import Keeper
from controller.journal.archive.shelf import all_in, beside
from controller.journal.opening import opened, opened_alone
from controller.journal.proof.keys import PublicKey, make_key
from controller.journal.proof.verify_segments import verify_days
from controller.journal.record import Stream
from controller.journal.recorder import Recorder
from controller.journal.vault.vault_keys import make_vault
from controller.rules.vocabulary import Role
from controller.table.state.disputes import Dispute
from controller.table.words.acts import NewDealer
from controller.table.words.inputs import Actor
from controller.table.words.structs import replace
from controller.text.status_page import status_page

EXAMPLE = Path(__file__).resolve().parents[4] / "config" / "tables" / "example.toml"
PATIENCE_S = 50
COMMAND = ("-c", "from controller.cli.main import main; main()", "journal", "keep", "--json")
FLORA = Actor("flora", Role.FLOORPERSON)
DAY_S = 24 * 3600.0


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "t.journal"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "second").mkdir()
    return tmp_path / "second"


@pytest.fixture
def public(tmp_path: Path) -> PublicKey:
    return make_key(tmp_path / "k")


@pytest.fixture
def config(tmp_path: Path, journal: Path, public: PublicKey, place: Path) -> Path:
    """The example's table without a broker, with a second place, two days in the live file, and the house's own gaming day."""
    text = EXAMPLE.read_text().replace("/var/lib/tablewarden/example.journal", str(journal))
    text = text.replace("/run/tablewarden/", f"{tmp_path}/")
    text = text[: text.index("# Without this section")] + text[text.index("# The socket through") :]
    text = text.replace("[journal]\n", f'[journal]\nkey = "{tmp_path}/k"\nvault = "{tmp_path}/vault"\n', 1)
    text = text.replace("production = false", 'production = false\ngaming_day = "06:00"\ntime_zone = "-05:00"', 1)
    make_vault(tmp_path / "vault")
    path = tmp_path / "t.toml"
    text = text.replace("[retention]\n", f'[retention]\ncopy = "{place}"\nkeep_days = 2\n', 1)
    path.write_text(text)
    return path


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@asynccontextmanager
async def running(config: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[app.Daemon]:
    """A daemon by that clock, whose keeper has looked at its record."""
    monkeypatch.setattr("controller.daemon.record.archivist.EVERY_S", 1.0)
    # With the least priority the child never gets its turn where other tests keep the machine busy.
    monkeypatch.setattr("controller.daemon.subprocess_json.NICE", 0)
    monkeypatch.setattr(
        app, "Recorder", partial(Recorder, limit_s=1e9)
    )  # a commit may be under way as a day goes by
    monkeypatch.setattr(app, "Keeper", partial(Keeper, first_s=0.05, command=COMMAND))
    daemon = app.Daemon(load_config(config), clock)
    serving = asyncio.create_task(daemon.serve())
    try:
        await until(lambda: daemon.desk.table is not None and keeper_of(daemon)._open is not None)
        yield daemon
    finally:
        daemon._stop.set()
        async with asyncio.timeout(PATIENCE_S):
            assert await serving == 0


def keeper_of(daemon: app.Daemon) -> Keeper:
    assert daemon.desk.table is not None
    assert daemon.desk.table.keeper is not None
    return daemon.desk.table.keeper


async def until(is_so: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110  # what is waited for tells nobody
            await asyncio.sleep(0.02)


async def play(daemon: app.Daemon, clock: ManualClock, days: int) -> None:
    """A dealer comes each day; the first act of a day closes the one before."""
    assert daemon.desk.table is not None
    for _ in range(days):
        clock.advance(DAY_S)
        closed = len(days_in(daemon.config.journal))
        await daemon.desk.table.engine.act(NewDealer(), FLORA)
        await until(lambda closed=closed: len(days_in(daemon.config.journal)) == closed + 1)


def days_in(journal: Path) -> list[str]:
    with opened(journal) as view:
        return [b.subject for b in view.backwards(Stream.DIAG, ("record_day_closed",))]


def begins(daemon: app.Daemon) -> int:
    assert daemon.desk.table is not None
    return daemon.desk.table.journal.description.order_before


async def test_days_are_closed_copied_noted_and_pruned_and_a_start_takes_up_what_is_left(
    config: Path,
    journal: Path,
    place: Path,
    clock: ManualClock,
    public: PublicKey,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From the second place everything is proved with the public key; without any snapshot a start knows its state."""
    async with running(config, clock, monkeypatch) as daemon:
        await play(daemon, clock, 5)
        await until(lambda: begins(daemon) > 0)
        engine = daemon.desk.table and daemon.desk.table.engine
        assert engine
        assert keeper_of(daemon).document()["problem"] == ""
    journal.with_name("t.journal.snapshot").unlink()
    with opened_alone(journal) as view:
        assert view.description.order_before > 0
        folder = beside(journal, view.description.id)
        copies = place / "bench-example" / view.description.id
        diag = list(view.merged([Stream.DIAG]))
        told = [r for r in diag if r.kind in ("segment_copied", "record_pruned")]
        pruned_at = max(n for n, r in enumerate(diag) if r.kind == "record_pruned")
    assert "checkpoint_signed" in [r.kind for r in diag[pruned_at + 1 : pruned_at + 3]], (
        "before the beginning moves"
    )
    assert {"segment_copied", "record_pruned"} == {r.kind for r in told}
    assert [n.day for n in all_in(copies)] == [
        "2025-12-31",
        "2026-01-01",
        "2026-01-02",
        "2026-01-03",
        "2026-01-04",
    ]
    assert [n.path.read_bytes() for n in all_in(folder)] == [n.path.read_bytes() for n in all_in(copies)]
    pruned = [n for n in all_in(copies) if n.last <= view.description.order_before]
    assert [n.day for n in pruned] == ["2025-12-31", "2026-01-01", "2026-01-02"]
    reports = verify_days(pruned, journal, keys=[public])
    assert all(r.ok and not r.seals.strange for r in reports), [r.faults for r in reports]
    with opened(journal) as whole:
        expected = table_at(whole, time_us=2**60).state
    async with running(config, clock, monkeypatch) as daemon:
        assert daemon.desk.table is not None
        assert daemon.desk.table.engine.state.rounds == expected.rounds
        assert daemon.desk.table.engine.state.new_dealer == expected.new_dealer is True


async def test_a_second_place_that_is_away_is_said_and_made_good_when_it_comes(
    config: Path, place: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is pruned meanwhile; `status` says how many days are behind, since when, and what to do."""
    shutil.rmtree(place)
    async with running(config, clock, monkeypatch) as daemon:
        await play(daemon, clock, 4)
        await until(lambda: keeper_of(daemon).document()["behind_days"] == 4)
        await until(lambda: keeper_of(daemon).document()["kept_by"])
        page = "\n".join(status_page(daemon.desk.status()))
        assert "the second place is not there; put the medium in, or mount it" in page
        assert "4 gaming days of the record are not at" in page
        assert "from 2025-12-31 on" in page
        assert "no copy of 2025-12-31 is on record" in page
        assert begins(daemon) == 0
        os.mkdir(place)
        await until(lambda: begins(daemon) > 0)
        await until(lambda: keeper_of(daemon).document()["behind_days"] == 0)
        assert "NOT COPIED" not in "\n".join(status_page(daemon.desk.status()))


@pytest.mark.parametrize("why", ["unsynced", "outbox", "held"])
async def test_nothing_is_pruned_that_somebody_still_needs(
    why: str, config: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the date is not known, the back office has not got it, or a dispute holds a round of it."""
    words = {
        "unsynced": "nobody knows the date",
        "outbox": "the back office has not got",
        "held": "a dispute holds",
    }
    if why == "held":
        monkeypatch.setattr(
            "controller.journal.view.JournalView.first_of", lambda self, rounds: 1 if rounds else None
        )
    if why == "unsynced":
        clock.clock = "unsynced"
    if why == "outbox":
        monkeypatch.setattr("controller.journal.store.Journal.position", lambda self, reader: {})
    async with running(config, clock, monkeypatch) as daemon:
        if why == "held":
            assert daemon.desk.table is not None
            engine, dispute = daemon.desk.table.engine, Dispute("d1", "r-held", 0, "the pot", "sam", keeps=False)
            # A commit that is under way sets the state that it began with.
            await until(lambda: engine.idle and not engine._under_way)
            engine.state = replace(engine.state, disputes={dispute.id: dispute})
        await play(daemon, clock, 4)
        await until(lambda: words[why] in keeper_of(daemon).document()["kept_by"])
        await asyncio.sleep(0.5)
        assert begins(daemon) == 0


async def test_a_clock_that_is_set_to_and_fro_closes_no_day_each_time(
    config: Path, journal: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two days are closed an hour apart at least."""
    async with running(config, clock, monkeypatch) as daemon:
        await play(daemon, clock, 1)
        assert daemon.desk.table is not None
        for days in (1, -1, 1, -1):
            clock.step_wall(days * DAY_S)
            await daemon.desk.table.engine.act(NewDealer(), FLORA)
        assert len(days_in(journal)) == 1


async def test_a_day_that_could_not_be_sealed_is_said(
    config: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child that fails ends nothing."""
    monkeypatch.setattr(
        "tests.controller.daemon.record.test_archivist.COMMAND", ("-c", "raise SystemExit('no room')")
    )
    async with running(config, clock, monkeypatch) as daemon:
        await play(daemon, clock, 1)
        await until(lambda: "no room" in keeper_of(daemon).document()["problem"])


async def test_the_keys_of_rounds_are_copied_by_the_vault_of_the_table(
    config: Path, clock: ManualClock, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The child is told where the vault is, by its file: a key is never in an argument."""
    monkeypatch.setattr(
        "tests.controller.daemon.record.test_archivist.COMMAND",
        ("-c", "import sys; raise SystemExit(' '.join(sys.argv))"),
    )
    async with running(config, clock, monkeypatch) as daemon:
        await play(daemon, clock, 1)
        wanted = f"--copy {place} --vault {tmp_path}/vault"
        await until(lambda: wanted in keeper_of(daemon).document()["problem"])
