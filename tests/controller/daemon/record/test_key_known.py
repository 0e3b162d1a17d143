"""The key that signs is the one that the record knows: another one is named by it before, or the table is held."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.config.load import load_config
from controller.control.desk import Refused
from controller.daemon import app
from controller.daemon.record.proof_run import Checker
from controller.journal.proof.key_change import known_keys
from controller.journal.proof.keys import PublicKey, make_key
from controller.journal.proof.verify import verify
from controller.journal.record import Stream
from controller.journal.store import opened
from controller.journal.vault.key_file import KeyUnusable
from controller.rules.vocabulary import Role
from controller.table.state.table import State
from controller.table.words.inputs import Actor
from tests.controller.daemon.record.test_record_kept import config, journal, public, running  # noqa: F401  # fixtures
from tests.controller.daemon.record.test_rescue import told_on_record

SAM = Actor("sam", Role.SUPERVISOR)


def changes(journal: Path) -> list[dict[str, str]]:  # noqa: F811
    with opened(journal) as view:
        return [json.loads(r.data) for r in view.merged([Stream.DIAG]) if r.kind == "signing_key_changed"]


def another_key(folder: Path) -> PublicKey:
    """Takes the place of the table's key file, and of its public half."""
    new = make_key(folder / "new")
    for end in ("", ".pub"):
        os.replace(folder / f"new{end}", folder / f"k{end}")
    return new


def state_of(daemon: app.Daemon) -> State:
    assert daemon.desk.table is not None
    return daemon.desk.table.engine.state


def without_key(config: Path, journal: Path) -> None:  # noqa: F811
    config.write_text(config.read_text().replace(f'key = "{journal.parent}/k"\n', ""))


async def test_a_key_that_nobody_named_holds_the_table(
    config: Path,  # noqa: F811
    journal: Path,  # noqa: F811
    public: PublicKey,  # noqa: F811
) -> None:
    """Once: from then on the record knows it. No key at all is another one, too."""
    async with running(config):
        pass
    assert known_keys(journal) == {public.id}
    new = another_key(journal.parent)
    for _ in range(2):
        async with running(config) as daemon:
            await told_on_record(daemon, 3)
            (hold,) = state_of(daemon).holds.values()
            assert {public.id, new.id} <= set(hold.reason.replace(",", " ").split())
            assert hold.least_role is Role.SUPERVISOR
    assert [(c["before"], c["key"], c.get("statement")) for c in changes(journal)] == [(public.id, new.id, None)]
    without_key(config, journal)
    async with running(config):
        pass
    assert changes(journal)[-1]["before"] == new.id
    assert changes(journal)[-1].get("key") is None


async def test_a_key_that_the_old_one_named_signs_without_a_word(
    config: Path,  # noqa: F811
    journal: Path,  # noqa: F811
    public: PublicKey,  # noqa: F811
) -> None:
    """A supervisor says so while the old key is in use; the record holds what the old key signed, and proves with both."""
    new = make_key(journal.parent / "new")
    async with running(config) as daemon:
        with pytest.raises(Refused, match="is no public key of Ed25519"):
            await daemon.desk.next_key("no hex", "a key a year", SAM)
        with pytest.raises(Refused, match="signs already"):
            await daemon.desk.next_key(public.raw.hex(), "a key a year", SAM)
        await daemon.desk.next_key(new.raw.hex(), "a key a year", SAM)
    for end in ("", ".pub"):
        os.replace(journal.parent / f"new{end}", journal.parent / f"k{end}")
    async with running(config) as daemon:
        await told_on_record(daemon, 3)
        assert not state_of(daemon).holds
    (change,) = changes(journal)
    assert (change["before"], change["key"], change["by"], change["reason"]) == (
        public.id,
        new.id,
        "sam",
        "a key a year",
    )
    assert public.has_signed(bytes.fromhex(change["signature"]), change["statement"].encode())
    assert verify(journal, keys=[public, new]).ok
    other = another_key(journal.parent)
    async with running(config):
        pass
    assert [(c["before"], c["key"]) for c in changes(journal)][1:] == [(new.id, other.id)], (
        "one name is for one key"
    )


async def test_a_name_that_the_old_key_did_not_sign_names_nothing(
    config: Path,  # noqa: F811
    journal: Path,  # noqa: F811
    public: PublicKey,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever can write to the record and has a key of his own is found."""
    make_key(journal.parent / "new")
    forger = app.SigningKey.load(journal.parent / "new")
    async with running(config) as daemon:
        assert daemon.desk.table is not None
        assert daemon.desk.table.key is not None
        own = daemon.desk.table.key.public
        monkeypatch.setattr(daemon.desk.table, "key", forger)
        monkeypatch.setattr(forger, "public", own)
        await daemon.desk.next_key(PublicKey.load(journal.parent / "new.pub").raw.hex(), "mine now", SAM)
    for end in ("", ".pub"):
        os.replace(journal.parent / f"new{end}", journal.parent / f"k{end}")
    async with running(config) as daemon:
        await told_on_record(daemon, 3)
        (hold,) = state_of(daemon).holds.values()
        assert public.id in hold.reason


async def test_a_damaged_key_ends_the_start(config: Path, journal: Path, public: PublicKey) -> None:  # noqa: F811
    """An old key file without its public half is taken where the record knows it, and nowhere else."""
    key = journal.parent / "k"
    async with running(config):
        pass
    old = key.read_bytes().partition(b"# tablewarden")[0]
    key.write_bytes(old)
    key.with_name("k.pub").unlink()
    async with running(config):
        pass
    assert known_keys(journal) == {public.id}
    make_key(journal.parent / "new")
    key.write_bytes((journal.parent / "new").read_bytes().partition(b"# tablewarden")[0])
    with pytest.raises(KeyUnusable, match="has no check, and nothing says that it is whole"):
        app.Daemon(load_config(config))


async def test_the_daily_proof_looks_at_signatures(tmp_path: Path) -> None:
    """By the key that signs now, and by no file that somebody could lay beside the record."""
    made = make_key(tmp_path / "k")
    told = tmp_path / "told"
    command = ("-c", f"import sys; open({str(told)!r}, 'w').write(open(sys.argv[-1]).read()); sys.exit(1)")
    checker = Checker(None, tmp_path / "j", made, first_s=0, command=command)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("controller.daemon.record.proof_run.log", _Stop())
        with pytest.raises(_Enough):
            await checker.run()
    assert told.read_bytes() == made.pem()


class _Enough(Exception):
    """The proof was asked for."""


class _Stop:
    def error(self, *_: object, **__: object) -> None:
        raise _Enough


def test_the_command_wants_a_public_half(tmp_path: Path) -> None:
    """And a daemon that it can ask."""
    make_key(tmp_path / "new")
    words = [
        "journal",
        "next-key",
        "--reason",
        "x",
        "--who",
        "sam",
        "--role",
        "supervisor",
        "--socket",
        str(tmp_path / "s"),
    ]
    assert CliRunner().invoke(cli, [*words, str(tmp_path / "new")]).exit_code == 1
    assert CliRunner().invoke(cli, [*words, str(tmp_path / "new.pub")]).exit_code == 3
