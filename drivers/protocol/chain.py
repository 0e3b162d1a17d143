"""The keyed chain over a device's log: without the device's key nobody can change or drop a record unseen.

`docs/protocol.md` 6.10 defines a chain value, what a host does about a wrong one, and what is not proven.
"""

import hmac
from typing import NamedTuple

from drivers.protocol.auth import HASH, hkdf_expand, hkdf_extract
from drivers.protocol.codec import chained_bytes
from drivers.protocol.constants import CHAIN_SIZE
from drivers.protocol.messages import Record

CHAIN_START = bytes(CHAIN_SIZE)
"""Stands for the value before the first record of a boot whose log began empty."""


class Place(NamedTuple):
    """The device's last report that is durable at the host. `chain`: its chain value, 8 bytes; empty = unknown."""

    boot: int
    counter: int
    chain: bytes = b""


class LogChain:
    """Computes chain values with one device's key. `key`: 32 bytes."""

    def __init__(self, key: bytes) -> None:
        self._key = hkdf_expand(hkdf_extract(b"", key), b"TDP/1 log chain", 32)

    def value(self, boot: int, record: Record, before: bytes) -> bytes:
        """Returns the 8-byte chain value of `record` after a record with the value `before`."""
        return hmac.digest(self._key, chained_bytes(boot, record, before), HASH)[:CHAIN_SIZE]
