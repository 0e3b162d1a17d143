"""Key files: one Ed25519 key a table signs the heads of its record; whoever has the public half can check them.

Both halves are PEM as `openssl` reads and writes them. A key is known by its id: the first 16 hex digits of the SHA-256
of the public half in DER.
"""

import os
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

__all__ = ["ALGORITHM", "KeyUnusable", "PublicKey", "SigningKey", "make_key"]

ALGORITHM = "ed25519"
PRIVATE_MODE = 0o600
PUBLIC_MODE = 0o644
MAX_BYTES = 10_000
"""A PEM file of such a key has some 120; anything much longer is another file."""
CREDENTIALS = "CREDENTIALS_DIRECTORY"
"""Where the service manager hands credentials to this service; it keeps everybody else away from them."""


class KeyUnusable(Exception):
    """A key file that cannot be used: why, and what to do about it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class PublicKey:
    """The half that checks. `id`: 16 hex digits."""

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key
        self.id = sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()[:16]

    @classmethod
    def load(cls, path: Path) -> "PublicKey":
        """From a PEM file with the public half. Raises `KeyUnusable`."""
        data = _read(path)
        try:
            key = load_pem_public_key(data)
        except (ValueError, UnsupportedAlgorithm) as exc:
            hint = "; it is a private key: give its .pub" if b"PRIVATE KEY" in data else ""
            raise KeyUnusable(path, f"is no public key in PEM{hint}") from exc
        if not isinstance(key, Ed25519PublicKey):
            raise KeyUnusable(path, "is a public key of another kind; the record is signed with Ed25519")
        return cls(key)

    def has_signed(self, signature: bytes, data: bytes) -> bool:
        """True if the private half made this signature of these bytes."""
        try:
            self._key.verify(signature, data)
        except InvalidSignature:
            return False
        return True

    def pem(self) -> bytes:
        return self._key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


class SigningKey:
    """The half that signs. It is never logged, recorded or told."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key())

    @classmethod
    def load(cls, path: Path) -> "SigningKey":
        """From a PEM file that only the daemon may read. Raises `KeyUnusable`."""
        _verify_private(path)
        data = _read(path)
        try:
            key = load_pem_private_key(data, password=None)
        except TypeError as exc:
            raise KeyUnusable(path, "is encrypted, and nobody is there at night to type a passphrase") from exc
        except (ValueError, UnsupportedAlgorithm) as exc:
            raise KeyUnusable(path, "is no private key in PEM; `tablewarden journal key --new` makes one") from exc
        if not isinstance(key, Ed25519PrivateKey):
            raise KeyUnusable(
                path, "is a key of another kind; `tablewarden journal key --new` makes an Ed25519 one"
            )
        return cls(key)

    def sign(self, data: bytes) -> bytes:
        """64 bytes."""
        return self._key.sign(data)


def make_key(path: Path) -> PublicKey:
    """Makes a key at `path`, and its public half at `path`.pub. Nothing is overwritten. Raises `KeyUnusable`."""
    key = Ed25519PrivateKey.generate()
    public = PublicKey(key.public_key())
    beside = path.with_name(path.name + ".pub")
    if beside.exists():
        raise KeyUnusable(beside, "is there already; a key is never overwritten")
    _write(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), PRIVATE_MODE)
    _write(beside, public.pem(), PUBLIC_MODE)
    return public


def _write(path: Path, data: bytes, mode: int) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
    except FileExistsError as exc:
        raise KeyUnusable(path, "is there already; a key is never overwritten") from exc
    except OSError as exc:
        raise KeyUnusable(path, f"cannot be written: {exc.strerror}") from exc


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES)
    except OSError as exc:
        raise KeyUnusable(path, f"cannot be read: {exc.strerror}") from exc


def _verify_private(path: Path) -> None:
    """A private key that others can read proves nothing."""
    try:
        found = path.stat()
    except OSError as exc:
        remedy = "; `tablewarden journal key --new` makes one" if isinstance(exc, FileNotFoundError) else ""
        raise KeyUnusable(path, f"cannot be read: {exc.strerror}{remedy}") from exc
    if not stat.S_ISREG(found.st_mode):
        raise KeyUnusable(path, "is no file")
    if found.st_uid not in (0, os.geteuid()):
        raise KeyUnusable(path, f"belongs to user {found.st_uid}; it must belong to the daemon's user or to root")
    # An access list that lets this service in shows as a group's right to read.
    others = 0o037 if _is_credential(path) else 0o077
    if found.st_mode & others:
        raise KeyUnusable(path, f"others may use it (mode {stat.S_IMODE(found.st_mode):o}); chmod 600 it")


def _is_credential(path: Path) -> bool:
    directory = os.environ.get(CREDENTIALS)
    if not directory:
        return False
    with suppress(OSError):
        return path.resolve().is_relative_to(Path(directory).resolve())
    return False
