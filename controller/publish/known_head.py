"""The newest signed checkpoint on `conn`: what a broker keeps of a table's record outside of the table's PC.

The publisher only carries it; `controller/daemon/record/heads_outside.py` signs and compares it.
"""

from collections.abc import Mapping
from typing import Protocol

from msgspec import UNSET, UnsetType

Checkpoint = Mapping[str, str] | UnsetType
"""`statement` and `signature` as they are on record; UNSET where nothing was signed."""


class Heads(Protocol):
    """Gives and compares the record's newest checkpoint, the one retained at the broker."""

    def newest(self) -> Checkpoint:
        """Returns the checkpoint that goes out with a birth, a goodbye and the last will."""
        ...

    def seen(self, payload: bytes) -> None:
        """Takes the checkpoint that the broker kept from before this connection. Never raises."""
        ...


class NoHeads:
    """For a table without a signing key, or a publisher without a record."""

    def newest(self) -> Checkpoint:
        """Returns an empty checkpoint: this journal has none."""
        return UNSET

    def seen(self, payload: bytes) -> None:
        """Ignores the broker's checkpoint."""
