"""The reading side of a record, wherever its records are: live file, segments, or both."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from controller.journal.disk.file import Anchor, Description
from controller.journal.record import Record, Stream
from controller.journal.seal import Head
from controller.journal.vault.vault import Unsealer
from controller.journal.vault.vault_keys import VaultKeys
from controller.journal.view import MAX_SEQUENCE, Brief, Bunch, Progress


class Reading(Protocol):
    """Reads a record. Every method may raise `JournalDamaged`."""

    told: Progress

    @property
    def description(self) -> Description:
        """Which table and daemon wrote the journal, and its format."""

    @property
    def anchors(self) -> Mapping[Stream, Anchor]:
        """For each stream, the hash and number that its first record present follows."""

    def last(self) -> tuple[dict[Stream, Head], int]:
        """Returns the last record's number and hash of each stream, and the last order number."""

    def merged(self, streams: Iterable[Stream], after: Mapping[Stream, int] | None = None) -> Iterator[Record]:
        """Yields the records of several streams in the order of commits, each stream from `after` on."""

    def before_last(self, streams: Iterable[Stream], count: int | None) -> dict[Stream, int]:
        """Returns for each stream the number after which its last `count` records begin; None: all records."""

    def backwards(
        self, stream: Stream, kinds: Sequence[str], before: int = MAX_SEQUENCE, after: int = 0
    ) -> Iterator[Brief]:
        """Yields short records of these kinds from the newest to the oldest, between `after` and `before`."""

    def closing(self, is_wanted: Callable[[Brief], bool]) -> Brief | None:
        """Returns the newest closing of a gaming day that `is_wanted` accepts, or None."""

    def briefly(self, stream: Stream, after: int, through: int) -> Iterator[Brief]:
        """Yields short records, without hashes, with numbers after `after` and up to `through`."""

    def bunches(self, stream: Stream, kinds: Sequence[str], having: bytes = b"") -> Iterator[Bunch]:
        """Yields all records of these kinds with `having` in their body, some ten times as fast as one by one. Two readers of one
        stream get bunches of the same spans."""

    def of_round(self, stream: Stream, round_id: str, kinds: Sequence[str]) -> Iterator[Record]:
        """Yields a round's records of these kinds, oldest first."""

    def unsealer(self, keys: VaultKeys | None = None) -> Unsealer:
        """Returns what opens sealed card identities: with the keys of the vault beside the record, or with
        `keys`."""

    def sealed_end(self) -> tuple[str, str] | None:
        """Returns the segment's closing mark and its signature; None if the record is not a closed segment."""

    def close(self) -> None:
        """Closes the files behind the record."""
