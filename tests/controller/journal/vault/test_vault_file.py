"""The vault's key file: a damaged line is found and named, and a file of an earlier release gets its checks."""

from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.clock import Stamp
from controller.journal.record import Draft, Stream, Transaction
from controller.journal.store import Journal
from controller.journal.vault.key_file import KeyUnusable
from controller.journal.vault.key_rows import known_vaults
from controller.journal.vault.vault_keys import VaultKeys, make_vault, renew_vault
from controller.rules.vocabulary import Area, Role
from controller.table.words import acts as a
from controller.table.words.codec import encode_input
from controller.table.words.inputs import Actor, Input, Moment


def test_no_flipped_bit_of_a_vault_makes_another_key(tmp_path: Path) -> None:
    """Each bit of a file with two keys: it is refused, or has the same keys (a bit of the words that nobody reads)."""
    file, bad = tmp_path / "v", tmp_path / "bad"
    first, newest = make_vault(file), renew_vault(file)
    whole = file.read_bytes()
    bad.touch(0o600)
    named = 0
    for bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        bad.write_bytes(damaged)
        try:
            found = VaultKeys.load(bad)
        except KeyUnusable as refused:
            named += "bring key" in refused.reason
            continue
        assert found.id == newest.id
        assert first.id in found
    assert named > 500


def test_a_damaged_key_is_named_by_its_line_and_id(tmp_path: Path) -> None:
    """So that whoever has the copy knows which line to bring back."""
    file = tmp_path / "v"
    first = make_vault(file)
    renew_vault(file)
    lines = file.read_text().splitlines()
    digit = lines[2][30]
    lines[2] = f"{lines[2][:30]}{'0' if digit != '0' else '1'}{lines[2][31:]}"
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(KeyUnusable, match=f"line 3 is damaged: .* bring key {first.id} back"):
        VaultKeys.load(file)


def test_a_vault_of_an_earlier_release_gets_its_checks(tmp_path: Path) -> None:
    """Unchecked, a key counts where the record knows it, or knows none; the command writes what is missing."""
    file = tmp_path / "v"
    made = make_vault(file)
    file.write_text(file.read_text().replace(f" {made.id}\n", "\n"))
    assert VaultKeys.load(file).id == VaultKeys.load(file, lambda: ()).id == made.id
    assert VaultKeys.load(file, lambda: {made.id, "0" * 16}).id == made.id
    with pytest.raises(KeyUnusable, match=f"the record knows no key {made.id}: .*vault key --check"):
        VaultKeys.load(file, lambda: {"0" * 16})
    told = CliRunner().invoke(cli, ["vault", "key", "--check", str(file)])
    assert (told.exit_code, made.id in told.output) == (0, True)
    assert VaultKeys.load(file, lambda: {"0" * 16}).id == made.id
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_record_knows_the_keys_that_it_sealed_under(tmp_path: Path) -> None:
    """And one that is not there knows none."""
    keys = make_vault(tmp_path / "v")
    act = a.RecordHand(Area.PLAYER, "As Kd", seat=1)
    body = encode_input(Input(Moment(1, 1, "b"), "table", act, None, Actor("ada", Role.DEALER)))
    given = Draft(Stream.INPUT, a.RecordHand.kind, 1, "table", "uth-017-7", body)
    with closing(Journal.open(tmp_path / "journal.db", site="lv01", table="uth-017", vault=keys)) as journal:
        journal.append([Transaction(Stamp(1, 1, "b", "synced"), given, None, ())], Stamp(2, 2, "b", "synced"))
    assert known_vaults(tmp_path / "journal.db") == {keys.id}
    assert known_vaults(tmp_path / "none.db") == frozenset()
