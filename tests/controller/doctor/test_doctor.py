"""`tablewarden doctor` on a folder in which something is wrong, and the bundle that it packs."""

import json
import re
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli.main import cli
from controller.config.report import examine
from controller.config.starter import Wanted, methods_of, starter
from controller.doctor.bundle import bundle, clean
from controller.doctor.checks import sicknesses
from controller.doctor.gather import gather
from controller.journal.proof.keys import make_key
from controller.journal.vault.vault_keys import make_vault
from controller.rules.read.library import find

BOOK = find("md-uth")
SECRET = "pw-4711-geheim"  # planted


@pytest.fixture
def file(tmp_path: Path) -> Path:
    text = starter(Wanted(BOOK, "bench", "t1", 6, methods_of(BOOK)[0], (), {}, True))
    make_key(tmp_path / "key.pem")
    make_vault(tmp_path / "vault-key")
    (tmp_path / "mqtt").write_text(SECRET)
    text = text.replace('path = "t1.journal"', 'path = "t1.journal"\nkey = "key.pem"\nvault = "vault-key"')
    text += '\n[mqtt]\nhost = "127.0.0.1"\nport = 1\nusername = "t1"\npassword_file = "mqtt"\n'
    path = tmp_path / "t1.toml"
    path.write_text(text)
    return path


def codes(file: Path) -> set[str]:
    told = CliRunner().invoke(cli, ["doctor", "--config", str(file), "--json"])
    assert told.exit_code == 1
    return {row["code"] for row in json.loads(told.stdout)}


def test_what_was_planted_in_the_folder_is_found(file: Path) -> None:
    (file.parent / "t1.journal.new").touch()
    (file.parent / "t1.journal").touch(mode=0o644)
    (file.parent / "t1.journal").chmod(0o644)
    (file.parent / "vault-key").chmod(0o640)
    assert {
        "port_missing", "leftovers", "record_open", "key_file_unfit", "no_daemon", "broker_away"
    } <= codes(file)  # fmt: skip


def test_a_broken_configuration_is_a_sickness_like_any_other(file: Path) -> None:
    file.write_text(file.read_text().replace("seats    = 6", "seats = six"))
    assert {"not_toml", "no_daemon"} <= codes(file)


def test_the_page_has_a_remedy_for_each(file: Path) -> None:
    told = CliRunner().invoke(cli, ["doctor", "--config", str(file)])
    lines = told.stdout.splitlines()
    sick = [line for line in lines if line.startswith("SICK")]
    assert len([line for line in lines if line.startswith("      do: ")]) + told.stdout.count("; plug") >= len(
        sick
    )
    assert re.fullmatch(r"\d+ sick, \d+ notes", lines[-1])


def test_the_bundle_holds_no_card_and_no_secret(file: Path, tmp_path: Path) -> None:
    status = {
        "version": "0.1.0", "table": "t1", "round": {"seats": {"1": {"hand": ["As", "Kd"]}}}, "offer": [{"cards": "Qh"}],
        "held": [{"reason": "the set has the 7h twice and no Jc"}], "devices": {}, "alarms": [],
        "record": {"ok": True}, "broker": None,
    }  # fmt: skip
    out = tmp_path / "s.tar.gz"
    finding = examine(file, here=True)
    machine = gather(finding.config, finding.faults, None, "", "0.1.0")
    names = bundle(out, machine, sicknesses(machine), status, file)
    with tarfile.open(out) as tar:
        texts = {member.name: tar.extractfile(member).read().decode() for member in tar.getmembers()}
    assert {Path(name).name for name in texts} == set(names)
    whole = "\n".join(texts.values())
    assert "md-uth" in whole
    secrets = [
        SECRET,
        (file.parent / "key.pem").read_text().splitlines()[1],
        *re.findall(r"\b[0-9a-f]{64}\b", (file.parent / "vault-key").read_text()),
    ]
    assert all(secret not in whole for secret in secrets)
    status_text = texts["tablewarden-support/status.json"] + texts["tablewarden-support/sicknesses.txt"]
    assert not re.search(r"(?<!\w)(?:10|[2-9TJQKA])[cdhs](?!\w)", status_text)
    assert out.stat().st_mode & 0o777 == 0o600


def test_a_password_that_somebody_wrote_into_a_file_is_withheld() -> None:
    assert SECRET not in clean(f'[mqtt]\npassword = "{SECRET}"\nmqtt_password: x\n')


def test_nothing_is_overwritten(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "there"
    out.write_text("mine")
    told = CliRunner().invoke(cli, ["doctor", "--config", str(file), "--bundle", str(out)])
    assert (told.exit_code, out.read_text()) == (3, "mine")
