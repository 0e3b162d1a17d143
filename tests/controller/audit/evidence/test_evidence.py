"""The evidence file of a round proves on a machine without this software, and shows whatever was changed in it."""

import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli.main import cli
from controller.journal.proof.keys import SigningKey, make_key
from tests.support.recorded import FLUSH, Recorded, disputed

SYSTEM = {"PATH": "/usr/bin:/bin"}
DOCS = Path(__file__).resolve().parents[4] / "docs"


@pytest.fixture(scope="module")
def flush(tmp_path_factory: pytest.TempPathFactory) -> tuple[Recorded, str]:
    """A table whose second round is disputed for a royal flush, and the id of that round."""
    return disputed(tmp_path_factory.mktemp("table"))


def ask(*args: object) -> Result:
    return CliRunner().invoke(cli, ["journal", "evidence", *map(str, args)])


def made(table: Recorded, name: str, to: Path, *options: object) -> Path:
    """The file, unpacked."""
    done = ask(table.path, name, "--key", table.public, "--out", to / "e.zip", *options)
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(to / "e.zip") as packed:
        packed.extractall(to)
    return to / f"evidence-{name}"


def proved(folder: Path, *args: object) -> subprocess.CompletedProcess[str]:
    """As a stranger does it: with what a plain system has, and the script in `folder`."""
    script = folder / ("verify-evidence.sh" if folder == DOCS else "verify.sh")
    return subprocess.run(
        ["bash", script, *args], capture_output=True, text=True, check=False, env=SYSTEM, cwd="/"
    )


