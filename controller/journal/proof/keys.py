"""Key files: one Ed25519 key a table signs the heads of its record; the public half checks them.

Both halves are PEM as `openssl` reads and writes them. A key is known by its id: the first 16 hex digits of the SHA-256
of the public half in DER. Behind the private half stands a check, `# tablewarden check SHA-256`, over all before it: an Ed25519
key has no check of its own, so a flipped bit makes another key that is as good.
"""

from collections.abc import Container
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InternalError, InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from controller.journal.vault import key_file
from controller.journal.vault.key_file import KeyUnusable

ALGORITHM = "ed25519"
MAKER = "tablewarden journal key --new"
ADDER = "tablewarden journal key --check"
CHECK = b"# tablewarden check "
END = b"PRIVATE KEY-----"


class PublicKey:
    """The half of a signing key that checks. `id`: 16 hex digits."""

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key
        self.id = sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()[:16]

    @classmethod
    def load(cls, path: Path) -> "PublicKey":
        """Reads a PEM file with the public half. Raises `KeyUnusable`."""
        return cls.read(path, key_file.read(path))

    @classmethod
    def of(cls, raw: bytes) -> "PublicKey":
        """Makes a key from its 32 bytes. Raises `ValueError`."""
        return cls(Ed25519PublicKey.from_public_bytes(raw))

    @classmethod
    def read(cls, path: Path, data: bytes) -> "PublicKey":
        """Makes a key from a PEM file's bytes. Raises `KeyUnusable`."""
        try:
            key = load_pem_public_key(data)
        except (ValueError, UnsupportedAlgorithm, InternalError) as exc:
            hint = "; it is a private key: give its .pub" if b"PRIVATE KEY" in data else ""
            raise KeyUnusable(path, f"is no public key in PEM{hint}") from exc
        if not isinstance(key, Ed25519PublicKey):
            raise KeyUnusable(path, "is a public key of another kind; the record is signed with Ed25519")
        return cls(key)

    @property
    def raw(self) -> bytes:
        """The public key as 32 raw bytes."""
        return self._key.public_bytes(Encoding.Raw, PublicFormat.Raw)

    def has_signed(self, signature: bytes, data: bytes) -> bool:
        """Returns True if the private half made this signature of these bytes."""
        try:
            self._key.verify(signature, data)
        except InvalidSignature:
            return False
        return True

    def pem(self) -> bytes:
        """Returns the public key as PEM text."""
        return self._key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


class SigningKey:
    """The half of a signing key that signs. It is never logged, recorded or published."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(key.public_key())

    @classmethod
    def load(cls, path: Path, known: Container[str] | None = None) -> "SigningKey":
        """From a PEM file that only the daemon may read. Raises `KeyUnusable`, also where the file is damaged.

        The file of an earlier release, or of openssl, has no check: where `path`.pub does not show that it is whole, its key
        must be one of `known` (ids); None = nobody asks.
        """
        pem, is_checked = _checked(path, key_file.read_private(path, MAKER))
        found = cls._read(path, pem)
        public = _beside(path)
        if public is not None and public.id != found.public.id:
            raise KeyUnusable(
                path,
                f"is not the private half of {path.name}.pub beside it (key {public.id}): one of the two is another file or "
                "damaged; bring both back from your copy",
            )
        if known is not None and not is_checked and public is None and found.public.id not in known:
            raise KeyUnusable(
                path,
                f"has no check, and nothing says that it is whole; lay its public half beside it as {path.name}.pub, then "
                f"`{ADDER} {path}` writes the check",
            )
        return found

    @classmethod
    def _read(cls, path: Path, pem: bytes) -> "SigningKey":
        try:
            key = load_pem_private_key(pem, password=None)
        except TypeError as exc:
            raise KeyUnusable(path, "is encrypted, and nobody is there at night to type a passphrase") from exc
        except (ValueError, UnsupportedAlgorithm, InternalError) as exc:
            raise KeyUnusable(path, f"is no private key in PEM; `{MAKER}` makes one") from exc
        if not isinstance(key, Ed25519PrivateKey):
            raise KeyUnusable(path, f"is a key of another kind; `{MAKER}` makes an Ed25519 one")
        return cls(key)

    def sign(self, data: bytes) -> bytes:
        """Returns the signature, 64 bytes."""
        return self._key.sign(data)


def _checked(path: Path, data: bytes) -> tuple[bytes, bool]:
    """Returns a key file's PEM, and whether a right check follows it. Raises `KeyUnusable` for a wrong check."""
    pem, mark, rest = data.rpartition(CHECK)
    if mark and rest != sha256(pem).hexdigest().encode() + b"\n":
        raise KeyUnusable(path, "is damaged: its check is of other bytes; bring it back from your copy")
    if not mark and END in data and data.rpartition(END)[2].strip():
        raise KeyUnusable(
            path, f"is damaged: no check stands behind the key; bring it back, or run `{ADDER} {path}`"
        )
    return (pem, True) if mark else (data, False)


def _beside(path: Path) -> PublicKey | None:
    """Returns the public half beside a key file, or None. Raises `KeyUnusable` if it is invalid."""
    beside = path.with_name(path.name + ".pub")
    return PublicKey.load(beside) if beside.exists() else None


def add_check(path: Path) -> PublicKey:
    """Writes the check to a key file that has none; its public half must lie beside it. Raises `KeyUnusable`."""
    key = SigningKey.load(path, known=())
    pem, is_checked = _checked(path, key_file.read_private(path, MAKER))
    if not is_checked:
        key_file.replace(path, _with_check(pem))
    return key.public


def _with_check(pem: bytes) -> bytes:
    return b"%b%b%b\n" % (pem, CHECK, sha256(pem).hexdigest().encode())


def make_key(path: Path) -> PublicKey:
    """Makes a key at `path`, and its public half at `path`.pub. Nothing is overwritten. Raises `KeyUnusable`."""
    key = Ed25519PrivateKey.generate()
    public = PublicKey(key.public_key())
    beside = path.with_name(path.name + ".pub")
    if beside.exists():
        raise KeyUnusable(beside, "is there already; a key is never overwritten")
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    key_file.write(path, _with_check(secret), key_file.PRIVATE_MODE)
    key_file.write(beside, public.pem(), key_file.PUBLIC_MODE)
    return public
