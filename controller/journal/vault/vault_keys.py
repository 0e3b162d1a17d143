"""The vault's key file: the keys under which the keys of single rounds lie in the record.

One line a key, `tablewarden-vault 1 HEX ID`, the newest first; the others are kept for what was sealed before. A key is
known by its id, the first 16 hex digits of the SHA-256 of `tablewarden vault key` and its 32 bytes. The id behind a key is its
check: any 32 bytes are a key, so a flipped bit makes another one that is as good.
"""

import os
import re
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from controller.journal.vault import key_file
from controller.journal.vault.key_file import KeyUnusable
from drivers.protocol.records import dataclass

MAKER = "tablewarden vault key --new"
ADDER = "tablewarden vault key --check"
SECRET_BYTES = 32
NONCE_BYTES = 12
MOST_KEYS = 64
"""More than anybody renews in the years for which records are kept, and what fits into a key file."""
FIRST_WORD = "tablewarden-vault"
_LINE = re.compile(r"tablewarden-vault 1 (?P<secret>[0-9a-f]{64})(?: (?P<id>\S+))?")
_HEAD = "# Who has these lines can read every card that was sealed under them. The newest stands first.\n"


class VaultKeyMissing(Exception):
    """The data is sealed under a key that is not in this vault: another file, or a removed old line."""

    def __init__(self, vault: str) -> None:
        super().__init__(
            f"it is sealed under vault key {vault}, which is not in the vault's file; put that key's line back into it"
        )
        self.vault = vault


class WrappedDamaged(Exception):
    """The key is right, but the sealed data was changed."""


class VaultKeys:
    """The keys of one vault file, never logged, recorded or published. `id`: of the newest key."""

    def __init__(self, secrets: Sequence[bytes]) -> None:
        self._ciphers = {_id(secret): AESGCM(secret) for secret in secrets}
        self.id = _id(secrets[0])

    @classmethod
    def load(cls, path: Path, known: Callable[[], Collection[str]] | None = None) -> "VaultKeys":
        """Reads a file that only the daemon may read. Raises `KeyUnusable`, also where a line is damaged.

        The file of an earlier release has no check: where the record knows keys, each unchecked one must be among them.
        `known`: asked for their ids then; None = nobody asks.
        """
        lines = _lines(path)
        if known is not None and (unchecked := [line for line in lines if not line.is_checked]):
            ids = known()
            strange = next((line for line in unchecked if ids and _id(line.secret) not in ids), None)
            if strange is not None:
                raise KeyUnusable(
                    path,
                    f"line {strange.number} has no check, and the record knows no key {_id(strange.secret)}: bring the file back "
                    f"from your copy, or, where this key is right, `{ADDER} {path}` writes the check",
                )
        return cls([line.secret for line in lines])

    def __contains__(self, vault: str) -> bool:
        return vault in self._ciphers

    def wrap(self, secret: bytes, about: bytes) -> tuple[str, bytes]:
        """Seals data under the newest key; returns that key's id, nonce and ciphertext. `about` is bound to it."""
        nonce = os.urandom(NONCE_BYTES)
        return self.id, nonce + self._ciphers[self.id].encrypt(nonce, secret, about)

    def unwrap(self, vault: str, wrapped: bytes, about: bytes) -> bytes:
        """Returns the sealed data. Raises `VaultKeyMissing` for another key, `WrappedDamaged` for changed data."""
        cipher = self._ciphers.get(vault)
        if cipher is None:
            raise VaultKeyMissing(vault)
        try:
            return cipher.decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], about)
        except (InvalidTag, ValueError) as exc:
            raise WrappedDamaged(f"what vault key {vault} had sealed is not as it was written") from exc


def make_vault(path: Path) -> VaultKeys:
    """Makes a vault file with one key. Overwrites nothing. Raises `KeyUnusable`."""
    secret = os.urandom(SECRET_BYTES)
    key_file.write(path, _text([secret]), key_file.PRIVATE_MODE)
    return VaultKeys([secret])


def renew_vault(path: Path) -> VaultKeys:
    """Puts a new key before the others: from the next start on it seals, and what was sealed stays readable.

    Raises `KeyUnusable`; the file is then as it was.
    """
    secrets = [os.urandom(SECRET_BYTES), *(line.secret for line in _lines(path))]
    if len(secrets) > MOST_KEYS:
        raise KeyUnusable(path, f"holds {MOST_KEYS} keys; take out those whose rounds are past their retention")
    key_file.replace(path, _text(secrets))
    return VaultKeys(secrets)


def check_vault(path: Path) -> list[str]:
    """Writes the check behind each key that has none. Returns the ids, the newest first. Raises `KeyUnusable`."""
    lines = _lines(path)
    if not all(line.is_checked for line in lines):
        key_file.replace(path, _text([line.secret for line in lines]))
    return [_id(line.secret) for line in lines]


@dataclass(frozen=True, slots=True)
class _Line:
    """A key in its line. `number`: from 1."""

    number: int
    secret: bytes
    is_checked: bool


def _lines(path: Path) -> list[_Line]:
    text = key_file.read_private(path, MAKER).decode(errors="replace")
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or (line.startswith("#") and FIRST_WORD not in line):
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            hint = "; it is the key that signs the record" if "PRIVATE KEY" in text else ""
            raise KeyUnusable(path, f"line {number} is no key of a vault{hint}; `{MAKER}` makes one")
        secret, check = bytes.fromhex(found["secret"]), found["id"]
        if check is not None and check != _id(secret):
            raise KeyUnusable(
                path,
                f"line {number} is damaged: its check is of another key; bring key {check} back from your copy",
            )
        lines.append(_Line(number, secret, check is not None))
    if not lines:
        raise KeyUnusable(path, f"holds no key of a vault; `{MAKER}` makes one")
    return lines


def _text(secrets: Sequence[bytes]) -> bytes:
    return (_HEAD + "".join(f"tablewarden-vault 1 {x.hex()} {_id(x)}\n" for x in secrets)).encode()


def _id(secret: bytes) -> str:
    return sha256(b"tablewarden vault key" + secret).hexdigest()[:16]
