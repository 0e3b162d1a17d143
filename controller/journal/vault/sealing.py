"""The bytes of a sealed body: what is open about cards, and which they are under the key of their round. Pure.

    commitment of a key  = SHA-256("tablewarden round key" + key)
    AES key              = HMAC-SHA-256(key, "seal")
    salt of a card       = HMAC-SHA-256(key, "salt" + nonce + name of the field + byte 0 + place as 2 bytes)
    commitment of a card = SHA-256(salt + name of the card as recorded)

In a sealed body each field that names cards holds the commitments of its cards in their order, and `sealed` holds the
commitment of the round's key and, in hex, the nonce (12 bytes) with the AES-256-GCM ciphertext of those fields as a JSON
object. What is authenticated with it: journal, byte 0, kind. AES-GCM alone binds nobody to one key; the commitment does.
"""

import hmac
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from controller.journal.record import Stream
from controller.journal.vault.vault_keys import NONCE_BYTES
from controller.table.words.codec import SEALED_VERSIONS

SEALED: Mapping[int, int] = {version - 1: version for version in SEALED_VERSIONS}
"""Version of a body -> its version once it is sealed, so that a release that knows no seals takes it for nothing else."""
CLEAR: Mapping[int, int] = {sealed: clear for clear, sealed in SEALED.items()}
MOST_CARDS = 12
"""More cards than any place on a table holds; a longer text is no hand and gets one commitment."""
_decode, _encode = msgspec.json.decode, msgspec.json.Encoder().encode


class SealBroken(Exception):
    """The committed key does not open this body, or opens something else than the body shows."""


class RoundKey:
    """The key of one round, 32 bytes, and what is derived from it."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self.commitment = sha256(b"tablewarden round key" + secret).digest()

    @cached_property
    def cipher(self) -> AESGCM:
        """Returns the AES-GCM cipher of the key derived for sealing."""
        return AESGCM(hmac.digest(self.secret, b"seal", "sha256"))

    def card(self, nonce: bytes, field: str, place: int, name: str) -> "Shown":
        """Returns one card with its commitment. `place`: from 0 within its field."""
        about = b"".join((b"salt", nonce, field.encode(), b"\0", place.to_bytes(2, "big")))
        salt = hmac.digest(self.secret, about, "sha256")
        return Shown(field, name, salt.hex(), sha256(salt + name.encode()).hexdigest())


class Shown(NamedTuple):
    """A card of a field with its commitment, SHA-256 of salt and name. Salt and commitment: 64 hex digits each."""

    field: str
    card: str
    salt: str
    commitment: str


def sealed(data: bytes, fields: Sequence[str], stream: Stream, key: RoundKey, about: bytes, nonce: bytes) -> bytes:
    """Returns the body with these fields sealed; unchanged if all are empty. `nonce`: 12 bytes, used once."""
    whole, body = _parted(data, stream)
    hidden = {name: body[name] for name in fields if body.get(name)}
    if not hidden:
        return data
    body.update(
        {name: [card.commitment for card in _shown(name, text, key, nonce)] for name, text in hidden.items()}
    )
    ciphertext = key.cipher.encrypt(nonce, _encode(hidden), about)
    whole["sealed"] = {"key": key.commitment.hex(), "data": (nonce + ciphertext).hex()}
    return _encode(whole)


def key_of(data: bytes) -> bytes:
    """Returns the commitment of a sealed body's key. Raises `SealBroken` if it names none."""
    try:
        return bytes.fromhex(_decode(data)["sealed"]["key"])
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, RecursionError) as exc:
        raise SealBroken("the body says that it is sealed, and names no key") from exc


def opened(data: bytes, stream: Stream, key: RoundKey, about: bytes) -> bytes:
    """Returns the sealed bytes unchanged. Raises `SealBroken`."""
    whole, body, hidden, _ = _unlocked(data, stream, key, about)
    body.update(hidden)
    del whole["sealed"]
    return _encode(whole)


def proved(data: bytes, stream: Stream, key: RoundKey, about: bytes) -> list[Shown]:
    """Returns the sealed cards, each compared with the commitment in the body. Raises `SealBroken`."""
    _, body, hidden, nonce = _unlocked(data, stream, key, about)
    cards = {name: _shown(name, text, key, nonce) for name, text in hidden.items()}
    for name, shown in cards.items():
        if body.get(name) != [card.commitment for card in shown]:
            raise SealBroken(f"`{name}` shows other commitments than those of the cards that it holds")
    return [card for shown in cards.values() for card in shown]


def _parted(data: bytes, stream: Stream) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the whole body and the part that says what happened; an input has origin and actor beside it."""
    whole = _decode(data)
    return whole, whole["body"] if stream is Stream.INPUT else whole


def _unlocked(
    data: bytes, stream: Stream, key: RoundKey, about: bytes
) -> tuple[dict[str, Any], dict[str, Any], dict[str, str], bytes]:
    try:
        whole, body = _parted(data, stream)
        box = bytes.fromhex(whole["sealed"]["data"])
        nonce = box[:NONCE_BYTES]
        hidden = _decode(key.cipher.decrypt(nonce, box[NONCE_BYTES:], about))
        if not isinstance(body, dict):  # the seal is about the record's place, not about what stands around it
            raise SealBroken("what was sealed has no place in this body")
        return whole, body, hidden, nonce
    except (InvalidTag, msgspec.DecodeError, KeyError, TypeError, ValueError, RecursionError) as exc:
        raise SealBroken("its key does not open this body") from exc


def _shown(field: str, text: str, key: RoundKey, nonce: bytes) -> list[Shown]:
    return [key.card(nonce, field, place, card) for place, card in enumerate(_cards(text))]


def _cards(text: str) -> list[str]:
    words = text.replace(",", " ").split()
    return words if 0 < len(words) <= MOST_CARDS else [text]