@pytest.fixture(scope="module")
def unpacked(flush: tuple[Recorded, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    table, name = flush
    return made(table, name, tmp_path_factory.mktemp("evidence"), "--sign", table.key)


def test_a_disputed_royal_flush_proves_with_bash_sha256sum_and_openssl_alone(
    flush: tuple[Recorded, str], unpacked: Path
) -> None:
    """By the key that somebody holds, and the cards of the flush are those that were committed to."""
    table, name = flush
    done = proved(unpacked, table.public)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert done.stdout.endswith("PROVED\n")
    assert f"round      {name} of journal {table.journal.id}" in done.stdout
    assert "signed     the manifest, and by it the page" in done.stdout
    assert "cards      11 as committed when they were told" in done.stdout
    cards = [line.split("\t")[4] for line in (unpacked / "cards.tsv").read_text().splitlines()]
    assert sorted({*cards}) == sorted(" ".join(FLUSH.values()).split())


def test_it_holds_the_round_whole_and_what_was_said_of_it_later_and_no_body_of_another(
    flush: tuple[Recorded, str], unpacked: Path
) -> None:
    """Every record of the round as the journal has it; of other rounds their commitments only."""
    _, name = flush
    lines = [line.split("\t") for line in (unpacked / "records.tsv").read_text().splitlines()]
    records = [line for line in lines if line[0] in ("input", "main", "diag")]
    headers = [json.loads(line[2]) for line in records]
    shown = [h for h, line in zip(headers, records, strict=True) if line[3] != "-"]
    kinds = {h[5] for h in shown if h[8] == name}
    assert {
        "round_begun",
        "hand_recorded",
        "round_opened",
        "round_ended",
        "dispute_raised",
        "bookmark_named",
    } <= kinds
    assert {"dispute_closed"} <= kinds
    assert {h[8] for h in shown} - {name, None} == set(), "nobody else's bodies"
    withheld = {h[8] for h, line in zip(headers, records, strict=True) if line[3] == "-"}
    assert name not in withheld
    assert withheld
    whole = json.loads((unpacked / "identities.json").read_text())
    assert {d["device"] for d in whole["devices"]} == {"shuffler-1", "shoe-1", "progressive-1"}
    assert whole["setup"]["elections"]


def test_the_same_record_gives_the_same_bytes(flush: tuple[Recorded, str], tmp_path: Path) -> None:
    """Whoever doubts a file makes it again."""
    table, name = flush
    for out in ("a.zip", "b.zip"):
        done = ask(table.path, name, "--key", table.public, "--sign", table.key, "--out", tmp_path / out)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def _tampered_page(folder: Path) -> None:
    (folder / "identities.json").write_text("{}")


def _another_rulebook(folder: Path) -> None:
    with (folder / "rulebook.toml").open("a") as file:
        file.write("# as it suits\n")


def _changed_records(folder: Path) -> None:
    """The first hand that was told is withheld, the second one changed, the third left out; the last signature goes, so that the
    end could be written anew."""
    changes: list[Callable[[list[str]], list[str]]] = [
        lambda c: [*c[:3], "-", "-", *c[5:]],
        lambda c: [*c[:4], c[4].replace('"by":', '"seat":2,"by":'), *c[5:]],
        lambda c: [],
    ]
    out = []
    for line in (folder / "records.tsv").read_text().splitlines()[:-1]:
        columns = line.split("\t")
        if columns[0] == "main" and '"hand_recorded"' in columns[2] and changes:
            columns = changes.pop(0)(columns)
        out += ["\t".join(columns) + "\n"] if columns else []
    assert not changes
    (folder / "records.tsv").write_text("".join(out))


def _another_card(folder: Path) -> None:
    text = (folder / "cards.tsv").read_text()
    text = text.replace("\tplayer\t1\tcards\tKs\t", "\tplayer\t3\tcards\tKs\t")  # to another seat
    (folder / "cards.tsv").write_text(text.replace("\tAs\t", "\tAh\t"))


def _remade_manifest(folder: Path) -> None:
    """As a forger without the key would do it: hashes right, signature gone."""
    (folder / "manifest.sig").unlink()
    head = (folder / "manifest.sha256").read_text().splitlines()[0]
    names = sorted(p.name for p in folder.iterdir() if not p.name.startswith("manifest."))
    sums = subprocess.run(["sha256sum", *names], cwd=folder, capture_output=True, text=True, check=True).stdout
    (folder / "manifest.sha256").write_text(f"{head}\n{sums}")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Recorded, Path]:
    """The only round of a table, and its evidence."""
    table = Recorded(tmp_path_factory.mktemp("small"))
    table.ready()
    name = table.round_of("red", FLUSH)
    table.journal.close()
    return table, made(table, name, tmp_path_factory.mktemp("unpacked"), "--sign", table.key)


@pytest.fixture
def copy(small: tuple[Recorded, Path], tmp_path: Path) -> Path:
    """One that may be changed."""
    return Path(shutil.copytree(small[1], tmp_path / "copy"))


def test_each_part_that_was_changed_added_or_taken_away_is_named(small: tuple[Recorded, Path], copy: Path) -> None:
    """The signature of the manifest holds all of them, by the table's key."""
    _tampered_page(copy)
    _another_rulebook(copy)
    _another_card(copy)
    (copy / "added.txt").write_text("believe me")
    (copy / "verify-record.sh").write_text("echo '1 records, 0 faults, 1 checkpoints proved'\n")
    done = proved(DOCS, copy, small[0].public)
    assert done.returncode == 1
    for name in ("identities.json", "rulebook.toml", "cards.tsv", "verify-record.sh"):
        assert f"WRONG      {name}: FAILED" in done.stdout
    assert "added.txt is not in the manifest" in done.stdout
    assert "Ah is not the card that was committed to" in done.stdout
    assert "holds no such commitment for player 3" in done.stdout
    assert "rulebook.toml is not the one on record" in done.stdout
    assert " 0 faults, 2 checkpoints proved" in done.stdout, (
        "the records are proved by the script that was trusted"
    )


def test_what_nothing_on_record_binds_is_said_to_be_unsigned_once_a_forger_made_the_manifest_anew(
    small: tuple[Recorded, Path], copy: Path
) -> None:
    """The records prove by themselves; the rest is then only as good as who gave it."""
    _tampered_page(copy)
    _remade_manifest(copy)
    done = proved(copy, small[0].public)
    assert (done.returncode, "PROVED" in done.stdout.splitlines()) == (3, False)
    assert "unsigned   the manifest: the page is as this file's maker wrote it" in done.stdout


def test_changed_records_are_named_also_where_the_manifest_was_made_anew(
    small: tuple[Recorded, Path], copy: Path
) -> None:
    """Chain and checkpoints bind them."""
    _changed_records(copy)
    _remade_manifest(copy)
    done = proved(copy, small[0].public)
    assert done.returncode == 1
    assert "which is of this round, is withheld" in done.stdout
    assert "the body is not the one that was committed to" in done.stdout
    assert "follows main/" in done.stdout
    assert "came after the newest signature" in done.stdout


def test_another_key_than_the_tables_proves_nothing(small: tuple[Recorded, Path], tmp_path: Path) -> None:
    """Whoever made a file by a key of their own is found out by the key that was given."""
    make_key(tmp_path / "other")
    done = proved(small[1], tmp_path / "other.pub")
    assert done.returncode == 1
    assert "not signed by" in done.stdout
    assert "manifest.sig is of another key" in done.stdout


def test_a_manifest_signed_by_a_key_that_signed_no_record_is_found(
    small: tuple[Recorded, Path], copy: Path
) -> None:
    """A forger lays a key of his own beside the table's, and the file is proved by the keys in it."""
    _tampered_page(copy)
    make_key(copy.parent / "mine")
    mine = SigningKey.load(copy.parent / "mine")
    (copy / f"key-{mine.public.id}.pub").write_bytes(mine.public.pem())
    _remade_manifest(copy)
    (copy / "manifest.sig").write_bytes(mine.sign((copy / "manifest.sha256").read_bytes()))
    done = proved(DOCS, copy)
    assert (done.returncode, "signed by a key that has signed no checkpoint" in done.stdout) == (1, True), (
        done.stdout
    )


def test_a_key_that_is_not_there_is_said_so(small: tuple[Recorded, Path]) -> None:
    """And not that the signatures are wrong."""
    done = proved(small[1], "/nowhere/table.pub")
    assert (done.returncode, done.stdout) == (2, "/nowhere/table.pub: no such key\n")
