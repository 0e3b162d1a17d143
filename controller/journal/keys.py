"""Key files: one Ed25519 key a table signs the heads of its record; whoever has the public half can check them.

Both halves are PEM as `openssl` reads and writes them. A key is known by its id: the first 16 hex digits of the SHA-256
of the public half in DER.
"""

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

from controller.journal import key_file
from controller.journal.key_file import KeyUnusable

__all__ = ["ALGORITHM", "KeyUnusable", "PublicKey", "SigningKey", "make_key"]

ALGORITHM = "ed25519"
MAKER = "tablewarden journal key --new"


class PublicKey:
    """The half that checks. `id`: 16 hex digits."""

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key
        self.id = sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()[:16]

    @classmethod
    def load(cls, path: Path) -> "PublicKey":
        """From a PEM file with the public half. Raises `KeyUnusable`."""
        data = key_file.read(path)
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
        data = key_file.read_private(path, MAKER)
        try:
            key = load_pem_private_key(data, password=None)
        except TypeError as exc:
            raise KeyUnusable(path, "is encrypted, and nobody is there at night to type a passphrase") from exc
        except (ValueError, UnsupportedAlgorithm) as exc:
            raise KeyUnusable(path, f"is no private key in PEM; `{MAKER}` makes one") from exc
        if not isinstance(key, Ed25519PrivateKey):
            raise KeyUnusable(path, f"is a key of another kind; `{MAKER}` makes an Ed25519 one")
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
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    key_file.write(path, secret, key_file.PRIVATE_MODE)
    key_file.write(beside, public.pem(), key_file.PUBLIC_MODE)
    return public
