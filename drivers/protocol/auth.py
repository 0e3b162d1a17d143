"""Proves a shared key between host and device, and seals each frame of the session that follows.

Only HMAC-SHA-256 (RFC 2104) and HKDF (RFC 5869). `docs/protocol.md` 6.9 says what is proven, and 7 what is not.
"""

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import field
from hashlib import sha256

from drivers.protocol.constants import (
    HEADER_SIZE,
    KEY_SIZE,
    MAC_SIZE,
    MEASURE_RANGE_MAX,
    NUMBER_SIZE,
    SEAL_SIZE,
)
from drivers.protocol.records import dataclass

HASH = "sha256"
FLAGS_AT, FLAG_SEALED = 2, 0x02


def hkdf_extract(salt: bytes, secret: bytes) -> bytes:
    """Returns the 32 bytes of HKDF-Extract (RFC 5869, 2.2). An empty salt stands for 32 zero bytes."""
    return hmac.digest(salt or bytes(32), secret, HASH)


def hkdf_expand(extracted: bytes, info: bytes, size: int) -> bytes:
    """Returns `size` bytes of HKDF-Expand (RFC 5869, 2.3), at most 255 * 32."""
    block = found = b""
    number = 1
    while len(found) < size:
        block = hmac.digest(extracted, block + info + bytes([number]), HASH)
        found += block
        number += 1
    return found[:size]


@dataclass(frozen=True, slots=True)
class Trust:
    """What a host needs to trust a device. `key`: 32 bytes, shared with this device alone.

    `images`: firmware by its SHA-256. A device whose WELCOME names one of these hashes is measured against it.
    """

    key: bytes = field(repr=False)
    images: Mapping[bytes, bytes] = field(default_factory=dict, repr=False)


class SessionKeys:
    """Derives all keys of one session from the shared key; `hello` and `welcome`: both payloads as sent.

    Both nonces, serial number, boot, versions, capabilities and hashes are in the payloads, so nobody can change
    them on the way. Raises ValueError for a key of another size.
    """

    def __init__(self, key: bytes, session: int, hello: bytes, welcome: bytes) -> None:
        if len(key) != KEY_SIZE:
            raise ValueError(f"a key has {KEY_SIZE} bytes, not {len(key)}")
        context = sha256(session.to_bytes(4, "little") + hello + welcome).digest()
        extracted = hkdf_extract(context, key)

        def derive(label: str) -> bytes:
            return hkdf_expand(extracted, b"TDP/1 " + label.encode(), 32)

        self.host_proof, self.device_proof = derive("host proof"), derive("device proof")
        self.host_seal, self.device_seal = derive("host seal"), derive("device seal")
        self.measure = derive("measure")


class Seal:
    """Seals the frames of one end in one session: a flag, a growing number, and a MAC."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._number = 0

    def __call__(self, body: bytes) -> bytes:
        """Returns the body with its seal."""
        self._number += 1
        flags = bytes([body[FLAGS_AT] | FLAG_SEALED])
        marked = body[:FLAGS_AT] + flags + body[FLAGS_AT + 1 :] + self._number.to_bytes(NUMBER_SIZE, "little")
        return marked + hmac.digest(self._key, marked, HASH)[:MAC_SIZE]


class Unseal:
    """Checks the seals of the other end's frames in one session."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._highest = 0

    def fault(self, body: bytes) -> str:
        """Returns "" for a good, new seal; otherwise `auth_bad_mac`, or `auth_replay` for a seal seen before."""
        if len(body) < HEADER_SIZE + SEAL_SIZE or not body[FLAGS_AT] & FLAG_SEALED:
            return "auth_bad_mac"
        marked, mac = body[:-MAC_SIZE], body[-MAC_SIZE:]
        if not hmac.compare_digest(hmac.digest(self._key, marked, HASH)[:MAC_SIZE], mac):
            return "auth_bad_mac"
        number = int.from_bytes(marked[-NUMBER_SIZE:], "little")
        if number <= self._highest:
            return "auth_replay"
        self._highest = number
        return ""


def is_in_image(ranges: Iterable[tuple[int, int]], image: bytes) -> bool:
    """Returns True if every (offset, length) lies in the image and none is longer than 4096 bytes."""
    return all(length <= MEASURE_RANGE_MAX and offset + length <= len(image) for offset, length in ranges)


def measurement(key: bytes, nonce: bytes, ranges: Iterable[tuple[int, int]], image: bytes) -> bytes:
    """Returns the digest of a MEASURED: HMAC over the nonce and each range with its bytes."""
    parts = [nonce]
    for offset, length in ranges:
        parts += [offset.to_bytes(4, "little"), length.to_bytes(4, "little"), image[offset : offset + length]]
    return hmac.digest(key, b"".join(parts), HASH)
