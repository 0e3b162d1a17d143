"""The keyed chain over a device's log: whoever has not got the device's key can neither change a record in it nor leave one out.

`docs/protocol.md` 6.10 says how a value is worked out, what a host makes of one that is wrong, and what is not proven.
"""

import hmac
from typing import NamedTuple

from drivers.protocol.auth import HASH, hkdf_expand, hkdf_extract
from drivers.protocol.codec import chained_bytes
from drivers.protocol.constants import CHAIN_SIZE
from drivers.protocol.messages import Record

__all__ = ["CHAIN_START", "LogChain", "Place"]

CHAIN_START = bytes(CHAIN_SIZE)
"""Stands for the value before the first record of a boot whose log began empty."""


class Place(NamedTuple):
    """The last of a device's reports that is durable at the host. `chain`: its value, 8 bytes; empty = not known."""

    boot: int
    counter: int
    chain: bytes = b""


class LogChain:
    """What one device's key makes of its records. `key`: 32 bytes."""

    def __init__(self, key: bytes) -> None:
        self._key = hkdf_expand(hkdf_extract(b"", key), b"TDP/1 log chain", 32)

    def value(self, boot: int, record: Record, before: bytes) -> bytes:
        """The 8 bytes that belong into `record` behind one with the value `before`."""
        return hmac.digest(self._key, chained_bytes(boot, record, before), HASH)[:CHAIN_SIZE]
