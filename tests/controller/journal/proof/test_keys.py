"""The key that signs a record: made once, readable by the daemon alone, and known by an id that openssl gives as well."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from controller.cli.main import cli
from controller.journal.proof.keys import PublicKey, SigningKey, make_key
from controller.journal.vault.key_file import KeyUnusable


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.key"


def test_a_key_signs_and_its_public_half_checks(file: Path) -> None:
    """Both halves have one id, and a changed byte or another key is no signature."""
    made = make_key(file)
    key, public = SigningKey.load(file), PublicKey.load(file.with_name("table.key.pub"))
    assert made.id == key.public.id == public.id
    signature = key.sign(b"text")
    assert public.has_signed(signature, b"text")
    assert not public.has_signed(signature, b"tex!")
    assert not public.has_signed(signature[:-1], b"text")
    other = make_key(file.with_name("other.key"))
    assert not other.has_signed(signature, b"text")
    assert other.id != public.id


def test_only_the_daemon_can_read_a_new_key(file: Path) -> None:
    """Whatever the mask of the person who makes it."""
    before = os.umask(0)
    try:
        make_key(file)
    finally:
        os.umask(before)
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_key_is_never_overwritten(file: Path) -> None:
    """Neither half: signatures that were made with it could not be checked any more."""
    make_key(file)
    before = file.read_bytes()
    with pytest.raises(KeyUnusable, match="there already"):
        make_key(file)
    file.unlink()
    with pytest.raises(KeyUnusable, match=r"table\.key\.pub: is there already"):
        make_key(file)
    assert not file.exists()
    assert before


def _flipped(data: bytes) -> Iterator[bytes]:
    """Each file with one bit of these bytes turned."""
    for at in range(len(data)):
        for bit in range(8):
            yield data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def test_every_flipped_bit_of_a_key_file_is_refused(file: Path) -> None:
    """Nothing else is needed for it than the file: no public half, no record."""
    make_key(file)
    file.with_name("table.key.pub").unlink()
    whole, taken = file.read_bytes(), 0
    for damaged in _flipped(whole):
        file.write_bytes(damaged)
        try:
            SigningKey.load(file)
        except KeyUnusable:
            continue
        taken += 1
    assert taken == 0
    file.write_bytes(whole[: whole.index(b"# tablewarden")])
    with pytest.raises(KeyUnusable, match="has no check, and nothing says that it is whole"):
        SigningKey.load(file, known=())


def test_a_key_of_an_earlier_release_is_compared_with_its_public_half(file: Path) -> None:
    """No flipped bit of it makes another key; then the check is written, and the public half is not needed for it."""
    made, beside = make_key(file), file.with_name("table.key.pub")
    old = file.read_bytes().partition(b"# tablewarden")[0]
    for damaged in _flipped(old):
        file.write_bytes(damaged)
        try:
            assert SigningKey.load(file).public.id == made.id, damaged
        except KeyUnusable:
            continue
    file.write_bytes(old)
    public = beside.rename(file.with_name("away"))
    assert SigningKey.load(file, known={made.id}).public.id == made.id, "or its record knows it"
    assert CliRunner().invoke(cli, ["journal", "key", "--check", str(file)]).exit_code == 1
    public.rename(beside)
    done = CliRunner().invoke(cli, ["journal", "key", "--check", str(file)])
    assert (done.exit_code, made.id in done.output) == (0, True), done.output
    assert file.stat().st_mode & 0o777 == 0o600
    beside.unlink()
    assert SigningKey.load(file, known=()).public.id == made.id


def test_a_key_beside_the_public_half_of_another_is_refused(file: Path) -> None:
    """One of the two files is not the table's."""
    make_key(file)
    other = make_key(file.with_name("other.key"))
    file.with_name("other.key.pub").replace(file.with_name("table.key.pub"))
    with pytest.raises(KeyUnusable, match=rf"is not the private half of table.key.pub .*{other.id}"):
        SigningKey.load(file)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o610])
def test_a_key_that_others_may_use_is_refused(file: Path, mode: int) -> None:
    """With what to do about it."""
    make_key(file)
    file.chmod(mode)
    with pytest.raises(KeyUnusable, match=r"others may use it .* chmod 600"):
        SigningKey.load(file)


def test_a_credential_of_the_service_manager_may_be_readable_by_an_access_list(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It shows as a right of the group to read; more than that is refused there too, and elsewhere it stays refused."""
    make_key(file)
    file.chmod(0o440)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(file.parent))
    assert SigningKey.load(file).public.id
    file.chmod(0o444)
    with pytest.raises(KeyUnusable, match="others may use it"):
        SigningKey.load(file)
    file.chmod(0o440)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(file.parent / "elsewhere"))
    with pytest.raises(KeyUnusable, match="others may use it"):
        SigningKey.load(file)


def test_what_is_no_key_is_told_by_what_it_is(file: Path) -> None:
    """Missing, a folder, text, of another kind, encrypted, the wrong half: each by name."""
    with pytest.raises(KeyUnusable, match=r"No such file.*journal key --new"):
        SigningKey.load(file)
    with pytest.raises(KeyUnusable, match="is no file"):
        SigningKey.load(file.parent)
    make_key(file)
    pem, public = file.read_bytes(), file.with_name("table.key.pub")
    with pytest.raises(KeyUnusable, match=r"is no public key.*give its \.pub"):
        PublicKey.load(file)
    rsa = generate_private_key(65537, 2048)
    public.write_bytes(rsa.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(KeyUnusable, match="of another kind"):
        PublicKey.load(public)
    file.write_bytes(rsa.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(KeyUnusable, match="of another kind"):
        SigningKey.load(file)
    locked = load_pem_private_key(pem, None).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x")
    )
    file.write_bytes(locked)
    with pytest.raises(KeyUnusable, match="is encrypted"):
        SigningKey.load(file)
    file.write_text("no key\n")
    with pytest.raises(KeyUnusable, match="is no private key"):
        SigningKey.load(file)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl here")
def test_a_key_by_openssl_is_a_key_and_has_the_id_that_openssl_tells(file: Path) -> None:
    """As docs/record.md says: the first digits of the hash of the public half in DER."""
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", file], check=True)
    file.chmod(0o600)
    der = subprocess.run(
        ["openssl", "pkey", "-in", file, "-pubout", "-outform", "DER"], check=True, capture_output=True
    )
    assert SigningKey.load(file).public.id == sha256(der.stdout).hexdigest()[:16]
