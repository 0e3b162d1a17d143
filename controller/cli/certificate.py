"""`tablewarden certificate`: an authority for a bench or a small house, and certificates for tables, broker and consumers."""

import ipaddress
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from controller.cli.arguments import A_PATH
from controller.cli.groups import Sentences
from controller.cli.main import WRONG, end
from controller.journal.vault import key_file
from controller.journal.vault.key_file import PRIVATE_MODE, PUBLIC_MODE, KeyUnusable
from controller.publish.topics import verify_level

AUTHORITY, BROKER = "authority", "broker"
BEFORE = timedelta(hours=1)
"""A certificate begins so long before it is made: the clocks of a house differ."""
CLIENT, SERVER = ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH

_SIGNS = x509.KeyUsage(
    digital_signature=False, content_commitment=False, key_encipherment=False, data_encipherment=False,
    key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
)  # fmt: skip

Key = ec.EllipticCurvePrivateKey


@click.group(cls=Sentences)
def certificate() -> None:
    """Make certificates by which broker, tables and consumers know each other (docs/mqtt.md 12).

    For a bench or a small house. A house with an authority of its own issues the same: CN = table id for a table, the host name
    as subjectAltName for the broker.

    \b
    Example:
      tablewarden certificate authority --in authority
      tablewarden certificate table lv01-bj-017 --in authority
    """


FOLDER = click.option(
    "--in", "folder", type=A_PATH, required=True, metavar="DIR", help="Where the authority lies."
)
RENEW = click.option(
    "--renew", is_flag=True, help="Replace the certificate and keep its key; the daemon takes it by itself."
)


DAYS = click.option(
    "--days", type=click.IntRange(1, 36500), default=397, show_default=True, help="How long it is valid."
)


@certificate.command()
@FOLDER
@click.option(
    "--days", type=click.IntRange(1, 36500), default=3650, show_default=True, help="How long it is valid."
)
def authority(folder: Path, days: int) -> None:
    """Make an authority in DIR: authority.pem for everybody, authority.key for nobody. Keep the key off tables and broker.

    \b
    Example:
      tablewarden certificate authority --in authority
    """
    _say(lambda: make_authority(folder, days))


@certificate.command()
@click.argument("table_id", metavar="TABLE")
@FOLDER
@DAYS
@RENEW
def table(table_id: str, folder: Path, days: int, renew: bool) -> None:
    """Make the certificate of a TABLE, by its id: TABLE.pem and TABLE.key in DIR.

    \b
    Example:
      tablewarden certificate table lv01-bj-017 --in authority
      tablewarden certificate table lv01-bj-017 --in authority --renew
    """
    _say(lambda: issue(folder, _client(table_id, "table"), CLIENT, days=days, renew=renew))


@certificate.command()
@click.argument("name")
@FOLDER
@DAYS
@RENEW
def consumer(name: str, folder: Path, days: int, renew: bool) -> None:
    """Make the certificate of a consumer by its NAME at the broker, such as recorder: NAME.pem and NAME.key in DIR.

    \b
    Example:
      tablewarden certificate consumer recorder --in authority
    """
    _say(lambda: issue(folder, _client(name, "name"), CLIENT, days=days, renew=renew))


@certificate.command()
@click.argument("hosts", metavar="HOST...", nargs=-1, required=True)
@FOLDER
@DAYS
@RENEW
def broker(hosts: Sequence[str], folder: Path, days: int, renew: bool) -> None:
    """Make the broker's certificate for all its HOST names and addresses: broker.pem and broker.key in DIR.

    \b
    Example:
      tablewarden certificate broker broker.example 192.0.2.7 --in authority
    """
    _say(lambda: issue(folder, BROKER, SERVER, hosts, days=days, renew=renew))


def _say(make: Callable[[], tuple[Path, datetime]]) -> None:
    try:
        path, until = make()
    except KeyUnusable as exc:
        end(str(exc), WRONG)
    except ValueError as exc:
        raise click.UsageError(str(exc)) from exc
    click.echo(f"{path}: valid until {until:%Y-%m-%d}; its key is {path.with_suffix('.key')}")


def _client(name: str, what: str) -> str:
    if name in (AUTHORITY, BROKER):
        raise ValueError(f"{what} {name!r} would overwrite the files of the {name}; choose another name")
    return verify_level(name, what)


def make_authority(folder: Path, days: int) -> tuple[Path, datetime]:
    """Makes an authority; returns its certificate's file and end. Raises `KeyUnusable`."""
    folder.mkdir(parents=True, exist_ok=True)
    key, name = ec.generate_private_key(ec.SECP256R1()), _name("tablewarden authority")
    begins = datetime.now(UTC) - BEFORE
    builder = _builder(name, name, key, begins, begins + timedelta(days=days))
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    builder = builder.add_extension(_SIGNS, critical=True)
    return _write(folder / f"{AUTHORITY}.pem", builder.sign(key, hashes.SHA256()), key)


def issue(
    folder: Path,
    name: str,
    use: x509.ObjectIdentifier,
    hosts: Sequence[str] = (),
    *,
    days: int,
    renew: bool = False,
    begins: datetime | None = None,
    path: Path | None = None,
) -> tuple[Path, datetime]:
    """Issues a certificate by the authority in `folder`; returns its file and end. `begins`: None = an hour ago.

    `path`: where it is written, its key beside it; None = `folder`, under its name.

    `renew`: with the key that is there, in place of the certificate that is there. Raises `KeyUnusable`.
    """
    signer = _load_key(folder / f"{AUTHORITY}.key")
    by = x509.load_pem_x509_certificate(key_file.read(folder / f"{AUTHORITY}.pem"))
    path = path or folder / f"{name}.pem"
    key = _load_key(path.with_suffix(".key")) if renew else ec.generate_private_key(ec.SECP256R1())
    begins = begins or datetime.now(UTC) - BEFORE
    ends = min(begins + timedelta(days=days), by.not_valid_after_utc)
    builder = _builder(_name(name), by.subject, key, begins, ends)
    by_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
    builder = builder.add_extension(by_key, critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([use]), critical=False)
    if hosts:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([_host(host) for host in hosts]), critical=False
        )
    return _write(path, builder.sign(signer, hashes.SHA256()), None if renew else key)


def hosts_lacking(path: Path, hosts: Sequence[str]) -> list[str]:
    """Returns those of the hosts that the certificate in `path` does not name. Raises `KeyUnusable`."""
    found = x509.load_pem_x509_certificate(key_file.read(path))
    names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return [host for host in hosts if _host(host) not in names]


def _builder(
    name: x509.Name, by: x509.Name, key: Key, begins: datetime, ends: datetime
) -> x509.CertificateBuilder:
    public = key.public_key()
    builder = x509.CertificateBuilder(by, name, public, x509.random_serial_number(), begins, ends)
    return builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _load_key(path: Path) -> Key:
    key = load_pem_private_key(key_file.read(path), None)
    if not isinstance(key, Key):
        raise KeyUnusable(path, "is no key of this command")
    return key


def _write(path: Path, made: x509.Certificate, key: Key | None) -> tuple[Path, datetime]:
    """Writes key and certificate, which are new; or without `key` the certificate alone, in place of the one there."""
    pem = made.public_bytes(Encoding.PEM)
    if key is None:
        key_file.replace(path, pem, PUBLIC_MODE)
    else:
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        key_file.write(path.with_suffix(".key"), secret, PRIVATE_MODE)
        key_file.write(path, pem, PUBLIC_MODE)
    return path, made.not_valid_after_utc
